/** Fills a registry with many packages in one publication, without reading each from its file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { debPool } from '../../proto/layout.ts';
import type { CatalogueEntry, RegistrySpec } from '../../workers/job.ts';
import { publishAptChange } from '../../workers/registry/apt-publish.ts';
import { withRegistry } from '../../workers/registry/publication.ts';
import type { RegistryHome } from './registry.ts';
import { type TinyDeb, tinyDeb } from './tiny-deb.ts';

export const SEED_SPEC: RegistrySpec = {
  type: 'registry',
  action: 'import',
  format: 'deb',
  distribution: 'bookworm',
  derivative: 'main',
  parameters: {},
};

/** Names of a registry of that size; spread over the alphabet. */
export function seedName(index: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  return `${letters[index % 26]}${letters[Math.floor(index / 26) % 26]}-package-${index}`;
}

/** Publishes `count` packages; `withFiles` writes the pool too (a client that downloads needs it). */
export async function seedApt(registry: RegistryHome, count: number, withFiles = false): Promise<void> {
  const entries: CatalogueEntry[] = [];
  for (let index = 0; index < count; index++) {
    const deb = tinyDeb(seedName(index), '1.0-1');
    const entry = entryOf(deb);
    entries.push(entry);
    if (!withFiles) continue;
    const path = join(registry.tree('deb'), entry.files[0]?.path ?? '');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, deb.bytes);
  }
  const context = registry.context(SEED_SPEC);
  await withRegistry(context, { format: 'deb', distribution: 'bookworm', derivative: null }, held =>
    publishAptChange(context, held, { add: entries, remove: [], live: [] }),
  );
}

/** What a catalogue says of such a package. */
export function entryOf(deb: TinyDeb): CatalogueEntry {
  const path = debPool('main', deb.name, deb.file);
  const size = deb.bytes.length;
  return {
    row: 0,
    format: 'deb',
    distribution: 'bookworm',
    derivative: 'main',
    architecture: 'x86_64',
    name: deb.name,
    version: deb.version,
    size,
    source: { name: deb.name, version: deb.version },
    files: [{ path, size, sha256: deb.sha256 }],
    stanza: `${deb.control}Filename: ${path}\nSize: ${size}\nSHA256: ${deb.sha256}\n`,
    changelog: [],
    content: [
      { path: '/usr', type: 'd', size: 0 },
      { path: '/usr/share', type: 'd', size: 0 },
      { path: `/usr/share/${deb.name}`, type: 'f', size: deb.version.length + 1 },
    ],
    published: 1_767_225_600,
    task: 'seed',
  };
}
