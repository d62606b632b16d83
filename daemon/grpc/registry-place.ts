/** What the registry's methods need of the rest of the daemon, and the places that requests name. */
import { Fault } from '../../proto/fault.ts';
import type { Handlers } from '../../proto/services.ts';
import type { ArtifactPlace__Output } from '../../proto/types/rackwright/v1/ArtifactPlace.ts';
import { FORMATS, isFormat } from '../../proto/words.ts';
import type {
  CatalogueEntry,
  InstanceSlice,
  KeptGeneration,
  RegistryKey,
  RegistryPlace,
  Retention,
  RetentionPlan,
  Spec,
} from '../../workers/job.ts';
import type { Spool } from './build-service.ts';

/** Some methods of RegistryService. */
export type Methods<M extends keyof Handlers<'RegistryService'>> = Pick<Handlers<'RegistryService'>, M>;

/** An artifact as lists show it. */
export interface Listed {
  readonly name: string;
  readonly architecture: string;
  readonly version: string;
  readonly size: number;
}

/** What the catalogue answers. */
interface RegistryReads {
  formats(instance: string): string[];
  distributions(instance: string, format: string): string[];
  derivatives(instance: string, format: string, distribution: string): string[];
  isPublished(instance: string, place: RegistryPlace): boolean;
  list(
    instance: string,
    place: RegistryPlace,
    options: { readonly contains?: string; readonly after?: string; readonly limit: number },
  ): { readonly artifacts: readonly Listed[]; readonly next: string };
  describe(
    instance: string,
    place: RegistryPlace,
    wanted: { readonly name: string; readonly architecture: string; readonly version?: string },
  ): { entry: CatalogueEntry; source: Listed | null; binaries: Listed[] } | null;
  search(
    instance: string,
    contains: string,
    limit: number,
  ): Iterable<{ readonly place: RegistryPlace; readonly artifacts: readonly Listed[] }>;
}

/** Kept states of registries. */
interface RegistryStates {
  kept(instance: string, registry: RegistryKey): readonly KeptGeneration[];
  numberOf(instance: string, registry: RegistryKey, name: string): number;
  hasSnapshot(instance: string, registry: RegistryKey, name: string): boolean;
  compare(
    instance: string,
    registry: RegistryKey,
    from: string | null,
    to: string | null,
  ): Iterable<Listed & { readonly derivative: string; readonly added: boolean }>;
}

export interface RegistryDependencies {
  readonly reads: RegistryReads;
  readonly states: RegistryStates;
  /** Throws `not-found`. */
  instance(id: string): InstanceSlice;
  /** Absolute path of the folder below which folders may be imported by others than the control socket; null = none. */
  importRoot(): string | null;
  /** What the place's own retention, or the rule given instead, would take out now. */
  plan(instance: InstanceSlice, place: RegistryPlace, rule: Retention | null): Promise<RetentionPlan>;
  /** Submits a task once for an idempotency key, empty for none; answers its id. */
  submit(task: {
    readonly instance: string;
    readonly spec: Spec;
    readonly user: string;
    /**
     * Looks whether it may be made and throws the Fault if not; answers the size of the artifact that a deletion names,
     * else 0. Asked of the first submission under a key only: what that has changed refuses no second asking.
     */
    readonly check: () => number;
    readonly key: string;
    /** A spooled file that becomes the task's, as its spec's `file`. */
    readonly upload?: { readonly spool: string; readonly sha256: string };
  }): Promise<string>;
  readonly spool: Pick<Spool, 'create' | 'discard'>;
}

/** A request's place, checked against the instance's pipelines and what was ever published. */
export function placeOf(
  deps: RegistryDependencies,
  place: ArtifactPlace__Output | null,
): { readonly id: string; readonly place: RegistryPlace } {
  if (!place) throw new Fault('invalid', 'bad-input', 'the request names no place');
  const { id, pipelines } = deps.instance(place.instance);
  const { format, distribution, derivative } = place;
  if (!isFormat(format)) throw absent(`format ${format}`, id);
  const wanted: RegistryPlace = {
    format,
    distribution,
    derivative: derivative || 'main',
  };
  const built = pipelines.some(
    one =>
      one.format === format &&
      one.distribution === distribution &&
      one.derivatives.includes(wanted.derivative),
  );
  if (!built && !deps.reads.isPublished(id, wanted)) throw absent(nameOf(wanted), id);
  return { id, place: wanted };
}

/** The same, as the registry that is switched whole. */
export function keyOf(
  deps: RegistryDependencies,
  place: ArtifactPlace__Output | null,
): { readonly id: string; readonly key: RegistryKey } {
  const found = placeOf(deps, place);
  return { id: found.id, key: keyFrom(found.place) };
}

/** What is switched as one: see FORMATS. */
export function keyFrom({ format, distribution, derivative }: RegistryPlace): RegistryKey {
  return { format, distribution, derivative: FORMATS[format].registry === 'derivative' ? derivative : null };
}

/** A place in words. */
export function nameOf({ format, distribution, derivative }: RegistryPlace): string {
  return `${format} ${distribution}/${derivative}`;
}

export function absent(what: string, where: string): Fault {
  return new Fault('not_found', 'not-found', `${what} is not in the registry of ${where}`);
}
