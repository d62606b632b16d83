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

/** Removes a generation's folder that was never served. */
export function dropGeneration(held: HeldRegistry, generation: string): void {
  if (servedGeneration(held) === generation) return;
  rmSync(join(held.tree, generationPath(held.key, generation)), { recursive: true, force: true });
}
