/** Snapshots: a generation that gets a name, is kept for good, and is served at an address of its own. */
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { currentLink, generationPath, snapshotTree, suitePath } from '../../proto/layout.ts';
import type { TaskContext, Work } from '../context.ts';
import type { RegistrySpec } from '../job.ts';
import { makeFolder, syncFolder } from './disk.ts';
import { type HeldRegistry, servedGeneration, withRegistry } from './publication.ts';

/** `name` makes one of the current state; with `drop` it is given up. */
export const snapshotWork: Work<RegistrySpec> = async (context, spec) => {
  const { name = '', drop } = spec.parameters;
  await withRegistry(context, spec, async held => {
    const registry = held.key;
    if (drop === 'yes') {
      await context.ask({ type: 'drop-snapshot', registry, name });
      removeSnapshotLink(held, name);
      context.console.log('info', `Dropped snapshot ${name}; its packages go when nothing else holds them`);
      return;
    }
    const generation = await keepSnapshot(context, held, name);
    context.console.log(
      'info',
      `Snapshot ${name} holds generation ${generation} of ${registry.distribution}`,
    );
  });
};

/** Records a snapshot and makes its address: both or, where that fails (on a full disk), neither. */
async function keepSnapshot(context: TaskContext, held: HeldRegistry, name: string): Promise<string> {
  const registry = held.key;
  const served = servedGeneration(held);
  const links = served === null ? null : new SnapshotLinks(held, name, served);
  try {
    links?.stage();
    const { generation } = await context.ask({ type: 'snapshot', registry, name, task: context.job.task });
    try {
      // An attempt before this one may have recorded it, and others have published since.
      if (links === null || generation !== served) linkSnapshot(held, name, generation);
      else links.place();
    } catch (error) {
      await context.ask({ type: 'drop-snapshot', registry, name });
      removeSnapshotLink(held, name);
      throw error;
    }
    return generation;
  } catch (error) {
    links?.drop();
    throw error;
  }
}

/** Makes a snapshot readable at `snapshots/{name}/…`; what is there already stays. */
export function linkSnapshot(held: HeldRegistry, name: string, generation: string): void {
  const links = new SnapshotLinks(held, name, generation);
  try {
    links.stage();
    links.place();
  } catch (error) {
    links.drop();
    throw error;
  }
}

/** The links that a snapshot's address consists of. Once they are staged, it takes no more space to place them. */
class SnapshotLinks {
  readonly #links: readonly { readonly path: string; readonly next: string; readonly target: string }[];
  readonly #tree: string;
  readonly #generation: string;

  constructor(held: HeldRegistry, name: string, generation: string) {
    const tree = join(held.tree, snapshotTree(name));
    // A name of its own: distributions that are snapshot at once share the tree and its pool.
    const end = `${suitePath(held.key).replaceAll('/', '-')}.next`;
    const link = (path: string, target: string) => ({ path, next: `${path}.${end}`, target });
    this.#tree = tree;
    this.#generation = join(held.tree, generationPath(held.key, generation));
    this.#links = [
      link(join(tree, currentLink(held.key)), this.#generation),
      // The generation's indexes name files below the pool, relative to the tree's root.
      ...(held.key.format === 'deb' ? [link(join(tree, 'pool'), join(held.tree, 'pool'))] : []),
    ];
  }

  stage(): void {
    if (!existsSync(this.#generation)) {
      const message = `generation ${basename(this.#generation)} is not on the disk any longer`;
      throw new Fault('internal', 'catalogue-mismatch', message);
    }
    for (const { path, next, target } of this.#links) {
      makeFolder(dirname(path));
      rmSync(next, { force: true });
      symlinkSync(relative(dirname(path), target), next);
    }
  }

  place(): void {
    for (const { path, next } of this.#links) {
      renameSync(next, path);
      syncFolder(dirname(path));
    }
  }

  /** Removes what is staged and not placed, with the folders that it leaves empty. */
  drop(): void {
    for (const { next } of this.#links) rmSync(next, { force: true });
    removeEmpty(this.#tree, dirname(this.#links[0]?.path ?? this.#tree));
  }
}

/** Removes a snapshot's links and the folders that they leave empty. */
function removeSnapshotLink(held: HeldRegistry, name: string): void {
  const tree = join(held.tree, snapshotTree(name));
  rmSync(join(tree, currentLink(held.key)), { force: true });
  const dists = join(tree, 'dists');
  if (held.key.format === 'deb' && isEmpty(dists)) rmSync(join(tree, 'pool'), { force: true });
  removeEmpty(tree, dirname(join(tree, currentLink(held.key))));
}

/** Removes a folder and those above it, up to the tree itself, as far as they are empty. */
function removeEmpty(tree: string, from: string): void {
  for (let folder = from; folder.length >= tree.length; folder = dirname(folder)) {
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
