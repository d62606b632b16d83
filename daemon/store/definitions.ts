/** Instances as the site has defined them, one file each; a broken one disables nothing but itself. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENT_LIMITS, describeDocumentFault } from '../../proto/document.ts';
import { errorCode, Fault } from '../../proto/fault.ts';
import type { InstanceSlice } from '../../workers/job.ts';
import { readInstance } from '../core/instances.ts';

export interface DefinitionsOptions {
  /** Absolute path of instances.d. */
  readonly folder: string;
  /** uname -m word of this host. */
  readonly host: string;
  /** The instance of a site that has defined none. */
  readonly fallback: InstanceSlice;
  readonly warn: (text: string) => void;
}

export class Definitions {
  readonly #o: DefinitionsOptions;
  #instances: ReadonlyMap<string, InstanceSlice>;

  constructor(options: DefinitionsOptions) {
    this.#o = options;
    const { instances, faults } = this.#read();
    for (const fault of faults) options.warn(`instance refused: ${fault}`);
    this.#instances = instances;
  }

  /** All instances, sorted by id. */
  all(): readonly InstanceSlice[] {
    return [...this.#instances.values()];
  }

  find(id: string): InstanceSlice | null {
    return this.#instances.get(id) ?? null;
  }

  /** Throws `not_found` for an unknown instance. */
  get(id: string): InstanceSlice {
    const instance = this.#instances.get(id);
    if (!instance) throw new Fault('not_found', 'not-found', `there is no instance "${id}"`);
    return instance;
  }

  /** Reads the files again; what it answers puts them in force. Throws `bad-settings` when one of them can't be used. */
  prepare(): () => void {
    const { instances, faults } = this.#read();
    if (faults.length > 0) throw new Fault('invalid', 'bad-settings', faults.join('\n'));
    return () => {
      this.#instances = instances;
    };
  }

  #read(): { readonly instances: ReadonlyMap<string, InstanceSlice>; readonly faults: readonly string[] } {
    const files = this.#files();
    const { fallback } = this.#o;
    if (files.length === 0) return { instances: new Map([[fallback.id, fallback]]), faults: [] };
    const read = new Map<string, InstanceSlice>();
    const told: string[] = [];
    for (const id of files) {
      const file = join(this.#o.folder, `${id}.yml`);
      const text = readText(file);
      if (text instanceof Fault) {
        told.push(text.message);
        continue;
      }
      const { instance, faults } = readInstance(id, text, this.#o.host);
      for (const fault of faults) told.push(describeDocumentFault(file, fault));
      if (instance) read.set(id, instance);
    }
    return { instances: sorted(read), faults: told };
  }

  /** Ids of the files that define instances. */
  #files(): string[] {
    try {
      const names = readdirSync(this.#o.folder).filter(
        name => name.endsWith('.yml') && !name.startsWith('.'),
      );
      return names.map(name => name.slice(0, -'.yml'.length)).sort();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw unreadable(this.#o.folder, error);
    }
  }
}

/** What a file says, or why it can't be read: a folder of that name, a link to nothing, no right to. */
function readText(file: string): string | Fault {
  try {
    const stats = statSync(file);
    // Opening a pipe would wait for a writer.
    if (!stats.isFile()) return new Fault('invalid', 'bad-settings', `${file}: is not a regular file`);
    if (stats.size > DOCUMENT_LIMITS.bytes) {
      return new Fault('invalid', 'bad-settings', `${file}: is over ${DOCUMENT_LIMITS.bytes} bytes`);
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    return unreadable(file, error);
  }
}

function unreadable(path: string, cause: unknown): Fault {
  const message = `${path}: can't be read (${errorCode(cause) || cause})`;
  return new Fault('invalid', 'bad-settings', message, {}, { cause });
}

function sorted(instances: ReadonlyMap<string, InstanceSlice>): ReadonlyMap<string, InstanceSlice> {
  return new Map([...instances].sort(([a], [b]) => (a < b ? -1 : 1)));
}
