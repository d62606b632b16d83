/** The folders of tasks: made durable before a task is accepted, ended journals, swept of what no task owns. */
import { closeSync, constants, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeYaml } from '../../proto/document.ts';
import { errorCode } from '../../proto/fault.ts';
import { encodeEnd, encodeLog, resumableLength } from '../../proto/frame.ts';
import { MAX_SOCKET_PATH } from '../../systemd/sockets.ts';
import type { Outcome } from '../../workers/job.ts';
import type { Task, TaskPaths } from '../core/task.ts';
import type { MovedFile } from '../core/world.ts';
import { SharedSync, syncFolder, syncTaken, take, writeDurably } from './durable.ts';

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
      const made = await mkdir(task.place, { recursive: true, mode: 0o750 });
      await all(files.map(take));
      // Side by side: the file system's journal then serves them all, and other submissions, by one commit.
      const syncs = files.map(syncTaken);
      const parent = dirname(task.place);
      syncs.push(syncFolder(task.place), this.#parents.sync(parent));
      // The first task of a new instance.
      if (made !== task.place) syncs.push(this.#parents.sync(dirname(parent)));
      await all(syncs);
    } catch (error) {
      await this.remove(task);
      throw error;
    }
  }

  /** Removes the workspace of a task that could not be taken in. */
  async remove(task: Task): Promise<void> {
    await rm(task.place, { recursive: true, force: true });
  }

  /** Writes task.yml of a task that starts. It is for people: the record in the database is what counts. */
  async describe(task: Task): Promise<void> {
    await writeFile(join(task.place, 'task.yml'), describe(task), { mode: 0o640 });
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
   * Ends a journal that no thread writes: a torn frame is cut off first, and an end that was never recorded. It is
   * written when this returns, so that a kill right after finds no recorded end without it.
   */
  endJournal(task: Task, outcome: Outcome): void {
    const reason = outcome.fault?.message ?? outcome.result;
    const succeeded = outcome.result === 'success';
    const last = encodeEnd(succeeded, succeeded ? '' : reason);
    const file = openSync(task.journal, constants.O_RDWR | constants.O_CREAT, 0o640);
    try {
      const end = resumableLength((into, at) => readSync(file, into, 0, into.length, at));
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

/** Waits for all, also when one fails: what is removed then must not come back. */
async function all(steps: readonly Promise<void>[]): Promise<void> {
  for (const step of await Promise.allSettled(steps)) if (step.status === 'rejected') throw step.reason;
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
