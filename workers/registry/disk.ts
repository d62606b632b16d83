/** Files that must survive a power cut: written, hashed, synced, moved into place. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';

/** Bytes read at once when hashing and copying. */
const CHUNK = 1024 * 1024;

export interface Digested {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Hashes a file. */
export async function digestFile(path: string, algorithm = 'sha256'): Promise<Digested> {
  const hash = createHash(algorithm);
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    hash.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  return { size, sha256: hash.digest('hex') };
}

/**
 * Copies a regular file durably, hashing what is written. A symbolic link is refused as `bad-package`: it may lead out of
 * the folder of a finished build.
 */
export async function copyDurably(from: string, to: string): Promise<Digested> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const source = await open(from, flags).catch(error => {
    if (errorCode(error) !== 'ELOOP') throw error;
    throw new Fault('invalid', 'bad-package', `${from} is a symbolic link: put the file itself there`);
  });
  try {
    if (!(await source.stat()).isFile()) {
      throw new Fault('invalid', 'bad-package', `${from} is not a regular file`);
    }
    const target = await open(to, 'wx', 0o644);
    try {
      return await pour(source, target);
    } catch (error) {
      throw Object.assign(error as Error, { path: to });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function pour(source: FileHandle, target: FileHandle): Promise<Digested> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK);
  let size = 0;
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK, size);
    if (bytesRead === 0) break;
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    for (let at = 0; at < bytesRead; ) at += (await target.write(piece, at, bytesRead - at)).bytesWritten;
    size += bytesRead;
  }
  await target.sync();
  return { size, sha256: hash.digest('hex') };
}

/** Writes a new file and syncs it. Fails when it exists; leaves nothing of one that it could not write whole. */
export function writeDurably(path: string, pieces: readonly Uint8Array[]): void {
  const file = openSync(path, 'wx', 0o644);
  try {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at, piece.length - at);
    }
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    // Node tells the path of a file that it could not open, but not of one that it could not write.
    throw Object.assign(error as Error, { path });
  } finally {
    closeSync(file);
  }
}

/** Syncs a file that another program wrote. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs a folder's entries. */
export function syncFolder(path: string): void {
  syncFile(path);
}

/** Makes a folder with its parents, each synced into the one above it. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    // One at a time: of a quota that is used up Node tells otherwise that the folder above were not there.
    mkdirSync(path, { mode: 0o755 });
  } catch (error) {
    // Another task was quicker.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  syncFolder(dirname(path));
}

/** A further name for a file, or a copy of one that has as many names as a file can have. */
export function linkFile(from: string, folder: string, name: string): void {
  const to = join(folder, name);
  try {
    linkSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EMLINK') throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    syncFile(to);
  }
}
