/** The renaming rules of a definition: lines `from to`, confined to it. */
import { lstat, mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { endOf } from './confined.ts';

/** Rules applied at most. */
const MAX_RULES = 10_000;
/** Characters of a name that messages show. */
const SHOWN = 100;
/** What a rule may make of rename(2) and mkdir(2), and nothing else does. */
const REFUSED = [
  ...['ENOTEMPTY', 'EISDIR', 'ENOTDIR', 'EEXIST', 'EINVAL'],
  // A name too long for any file, and a link on the way that leads nowhere or in a circle.
  ...['ENAMETOOLONG', 'ENOENT', 'ELOOP'],
];

/** Applies rules in order. A malformed line or a missing `from` is told to `warn`. Throws `unsafe-archive`. */
export async function applyRenaming(
  folder: string,
  rules: string,
  file: string,
  warn: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const lines = rules.split(/\r?\n/).slice(0, MAX_RULES);
  let renamed = 0;
  for (const [at, line] of lines.entries()) {
    signal.throwIfAborted();
    const where = `${file}:${at + 1}`;
    const words = line.trim().split(/\s+/);
    if (line.trim() === '') continue;
    const [from, to] = words;
    if (from === undefined || to === undefined || words.length !== 2) {
      warn(`${where}: "${line.trim().slice(0, SHOWN)}" is no "from to": passed over`);
      continue;
    }
    const [source, target] = await Promise.all([inside(folder, from, where), inside(folder, to, where)]);
    try {
      await lstat(source);
    } catch {
      warn(`${where}: there is no ${from.slice(0, SHOWN)}: passed over`);
      continue;
    }
    await move(source, target, where);
    renamed++;
  }
  // A link that led to a file inside may lead elsewhere from its new place.
  if (renamed > 0) await checkLinks(folder, folder, signal);
}

async function move(source: string, target: string, where: string): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true });
    await rename(source, target);
  } catch (error) {
    const code = errorCode(error);
    if (!REFUSED.includes(code)) throw error;
    throw new Fault('invalid', 'bad-definition', `${where}: can not be renamed (${code})`);
  }
}

/** A path inside the folder, no component of which is a link to elsewhere. */
async function inside(folder: string, path: string, where: string): Promise<string> {
  if (path.includes('\0')) throw new Fault('invalid', 'bad-definition', `${where}: holds a NUL`);
  const clean = normalize(path);
  const leaves = clean === '..' || clean.startsWith('../') || clean.startsWith('/') || clean === '.';
  const end = leaves ? 'outside' : await endOf(folder, dirname(clean));
  if (end === 'outside') throw unsafe(`${where}: ${path.slice(0, SHOWN)} lies outside of the definition`);
  if (end === 'circle') throw unsafe(`${where}: a link on the way leads in a circle`);
  return join(folder, clean);
}

async function checkLinks(root: string, folder: string, signal: AbortSignal): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    signal.throwIfAborted();
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await checkLinks(root, path, signal);
    else if (entry.isSymbolicLink() && (await endOf(root, relative(root, path))) === 'outside') {
      throw unsafe(`${relative(root, path)} leads out of the definition once renamed`);
    }
  }
}

function unsafe(message: string): Fault {
  return new Fault('invalid', 'unsafe-archive', message);
}
