/** Files that get their names together: each is synced while others are written, and named once all are durable. */
import { createHash } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../proto/fault.ts';

/** A file on its way to its name. */
interface Waiting {
  /** Where it lies until then. */
  readonly path: string;
  readonly synced: Promise<void>;
}

/** A disk syncs many files in little more than the time of one, and while gpg signs it would idle. */
export class Landing {
  readonly #folder: string;
  readonly #suffix: string;
  /** By the name that each will have, in the order in which they came. */
  readonly #waiting = new Map<string, Waiting>();

  /** Files wait in `folder`, on the file system of their names, called as they will be but for what the suffix begins. */
  constructor(folder: string, suffix: string) {
    this.#folder = folder;
    this.#suffix = suffix;
  }

  /** Writes the file that `name` will be, unless it is there or waits already. Names tell the content. */
  put(name: string, pieces: readonly Uint8Array[]): void {
    const bytes = Buffer.concat(pieces);
    // One that a disk has damaged is replaced.
    if (this.#waiting.has(name) || (existsSync(name) && readFileSync(name).equals(bytes))) return;
    this.#write(name, bytes);
  }

  #write(name: string, bytes: Uint8Array): void {
    const path = join(this.#folder, `${basename(name)}.${this.#suffix}.${this.#waiting.size}`);
    try {
      writeFileSync(path, bytes, { flag: 'wx', mode: 0o644 });
    } catch (error) {
      rmSync(path, { force: true });
      throw Object.assign(error as Error, { path });
    }
    const synced = sync(path);
    // Whether it failed is asked when it lands.
    synced.catch(() => undefined);
    this.#waiting.set(name, { path, synced });
  }

  /** Gives that file a further name. One that has as many as a file can have is written once more. */
  link(name: string, further: string): void {
    try {
      linkSync(this.find(name), further);
    } catch (error) {
      if (errorCode(error) !== 'EMLINK' || this.#waiting.has(name)) throw error;
      this.#write(name, readFileSync(name));
      linkSync(this.find(name), further);
    }
  }

  /** Where that file can be read before it lands and after. */
  find(name: string): string {
    return this.#waiting.get(name)?.path ?? name;
  }

  /** Gives all files their names, in the order in which they came, durably. Throws where one could not be synced. */
  async land(): Promise<void> {
    for (const { synced } of this.#waiting.values()) await synced;
    for (const [name, { path }] of this.#waiting) renameSync(path, name);
    await syncFolders([...new Set([...this.#waiting.keys()].map(dirname))]);
    this.#waiting.clear();
  }

  /** Removes what has not landed: nothing once `land` has ended. */
  async drop(): Promise<void> {
    await Promise.allSettled([...this.#waiting.values()].map(({ synced }) => synced));
    for (const { path } of this.#waiting.values()) rmSync(path, { force: true });
  }
}

/** Syncs the entries of folders, all at once. */
export async function syncFolders(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map(sync));
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } catch (error) {
    throw Object.assign(error as Error, { path });
  } finally {
    await file.close();
  }
}

/** A file's bytes in pieces, with the size and the digest of the whole. */
export class Pieces {
  readonly list: Uint8Array[] = [];
  readonly #hash = createHash('sha256');
  size = 0;

  /** `keep` false: counted and hashed only. */
  add(piece: Uint8Array, keep = true): void {
    this.#hash.update(piece);
    this.size += piece.length;
    if (keep) this.list.push(piece);
  }

  /** Lower-case hex; asked once, when all is added. */
  sha256(): string {
    return this.#hash.digest('hex');
  }
}
