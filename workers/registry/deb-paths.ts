/**
 * Where Debian packages lie in the pool. Names of files have no epoch, so that a version with another one may find its
 * name taken: only then the epoch goes into the path, as apt itself writes it in the names of downloads.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { debPool } from '../../proto/layout.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry } from '../job.ts';
import { withFiles } from './distinct.ts';
import { locateRegistry } from './publication.ts';
import type { StagedEntry, StagedFile } from './staged.ts';

/** Digits of a version's epoch; 0 where it has none. */
export function epochOf(version: string): string {
  return /^0*(\d+):/.exec(version)?.[1] ?? '0';
}

/** Gives entries that are read together another path where a version with another epoch has theirs. */
export async function settlePaths<T extends StagedEntry>(
  context: TaskContext,
  entries: readonly T[],
): Promise<T[]> {
  const brought = new Map<string, Holder[]>();
  const settled: T[] = [];
  for (const one of entries) {
    const isTaken = await someTaken(context, one, brought);
    const placed = isTaken ? moveTo(one, file => withEpoch(one.entry, file)) : one;
    for (const { path, sha256 } of placed.files) {
      const holders = brought.get(path) ?? [];
      brought.set(path, [...holders, { sha256, version: one.entry.version }]);
    }
    settled.push(placed);
  }
  return settled;
}

/** Who has a file: in the pool, or among what is published together. */
interface Holder {
  readonly sha256: string;
  readonly version: string;
}

async function someTaken(
  context: TaskContext,
  { entry, files }: StagedEntry,
  brought: ReadonlyMap<string, readonly Holder[]>,
): Promise<boolean> {
  const { tree } = locateRegistry(context, { ...entry, format: 'deb' });
  for (const { path, sha256 } of files) {
    // Asked only where there is something: most publications bring new names.
    const users = existsSync(join(tree, path))
      ? (await context.ask<'pool-file'>({ type: 'pool-file', format: 'deb', path })).users
      : [];
    const holders = [...(brought.get(path) ?? []), ...users];
    const isOther = (one: Holder): boolean =>
      one.sha256 !== sha256 && epochOf(one.version) !== epochOf(entry.version);
    if (holders.some(isOther)) return true;
  }
  return false;
}

/**
 * Of a binary the name, `hello_1%3a2.0-1_amd64.deb`. The files of a source are named in its signed .dsc: they get a
 * folder of their own, `hello/1%3a/`.
 */
function withEpoch(entry: CatalogueEntry, path: string): string {
  const epoch = `${epochOf(entry.version)}%3a`;
  if (entry.architecture === 'src') return join(dirname(path), epoch, basename(path));
  const [name, rest] = [`${entry.name}_`, basename(path).slice(entry.name.length + 1)];
  return join(dirname(path), `${name}${epoch}${rest}`);
}

/** An entry whose files lie elsewhere. A Debian stanza names them by their place in the pool. */
export function moveTo<T extends StagedEntry>(one: T, pathOf: (path: string) => string): T {
  const files: StagedFile[] = one.files.map(file => ({ ...file, path: pathOf(file.path) }));
  const moved = withFiles(one, files);
  if (one.entry.format !== 'deb') return moved;
  const path = files[0]?.path ?? '';
  // Lines as readers of indexes take them: to JavaScript the separators of Unicode in a description end one, too.
  const stanza =
    one.entry.architecture === 'src'
      ? one.entry.stanza.replace(/(?<=^|\n)Directory: [^\n]*/, () => `Directory: ${dirname(path)}`)
      : one.entry.stanza.replace(/(?<=^|\n)Filename: [^\n]*/, () => `Filename: ${path}`);
  return { ...moved, entry: { ...moved.entry, stanza } };
}

/** The same place in the pool of another derivative. */
export function debPathIn(derivative: string, path: string): string {
  const [, , , source = '', ...rest] = path.split('/');
  return debPool(derivative, source, rest.join('/'));
}
