/** Artifacts as the catalogue has them, and what changes them. Types only. */
import type { FormatName } from '../proto/words.ts';

/** One derivative of a distribution in the registry of an instance. */
export interface RegistryPlace {
  readonly format: FormatName;
  readonly distribution: string;
  readonly derivative: string;
}

/** What one signed entry file covers: for deb a distribution (derivative null), for rpm and osi a derivative of it. */
export interface RegistryKey {
  readonly format: FormatName;
  readonly distribution: string;
  readonly derivative: string | null;
}

/** A publication about to be switched: every file of it is durable already. */
export interface Intent {
  readonly registry: RegistryKey;
  readonly task: string;
  readonly attempt: number;
  /** SHA-256, lower-case hex, of the new entry file (InRelease, repomd.xml, SHA256SUMS). */
  readonly digest: string;
  /** Name of the generation folder that the switch makes current. */
  readonly generation: string;
  readonly add: readonly CatalogueEntry[];
  /** Row numbers of entries that go. */
  readonly remove: readonly number[];
}

export interface Granted {
  /** Number of the recorded intent. */
  readonly intent: number;
}

/** A state of a registry that can still be read or returned to. */
export interface KeptGeneration {
  readonly name: string;
  /** Seconds since the epoch; `superseded` is null for the current one. */
  readonly created: number;
  readonly superseded: number | null;
  readonly task: string;
  /** Names of the snapshots that hold it. */
  readonly snapshots: readonly string[];
}

/** What retention looks at. */
export interface Version {
  readonly name: string;
  /** uname -m word, noarch or src; for osi the file extension. */
  readonly architecture: string;
  readonly version: string;
  /** Seconds since the epoch of its publication. */
  readonly published: number;
}

/** Which versions of a package a registry keeps: those that either half keeps. What a snapshot holds stays there. */
export interface Retention {
  /** Newest versions kept; 0 = all. */
  readonly last: number;
  /** Seconds since its publication for which any version is kept; 0 = no such rule. */
  readonly newer: number;
}

/** What a retention would take out of a place. */
export interface RetentionPlan {
  /** The rule that was applied. */
  readonly rule: Retention;
  readonly outdated: readonly (Version & {
    /** Bytes. */
    readonly size: number;
    readonly newerVersions: number;
    /** Names of the snapshots that hold it: there it stays. */
    readonly snapshots: readonly string[];
  })[];
}

/** An artifact of one derivative as the catalogue has it. */
export interface CatalogueEntry extends RegistryPlace, Version {
  /** Row number; 0 for one that is not recorded yet. */
  readonly row: number;
  /** Bytes as lists show it: 0 for deb sources. */
  readonly size: number;
  /** Of a binary: the source it was built from. */
  readonly source: { readonly name: string; readonly version: string } | null;
  readonly files: readonly CatalogueFile[];
  /** The stanza or XML piece as rendered for its index. */
  readonly stanza: string;
  readonly changelog: readonly ChangelogEntry[];
  readonly content: readonly ContentEntry[];
  /** Task that published it. */
  readonly task: string;
}

export interface CatalogueFile {
  /** Relative to the format's public tree, `pool/main/h/hello/hello_2.10-1_amd64.deb`. */
  readonly path: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface ChangelogEntry {
  /** `Name <email>`. */
  readonly author: string;
  readonly changes: readonly string[];
  /** Seconds since the epoch; 0 unreadable. */
  readonly date: number;
  readonly version: string;
}

export interface ContentEntry {
  /** Absolute, no trailing slash. */
  readonly path: string;
  readonly type: 'f' | 'd' | 'l' | 'c' | 'b' | 'p' | 's';
  readonly size: number;
}
