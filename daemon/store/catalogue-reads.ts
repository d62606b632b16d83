/** What people and clients read of the catalogue: lists, descriptions and searches, by index and page by page. */
import { Fault } from '../../proto/fault.ts';
import type { FormatName } from '../../proto/words.ts';
import type { CatalogueEntry, RegistryPlace, Version } from '../../workers/job.ts';
import { type ArtifactRow, ENTRY_COLUMNS, entryReader } from './catalogue-rows.ts';
import type { Database, Statement } from './database.ts';

/** An artifact as lists show it. */
export interface ListedArtifact {
  readonly name: string;
  readonly architecture: string;
  readonly version: string;
  readonly size: number;
}

/** Artifacts of one place that a search found. */
export interface FoundArtifacts {
  readonly place: RegistryPlace;
  readonly artifacts: readonly ListedArtifact[];
}

export interface ArtifactPage {
  readonly artifacts: readonly ListedArtifact[];
  /** Position to continue after; empty when there is no more. */
  readonly next: string;
}

/** Names of packages whose versions are read at once. */
const RIVALS_PAGE = 500;
/** Characters of the parts by which names are looked up. */
const PART = 3;
/** Names that are looked up one by one; where more contain a text, going through all takes less. */
const MAX_NAMES = 200;
/** Artifacts that a search looks up at once. */
const SEARCH_PAGE = 1000;
const LISTED = 'a.name, a.architecture, a.version, a.size';

export class CatalogueReads {
  readonly #database: Database;
  readonly #entry: (row: ArtifactRow) => CatalogueEntry;
  readonly #pages: Readonly<Record<'all' | 'some' | 'named', Statement>>;
  readonly #names: Statement;

  constructor(database: Database) {
    this.#database = database;
    this.#entry = entryReader(database);
    // Named, since the planner takes the unique index, which lacks the size, and then looks at every row.
    const page = (condition: string): Statement =>
      database.prepare(
        `SELECT ${LISTED} FROM artifact a INDEXED BY artifact_listed WHERE a.place = ? AND a.removed IS NULL
           AND (a.name, a.architecture, a.version) > (?, ?, ?) AND ${condition}
         ORDER BY a.name, a.architecture, a.version LIMIT ?`,
      );
    this.#pages = {
      all: page('TRUE'),
      some: page('instr(a.name, ?) > 0'),
      named: page('a.name IN (SELECT value FROM json_each(?))'),
    };
    this.#names = database.prepare('SELECT name FROM name_part WHERE name_part MATCH ? LIMIT ?');
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
    const { contains = '', after = '', limit } = options;
    // One more than wanted: whether there is another page.
    const artifacts = this.#page(number, readPosition(after), contains, limit + 1);
    const more = artifacts.length > limit;
    if (more) artifacts.pop();
    const last = artifacts.at(-1);
    return { artifacts, next: last && more ? writePosition(last) : '' };
  }

  /** Artifacts of a place behind a position, those whose name contains a text unless that is empty. */
  #page(place: number, after: Position, contains: string, limit: number): ListedArtifact[] {
    const { all, some, named } = this.#pages;
    if (contains === '') return all.all(place, ...after, limit);
    const names = this.#namesWith(contains);
    if (names === null) return some.all(place, ...after, contains, limit);
    return names.length === 0 ? [] : named.all(place, ...after, JSON.stringify(names), limit);
  }

  /** Names that contain a text; null where it is too short to look up, or too many do. */
  #namesWith(text: string): string[] | null {
    if ([...text].length < PART) return null;
    const found = this.#names.all<{ name: string }>(`"${text.replaceAll('"', '""')}"`, MAX_NAMES + 1);
    return found.length > MAX_NAMES ? null : found.map(one => one.name).filter(name => name.includes(text));
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

  /** Artifacts of an instance whose name contains the text, case-sensitively, in pages, sorted by place and name. */
  *search(instance: string, contains: string, limit: number): Generator<FoundArtifacts> {
    const places = this.#database
      .prepare(
        'SELECT id, format, distribution, derivative FROM place WHERE instance = ? ORDER BY format, distribution, derivative',
      )
      .all<RegistryPlace & { id: number }>(instance);
    let left = limit;
    for (const { id, format, distribution, derivative } of places) {
      // By pages, so that whoever reads can let others have their turn in between.
      for (let last: Position = ['', '', '']; left > 0; ) {
        const size = Math.min(left, SEARCH_PAGE);
        const artifacts = this.#page(id, last, contains, size);
        if (artifacts.length > 0) yield { place: { format, distribution, derivative }, artifacts };
        left -= artifacts.length;
        const end = artifacts.at(-1);
        if (!end || artifacts.length < size) break;
        last = [end.name, end.architecture, end.version];
      }
    }
  }

  /** Versions of packages that have several, in pages, sorted by name: what a retention chooses from. */
  *rivals(
    instance: string,
    place: RegistryPlace,
  ): Generator<(Version & { readonly row: number; readonly size: number })[]> {
    const number = this.#placeNumber(instance, place);
    if (number === null) return;
    const page = this.#database.prepare(
      `WITH names AS (
         SELECT name FROM artifact WHERE place = ?1 AND removed IS NULL AND name > ?2
         GROUP BY name HAVING min(version) <> max(version) ORDER BY name LIMIT ${RIVALS_PAGE})
       SELECT a.id AS row, a.name, a.architecture, a.version, a.size, a.published
       FROM names n JOIN artifact a ON a.place = ?1 AND a.name = n.name AND a.removed IS NULL ORDER BY a.name, a.id`,
    );
    for (let after = ''; ; ) {
      const rows = page.all<Version & { row: number; size: number }>(number, after);
      const last = rows.at(-1);
      if (!last) return;
      yield rows;
      after = last.name;
    }
  }

  /** Names of the snapshots that hold an artifact. */
  holders(row: number): string[] {
    return this.#database
      .prepare(
        `SELECT s.name FROM artifact a JOIN place p ON p.id = a.place
         JOIN snapshot s ON s.instance = p.instance AND s.format = p.format AND s.distribution = p.distribution
           AND (s.derivative = '' OR s.derivative = p.derivative)
         WHERE a.id = ? AND a.added <= s.generation AND (a.removed IS NULL OR a.removed > s.generation)
         ORDER BY s.name`,
      )
      .all<{ name: string }>(row)
      .map(one => one.name);
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

/** Name, architecture and version of the last artifact before. */
type Position = readonly [string, string, string];

function readPosition(position: string): Position {
  if (position === '') return ['', '', ''];
  try {
    const parts: unknown = JSON.parse(position);
    if (Array.isArray(parts) && parts.length === 3 && parts.every(part => typeof part === 'string')) {
      return parts as unknown as Position;
    }
  } catch {}
  throw new Fault('invalid', 'bad-input', 'the position to continue after is not one that we gave');
}
