/** What an rpm derivative's indexes are made of, kept beside each generation. */
import type { RegistryKey } from '../job.ts';
import { readJson } from './manifest.ts';
import { KINDS, type Kind } from './rpm-index.ts';
import type { NoticesFile } from './rpm-notices.ts';
import type { Segment } from './segments.ts';

export interface IndexState {
  readonly segments: readonly Segment[];
  readonly count: number;
  readonly file: string;
  readonly data: string;
}

export interface ArchitectureState {
  readonly indexes: Readonly<Record<Kind, IndexState>>;
  readonly notices?: NoticesFile | null;
  /** Superseded metadata by name, with the time at which it was superseded. */
  readonly kept: Readonly<Record<string, number>>;
}

export interface RpmManifest {
  readonly version: 1;
  readonly architectures: Readonly<Record<string, ArchitectureState>>;
}

/** Reads the manifest of a generation; null when everything must be made anew. */
export function readRpmManifest(
  state: string,
  registry: RegistryKey,
  generation: string,
): RpmManifest | null {
  const manifest = readJson<RpmManifest>(state, registry, generation);
  return manifest?.version === 1 ? manifest : null;
}

/** Files that a repomd.xml names. */
export function filesOf({ indexes, notices }: ArchitectureState): string[] {
  return [...KINDS.map(kind => indexes[kind].file), ...(notices ? [notices.file] : [])];
}
