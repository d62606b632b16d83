/** The pool: where a registry's packages lie for good. Files come in by one rename, and back out when that was in vain. */
import { linkSync, lstatSync, renameSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import { digestFile, makeFolder, syncFolder } from './disk.ts';
import type { HeldRegistry } from './publication.ts';
import type { StagedEntry } from './staged.ts';

/** A file that was not in the pool before. */
interface Placed {
  /** Relative to the public tree. */
  readonly path: string;
  readonly target: string;
  /** Its name on the way, which it has again when taken back. */
  readonly staged: string;
  /** Which file it is, and how many names it had. */
  readonly was: Stats;
}

/** What one publication puts into the pool. */
export class PoolFiles {
  readonly #context: TaskContext;
  readonly #held: HeldRegistry;
  readonly #placed: Placed[] = [];

  constructor(context: TaskContext, held: HeldRegistry) {
    this.#context = context;
    this.#held = held;
  }

  /**
   * Moves staged files into the pool. A file that is there with the same content stays; one with other content goes
   * only when nothing published or kept needs it. Throws `version-exists`; what was placed is then for `takeBack`.
   */
  async place(entries: readonly StagedEntry[]): Promise<void> {
    const folders = new Set<string>();
    for (const { path, sha256, staged } of entries.flatMap(({ files }) => files)) {
      if (staged === null) continue;
      const target = join(this.#held.tree, path);
      if (await this.#hold(target, sha256, staged)) continue;
      makeFolder(dirname(target));
      const was = lstatSync(staged);
      renameSync(staged, target);
      this.#placed.push({ path, target, staged, was });
      folders.add(dirname(target));
    }
    for (const folder of folders) syncFolder(folder);
  }

  /**
   * Whether a file of that content is there. It gets a second name as long as this task lasts, so that another task
   * that placed it (other distributions share the pool) leaves it when it fails.
   */
  async #hold(target: string, sha256: string, staged: string): Promise<boolean> {
    const there = await digestFile(target).catch(error => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (there === null) return false;
    if (there.sha256 === sha256) return tryLink(target, `${staged}.held`);
    const { users } = await this.#context.ask({
      type: 'pool-file',
      format: this.#held.key.format,
      path: target.slice(this.#held.tree.length + 1),
    });
    if (users.length === 0) return false;
    const name = basename(target);
    const by = users.slice(0, 3).map(user => user.text);
    throw new Fault(
      'conflict',
      'version-exists',
      users[0]?.isPublished
        ? `${name} is published with other content (by ${by.join(', ')}): raise the version`
        : `a kept state of the registry still holds ${name} with other content (as ${by.join(', ')}): raise the version`,
      { file: target.slice(this.#held.tree.length + 1) },
    );
  }

  /** After a failure: what was placed goes again, unless another task has come to need it meanwhile. */
  async takeBack(): Promise<void> {
    // Away first and judged then: who comes from now on does not find the file and places one of its own.
    for (const { target, staged } of this.#placed) renameSync(target, staged);
    let needed = new Set(this.#placed.map(({ path }) => path));
    try {
      const { format } = this.#held.key;
      needed = new Set(
        (await this.#context.ask({ type: 'needed-files', format, paths: [...needed] })).needed,
      );
    } finally {
      for (const { path, target, staged, was } of this.#placed) {
        const { ino, nlink } = lstatSync(staged);
        if (needed.has(path) || ino !== was.ino || nlink > was.nlink) renameSync(staged, target);
      }
    }
  }
}

/** Whether the file could be linked; not when it has just gone. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    // It has as many names as a file can have, so one of them will stay.
    if (errorCode(error) === 'EMLINK') return true;
    throw error;
  }
}
