/** Files of one submission on their way to the daemon: written and hashed in the spool, removed unless taken. */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { closeSync, fdatasync, open, writeFile } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../proto/fault.ts';
import { spoolPrefix } from './leftovers.ts';

/** A file as the daemon is told of it. */
export interface Spooled {
  /** Name in the spool folder. */
  readonly spool: string;
  readonly filename: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

const openFile = promisify(open);
/** Writes all bytes behind what is there. */
const appendTo = promisify(writeFile);
const sync = promisify(fdatasync);

/** Group and daemon may read; the folder's group is shared by both. */
const MODE = 0o640;
/** Bytes gathered before they are written. */
const BATCH = 1024 * 1024;

/** Told apart by it from the files of edges that have ended. */
const PREFIX = spoolPrefix(process.pid);

/** The spool files of one request. */
export class Spool {
  readonly #folder: string;
  readonly #id = `${PREFIX}${randomUUID()}`;
  readonly #names: string[] = [];
  #current: SpoolFile | null = null;

  /** `folder` is an absolute path; it exists. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async create(filename: string): Promise<SpoolFile> {
    const spool = `${this.#id}-${this.#names.length}`;
    this.#names.push(spool);
    const file = await openFile(join(this.#folder, spool), 'wx', MODE);
    this.#current = new SpoolFile(file, spool, filename);
    return this.#current;
  }

  /** Removes whatever the daemon has not taken. */
  async clear(): Promise<void> {
    this.#current?.abandon();
    await Promise.all(this.#names.map(name => remove(join(this.#folder, name))));
  }
}

async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** One file being written. */
export class SpoolFile {
  /** Descriptor. */
  readonly #file: number;
  readonly #spool: string;
  readonly #filename: string;
  readonly #hash: Hash = createHash('sha256');
  #size = 0;
  #waiting: Buffer[] = [];
  #waitingSize = 0;
  #open = true;

  constructor(file: number, spool: string, filename: string) {
    this.#file = file;
    this.#spool = spool;
    this.#filename = filename;
  }

  /** Takes bytes; they are copied, so the caller's buffer is free afterwards. */
  async write(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    this.#size += bytes.length;
    this.#waiting.push(Buffer.from(bytes));
    this.#waitingSize += bytes.length;
    if (this.#waitingSize >= BATCH) await this.#flush();
  }

  /** Writes what is left and closes. */
  async finish(): Promise<Spooled> {
    await this.#flush();
    // The daemon syncs what it takes over. Only what takes long is synced here, where nobody else waits for it.
    if (this.#size > BATCH) await sync(this.#file);
    this.abandon();
    return {
      spool: this.#spool,
      filename: this.#filename,
      size: this.#size,
      sha256: this.#hash.digest('hex'),
    };
  }

  /** Closes as it is. */
  abandon(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#file);
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingSize = 0;
    if (bytes.length > 0) await appendTo(this.#file, bytes);
  }
}
