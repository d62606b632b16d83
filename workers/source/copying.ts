/** Copies a folder of a definition to where it is built from; what its links lead to elsewhere in it comes along. */
import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { ABSENT, confined } from './confined.ts';

/** As many as an archive may have members: links that lead to folders with links give more than was unpacked. */
const MAX_ENTRIES = 100_000;

export interface CopyOptions {
  /** Bytes that all files may have; 0 = no such limit. */
  readonly bytes: number;
  /** Files, links and folders; MAX_ENTRIES unless told. */
  readonly entries?: number;
  readonly signal: AbortSignal;
}

/** A copy under way. */
interface Copy {
  /** Folder of the definition. */
  readonly root: string;
  /** Path without links of the folder that is copied. */
  readonly top: string;
  readonly label: string;
  readonly options: CopyOptions;
  /** Paths without links of the folders that are being copied, one in the other. */
  readonly open: Set<string>;
  entries: number;
  bytes: number;
}

/**
 * Copies `folder`, a path below `root`, as `to`, which is absent. A link to elsewhere in the definition is copied as what
 * it leads to, since it would lead nowhere from its new place; others stay links. Files get mode 0644 or 0755. Throws
 * `unsafe-archive`, `archive-too-large`.
 */
export async function copyFolder(
  root: string,
  folder: string,
  to: string,
  options: CopyOptions,
): Promise<void> {
  const top = await confined(root, folder);
  const copy = { root, top, label: folder, options, open: new Set<string>(), entries: 0, bytes: 0 };
  try {
    await copyDirectory(copy, top, to);
  } catch (error) {
    if (errorCode(error) !== 'ENAMETOOLONG') throw error;
    throw new Fault('invalid', 'unsafe-archive', `${folder}: its links give paths that are too long`);
  }
}

async function copyDirectory(copy: Copy, from: string, to: string): Promise<void> {
  if (copy.open.has(from)) {
    const name = relative(copy.root, from) || 'the definition';
    throw new Fault('invalid', 'unsafe-archive', `${copy.label}: a link to ${name} leads in a circle`);
  }
  const { signal, entries = MAX_ENTRIES } = copy.options;
  copy.open.add(from);
  await mkdir(to, { mode: 0o755 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    signal.throwIfAborted();
    if (++copy.entries > entries) throw tooLarge(copy, `${entries} files`);
    const [path, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyDirectory(copy, path, target);
    else if (entry.isSymbolicLink()) await copyLink(copy, path, target);
    else await copyPlain(copy, path, target);
  }
  copy.open.delete(from);
}

async function copyLink(copy: Copy, path: string, target: string): Promise<void> {
  const real = await confined(copy.root, relative(copy.root, path));
  const found = await lstat(real).catch((error: unknown) => {
    if (ABSENT.includes(errorCode(error))) return null;
    throw error;
  });
  const stays = found === null || real === copy.top || real.startsWith(`${copy.top}${sep}`);
  if (stays) await symlink(await readlink(path, 'buffer'), target);
  else if (found.isDirectory()) await copyDirectory(copy, real, target);
  else await copyPlain(copy, real, target);
}

async function copyPlain(copy: Copy, path: string, target: string): Promise<void> {
  const { mode, size } = await lstat(path);
  copy.bytes += size;
  const { bytes } = copy.options;
  if (bytes > 0 && copy.bytes > bytes) throw tooLarge(copy, `${bytes} bytes`);
  await copyFile(path, target);
  await chmod(target, (mode & 0o100) !== 0 ? 0o755 : 0o644);
}

function tooLarge(copy: Copy, what: string): Fault {
  return new Fault('invalid', 'archive-too-large', `${copy.label}: its links make more than ${what} of it`);
}
