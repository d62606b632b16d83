/** Entries that are read together, as a registry can hold them: each artifact once, and no file with two contents. */
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { CatalogueEntry } from '../job.ts';
import type { StagedEntry, StagedFile } from './staged.ts';

/** An entry with the file that it was read from, for messages. */
export interface ReadEntry extends StagedEntry {
  readonly from: string;
}

/**
 * Leaves out what is there twice with the same content: a package that lies in two folders. Throws `version-exists`
 * naming both where the content differs.
 */
export function distinctEntries(read: readonly ReadEntry[]): StagedEntry[] {
  const artifacts = new Map<string, ReadEntry>();
  const brought = new Map<string, { readonly sha256: string; readonly from: string }>();
  for (const one of read) {
    const { entry, files, from } = one;
    const key = [entry.derivative, entry.name, entry.architecture, entry.version].join(' ');
    const twin = artifacts.get(key);
    if (twin !== undefined && identity(twin.entry) === identity(entry)) continue;
    if (twin !== undefined) {
      throw differs(`${entry.name} ${entry.version} (${entry.architecture})`, entry, twin.from, from);
    }
    for (const { path, sha256 } of files) {
      const other = brought.get(path);
      if (other !== undefined && other.sha256 !== sha256)
        throw differs(basename(path), entry, other.from, from);
      brought.set(path, { sha256, from });
    }
    artifacts.set(key, withFiles(one, files));
  }
  return [...artifacts.values()];
}

/** What two builds of the same content have in common: for rpm the header, since each signature differs. */
export function identity(entry: CatalogueEntry): string {
  if (entry.format === 'rpm') return (JSON.parse(entry.stanza) as { header: string }).header;
  return entry.files
    .map(file => file.sha256)
    .sort()
    .join();
}

/** An entry with these files, each once; what its stanza says of them is for the caller. */
export function withFiles<T extends StagedEntry>(one: T, files: readonly StagedFile[]): T {
  const distinct = [...new Map(files.map(file => [file.path, file])).values()];
  const shown = distinct.map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  return { ...one, entry: { ...one.entry, files: shown }, files: distinct };
}

function differs(what: string, { name, version }: CatalogueEntry, one: string, other: string): Fault {
  const message = `${what} is there twice with different content: ${shown(one)} and ${shown(other)}`;
  return new Fault('conflict', 'version-exists', message, { artifact: name, version });
}

/** A file with its folder, which tells two of one name apart. */
function shown(path: string): string {
  return join(basename(dirname(path)), basename(path));
}
