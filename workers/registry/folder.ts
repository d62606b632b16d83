/** Looks through folders that others filled, which may be large, deep, or not to be read. */
import type { Dirent } from 'node:fs';
import { opendir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';

/** Entries looked at, and files found: a folder that holds more is hardly the one that was meant. */
const MAX_ENTRIES = 1_000_000;
const MAX_FILES = 200_000;
/** Entries read at once. */
const AT_ONCE = 1000;

/**
 * A folder's path with all links resolved; with `root` it must lie below that, and whatever else is wrong then reads
 * the same: who is confined learns nothing of what lies outside. Throws `not-found`, `bad-input`.
 */
export async function resolveFolder(folder: string, root: string | undefined): Promise<string> {
  if (root === undefined) return realpath(folder).catch(error => explain(error, folder));
  const [real, top] = await Promise.all([realpath(folder), realpath(root)]).catch(() => ['', '/']);
  if (real === top || real?.startsWith(`${top}/`)) return real;
  throw new Fault('not_found', 'not-found', `${folder} is not there, or leads out of ${root}`);
}

/**
 * Paths of the regular files below a folder whose names fit, sorted. Links are not followed. Throws `too-large`,
 * `not-found`, `bad-input` where a folder can't be read.
 */
export async function findFiles(folder: string, wanted: RegExp, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  for await (const path of walkFiles(folder, signal, MAX_ENTRIES)) {
    if (wanted.test(basename(path)) && found.push(path) > MAX_FILES)
      throw tooMany(folder, MAX_FILES, 'files');
  }
  return found.sort();
}

/** Paths of the regular files below a folder, among so many entries at most. Throws as `findFiles` does. */
export async function* walkFiles(
  folder: string,
  signal: AbortSignal,
  maxEntries = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  const folders = [folder];
  let seen = 0;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for await (const entry of entriesOf(at, at === folder)) {
      if (seen++ % AT_ONCE === 0) signal.throwIfAborted();
      if (seen > maxEntries) throw tooMany(folder, maxEntries, 'entries');
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) yield path;
    }
  }
}

async function* entriesOf(folder: string, isTop: boolean): AsyncGenerator<Dirent> {
  try {
    for await (const entry of await opendir(folder, { bufferSize: AT_ONCE })) yield entry;
  } catch (error) {
    // Gone since its name was read.
    if (!isTop && errorCode(error) === 'ENOENT') return;
    explain(error, folder);
  }
}

function explain(error: unknown, folder: string): never {
  const code = errorCode(error);
  if (code === 'ENOENT') throw new Fault('not_found', 'not-found', `${folder} is not there`);
  if (code === 'ENOTDIR') throw new Fault('invalid', 'bad-input', `${folder} is not a folder`);
  if (/^(EACCES|EPERM|ELOOP|ENAMETOOLONG|EINVAL)$/.test(code))
    throw new Fault('invalid', 'bad-input', `${folder} can't be read by the daemon (${code})`);
  throw error;
}

function tooMany(folder: string, limit: number, what: string): Fault {
  const message = `${folder} holds more than ${limit} ${what}: name the folder of the packages themselves`;
  return new Fault('exhausted', 'too-large', message, { limit });
}
