/** What the three formats' publications share: the lock, the one switch and the way back. */
import { readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { currentLink, currentTarget, publicTree, stagingFolder, stateTree } from '../../proto/layout.ts';
import type { FormatName } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, Intent, KeptGeneration, RegistryKey } from '../job.ts';
import { makeFolder, syncFolder } from './disk.ts';

/** Entries in one page of the catalogue. */
const PAGE = 1000;
/** Stands for the pool among the locks: no distribution has an empty name. */
const APT_POOL: RegistryKey = { format: 'deb', distribution: '', derivative: null };

/** A registry with its folders, held by this task. */
export interface HeldRegistry {
  readonly key: RegistryKey;
  /** Absolute path of the public tree. */
  readonly tree: string;
  /** Absolute path of the private state. */
  readonly state: string;
}

/** Works on a registry while no other task does. Throws what the work throws. */
export async function withRegistry<T>(
  context: TaskContext,
  key: RegistryKey,
  work: (held: HeldRegistry) => Promise<T>,
): Promise<T> {
  const held = locateRegistry(context, key);
  await context.ask({ type: 'lock', registry: held.key });
  try {
    makeFolder(held.tree);
    makeFolder(held.state);
    return await work(held);
  } finally {
    await context.ask({ type: 'unlock', registry: held.key });
  }
}

/**
 * Works on the pool of a registry that is held while no other task does, from placing files to recording them: until
 * then nobody else can know who needs them. The distributions of apt packages share one pool; elsewhere each registry
 * has its own. Who has the pool waits for no registry, so that the order can't lead to a deadlock.
 */
export async function withPool<T>(
  context: TaskContext,
  { key }: HeldRegistry,
  work: () => Promise<T>,
): Promise<T> {
  if (key.format !== 'deb') return work();
  await context.ask({ type: 'lock', registry: APT_POOL });
  try {
    return await work();
  } finally {
    await context.ask({ type: 'unlock', registry: APT_POOL });
  }
}

/** A registry that is not held, to be read only: what is served may be another generation the next moment. */
export function locateRegistry(context: TaskContext, key: RegistryKey): HeldRegistry {
  const { format, distribution, derivative } = key;
  const root = { registry: context.job.settings.dirs.registry, instance: context.job.instance.id, format };
  return {
    key: { format, distribution, derivative: format === 'deb' ? null : derivative },
    tree: publicTree(root),
    state: stateTree(root),
  };
}

/** A folder for files on their way into the pool, removed afterwards; `part` tells one apart from another of the task. */
export async function withStaging<T>(
  context: TaskContext,
  format: FormatName,
  work: (folder: string) => Promise<T>,
  part = '',
): Promise<T> {
  const root = { registry: context.job.settings.dirs.registry, instance: context.job.instance.id, format };
  const folder = join(stagingFolder(root), `${context.job.task}${part}`);
  rmSync(folder, { recursive: true, force: true });
  makeFolder(folder);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All entries of a registry, or those of some names; of the current state, of a kept generation, or of all. */
export async function readCatalogue(
  context: TaskContext,
  registry: RegistryKey,
  options: {
    readonly names?: readonly string[];
    readonly generation?: string;
    readonly kept?: boolean;
    readonly instance?: string;
  } = {},
): Promise<CatalogueEntry[]> {
  const entries: CatalogueEntry[] = [];
  let after = 0;
  for (;;) {
    const page = await context.ask({ type: 'catalogue', registry, ...options, after, limit: PAGE });
    entries.push(...page.entries);
    if (page.next === null) return entries;
    after = page.next;
  }
}

/**
 * A kept generation by its own name or a snapshot's, the current one without a name; of another instance where one is
 * named. Throws `not-found`.
 */
export async function findGeneration(
  context: TaskContext,
  registry: RegistryKey,
  name: string | undefined,
  instance = context.job.instance.id,
): Promise<string> {
  const { generations } = await context.ask({ type: 'generations', registry, instance });
  const found = generations.find(one =>
    name === undefined ? one.superseded === null : one.name === name || one.snapshots.includes(name),
  );
  if (found) return found.name;
  const what = name === undefined ? 'nothing' : `no snapshot or kept generation "${name}"`;
  const place = [registry.format, registry.distribution, registry.derivative].filter(Boolean).join(' ');
  throw new Fault('not_found', 'not-found', `${what} is in ${instance}, ${place}`);
}

/** States of a registry that can still be read, newest first. */
export async function keptStates(
  context: TaskContext,
  { key }: HeldRegistry,
): Promise<readonly KeptGeneration[]> {
  return (await context.ask<'generations'>({ type: 'generations', registry: key })).generations;
}

/** Name of a new generation: sorts by time, unique by task. */
export function newGeneration(context: TaskContext): string {
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('.', '');
  return `${time}-${context.job.task.slice(0, 8)}-${context.job.attempt}`;
}

/** Name of the generation that is served; null before the first publication. */
export function servedGeneration(held: HeldRegistry): string | null {
  try {
    return basename(readlinkSync(join(held.tree, currentLink(held.key))));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Makes a generation, that is durable already, the served one: intent, rename, record. Cancel waits meanwhile. When
 * anything fails, the record included, the old state is served, or is so again.
 */
export async function switchTo(
  context: TaskContext,
  held: HeldRegistry,
  change: Pick<Intent, 'generation' | 'digest' | 'add' | 'remove'>,
): Promise<void> {
  context.signal.throwIfAborted();
  const release = context.holdCancel();
  try {
    const turn = prepareTurn(held, change.generation);
    const { task, attempt } = context.job;
    const intent: Intent = { registry: held.key, task, attempt, ...change };
    const granted = await context.ask({ type: 'intent', intent });
    try {
      turn.forth();
      await context.ask({ type: 'switched', intent: granted.intent, done: true });
    } catch (error) {
      turn.back();
      // Where this fails too, the open intent is closed before the next one, by what is served.
      await context.ask({ type: 'switched', intent: granted.intent, done: false }).catch(() => null);
      throw error;
    }
    turn.finish();
  } finally {
    release();
  }
}

/** The switch and its undoing, both one rename: on a full disk no new link could be made. */
interface Turn {
  forth(): void;
  back(): void;
  finish(): void;
}

function prepareTurn(held: HeldRegistry, generation: string): Turn {
  const link = join(held.tree, currentLink(held.key));
  const folder = dirname(link);
  makeFolder(folder);
  // Names that the edge does not serve, and that a crash may leave behind.
  const next = join(folder, `.${basename(link)}.next`);
  const previous = join(folder, `.${basename(link)}.previous`);
  const before = servedGeneration(held);
  for (const stale of [next, previous]) rmSync(stale, { force: true });
  symlinkSync(currentTarget(held.key, generation), next);
  if (before !== null) symlinkSync(currentTarget(held.key, before), previous);
  return {
    forth: () => {
      renameSync(next, link);
      syncFolder(folder);
    },
    back: () => {
      if (servedGeneration(held) !== generation) return;
      if (before === null) rmSync(link);
      else renameSync(previous, link);
      syncFolder(folder);
    },
    finish: () => rmSync(previous, { force: true }),
  };
}
