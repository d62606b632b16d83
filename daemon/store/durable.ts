/**
 * Files and folders on their way to durable storage. To open and close what was just made asks no disk and is done in
 * place, which costs a fraction of a turn through a thread; what may wait for the disk is left to the threads.
 */
import { closeSync, constants, fstatSync, fsync, openSync } from 'node:fs';
import { copyFile, open, rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode, Fault } from '../../proto/fault.ts';
import type { MovedFile } from '../core/world.ts';

const syncDescriptor = promisify(fsync);

/** Moves or copies a file to where it belongs. Throws `invalid` when it is not there. */
export async function take({ from, to, keep }: MovedFile): Promise<void> {
  try {
    if (keep) await copy(from, to);
    else await rename(from, to);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') throw new Fault('invalid', 'not-found', `the spooled file ${from} is not there`);
    if (code !== 'EXDEV') throw error;
    await copy(from, to);
    await rm(from, { force: true });
  }
}

async function copy(from: string, to: string): Promise<void> {
  const file = openRegular(from, from);
  try {
    // What was opened and looked at, whatever bears its name by now.
    await copyFile(`/proc/self/fd/${file}`, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } finally {
    closeSync(file);
  }
}

/** Syncs a file that was taken over, now that nobody else can put another into its place. Throws `invalid` for a link. */
export async function syncTaken({ from, to }: MovedFile): Promise<void> {
  await syncAndClose(openRegular(to, from));
}

export async function syncFolder(path: string): Promise<void> {
  await syncAndClose(openSync(path, constants.O_RDONLY | constants.O_DIRECTORY));
}

async function syncAndClose(descriptor: number): Promise<void> {
  try {
    await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file and nothing else: a link could name any file that we may read. `name` is what a Fault calls it. */
function openRegular(path: string, name: string): number {
  const refusal = (): Fault => new Fault('invalid', 'bad-input', `${name} is not a regular file`);
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // A symbolic link, a socket.
    if (['ELOOP', 'ENXIO'].includes(errorCode(error))) throw refusal();
    throw error;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw refusal();
}

/** Replaces a file by another content, at once and durably. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o640);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** Syncs folders that many change at once: who comes while a sync runs shares the next one. */
export class SharedSync {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  sync(folder: string): Promise<void> {
    const running = this.#running.get(folder);
    if (!running) return this.#start(folder);
    const next = this.#next.get(folder) ?? running.catch(() => undefined).then(() => this.#follow(folder));
    this.#next.set(folder, next);
    return next;
  }

  #follow(folder: string): Promise<void> {
    this.#next.delete(folder);
    return this.#start(folder);
  }

  #start(folder: string): Promise<void> {
    const sync = syncFolder(folder).finally(() => {
      if (this.#running.get(folder) === sync) this.#running.delete(folder);
    });
    this.#running.set(folder, sync);
    return sync;
  }
}
