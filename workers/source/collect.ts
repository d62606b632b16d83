/** Takes files out of a folder that hostile code has written: no link is followed, nothing but plain files is read. */
import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errorCode, Fault } from '../../proto/fault.ts';
import { shown } from './vetting.ts';

/** Files taken at most, and bytes of all of them. */
const MAX_FILES = 2000;
const MAX_BYTES = 64 * 1024 ** 3;

/**
 * Copies the files whose names `wanted` accepts to `target`, a folder of ours; answers their names, sorted. What is
 * named so but is no plain file of its own (a link, a device, a name shared with another file) is a `build-failed`.
 */
export async function collect(
  folder: string,
  target: string,
  wanted: (name: string) => boolean,
): Promise<string[]> {
  let root: FileHandle;
  try {
    root = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error))) return [];
    throw error;
  }
  try {
    // Through the open descriptor, so that the folder itself can't be swapped for a link meanwhile.
    const held = `/proc/self/fd/${root.fd}`;
    const names = (await readdir(held)).filter(wanted).sort();
    if (names.length > MAX_FILES) throw refuse(`more than ${MAX_FILES} files`);
    let left = MAX_BYTES;
    for (const name of names) left -= await copy(join(held, name), join(target, name), name, left);
    return names;
  } finally {
    await root.close();
  }
}

async function copy(from: string, to: string, name: string, left: number): Promise<number> {
  let file: FileHandle;
  try {
    file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ELOOP' || errorCode(error) === 'ENXIO')
      throw refuse(`${shown(name)} is no plain file`);
    throw error;
  }
  try {
    const { size, nlink, ...stat } = await file.stat();
    if ((stat.mode & constants.S_IFMT) !== constants.S_IFREG || nlink !== 1)
      throw refuse(`${shown(name)} is no plain file`);
    if (size > left) throw refuse(`more than ${MAX_BYTES} bytes`);
    const copied = await open(to, 'wx', 0o644);
    await pipeline(
      file.createReadStream({ autoClose: false, end: Math.max(0, size - 1) }),
      copied.createWriteStream(),
    );
    return size;
  } finally {
    await file.close();
  }
}

function refuse(what: string): Fault {
  return new Fault('invalid', 'build-failed', `the build left results that are not taken: ${what}`);
}
