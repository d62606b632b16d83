/** Generations of registries and the snapshots that hold them. */
import { Fault } from '../../proto/fault.ts';
import type { Intent, KeptGeneration, RegistryKey } from '../../workers/job.ts';
import { keyColumns, PLACES_OF_KEY } from './catalogue-rows.ts';
import type { Database } from './database.ts';

const KEY = 'instance = ?1 AND format = ?2 AND distribution = ?3 AND derivative = ?4';

/** An artifact that one of two compared states has and the other has not. */
export interface ComparedArtifact {
  readonly name: string;
  readonly architecture: string;
  readonly version: string;
  readonly size: number;
  readonly derivative: string;
  /** Whether the later one has it. */
  readonly added: boolean;
}

export class GenerationStore {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Adds the generation that an intent has made current; answers its number. */
  append(instance: string, intent: Intent): number {
    const key = keyColumns(instance, intent.registry);
    const now = this.#now();
    this.#database
      .prepare(`UPDATE generation SET superseded = ?5 WHERE ${KEY} AND superseded IS NULL`)
      .run(...key, now);
    return this.#database
      .prepare(
        `INSERT INTO generation (instance, format, distribution, derivative, name, digest, task, created)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(...key, intent.generation, intent.digest, intent.task, now).row;
  }

  /** All generations that can still be read, newest first. */
  kept(instance: string, registry: RegistryKey): KeptGeneration[] {
    return this.#database
      .prepare(
        `SELECT name, created, superseded, task,
           (SELECT json_group_array(s.name) FROM snapshot s WHERE s.generation = generation.id) AS snapshots
         FROM generation WHERE ${KEY} ORDER BY id DESC`,
      )
      .all<{ name: string; created: number; superseded: number | null; task: string; snapshots: string }>(
        ...keyColumns(instance, registry),
      )
      .map(row => ({ ...row, snapshots: JSON.parse(row.snapshots) as string[] }));
  }

  /** What only one of two states has, in pages by row; a null state is the current one. */
  *compare(
    instance: string,
    registry: RegistryKey,
    from: string | null,
    to: string | null,
  ): Generator<ComparedArtifact> {
    const number = (name: string | null): number =>
      name === null ? Number.MAX_SAFE_INTEGER : this.numberOf(instance, registry, name);
    const has = (at: string, of = 'a'): string =>
      `(${of}.added <= ${at} AND (${of}.removed IS NULL OR ${of}.removed > ${at}))`;
    const page = this.#database.prepare(
      `SELECT a.id, a.name, a.architecture, a.version, a.size, p.derivative, ${has('?6')} AS added
       FROM place p JOIN artifact a ON a.place = p.id
       WHERE ${PLACES_OF_KEY} AND ${has('?5')} <> ${has('?6')} AND a.id > ?7
         AND NOT EXISTS (
           -- The same artifact under another record: it left and came back in between.
           SELECT 1 FROM artifact b WHERE b.place = a.place AND b.name = a.name AND b.architecture = a.architecture
             AND b.version = a.version AND b.id <> a.id AND ${has('?5', 'b')} <> ${has('?6', 'b')}) ORDER BY a.id LIMIT 1000`,
    );
    for (let after = 0; ; ) {
      const rows = page.all<Omit<ComparedArtifact, 'added'> & { id: number; added: number }>(
        ...keyColumns(instance, registry),
        number(from),
        number(to),
        after,
      );
      for (const row of rows) yield { ...row, added: row.added === 1 };
      if (rows.length < 1000) return;
      after = rows.at(-1)?.id ?? 0;
    }
  }

  /** Whether a snapshot of that name is there. */
  hasSnapshot(instance: string, registry: RegistryKey, name: string): boolean {
    return (
      this.#database
        .prepare(`SELECT 1 FROM snapshot WHERE ${KEY} AND name = ?5`)
        .get(...keyColumns(instance, registry), name) !== undefined
    );
  }

  /** Forgets a snapshot: what it held goes when its generation is old enough. */
  release(instance: string, registry: RegistryKey, name: string): void {
    this.#database
      .prepare(`DELETE FROM snapshot WHERE ${KEY} AND name = ?5`)
      .run(...keyColumns(instance, registry), name);
  }

  /** The number of a kept generation, named by itself or by a snapshot. Throws `not-found`. */
  numberOf(instance: string, registry: RegistryKey, name: string): number {
    const row = this.#database
      .prepare(
        `SELECT id FROM generation WHERE ${KEY} AND name = ?5
         UNION ALL SELECT generation FROM snapshot WHERE ${KEY} AND name = ?5 LIMIT 1`,
      )
      .get<{ id: number }>(...keyColumns(instance, registry), name);
    if (!row) throw new Fault('not_found', 'not-found', `no snapshot or kept generation "${name}"`, { name });
    return row.id;
  }

  /** Names the current generation; answers its name. Throws `already-there`, or `not-found` for an empty registry. */
  keep(instance: string, registry: RegistryKey, name: string, task: string): string {
    const key = keyColumns(instance, registry);
    return this.#database.transaction(() => {
      const taken = this.#database
        .prepare(
          `SELECT g.name, s.task FROM snapshot s JOIN generation g ON g.id = s.generation
           WHERE s.instance = ?1 AND s.format = ?2 AND s.distribution = ?3 AND s.derivative = ?4 AND s.name = ?5`,
        )
        .get<{ name: string; task: string }>(...key, name);
      // The same task asking again was interrupted after its record.
      if (taken?.task === task) return taken.name;
      if (taken)
        throw new Fault('conflict', 'already-there', `there is a snapshot "${name}" already`, { name });
      const current = this.#database
        .prepare(`SELECT id, name FROM generation WHERE ${KEY} AND superseded IS NULL`)
        .get<{ id: number; name: string }>(...key);
      if (!current) {
        throw new Fault('not_found', 'not-found', `${registry.distribution} has nothing published yet`);
      }
      this.#database
        .prepare(
          `INSERT INTO snapshot (instance, format, distribution, derivative, name, generation, created, task)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(...key, name, current.id, this.#now(), task);
      return current.name;
    });
  }

  /** Drops superseded generations that no snapshot holds, and the entries that no remaining generation has. */
  forget(instance: string, registry: RegistryKey, names: readonly string[]): void {
    const key = keyColumns(instance, registry);
    this.#database.transaction(() => {
      this.#database
        .prepare(
          `DELETE FROM generation WHERE ${KEY} AND superseded IS NOT NULL
             AND name IN (SELECT value FROM json_each(?5))
             AND id NOT IN (SELECT generation FROM snapshot)`,
        )
        .run(...key, JSON.stringify(names));
      this.#database
        .prepare(
          `DELETE FROM artifact WHERE removed IS NOT NULL AND id IN (
             SELECT a.id FROM artifact a JOIN place p ON p.id = a.place
             WHERE ${PLACES_OF_KEY} AND a.removed IS NOT NULL AND NOT EXISTS (
               SELECT 1 FROM generation g WHERE g.instance = ?1 AND g.format = ?2 AND g.distribution = ?3
                 AND g.derivative = ?4 AND g.id >= a.added AND g.id < a.removed))`,
        )
        .run(...key);
    });
  }
}
