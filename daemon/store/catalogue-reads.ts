/** What people and clients read of the catalogue: lists, descriptions and searches, by index and page by page. */
import { Fault } from '../../proto/fault.ts';
import type { FormatName } from '../../proto/words.ts';
import type { CatalogueEntry, RegistryPlace } from '../../workers/job.ts';
import { type ArtifactRow, ENTRY_COLUMNS, entryReader } from './catalogue-rows.ts';
import type { Database } from './database.ts';

/** An artifact as lists show it. */
export interface ListedArtifact {
  readonly name: string;
  readonly architecture: string;
  readonly version: string;
  readonly size: number;
}

export interface FoundArtifact extends ListedArtifact, RegistryPlace {}

export interface ArtifactPage {
  readonly artifacts: readonly ListedArtifact[];
  /** Position to continue after; empty when there is no more. */
  readonly next: string;
}

/** Artifacts that a search looks up at once. */
const SEARCH_PAGE = 1000;
const LISTED = 'a.name, a.architecture, a.version, a.size';

export class CatalogueReads {
  readonly #database: Database;
  readonly #entry: (row: ArtifactRow) => CatalogueEntry;

  constructor(database: Database) {
    this.#database = database;
    this.#entry = entryReader(database);
  }

  /** Formats ever published to, sorted. */
  formats(instance: string): FormatName[] {
    return this.#database
      .prepare('SELECT DISTINCT format FROM place WHERE instance = ? ORDER BY format')
      .all<{ format: FormatName }>(instance)
      .map(row => row.format);
  }

  /** Distributions of a format ever published to, sorted. */
  distributions(instance: string, format: string): string[] {
    return this.#database
      .prepare(
        'SELECT DISTINCT distribution FROM place WHERE instance = ? AND format = ? ORDER BY distribution',
      )
      .all<{ distribution: string }>(instance, format)
      .map(row => row.distribution);
  }

  /** Derivatives of a distribution ever published to, sorted; empty when it never was. */
  derivatives(instance: string, format: string, distribution: string): string[] {
    return this.#database
      .prepare(
        'SELECT derivative FROM place WHERE instance = ? AND format = ? AND distribution = ? ORDER BY derivative',
      )
      .all<{ derivative: string }>(instance, format, distribution)
      .map(row => row.derivative);
  }

  /** Whether anything was ever published there. */
  isPublished(instance: string, place: RegistryPlace): boolean {
    return this.#placeNumber(instance, place) !== null;
  }

  /** A page of artifacts, sorted by name, architecture and version. */
  list(
    instance: string,
    place: RegistryPlace,
    options: { readonly contains?: string; readonly after?: string; readonly limit: number },
  ): ArtifactPage {
    const number = this.#placeNumber(instance, place);
    if (number === null) return { artifacts: [], next: '' };
    const [name, architecture, version] = readPosition(options.after ?? '');
    const rows = this.#database
      .prepare(
        `SELECT ${LISTED} FROM artifact a WHERE a.place = ? AND a.removed IS NULL
           AND (a.name, a.architecture, a.version) > (?, ?, ?) AND (? = '' OR instr(a.name, ?) > 0)
         ORDER BY a.name, a.architecture, a.version LIMIT ?`,
      )
      .all<ListedArtifact>(
        number,
        name,
        architecture,
        version,
        options.contains ?? '',
        options.contains ?? '',
        options.limit + 1,
      );
    const artifacts = rows.slice(0, options.limit).map(row => ({ ...row }));
    const last = artifacts.at(-1);
    return { artifacts, next: last && rows.length > options.limit ? writePosition(last) : '' };
  }

  /** One artifact whole, with its source or its binaries. Without version the one published last. */
  describe(
    instance: string,
    place: RegistryPlace,
    wanted: { readonly name: string; readonly architecture: string; readonly version?: string },
  ): { entry: CatalogueEntry; source: ListedArtifact | null; binaries: ListedArtifact[] } | null {
    const number = this.#placeNumber(instance, place);
    const row = this.#database
      .prepare(
        `SELECT ${ENTRY_COLUMNS} FROM artifact a JOIN place p ON p.id = a.place
         WHERE a.place = ? AND a.removed IS NULL AND a.name = ? AND a.architecture = ? AND (? = '' OR a.version = ?)
         ORDER BY a.id DESC LIMIT 1`,
      )
      .get<ArtifactRow>(number, wanted.name, wanted.architecture, wanted.version ?? '', wanted.version ?? '');
    if (!row || number === null) return null;
    const entry = this.#entry(row);
    return { entry, source: this.#source(number, entry), binaries: this.#binaries(number, entry) };
  }

  /** Artifacts of an instance whose name contains the text, case-sensitively, sorted by place and name. */
  *search(instance: string, contains: string, limit: number): Generator<FoundArtifact> {
    const places = this.#database
      .prepare(
        'SELECT id, format, distribution, derivative FROM place WHERE instance = ? ORDER BY format, distribution, derivative',
      )
      .all<RegistryPlace & { id: number }>(instance);
    // By pages, so that whoever reads can let others have their turn in between.
    const find = this.#database.prepare(
      `SELECT ${LISTED} FROM artifact a WHERE a.place = ? AND a.removed IS NULL
         AND (a.name, a.architecture, a.version) > (?, ?, ?) AND instr(a.name, ?) > 0
       ORDER BY a.name, a.architecture, a.version LIMIT ?`,
    );
    let left = limit;
    for (const { id, format, distribution, derivative } of places) {
      for (let last = ['', '', '']; left > 0; ) {
        const [name = '', architecture = '', version = ''] = last;
        const size = Math.min(left, SEARCH_PAGE);
        const rows = find.all<ListedArtifact>(id, name, architecture, version, contains, size);
        for (const row of rows) yield { ...row, format, distribution, derivative };
        left -= rows.length;
        const end = rows.at(-1);
        if (!end || rows.length < size) break;
        last = [end.name, end.architecture, end.version];
      }
    }
  }

  #placeNumber(instance: string, place: RegistryPlace): number | null {
    const row = this.#database
      .prepare(
        'SELECT id FROM place WHERE instance = ? AND format = ? AND distribution = ? AND derivative = ?',
      )
      .get<{ id: number }>(instance, place.format, place.distribution, place.derivative);
    return row?.id ?? null;
  }

  #source(place: number, entry: CatalogueEntry): ListedArtifact | null {
    if (entry.architecture === 'src') return null;
    // An image has no source beside itself.
    if (entry.format === 'osi') return listed(entry);
    if (entry.source === null) return null;
    const row = this.#database
      .prepare(
        `SELECT ${LISTED} FROM artifact a WHERE a.place = ? AND a.removed IS NULL AND a.name = ?
           AND a.architecture = 'src' AND a.version = ?`,
      )
      .get<ListedArtifact>(place, entry.source.name, entry.source.version);
    // A source that is gone is still named: its version is known from the package.
    return row ? { ...row } : { ...entry.source, architecture: 'src', size: 0 };
  }

  #binaries(place: number, entry: CatalogueEntry): ListedArtifact[] {
    if (entry.architecture !== 'src' && entry.format !== 'osi') return [];
    const [column, values] =
      entry.format === 'osi'
        ? ['a.name = ?', [entry.name]]
        : ['a.source_name = ? AND a.source_version = ?', [entry.name, entry.version]];
    return this.#database
      .prepare(
        `SELECT ${LISTED} FROM artifact a WHERE a.place = ? AND a.removed IS NULL AND ${column}
         ORDER BY a.name, a.architecture, a.version`,
      )
      .all<ListedArtifact>(place, ...values)
      .map(row => ({ ...row }));
  }
}

function listed({ name, architecture, version, size }: CatalogueEntry): ListedArtifact {
  return { name, architecture, version, size };
}

function writePosition(artifact: ListedArtifact): string {
  return JSON.stringify([artifact.name, artifact.architecture, artifact.version]);
}

function readPosition(position: string): [string, string, string] {
  if (position === '') return ['', '', ''];
  try {
    const parts: unknown = JSON.parse(position);
    if (Array.isArray(parts) && parts.length === 3 && parts.every(part => typeof part === 'string')) {
      return parts as [string, string, string];
    }
  } catch {}
  throw new Fault('invalid', 'bad-input', 'the position to continue after is not one that we gave');
}
