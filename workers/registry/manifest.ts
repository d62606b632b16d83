/** What a generation's indexes are made of, kept beside the public tree so that the next one rewrites only what changes. */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suitePath } from '../../proto/layout.ts';
import type { RegistryKey } from '../job.ts';
import { makeFolder, writeDurably } from './disk.ts';

/** The folder of a registry's manifests. */
export function manifestFolder(state: string, registry: RegistryKey): string {
  return join(state, 'manifests', suitePath(registry));
}

export function writeJson(state: string, registry: RegistryKey, generation: string, manifest: object): void {
  const folder = manifestFolder(state, registry);
  makeFolder(folder);
  const path = join(folder, `${generation}.json`);
  rmSync(`${path}.new`, { force: true });
  writeDurably(`${path}.new`, [Buffer.from(JSON.stringify(manifest), 'utf8')]);
  renameSync(`${path}.new`, path);
}

/** Forgets what a generation was made of. */
export function removeJson(state: string, registry: RegistryKey, generation: string): void {
  rmSync(join(manifestFolder(state, registry), `${generation}.json`), { force: true });
}

/** Null when it is missing or can't be read: everything is made anew from the catalogue then. */
export function readJson<T>(state: string, registry: RegistryKey, generation: string): T | null {
  try {
    return JSON.parse(readFileSync(join(manifestFolder(state, registry), `${generation}.json`), 'utf8')) as T;
  } catch {
    return null;
  }
}
