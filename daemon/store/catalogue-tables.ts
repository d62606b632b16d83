/** The catalogue's tables: what every registry holds, held, and is about to hold. */
import type { Migrations } from './database.ts';

/**
 * An artifact is in a registry from the generation that `added` it until the one that `removed` it: any kept state
 * can be read again by comparing numbers. What is live has no `removed`.
 */
export const CATALOGUE_TABLES: Migrations = {
  store: 'catalogue',
  steps: [
    `CREATE TABLE place (
       id INTEGER PRIMARY KEY,
       instance TEXT NOT NULL, format TEXT NOT NULL, distribution TEXT NOT NULL, derivative TEXT NOT NULL,
       UNIQUE (instance, format, distribution, derivative)
     ) STRICT;
     CREATE TABLE generation (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       instance TEXT NOT NULL, format TEXT NOT NULL, distribution TEXT NOT NULL, derivative TEXT NOT NULL,
       name TEXT NOT NULL, digest TEXT NOT NULL, task TEXT NOT NULL, created REAL NOT NULL, superseded REAL,
       UNIQUE (instance, format, distribution, derivative, name)
     ) STRICT;
     CREATE INDEX generation_task ON generation (task);
     CREATE TABLE intent (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       instance TEXT NOT NULL, format TEXT NOT NULL, distribution TEXT NOT NULL, derivative TEXT NOT NULL,
       payload TEXT NOT NULL
     ) STRICT;
     CREATE TABLE snapshot (
       id INTEGER PRIMARY KEY,
       instance TEXT NOT NULL, format TEXT NOT NULL, distribution TEXT NOT NULL, derivative TEXT NOT NULL,
       name TEXT NOT NULL, generation INTEGER NOT NULL REFERENCES generation (id),
       created REAL NOT NULL, task TEXT NOT NULL,
       UNIQUE (instance, format, distribution, derivative, name)
     ) STRICT;
     CREATE TABLE artifact (
       id INTEGER PRIMARY KEY AUTOINCREMENT,
       place INTEGER NOT NULL REFERENCES place (id),
       added INTEGER NOT NULL, removed INTEGER,
       name TEXT NOT NULL, architecture TEXT NOT NULL, version TEXT NOT NULL, size INTEGER NOT NULL,
       source_name TEXT, source_version TEXT, published REAL NOT NULL, task TEXT NOT NULL,
       stanza TEXT NOT NULL, changelog BLOB NOT NULL, content BLOB NOT NULL
     ) STRICT;
     CREATE UNIQUE INDEX artifact_live ON artifact (place, name, architecture, version) WHERE removed IS NULL;
     CREATE INDEX artifact_built_from ON artifact (place, source_name, source_version) WHERE removed IS NULL;
     CREATE INDEX artifact_name ON artifact (place, name, architecture, version);
     CREATE INDEX artifact_past ON artifact (place, removed) WHERE removed IS NOT NULL;
     CREATE TABLE file (
       artifact INTEGER NOT NULL REFERENCES artifact (id) ON DELETE CASCADE,
       path TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL
     ) STRICT;
     CREATE INDEX file_artifact ON file (artifact);
     CREATE INDEX file_path ON file (path);`,
    // Lists and searches read all that they show from the index: rows are large and lie wherever.
    `CREATE INDEX artifact_listed ON artifact (place, name, architecture, version, size) WHERE removed IS NULL;`,
    // Names ever published, by the groups of three characters in them: a search looks at no other names (FTS5).
    `CREATE TABLE known_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
     CREATE VIRTUAL TABLE name_part USING fts5(
       name, content='known_name', content_rowid='id', tokenize='trigram case_sensitive 1');
     CREATE TRIGGER name_known AFTER INSERT ON known_name BEGIN
       INSERT INTO name_part (rowid, name) VALUES (new.id, new.name);
     END;
     INSERT INTO known_name (name) SELECT DISTINCT name FROM artifact ORDER BY name;
     CREATE TRIGGER artifact_named AFTER INSERT ON artifact BEGIN
       INSERT OR IGNORE INTO known_name (name) VALUES (new.name);
     END;`,
    // Registries show Debian's own names but for four; the catalogue used to hold three more `uname -m` words.
    `UPDATE artifact SET architecture = CASE architecture
         WHEN 'i686' THEN 'i386' WHEN 'armv7l' THEN 'armhf' ELSE 'ppc64el' END
       WHERE architecture IN ('i686', 'armv7l', 'ppc64le')
         AND place IN (SELECT id FROM place WHERE format = 'deb');
     UPDATE intent SET payload = replace(replace(replace(payload,
         '"architecture":"i686"', '"architecture":"i386"'),
         '"architecture":"armv7l"', '"architecture":"armhf"'),
         '"architecture":"ppc64le"', '"architecture":"ppc64el"')
       WHERE format = 'deb';`,
  ],
};
