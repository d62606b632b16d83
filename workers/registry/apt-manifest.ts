/** What an apt generation's indexes are made of. */
import type { RegistryKey } from '../job.ts';
import { readJson } from './manifest.ts';
import type { Segment } from './segments.ts';

/** A file that Release names. */
export interface IndexFile {
  /** Relative to the generation. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** Whether it is there, or only its digest is stated. */
  readonly stored: boolean;
}

export interface AptManifest {
  readonly version: 1;
  readonly derivatives: readonly string[];
  /** Debian's words. */
  readonly architectures: readonly string[];
  readonly indexes: Readonly<
    Record<string, { readonly segments: readonly Segment[]; readonly files: readonly IndexFile[] }>
  >;
}

/** Null when everything must be made anew from the catalogue. */
export function readManifest(state: string, registry: RegistryKey, generation: string): AptManifest | null {
  const manifest = readJson<AptManifest>(state, registry, generation);
  return manifest?.version === 1 ? manifest : null;
}
