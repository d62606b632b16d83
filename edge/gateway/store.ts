/** Short-lived sign-in records that gateways behind one front share: in a folder of files, or in Redis. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../proto/fault.ts';

/** Where a record lies. `group` and `id` are base64url or hex texts of ours, never a user's. */
export interface RecordKey {
  readonly kind:
    | 'state'
    | 'handoff'
    | 'code'
    | 'device'
    | 'token'
    | 'session'
    | 'revoked'
    | 'logout'
    | 'note';
  readonly group?: string;
  readonly id: string;
}

/** What both stores do. `life` is in seconds; a record past it is as if it were not there. */
export interface SessionStore {
  put(key: RecordKey, value: Uint8Array, life: number): Promise<void>;
  /** Records the key; false when it was there already, for exactly one of all callers anywhere true. */
  claim(key: RecordKey, life: number): Promise<boolean>;
  read(key: RecordKey): Promise<Buffer | null>;
  /** Reads and deletes: one of any concurrent callers gets the record. */
  take(key: RecordKey): Promise<Buffer | null>;
  remove(key: RecordKey): Promise<void>;
  /** Ids of a group's records. */
  list(kind: RecordKey['kind'], group: string): Promise<string[]>;
  /** Deletes what is past its life. */
  sweep(): Promise<void>;
  close(): void;
}

/** A crashed writer's or reader's leftovers, and a claim not yet dated, are left alone this long, in ms. */
const GRACE = 60_000;
/** Most records of one group that are listed. */
export const MAX_LISTED = 1000;

/**
 * Files under one folder: `KIND/ID` or `KIND/GROUP/ID`, the modification time saying when the record ends. A rename
 * decides who takes a record, and exclusive creation who claims one: both hold across processes.
 */
export class FileStore implements SessionStore {
  private readonly root: string;
  private readonly now: () => number;

  constructor(root: string, now: () => number) {
    this.root = root;
    this.now = now;
  }

  async put(key: RecordKey, value: Uint8Array, life: number): Promise<void> {
    const path = await this.prepare(key);
    const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
    await this.write(draft, value, life);
    await rename(draft, path);
  }

  async claim(key: RecordKey, life: number): Promise<boolean> {
    const path = await this.prepare(key);
    // A claim past its life still stands until it is swept: ids are random, so nobody claims one anew.
    try {
      await this.write(path, Buffer.alloc(0), life);
      return true;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      return false;
    }
  }

  async read(key: RecordKey): Promise<Buffer | null> {
    const path = this.path(key);
    try {
      if (await this.isOver(path, 0)) return null;
      return await readFile(path);
    } catch (error) {
      return nullIfMissing(error);
    }
  }

  async take(key: RecordKey): Promise<Buffer | null> {
    const path = this.path(key);
    const mine = `${path}.${randomBytes(6).toString('hex')}.taken`;
    try {
      await rename(path, mine);
    } catch (error) {
      return nullIfMissing(error);
    }
    const over = await this.isOver(mine, 0);
    const value = await readFile(mine);
    await unlink(mine);
    return over ? null : value;
  }

  async remove(key: RecordKey): Promise<void> {
    await unlink(this.path(key)).catch(ignoreMissing);
  }

  async list(kind: RecordKey['kind'], group: string): Promise<string[]> {
    const folder = join(this.root, kind, check(group));
    const names = await readdir(folder).catch(error => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    return names.filter(name => !name.includes('.')).slice(0, MAX_LISTED);
  }

  async sweep(): Promise<void> {
    const entries = await readdir(this.root, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && (await this.isOver(path, GRACE).catch(() => false))) {
        await unlink(path).catch(ignoreMissing);
      } else if (entry.isDirectory() && entry.parentPath !== this.root) {
        // A group's folder goes once it is empty; a writer that comes just now makes it again.
        await rmdir(path).catch(() => {});
      }
    }
  }

  close(): void {}

  private path({ kind, group, id }: RecordKey): string {
    return group === undefined
      ? join(this.root, kind, check(id))
      : join(this.root, kind, check(group), check(id));
  }

  private async prepare(key: RecordKey): Promise<string> {
    const path = this.path(key);
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    return path;
  }

  private async write(path: string, value: Uint8Array, life: number): Promise<void> {
    const file = await open(path, 'wx', 0o600);
    try {
      const end = this.now() / 1000 + life;
      await file.writeFile(value);
      await file.utimes(end, end);
    } finally {
      await file.close();
    }
  }

  private async isOver(path: string, grace: number): Promise<boolean> {
    return (await stat(path)).mtimeMs + grace <= this.now();
  }
}

function check(text: string): string {
  if (!/^[\w-]{1,128}$/.test(text)) throw new TypeError(`not a record's name: ${JSON.stringify(text)}`);
  return text;
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

function nullIfMissing(error: unknown): null {
  ignoreMissing(error);
  return null;
}
