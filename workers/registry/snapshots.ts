/** Snapshots: a generation that gets a name, is kept for good, and is served at an address of its own. */
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { currentLink, generationPath, snapshotTree } from '../../proto/layout.ts';
import type { Work } from '../context.ts';
import type { RegistrySpec } from '../job.ts';
import { makeFolder, syncFolder } from './disk.ts';
import { type HeldRegistry, withRegistry } from './publication.ts';

/** `name` makes one of the current state; with `drop` it is given up. */
export const snapshotWork: Work<RegistrySpec> = async (context, spec) => {
  const { name = '', drop } = spec.parameters;
  await withRegistry(context, spec, async held => {
    const registry = held.key;
    if (drop === 'yes') {
      removeSnapshotLink(held, name);
      await context.ask({ type: 'drop-snapshot', registry, name });
      context.console.log('info', `Dropped snapshot ${name}; its packages go when nothing else holds them`);
      return;
    }
    const { generation } = await context.ask({ type: 'snapshot', registry, name, task: context.job.task });
    linkSnapshot(held, name, generation);
    context.console.log(
      'info',
      `Snapshot ${name} holds generation ${generation} of ${registry.distribution}`,
    );
  });
};

/** Makes a snapshot readable at `snapshots/{name}/…`; what is there already stays. */
export function linkSnapshot(held: HeldRegistry, name: string, generation: string): void {
  const tree = join(held.tree, snapshotTree(name));
  const target = join(held.tree, generationPath(held.key, generation));
  if (!existsSync(target)) {
    throw new Fault(
      'internal',
      'catalogue-mismatch',
      `generation ${generation} is not on the disk any longer`,
    );
  }
  placeLink(join(tree, currentLink(held.key)), target);
  // The generation's indexes name files below the pool, relative to the tree's root.
  if (held.key.format === 'deb') placeLink(join(tree, 'pool'), join(held.tree, 'pool'));
}

function placeLink(path: string, target: string): void {
  makeFolder(dirname(path));
  const next = `${path}.next`;
  rmSync(next, { force: true });
  symlinkSync(relative(dirname(path), target), next);
  renameSync(next, path);
  syncFolder(dirname(path));
}

/** Removes a snapshot's links and the folders that they leave empty. */
function removeSnapshotLink(held: HeldRegistry, name: string): void {
  const tree = join(held.tree, snapshotTree(name));
  rmSync(join(tree, currentLink(held.key)), { force: true });
  const dists = join(tree, 'dists');
  if (held.key.format === 'deb' && isEmpty(dists)) rmSync(join(tree, 'pool'), { force: true });
  for (
    let folder = dirname(join(tree, currentLink(held.key)));
    folder.length >= tree.length;
    folder = dirname(folder)
  ) {
    try {
      rmdirSync(folder);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') continue;
      return;
    }
  }
}

function isEmpty(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

/** Names of snapshots that hold something of a registry, with their generations. */
export function snapshotsOf(
  generations: readonly { readonly name: string; readonly snapshots: readonly string[] }[],
): { readonly name: string; readonly generation: string }[] {
  return generations.flatMap(one => one.snapshots.map(name => ({ name, generation: one.name })));
}
