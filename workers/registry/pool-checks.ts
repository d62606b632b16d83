/** Checks of a registry's pool: whether each file is what the catalogue says, and whether something needs it. */
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, CatalogueFile } from '../job.ts';
import { digestFile } from './disk.ts';
import { walkFiles } from './folder.ts';
import type { HeldRegistry } from './publication.ts';

/** Paths asked about at once. */
const BATCH = 1000;

/** Digests of files, each computed once however many states have a name for it. */
export class Digests {
  readonly #known = new Map<string, string>();

  /** Null for a file that is not there. */
  async of(path: string): Promise<string | null> {
    try {
      const { dev, ino, size, mtimeMs } = statSync(path);
      const file = `${dev} ${ino} ${size} ${mtimeMs}`;
      const digest = this.#known.get(file) ?? (await digestFile(path)).sha256;
      this.#known.set(file, digest);
      return digest;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }
}

/** A file that is not as it was published. */
export interface BadFile {
  readonly entry: CatalogueEntry;
  readonly file: CatalogueFile;
  readonly text: string;
}

/** Files of the pool that are missing or changed, for each entry that needs them. */
export async function badFiles(
  context: TaskContext,
  registry: HeldRegistry,
  entries: readonly CatalogueEntry[],
  digests = new Digests(),
): Promise<BadFile[]> {
  const bad: BadFile[] = [];
  for (const [index, entry] of entries.entries()) {
    context.signal.throwIfAborted();
    context.progress('files', index, entries.length);
    for (const file of entry.files) {
      const found = await digests.of(join(registry.tree, file.path));
      if (found === file.sha256) continue;
      const what = found === null ? 'is missing' : 'has other content than published';
      bad.push({ entry, file, text: `${file.path} ${what}` });
    }
  }
  return bad;
}

/** Of bad files those that something needs still: a registry that is not held may have given them up meanwhile. */
export async function stillNeeded(context: TaskContext, bad: readonly BadFile[]): Promise<BadFile[]> {
  const needed: BadFile[] = [];
  for (const one of bad) {
    const { path, sha256 } = one.file;
    const { users } = await context.ask<'pool-file'>({
      ...{ type: 'pool-file', format: one.entry.format, path },
    });
    if (users.some(user => user.sha256 === sha256)) needed.push(one);
  }
  return needed;
}

/** Refuses to publish what the disk has damaged or lost. Throws `catalogue-mismatch`. */
export async function checkWhole(
  context: TaskContext,
  registry: HeldRegistry,
  entries: readonly CatalogueEntry[],
): Promise<void> {
  const [bad] = await badFiles(context, registry, entries);
  if (!bad) return;
  const { name, version, architecture } = bad.entry;
  throw new Fault(
    'conflict',
    'catalogue-mismatch',
    `${bad.text}: ${name} ${version} (${architecture}) can't be published again`,
    { file: bad.file.path },
  );
}

/** Paths of files in the pool that neither the catalogue nor a kept state needs. */
export async function strays(context: TaskContext, registry: HeldRegistry): Promise<string[]> {
  const found: string[] = [];
  let batch: string[] = [];
  const sift = async (): Promise<void> => {
    const { format } = registry.key;
    const { needed } = await context.ask<'needed-files'>({ type: 'needed-files', format, paths: batch });
    const wanted = new Set(needed);
    found.push(...batch.filter(path => !wanted.has(path)));
    batch = [];
  };
  for await (const path of walkFiles(join(registry.tree, 'pool'), context.signal)) {
    if (batch.push(relative(registry.tree, path)) === BATCH) await sift();
  }
  if (batch.length > 0) await sift();
  return found.sort();
}
