/**
 * The catalogue: what every registry holds. It grants publications, remembers their outcome over a crash, and answers
 * the questions of threads. Lists for people are in `catalogue-reads.ts`.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { currentLink, entryFile, publicTree } from '../../proto/layout.ts';
import type {
  Answers,
  CatalogueEntry,
  Intent,
  Question,
  RegistryKey,
  RegistryPlace,
} from '../../workers/job.ts';
import { CatalogueFiles } from './catalogue-files.ts';
import { GenerationStore } from './catalogue-generations.ts';
import { CatalogueReads } from './catalogue-reads.ts';
import {
  type ArtifactRow,
  ENTRY_COLUMNS,
  entryReader,
  entryWriter,
  keyColumns,
  PLACES_OF_KEY,
} from './catalogue-rows.ts';
import { CATALOGUE_TABLES } from './catalogue-tables.ts';
import type { Database } from './database.ts';
import { sweepStaging } from './staging.ts';

/** Entries in one page of a catalogue answer, at most and unless told. */
const PAGE = 1000;

/** What threads ask that the catalogue answers: all questions but those about locks. */
export type CatalogueQuestion = Exclude<Question, { readonly type: 'lock' | 'unlock' }>;

export interface CatalogueOptions {
  /** Absolute path of the folder of all registries. */
  readonly registry: string;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

interface OpenIntent {
  readonly id: number;
  readonly instance: string;
  readonly payload: string;
}

export class Catalogue {
  static readonly migrations = CATALOGUE_TABLES;

  readonly reads: CatalogueReads;
  readonly generations: GenerationStore;
  readonly #files: CatalogueFiles;
  readonly #database: Database;
  readonly #options: CatalogueOptions;
  readonly #write: (instance: string, entry: CatalogueEntry, added: number) => number;
  readonly #entry: (row: ArtifactRow) => CatalogueEntry;

  constructor(database: Database, options: CatalogueOptions) {
    this.#database = database;
    this.#options = options;
    this.reads = new CatalogueReads(database);
    this.#files = new CatalogueFiles(database);
    this.generations = new GenerationStore(database, options.now);
    this.#write = entryWriter(database);
    this.#entry = entryReader(database);
  }

  /**
   * Closes what a crash left open: an intent whose generation is the served one was switched and rolls forward, any
   * other is discarded. Files that were on their way into a pool are removed. Call at start, before any task runs.
   * Answers how many publications went which way.
   */
  recover(): { readonly forward: number; readonly discarded: number } {
    let forward = 0;
    const open = this.#database
      .prepare('SELECT id, instance, payload FROM intent ORDER BY id')
      .all<OpenIntent>();
    for (const intent of open) if (this.#settle(intent)) forward++;
    sweepStaging(this.#options.registry);
    return { forward, discarded: open.length - forward };
  }

  /** Every place that was ever published to. */
  places(): (RegistryPlace & { readonly instance: string })[] {
    return this.#database.prepare('SELECT instance, format, distribution, derivative FROM place').all();
  }

  /** Closes what a task left open whose thread has died. To be called once nothing of the task runs any longer. */
  settleTask(task: string): void {
    const open = this.#database
      .prepare('SELECT id, instance, payload FROM intent ORDER BY id')
      .all<OpenIntent>();
    for (const intent of open) if ((JSON.parse(intent.payload) as Intent).task === task) this.#settle(intent);
  }

  /** Whether a task has a publication that is committed: interrupted afterwards, it ends as success. */
  hasPublished(task: string): boolean {
    return this.#database.prepare('SELECT 1 FROM generation WHERE task = ? LIMIT 1').get(task) !== undefined;
  }

  /** Answers a thread of that instance. Throws the Fault to refuse it with. */
  answer<Q extends CatalogueQuestion>(instance: string, question: Q): Answers[Q['type']] {
    return this.#answer(instance, question) as Answers[Q['type']];
  }

  #answer(instance: string, question: CatalogueQuestion): Answers[CatalogueQuestion['type']] {
    switch (question.type) {
      case 'published-source':
        return {
          source: this.#publishedSource(instance, question),
          versions: this.#files.versions(instance, question),
        };
      case 'catalogue':
        return this.#page(instance, question);
      case 'pool-file':
        return this.#files.users(instance, question.format, question.path);
      case 'intent':
        return { intent: this.#grant(instance, question.intent) };
      case 'switched':
        this.#close(question.intent, question.done);
        return null;
      case 'generations':
        return { generations: this.generations.kept(question.instance ?? instance, question.registry) };
      case 'snapshot':
        return {
          generation: this.generations.keep(instance, question.registry, question.name, question.task),
        };
      case 'drop-snapshot':
        this.generations.release(instance, question.registry, question.name);
        return null;
      case 'needed-files':
        return {
          needed: question.paths.filter(path => this.#files.isNeeded(instance, question.format, path)),
        };
      case 'forget':
        this.generations.forget(instance, question.registry, question.generations);
        return null;
    }
  }

  #publishedSource(
    instance: string,
    where: Extract<Question, { type: 'published-source' }>,
  ): CatalogueEntry | null {
    const row = this.#database
      .prepare(
        `SELECT ${ENTRY_COLUMNS} FROM artifact a JOIN place p ON a.place = p.id
         WHERE p.instance = ? AND p.format = ? AND p.distribution = ? AND p.derivative = ? AND a.removed IS NULL
           AND a.name = ? AND a.architecture = 'src' ORDER BY a.id DESC LIMIT 1`,
      )
      .get<ArtifactRow>(instance, where.format, where.distribution, where.derivative, where.artifact);
    return row ? this.#entry(row) : null;
  }

  #page(own: string, question: Extract<Question, { type: 'catalogue' }>): Answers['catalogue'] {
    const instance = question.instance ?? own;
    const limit = Math.min(question.limit ?? PAGE, PAGE);
    const generation =
      question.generation === undefined
        ? null
        : this.generations.numberOf(instance, question.registry, question.generation);
    const when =
      generation === null
        ? `${question.kept === true ? '' : 'a.removed IS NULL AND '}?7 IS NULL`
        : 'a.added <= ?7 AND (a.removed IS NULL OR a.removed > ?7)';
    const names = question.names === undefined ? '?5 IS NULL' : 'a.name IN (SELECT value FROM json_each(?5))';
    const rows = this.#database
      .prepare(
        `SELECT ${ENTRY_COLUMNS} FROM place p JOIN artifact a ON a.place = p.id
         WHERE ${PLACES_OF_KEY} AND ${names} AND ${when} AND a.id > ?6 ORDER BY a.id LIMIT ?8`,
      )
      .all<ArtifactRow>(
        ...keyColumns(instance, question.registry),
        question.names === undefined ? null : JSON.stringify(question.names),
        question.after ?? 0,
        generation,
        limit + 1,
      );
    const entries = rows.slice(0, limit).map(this.#entry);
    return { entries, next: rows.length > limit ? (entries.at(-1)?.row ?? null) : null };
  }

  /** Records an intent. Durable when this returns. */
  #grant(instance: string, intent: Intent): number {
    const key = keyColumns(instance, intent.registry);
    return this.#database.transaction(() => {
      const open = this.#database
        .prepare(
          `SELECT id, instance, payload FROM intent
           WHERE instance = ? AND format = ? AND distribution = ? AND derivative = ?`,
        )
        .all<OpenIntent>(...key);
      // The caller holds the registry's lock: whoever opened these is gone.
      for (const stale of open) this.#settle(stale);
      this.#checkRemovals(instance, intent);
      return this.#database
        .prepare(
          'INSERT INTO intent (instance, format, distribution, derivative, payload) VALUES (?, ?, ?, ?, ?)',
        )
        .run(...key, JSON.stringify(intent)).row;
    });
  }

  /** What is to go must still be there: two deletions of one artifact make one publication. */
  #checkRemovals(instance: string, intent: Intent): void {
    const live = this.#database.prepare(
      `SELECT 1 FROM artifact a JOIN place p ON p.id = a.place
       WHERE ${PLACES_OF_KEY} AND a.id = ?5 AND a.removed IS NULL`,
    );
    for (const row of intent.remove) {
      if (live.get(...keyColumns(instance, intent.registry), row) === undefined) {
        throw new Fault('conflict', 'catalogue-mismatch', `entry ${row} is no longer in the registry`, {
          row,
        });
      }
    }
  }

  #close(id: number, done: boolean): void {
    const intent = this.#database
      .prepare('SELECT id, instance, payload FROM intent WHERE id = ?')
      .get<OpenIntent>(id);
    if (!intent)
      throw new Fault('conflict', 'catalogue-mismatch', `publication ${id} is not open`, { intent: id });
    if (done) this.#apply(intent);
    else this.#discard(id);
  }

  #settle(open: OpenIntent): boolean {
    const intent = JSON.parse(open.payload) as Intent;
    const served = this.isServed(open.instance, intent.registry, intent.generation, intent.digest);
    if (served) this.#apply(open);
    else this.#discard(open.id);
    return served;
  }

  #discard(id: number): void {
    this.#database.transaction(() => this.#database.prepare('DELETE FROM intent WHERE id = ?').run(id));
  }

  /** Whether a registry's current link leads to that generation and its entry file has that digest. */
  isServed(instance: string, registry: RegistryKey, generation: string, digest: string): boolean {
    const tree = publicTree({ registry: this.#options.registry, instance, format: registry.format });
    const link = join(tree, currentLink(registry));
    try {
      if (basename(readlinkSync(link)) !== generation) return false;
      const entry = readFileSync(join(link, entryFile(registry.format)));
      return createHash('sha256').update(entry).digest('hex') === digest;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /** Makes an intent the truth: a new generation, its entries added, those that went marked. */
  #apply(open: OpenIntent): void {
    const intent = JSON.parse(open.payload) as Intent;
    this.#database.transaction(() => {
      const generation = this.generations.append(open.instance, intent);
      const remove = this.#database.prepare(
        'UPDATE artifact SET removed = ? WHERE id = ? AND removed IS NULL',
      );
      for (const row of intent.remove) remove.run(generation, row);
      for (const entry of intent.add) this.#write(open.instance, entry, generation);
      this.#database.prepare('DELETE FROM intent WHERE id = ?').run(open.id);
    });
  }
}
