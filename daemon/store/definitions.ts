/** Instances as the site has defined them, one file each; a broken one disables nothing but itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeDocumentFault } from '../../proto/document.ts';
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
    this.#instances = this.#read();
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

  /** Reads the files again; an instance whose file is broken now keeps its last good definition. */
  reload(): void {
    const read = new Map(this.#read());
    for (const id of this.#files()) {
      const old = this.#instances.get(id);
      if (!read.has(id) && old) read.set(id, old);
    }
    this.#instances = sorted(read);
  }

  #read(): ReadonlyMap<string, InstanceSlice> {
    const files = this.#files();
    if (files.length === 0) return new Map([[this.#o.fallback.id, this.#o.fallback]]);
    const read = new Map<string, InstanceSlice>();
    for (const id of files) {
      const file = join(this.#o.folder, `${id}.yml`);
      const { instance, faults } = readInstance(id, readFileSync(file, 'utf8'), this.#o.host);
      for (const fault of faults) this.#o.warn(`instance refused: ${describeDocumentFault(file, fault)}`);
      if (instance) read.set(id, instance);
    }
    return sorted(read);
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
      throw error;
    }
  }
}

function sorted(instances: ReadonlyMap<string, InstanceSlice>): ReadonlyMap<string, InstanceSlice> {
  return new Map([...instances].sort(([a], [b]) => (a < b ? -1 : 1)));
}
