/** What the three formats' publications share: the lock, the pool, the one switch and the way back. */
import { mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { currentLink, currentTarget, generationPath, publicTree, stateTree } from '../../proto/layout.ts';
import type { FormatName } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, Intent, RegistryKey } from '../job.ts';
import { digestFile, makeFolder, syncFolder } from './disk.ts';
import type { StagedEntry, StagedFile } from './staged.ts';

/** Entries in one page of the catalogue. */
const PAGE = 1000;

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
  const { format, distribution, derivative } = key;
  const registry: RegistryKey = { format, distribution, derivative: format === 'deb' ? null : derivative };
  await context.ask({ type: 'lock', registry });
  try {
    const root = { registry: context.job.settings.dirs.registry, instance: context.job.instance.id, format };
    const held = { key: registry, tree: publicTree(root), state: stateTree(root) };
    makeFolder(held.tree);
    makeFolder(held.state);
    return await work(held);
  } finally {
    await context.ask({ type: 'unlock', registry });
  }
}

/** A folder for files on their way into the pool, removed afterwards. */
export async function withStaging<T>(
  context: TaskContext,
  format: FormatName,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const root = { registry: context.job.settings.dirs.registry, instance: context.job.instance.id, format };
  const folder = join(stateTree(root), 'staging', context.job.task);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All entries of a registry, or those of some names; of the current state or of a kept generation. */
export async function readCatalogue(
  context: TaskContext,
  registry: RegistryKey,
  options: {
    readonly names?: readonly string[];
    readonly generation?: string;
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
 * Moves staged files into the pool. A file that is there with the same content stays; one with other content goes
 * only when nothing published needs it. Throws `version-exists`.
 */
export async function fillPool(
  context: TaskContext,
  held: HeldRegistry,
  entries: readonly StagedEntry[],
): Promise<void> {
  const folders = new Set<string>();
  for (const { files } of entries) {
    for (const file of files)
      if (await placeFile(context, held, file)) folders.add(dirname(join(held.tree, file.path)));
  }
  for (const folder of folders) syncFolder(folder);
}

async function placeFile(context: TaskContext, held: HeldRegistry, file: StagedFile): Promise<boolean> {
  if (file.staged === null) return false;
  const target = join(held.tree, file.path);
  const there = await digestFile(target).catch(error => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (there?.sha256 === file.sha256) return false;
  if (there !== null) {
    const { usedBy } = await context.ask({ type: 'pool-file', format: held.key.format, path: file.path });
    if (usedBy.length > 0) {
      throw new Fault(
        'conflict',
        'version-exists',
        `${basename(file.path)} is published with other content (by ${usedBy.slice(0, 3).join(', ')}): raise the version`,
        { file: file.path },
      );
    }
  }
  makeFolder(dirname(target));
  renameSync(file.staged, target);
  return true;
}

/**
 * Makes a generation, that is durable already, the served one: intent, rename, record. Cancel waits meanwhile. When
 * anything fails before the rename the old state stands and the generation's folder is removed.
 */
export async function switchTo(
  context: TaskContext,
  held: HeldRegistry,
  change: Pick<Intent, 'generation' | 'digest' | 'add' | 'remove'>,
): Promise<void> {
  context.signal.throwIfAborted();
  const release = context.holdCancel();
  try {
    const { task, attempt } = context.job;
    const intent: Intent = { registry: held.key, task, attempt, ...change };
    const granted = await context.ask({ type: 'intent', intent });
    try {
      turnLink(held, change.generation);
    } catch (error) {
      await context.ask({ type: 'switched', intent: granted.intent, done: false });
      throw error;
    }
    await context.ask({ type: 'switched', intent: granted.intent, done: true });
  } finally {
    release();
  }
}

/** The switch: one rename, then the folder around it is synced. */
export function turnLink(held: HeldRegistry, generation: string): void {
  const link = join(held.tree, currentLink(held.key));
  makeFolder(dirname(link));
  // A name that the edge does not serve, and that a crash before the rename may leave behind.
  const next = join(dirname(link), `.${basename(link)}.next`);
  rmSync(next, { force: true });
  symlinkSync(currentTarget(held.key, generation), next);
  renameSync(next, link);
  syncFolder(dirname(link));
}

/** Removes a generation's folder that was never served. */
export function dropGeneration(held: HeldRegistry, generation: string): void {
  if (servedGeneration(held) === generation) return;
  rmSync(join(held.tree, generationPath(held.key, generation)), { recursive: true, force: true });
}
