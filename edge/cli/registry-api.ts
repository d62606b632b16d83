/** Artifacts, states of registries and their care as the verbs ask a server. Shapes are those of the REST interface. */

/** Timestamps are seconds since the epoch, sizes bytes. */
export interface Artifact {
  readonly architecture: string;
  readonly name: string;
  readonly version: string;
  readonly size: number;
}

/** Where artifacts are published. */
export interface Place {
  readonly format: string;
  readonly distribution: string;
  readonly derivative: string;
}

/** A state of a registry that is kept. */
export interface Generation {
  readonly name: string;
  /** Seconds since the epoch; `superseded` is null for the present one. */
  readonly created: number;
  readonly superseded: number | null;
  readonly task: string;
  readonly snapshots: readonly string[];
}

interface PlacedArtifact extends Artifact {
  readonly derivative: string;
}

export interface Comparison {
  readonly added: readonly PlacedArtifact[];
  readonly removed: readonly PlacedArtifact[];
}

export interface Promotion {
  /** Where from; what is absent is as in the place promoted to. */
  readonly instance?: string;
  readonly distribution?: string;
  readonly derivative?: string;
  readonly snapshot?: string;
  readonly artifact?: string;
  readonly version?: string;
}

interface ImportSource {
  /** Absolute path on the daemon's host, or an address. */
  readonly source: string;
  readonly suite: string;
  readonly components: readonly string[];
  /** Armored public keys. */
  readonly keys: string;
}

/** A rule as it is written. */
export interface WrittenRule {
  readonly last?: string;
  readonly newer?: string;
}

export interface RetentionPlan {
  /** The rule that was applied; `newer` in seconds. */
  readonly rule: { readonly last: number; readonly newer: number };
  readonly outdated: readonly (Artifact & {
    readonly published: number;
    readonly newer_versions: number;
    readonly snapshots: readonly string[];
  })[];
}

/** Work on a place as it is. */
export type Care = 'verify' | 'repair' | 'retain' | 'collect';

/** Changes answer the task's id. */
export interface States {
  /** Newest first. */
  list(place: Place): Promise<readonly Generation[]>;
  /** Names of generations or snapshots; empty is the present state. */
  compare(place: Place, from: string, to: string): Promise<Comparison>;
  createSnapshot(place: Place, name: string): Promise<string>;
  deleteSnapshot(place: Place, name: string): Promise<string>;
  promote(place: Place, promotion: Promotion): Promise<string>;
  rollBack(place: Place, to: string): Promise<string>;
  importFrom(place: Place, from: ImportSource): Promise<string>;
  /** The update notices of a dnf registry: a file's, plain or packed, or none. */
  setUpdateInfo(place: Place, file: string | null): Promise<string>;
  care(place: Place, how: Care): Promise<string>;
  /** What the place's own rule, or the one given, would take out. */
  plan(place: Place, rule: WrittenRule): Promise<RetentionPlan>;
}
