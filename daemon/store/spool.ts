/** The spool folder, which submitters share: uploads wait there until a task owns them. */
import { closeSync, open, writeFile } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, Fault } from '../../proto/fault.ts';

const openFile = promisify(open);
/** Writes all bytes behind what is there. */
const appendTo = promisify(writeFile);

/** Names in the spool: no directory part, nothing hidden. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Milliseconds for which an upload that nobody writes to is kept. */
const IDLE_LIMIT = 86_400_000;

export class Spool {
  /** Absolute path. */
  readonly folder: string;
  readonly #newId: () => string;
  /** Uploads as the last sweeps saw them, by what the names of their files begin with. */
  readonly #seen = new Map<string, { readonly state: string; readonly since: number }>();

  constructor(folder: string, newId: () => string) {
    this.folder = folder;
    this.#newId = newId;
  }

  path(name: string): string {
    if (!NAME.test(name)) throw new Fault('invalid', 'bad-input', 'that is no name in the spool');
    return join(this.folder, name);
  }

  async create(): Promise<{ name: string; write(bytes: Uint8Array): Promise<void>; close(): void }> {
    const name = `${this.#newId()}-0`;
    const file = await openFile(this.path(name), 'wx', 0o640);
    return { name, write: bytes => appendTo(file, bytes), close: () => closeSync(file) };
  }

  /**
   * Removes uploads in which nothing has changed for a day, however the wall clock was set meanwhile: to be called now and
   * then with a monotonic time in milliseconds. How many it removed.
   */
  async sweep(now: number): Promise<number> {
    const found = Map.groupBy(await this.#names(), name => name.replace(/-\d+$/, ''));
    let removed = 0;
    for (const [upload, names] of found) {
      const state = (await Promise.all(names.map(name => this.#stateOf(name)))).join();
      const known = this.#seen.get(upload);
      if (known?.state !== state) this.#seen.set(upload, { state, since: now });
      else if (now - known.since >= IDLE_LIMIT) {
        await this.discard(names);
        removed += names.length;
      }
    }
    for (const upload of this.#seen.keys()) if (!found.has(upload)) this.#seen.delete(upload);
    return removed;
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.folder).catch(error => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    return names.filter(name => NAME.test(name));
  }

  /** Changes with every write. */
  async #stateOf(name: string): Promise<string> {
    const stats = await stat(join(this.folder, name)).catch(() => null);
    return `${name} ${stats?.size} ${stats?.mtimeMs}`;
  }

  /** Removes files; those that are not there, or no names, are passed over. */
  async discard(names: readonly string[]): Promise<void> {
    for (const name of names) if (NAME.test(name)) await rm(join(this.folder, name), { force: true });
  }
}
