/** The spool folder, which submitters share: uploads wait there until a task owns them. */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';

/** Names in the spool: no directory part, nothing hidden. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

export class Spool {
  /** Absolute path. */
  readonly folder: string;
  readonly #newId: () => string;

  constructor(folder: string, newId: () => string) {
    this.folder = folder;
    this.#newId = newId;
  }

  path(name: string): string {
    if (!NAME.test(name)) throw new Fault('invalid', 'bad-input', 'that is no name in the spool');
    return join(this.folder, name);
  }

  async create(): Promise<{ name: string; write(bytes: Uint8Array): Promise<void>; close(): Promise<void> }> {
    const name = `${this.#newId()}-0`;
    const file = await open(this.path(name), 'wx', 0o640);
    return {
      name,
      write: async bytes => {
        await file.writeFile(bytes);
      },
      close: () => file.close(),
    };
  }

  /** Removes files; those that are not there, or no names, are passed over. */
  async discard(names: readonly string[]): Promise<void> {
    for (const name of names) if (NAME.test(name)) await rm(join(this.folder, name), { force: true });
  }
}
