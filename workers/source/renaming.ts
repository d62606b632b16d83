/** The renaming rules of a definition: lines `from to`, confined to it. */
import { lstat, mkdir, readdir, realpath, rename } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';

/** Rules applied at most. */
const MAX_RULES = 10_000;

/** Applies rules in order. A malformed line or a missing `from` is told to `warn`. Throws `unsafe-archive`. */
export async function applyRenaming(
  folder: string,
  rules: string,
  file: string,
  warn: (text: string) => void,
): Promise<void> {
  const lines = rules.split(/\r?\n/).slice(0, MAX_RULES);
  let renamed = 0;
  for (const [at, line] of lines.entries()) {
    const words = line.trim().split(/\s+/);
    if (line.trim() === '') continue;
    const [from, to] = words;
    if (from === undefined || to === undefined || words.length !== 2) {
      warn(`${file}:${at + 1}: "${line.trim().slice(0, 100)}" is no "from to": passed over`);
      continue;
    }
    const [source, target] = await Promise.all([
      confined(folder, from, file, at),
      confined(folder, to, file, at),
    ]);
    try {
      await lstat(source);
    } catch {
      warn(`${file}:${at + 1}: there is no ${from}: passed over`);
      continue;
    }
    await move(source, target, `${file}:${at + 1}`);
    renamed++;
  }
  // A link that led to a file inside may lead elsewhere from its new place.
  if (renamed > 0) await checkLinks(folder, folder);
}

async function move(source: string, target: string, where: string): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true });
    await rename(source, target);
  } catch (error) {
    const code = errorCode(error);
    if (!['ENOTEMPTY', 'EISDIR', 'ENOTDIR', 'EEXIST', 'EINVAL'].includes(code)) throw error;
    throw new Fault('invalid', 'bad-definition', `${where}: can not be renamed (${code})`);
  }
}

/** A path inside the folder, no component of which is a link to elsewhere. */
async function confined(folder: string, path: string, file: string, at: number): Promise<string> {
  const clean = normalize(path);
  const leaves = (found: string): boolean =>
    found === '..' || found.startsWith('../') || found.startsWith('/');
  let real = dirname(join(folder, clean));
  for (;;) {
    try {
      real = await realpath(real);
      break;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw loops(error, file, at);
      real = dirname(real);
    }
  }
  if (leaves(clean) || clean === '.' || leaves(relative(await realpath(folder), real))) {
    throw new Fault(
      'invalid',
      'unsafe-archive',
      `${file}:${at + 1}: ${path.slice(0, 100)} lies outside of the definition`,
    );
  }
  return join(folder, clean);
}

function loops(error: unknown, file: string, at: number): unknown {
  if (errorCode(error) !== 'ELOOP') return error;
  return new Fault('invalid', 'unsafe-archive', `${file}:${at + 1}: a link on the way leads in a circle`);
}

async function checkLinks(root: string, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await checkLinks(root, path);
    else if (entry.isSymbolicLink()) {
      const target = await realpath(path).catch(() => null);
      if (target !== null && relative(await realpath(root), target).startsWith('..')) {
        throw new Fault(
          'invalid',
          'unsafe-archive',
          `${relative(root, path)} leads out of the definition once renamed`,
        );
      }
    }
  }
}
