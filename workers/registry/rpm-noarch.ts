/** Architecture-independent rpms lie in the pool of every architecture, also of those that came after them. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rpmPool } from '../../proto/layout.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, RegistryKey } from '../job.ts';
import { linkFile } from './disk.ts';
import type { HeldRegistry } from './publication.ts';
import type { Change } from './publish.ts';
import type { StagedEntry, StagedFile } from './staged.ts';

/**
 * Stages the files of entries that the pools of some architectures lack, as further names of those that are there. What
 * the disk has lost altogether stays as it is recorded: verification tells of it.
 */
export function spread(
  context: TaskContext,
  held: HeldRegistry,
  entries: readonly CatalogueEntry[],
  architectures: readonly string[],
  staging: string,
): Map<CatalogueEntry, StagedEntry> {
  const spreads = new Map<CatalogueEntry, StagedEntry>();
  for (const entry of entries) {
    const from = entry.files.find(file => existsSync(join(held.tree, file.path)));
    if (from === undefined) {
      context.console.log('warning', `${entry.files[0]?.path} is missing: verify the registry`);
      continue;
    }
    const further = lacking(held.key, entry, architectures).map((path): StagedFile => {
      const name = `${spreads.size}-${path.split('/').at(-2)}`;
      linkFile(join(held.tree, from.path), staging, name);
      return { ...from, path, staged: join(staging, name) };
    });
    const files = [...entry.files, ...further.map(({ staged: _, ...file }) => file)];
    spreads.set(entry, { entry: { ...entry, row: 0, files }, files: further });
  }
  return spreads;
}

/** Paths of the pool where an entry should have its file, and has none recorded. */
export function lacking(
  { distribution, derivative }: RegistryKey,
  entry: CatalogueEntry,
  architectures: readonly string[],
): string[] {
  if (entry.architecture !== 'noarch') return [];
  const there = new Set(entry.files.map(file => file.path));
  const name = basename(entry.files[0]?.path ?? '');
  return architectures
    .map(word => rpmPool(distribution, derivative ?? '', word, name))
    .filter(path => !there.has(path));
}

/** A change that records entries with their further files in the place of those that it adds or that are there. */
export function withSpread(change: Change, spreads: ReadonlyMap<CatalogueEntry, StagedEntry>): Change {
  const added = new Set(change.add);
  const [olds, news] = [[...spreads.keys()], [...spreads.values()]];
  return {
    ...change,
    add: [...change.add.filter(entry => !spreads.has(entry)), ...news.map(one => one.entry)],
    remove: [...change.remove, ...olds.filter(entry => !added.has(entry))],
  };
}
