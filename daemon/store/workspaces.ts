/** The folders of tasks: made durable before a task is accepted, ended journals, swept of what no task owns. */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeYaml } from '../../proto/document.ts';
import { errorCode, Fault } from '../../proto/fault.ts';
import { encodeEnd, encodeLog, HEADER_SIZE, MAX_PAYLOAD } from '../../proto/frame.ts';
import type { Outcome } from '../../workers/job.ts';
import type { Task, TaskPaths } from '../core/task.ts';
import type { MovedFile } from '../core/world.ts';

/** Longest path of a Unix socket, in bytes (sockaddr_un of Linux, less the final NUL). */
const MAX_SOCKET_PATH = 107;
/** Seconds for which an abandoned upload is kept. */
const SPOOL_AGE = 86_400;

export interface WorkspacesOptions {
  /** Absolute paths. */
  readonly root: string;
  readonly spool: string;
  readonly run: string;
}

export class Workspaces {
  readonly #o: WorkspacesOptions;
  readonly #parents = new SharedSync();

  constructor(options: WorkspacesOptions) {
    this.#o = options;
  }

  /** Where a task keeps its files. A console whose path would be too long for a socket goes to the run folder. */
  paths(instance: string, task: string): TaskPaths {
    const place = join(this.#o.root, instance, task);
    const inside = join(place, 'console.sock');
    const fits = Buffer.byteLength(inside) <= MAX_SOCKET_PATH;
    const console = fits ? inside : join(this.#o.run, 'consoles', `${task}.sock`);
    return { place, journal: join(place, 'task.journal'), console };
  }

  /** Makes the folders that all tasks need. */
  async prepare(instances: readonly string[]): Promise<void> {
    // Group and sticky bit: the edge writes here, the daemon takes over.
    if (await mkdir(this.#o.spool, { recursive: true })) await chmod(this.#o.spool, 0o3770);
    await mkdir(join(this.#o.run, 'consoles'), { recursive: true, mode: 0o750 });
    for (const instance of instances) {
      await mkdir(join(this.#o.root, instance), { recursive: true, mode: 0o750 });
    }
  }

  /** Makes the workspace of a new task and moves its files in; durable when it resolves, gone when it rejects. */
  async create(task: Task, files: readonly MovedFile[]): Promise<void> {
    try {
      await mkdir(task.place, { recursive: true, mode: 0o750 });
      // task.yml is for people: the record in the database is what counts, so it need not be synced.
      const told = writeFile(join(task.place, 'task.yml'), describe(task), { mode: 0o640 });
      await Promise.all([...files.map(take), told]);
      await Promise.all([syncFolder(task.place), this.#parents.sync(dirname(task.place))]);
    } catch (error) {
      await rm(task.place, { recursive: true, force: true });
      throw error;
    }
  }

  /** Writes down how a task ended; for people and for backups, the archive is in the database. */
  async close(task: Task): Promise<void> {
    try {
      await writeDurably(join(task.place, 'task.yml'), describe(task));
    } catch (error) {
      // A purge may have been quicker.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  /**
   * Ends a journal that no thread writes: what stands in the way of a frame's end is cut off first. It is written when
   * this returns, so that a kill right after finds no recorded end without it.
   */
  endJournal(task: Task, outcome: Outcome): void {
    const reason = outcome.fault?.message ?? outcome.result;
    const succeeded = outcome.result === 'success';
    const last = encodeEnd(succeeded, succeeded ? '' : reason);
    const file = openSync(task.journal, constants.O_RDWR | constants.O_CREAT, 0o640);
    try {
      const end = wholeFrames(file);
      ftruncateSync(file, end);
      writeSync(file, succeeded ? last : Buffer.concat([encodeLog('error', reason), last]), 0, null, end);
    } finally {
      closeSync(file);
    }
  }

  /**
   * Removes workspaces that no task owns and uploads older than a day. Folders younger than `before` (milliseconds since
   * the epoch) stay: they may belong to a submission under way.
   */
  async sweep(owned: (task: string) => boolean, before: number): Promise<number> {
    let removed = 0;
    for (const name of await list(this.#o.spool)) {
      const path = join(this.#o.spool, name);
      if ((await modified(path)) < before - SPOOL_AGE * 1000) {
        await rm(path, { recursive: true, force: true });
        removed++;
      }
    }
    for (const instance of await list(this.#o.root)) {
      for (const name of await list(join(this.#o.root, instance))) {
        const path = join(this.#o.root, instance, name);
        if (owned(name) || (await modified(path)) >= before) continue;
        await rm(path, { recursive: true, force: true });
        removed++;
      }
    }
    return removed;
  }
}

/** task.yml: all fields but those that follow from where it lies. */
function describe(task: Task): string {
  const { id, place, journal, console, state, rank, ...rest } = task;
  return writeYaml(rest);
}

async function take({ from, to, keep }: MovedFile): Promise<void> {
  try {
    if (keep) return await copy(from, to);
    // A link here could name any file that the daemon may read.
    const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile())
        throw new Fault('invalid', 'bad-input', `${from} is not a regular file`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(from, to);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ELOOP') {
      throw new Fault('invalid', 'not-found', `the spooled file ${from} is not there`);
    }
    if (code !== 'EXDEV') throw error;
    await copy(from, to);
    await rm(from, { force: true });
  }
}

async function copy(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await syncFolder(to);
}

async function writeDurably(path: string, text: string): Promise<void> {
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
class SharedSync {
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

/** Syncs a folder, or a file. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Bytes of a journal up to the end of its last whole frame. */
function wholeFrames(file: number): number {
  const { size } = fstatSync(file);
  const chunk = Buffer.alloc(MAX_PAYLOAD * 4);
  let at = 0;
  for (;;) {
    const read = readSync(file, chunk, 0, chunk.length, at);
    let inside = 0;
    while (inside + HEADER_SIZE <= read) {
      const length = HEADER_SIZE + chunk.readUInt32LE(inside + 4);
      if (length > HEADER_SIZE + MAX_PAYLOAD || at + inside + length > size) return at + inside;
      inside += length;
    }
    if (inside === 0) return at;
    at += inside;
  }
}

async function list(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

async function modified(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Bytes of all files below a folder. */
export async function sizeOfFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOfFolder(path);
    else bytes += (await lstat(path).catch(() => ({ size: 0 }))).size;
  }
  return bytes;
}
