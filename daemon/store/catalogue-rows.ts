/** Rows of the catalogue to entries and back. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FormatName } from '../../proto/words.ts';
import type { CatalogueEntry, CatalogueFile, RegistryKey } from '../../workers/job.ts';
import type { Database } from './database.ts';

export interface ArtifactRow {
  readonly id: number;
  readonly name: string;
  readonly architecture: string;
  readonly version: string;
  readonly size: number;
  readonly source_name: string | null;
  readonly source_version: string | null;
  readonly published: number;
  readonly task: string;
  readonly stanza: string;
  readonly changelog: Uint8Array;
  readonly content: Uint8Array;
  readonly format: FormatName;
  readonly distribution: string;
  readonly derivative: string;
}

/** Columns of an `ArtifactRow`, from `artifact a JOIN place p`. */
export const ENTRY_COLUMNS = `a.id, a.name, a.architecture, a.version, a.size, a.source_name, a.source_version,
  a.published, a.task, a.stanza, a.changelog, a.content, p.format, p.distribution, p.derivative`;

/** Lists of changes and files are long and alike: kept deflated. */
function pack(value: unknown): Uint8Array {
  return deflateRawSync(JSON.stringify(value), { level: 1 });
}

function unpack<T>(blob: Uint8Array): T {
  return JSON.parse(inflateRawSync(blob).toString('utf8')) as T;
}

/** Reads files beside rows and makes whole entries. */
export function entryReader(database: Database): (row: ArtifactRow) => CatalogueEntry {
  const files = database.prepare('SELECT path, size, sha256 FROM file WHERE artifact = ? ORDER BY rowid');
  return row => ({
    row: row.id,
    format: row.format,
    distribution: row.distribution,
    derivative: row.derivative,
    architecture: row.architecture,
    name: row.name,
    version: row.version,
    size: row.size,
    source: row.source_name === null ? null : { name: row.source_name, version: row.source_version ?? '' },
    files: files.all<CatalogueFile>(row.id).map(file => ({ ...file })),
    stanza: row.stanza,
    changelog: unpack(row.changelog),
    content: unpack(row.content),
    published: row.published,
    task: row.task,
  });
}

/** Writes entries; answers the row number. */
export function entryWriter(
  database: Database,
): (instance: string, entry: CatalogueEntry, added: number) => number {
  const place = placeOf(database);
  const insert = database.prepare(
    `INSERT INTO artifact (place, added, name, architecture, version, size, source_name, source_version, published,
       task, stanza, changelog, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const file = database.prepare('INSERT INTO file VALUES (?, ?, ?, ?)');
  return (instance, entry, added) => {
    const { row } = insert.run(
      place(instance, entry),
      added,
      entry.name,
      entry.architecture,
      entry.version,
      entry.size,
      entry.source?.name ?? null,
      entry.source?.version ?? null,
      entry.published,
      entry.task,
      entry.stanza,
      pack(entry.changelog),
      pack(entry.content),
    );
    for (const { path, size, sha256 } of entry.files) file.run(row, path, size, sha256);
    return row;
  };
}

type Place = { readonly format: FormatName; readonly distribution: string; readonly derivative: string };

/** The number of a place, made at its first publication. */
function placeOf(database: Database): (instance: string, place: Place) => number {
  const find = database.prepare(
    'SELECT id FROM place WHERE instance = ? AND format = ? AND distribution = ? AND derivative = ?',
  );
  const insert = database.prepare(
    'INSERT INTO place (instance, format, distribution, derivative) VALUES (?, ?, ?, ?)',
  );
  return (instance, { format, distribution, derivative }) =>
    find.get<{ id: number }>(instance, format, distribution, derivative)?.id ??
    insert.run(instance, format, distribution, derivative).row;
}

/** A registry's key as the four columns that tables keep; a deb registry spans derivatives and keeps an empty one. */
export function keyColumns(instance: string, key: RegistryKey): [string, string, string, string] {
  return [instance, key.format, key.distribution, key.derivative ?? ''];
}

/** SQL condition on `p` (place) for a registry key, to go with `keyColumns`. */
export const PLACES_OF_KEY =
  "p.instance = ?1 AND p.format = ?2 AND p.distribution = ?3 AND (?4 = '' OR p.derivative = ?4)";
