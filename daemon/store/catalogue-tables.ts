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
  ],
};
