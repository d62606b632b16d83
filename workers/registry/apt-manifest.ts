/** What a generation's indexes are made of, so that the next one rewrites only what changes. */
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suitePath } from '../../proto/layout.ts';
import type { RegistryKey } from '../job.ts';
import { writeDurably } from './disk.ts';
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

/** The folder of a registry's manifests. */
export function manifestFolder(state: string, registry: RegistryKey): string {
  return join(state, 'manifests', suitePath(registry));
}

export function writeManifest(
  state: string,
  registry: RegistryKey,
  generation: string,
  manifest: AptManifest,
): void {
  const folder = manifestFolder(state, registry);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${generation}.json`);
  rmSync(`${path}.new`, { force: true });
  writeDurably(`${path}.new`, [Buffer.from(JSON.stringify(manifest), 'utf8')]);
  renameSync(`${path}.new`, path);
}

/** Null when it is missing or can't be read: everything is made anew from the catalogue then. */
export function readManifest(state: string, registry: RegistryKey, generation: string): AptManifest | null {
  try {
    const path = join(manifestFolder(state, registry), `${generation}.json`);
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as AptManifest;
    return manifest.version === 1 ? manifest : null;
  } catch {
    return null;
  }
}
