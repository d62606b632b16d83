/** Which tasks exclude each other: what each writes alone and what it only needs to stay as it is. Pure. */
import { FORMATS } from '../../proto/words.ts';
import type { InstanceSlice, RegistryKey, Spec } from '../../workers/job.ts';

/** Words that name things of an instance. A thing is written by one task at a time, and by none while others read it. */
export interface Claims {
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** What the task makes that was not there before; null for all but creations. */
  readonly makes: string | null;
}

/** Name of a registry among the claims and locks of an instance. */
export function registryName(key: RegistryKey): string {
  return `registry ${[key.format, key.distribution, key.derivative ?? ''].filter(part => part !== '').join(' ')}`;
}

/**
 * What a task claims from start to end. A build locks its registry only while it publishes, and an environment that it
 * uses may be replaced beneath it (the old one stays until it ends): so all that it claims is its artifact, so that two
 * builds of one never overlap.
 */
export function claimsOf(instance: string, spec: Spec): Claims {
  const { write, read } = ofSpec(spec);
  const name = (thing: string): string => `${instance}: ${thing}`;
  const made = spec.type.endsWith('-creation') ? write[0] : undefined;
  return { write: write.map(name), read: read.map(name), makes: made === undefined ? null : name(made) };
}

/** The build environment of a distribution; null for formats without. */
export function environmentOf(instance: InstanceSlice, format: string, distribution: string): string | null {
  const fits = instance.pipelines.find(
    pipeline => pipeline.format === format && pipeline.distribution === distribution,
  );
  return fits?.environment ?? null;
}

function ofSpec(spec: Spec): Omit<Claims, 'makes'> {
  switch (spec.type) {
    case 'build': {
      const place = `${spec.format} ${spec.distribution} ${spec.derivative}`;
      return { write: [`builds of ${spec.artifact} for ${place}`], read: [] };
    }
    case 'deletion':
    case 'registry': {
      const derivative = FORMATS[spec.format].registry === 'derivative' ? spec.derivative : null;
      const name = registryName({ ...spec, derivative });
      // Most of a refresh is packing, and a verification reads: nobody must wait for them. They lock for a moment.
      const aside = spec.type === 'registry' && /^(refresh|verification)$/.test(spec.action);
      return { write: [aside ? `${spec.action} of ${name}` : name], read: [] };
    }
    case 'keyring-creation':
    case 'keyring-renewal':
      return { write: ['keyring'], read: [] };
    case 'history-purge':
      return { write: ['history'], read: [] };
    case 'image-creation':
    case 'image-update':
    case 'image-shell':
      return { write: [`image ${spec.format}`], read: [] };
    case 'environment-creation':
    case 'environment-update':
    case 'environment-shell':
      return {
        write: [`environment ${spec.format} ${spec.environment} ${spec.architecture}`],
        read: [`image ${spec.format}`],
      };
  }
}

/** Counts who holds what, and answers whether more fits. */
export class Held {
  readonly #writers = new Map<string, string>();
  readonly #readers = new Map<string, Set<string>>();

  /** The first thing that stands in the way, with the task that holds it; null when all is free. */
  obstacle(claims: Claims): { readonly thing: string; readonly holder: string } | null {
    for (const thing of claims.write) {
      const holder = this.#writers.get(thing) ?? this.#readers.get(thing)?.values().next().value;
      if (holder !== undefined) return { thing, holder };
    }
    for (const thing of claims.read) {
      const holder = this.#writers.get(thing);
      if (holder !== undefined) return { thing, holder };
    }
    return null;
  }

  take(task: string, claims: Claims): void {
    for (const thing of claims.write) this.#writers.set(thing, task);
    for (const thing of claims.read) {
      const readers = this.#readers.get(thing) ?? new Set();
      this.#readers.set(thing, readers.add(task));
    }
  }

  release(task: string, claims: Claims): void {
    for (const thing of claims.write) if (this.#writers.get(thing) === task) this.#writers.delete(thing);
    for (const thing of claims.read) {
      const readers = this.#readers.get(thing);
      if (readers?.delete(task) && readers.size === 0) this.#readers.delete(thing);
    }
  }
}
