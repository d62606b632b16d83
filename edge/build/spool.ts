/** Files of one submission on their way to the daemon: written, hashed and synced in the spool, removed unless taken. */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../proto/fault.ts';

/** A file as the daemon is told of it. */
export interface Spooled {
  /** Name in the spool folder. */
  readonly spool: string;
  readonly filename: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Group and daemon may read; the folder's group is shared by both. */
const MODE = 0o640;
/** Bytes gathered before they are written. */
const BATCH = 1024 * 1024;

/** The spool files of one request. */
export class Spool {
  readonly #folder: string;
  readonly #id = randomUUID();
  readonly #names: string[] = [];
  #current: SpoolFile | null = null;

  /** `folder` is an absolute path; it exists. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async create(filename: string): Promise<SpoolFile> {
    const spool = `${this.#id}-${this.#names.length}`;
    this.#names.push(spool);
    const handle = await open(join(this.#folder, spool), 'wx', MODE);
    this.#current = new SpoolFile(handle, spool, filename);
    return this.#current;
  }

  /** Removes whatever the daemon has not taken. */
  async clear(): Promise<void> {
    await this.#current?.abandon();
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
  readonly #handle: FileHandle;
  readonly #spool: string;
  readonly #filename: string;
  readonly #hash: Hash = createHash('sha256');
  #size = 0;
  #waiting: Buffer[] = [];
  #waitingSize = 0;
  #open = true;

  constructor(handle: FileHandle, spool: string, filename: string) {
    this.#handle = handle;
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

  /** Syncs and closes. */
  async finish(): Promise<Spooled> {
    await this.#flush();
    await this.#handle.datasync();
    await this.abandon();
    return {
      spool: this.#spool,
      filename: this.#filename,
      size: this.#size,
      sha256: this.#hash.digest('hex'),
    };
  }

  /** Closes as it is. */
  async abandon(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#handle.close();
  }

  async #flush(): Promise<void> {
    let bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingSize = 0;
    while (bytes.length > 0) {
      const { bytesWritten } = await this.#handle.write(bytes);
      bytes = bytes.subarray(bytesWritten);
    }
  }
}
