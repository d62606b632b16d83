/** Who needs a file of a pool, and which versions are taken: by what is published, and by states that are kept. */
import type { FormatName } from '../../proto/words.ts';
import type { Answers, RegistryPlace } from '../../workers/job.ts';
import type { Database } from './database.ts';

/** An artifact that has left has a record as long as a state is kept that holds it: see `GenerationStore.forget`. */
export class CatalogueFiles {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Artifacts with a pool file of that name, what is published first, then the newest. */
  users(instance: string, format: FormatName, path: string): Answers['pool-file'] {
    const rows = this.#database
      .prepare(
        `SELECT f.sha256, a.name, a.version, a.removed IS NULL AS live, p.distribution, p.derivative
         FROM file f JOIN artifact a ON a.id = f.artifact JOIN place p ON p.id = a.place
         WHERE f.path = ? AND p.instance = ? AND p.format = ? ORDER BY live DESC, a.id DESC`,
      )
      .all<{
        sha256: string;
        name: string;
        version: string;
        live: number;
        distribution: string;
        derivative: string;
      }>(path, instance, format);
    const users = rows.map(({ sha256, version, live, ...row }) => ({
      ...{ sha256, version, isPublished: live === 1 },
      text: `${row.name} ${version} (${row.distribution}/${row.derivative})`,
    }));
    return { sha256: users[0]?.sha256 ?? null, usedBy: users.map(user => user.text), users };
  }

  /** Whether anything published, kept or held by a snapshot needs that file. */
  isNeeded(instance: string, format: FormatName, path: string): boolean {
    return (
      this.#database
        .prepare(
          `SELECT 1 FROM file f JOIN artifact a ON a.id = f.artifact JOIN place p ON p.id = a.place
           WHERE f.path = ? AND p.instance = ? AND p.format = ? LIMIT 1`,
        )
        .get(path, instance, format) !== undefined
    );
  }

  /** Versions of a source that it or a package built from it has, in what is published or in a kept state. */
  versions(instance: string, place: RegistryPlace & { readonly artifact: string }): string[] {
    return this.#database
      .prepare(
        `WITH here AS (
           SELECT id FROM place WHERE instance = ?1 AND format = ?2 AND distribution = ?3 AND derivative = ?4)
         SELECT version FROM artifact WHERE place = (SELECT id FROM here) AND name = ?5 AND architecture = 'src'
         UNION SELECT source_version FROM artifact
           WHERE place = (SELECT id FROM here) AND source_name = ?5 AND removed IS NULL
         UNION SELECT source_version FROM artifact
           WHERE place = (SELECT id FROM here) AND source_name = ?5 AND removed IS NOT NULL`,
      )
      .all<{ version: string }>(instance, place.format, place.distribution, place.derivative, place.artifact)
      .map(row => row.version);
  }
}
