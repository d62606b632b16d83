/** Tasks in SQLite: the queue, the archive and the keys of submissions. */
import { Fault } from '../../proto/fault.ts';
import type { Claims } from '../core/claims.ts';
import type { Entry } from '../core/queue.ts';
import { artifactOf, type Task } from '../core/task.ts';
import type { MovedFile, Once, Records } from '../core/world.ts';
import type { Database, Migrations } from './database.ts';

export const TASK_TABLES: Migrations = {
  store: 'tasks',
  steps: [
    `CREATE TABLE live (
       id TEXT PRIMARY KEY, instance TEXT NOT NULL, state TEXT NOT NULL, urgency INTEGER NOT NULL,
       rank INTEGER NOT NULL, name TEXT NOT NULL, artifact TEXT NOT NULL, user TEXT NOT NULL,
       priority INTEGER NOT NULL, claims TEXT NOT NULL, record TEXT NOT NULL
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX live_order ON live (instance, state, urgency, rank);
     CREATE TABLE archive (
       seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, instance TEXT NOT NULL, name TEXT NOT NULL,
       artifact TEXT NOT NULL, user TEXT NOT NULL, result TEXT NOT NULL, record TEXT NOT NULL
     ) STRICT;
     CREATE INDEX archive_order ON archive (instance, seq);
     CREATE INDEX archive_artifact ON archive (instance, artifact, seq);
     CREATE INDEX archive_user ON archive (instance, user, seq);
     CREATE TABLE submission_key (
       user TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, task TEXT NOT NULL, created REAL NOT NULL,
       PRIMARY KEY (user, key)
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX submission_key_age ON submission_key (created);`,
    // Rows in the order in which they come fill page after page; by random ids each of them changed a page of its own.
    `ALTER TABLE live RENAME TO live_by_id;
     CREATE TABLE live (
       seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, instance TEXT NOT NULL, state TEXT NOT NULL,
       urgency INTEGER NOT NULL, rank INTEGER NOT NULL, name TEXT NOT NULL, artifact TEXT NOT NULL, user TEXT NOT NULL,
       priority INTEGER NOT NULL, claims TEXT NOT NULL, record TEXT NOT NULL
     ) STRICT;
     INSERT INTO live (id, instance, state, urgency, rank, name, artifact, user, priority, claims, record)
       SELECT id, instance, state, urgency, rank, name, artifact, user, priority, claims, record
       FROM live_by_id ORDER BY urgency, rank;
     DROP TABLE live_by_id;
     CREATE INDEX live_order ON live (instance, state, urgency, rank);`,
  ],
};

/** Seconds for which a submission's key is remembered. */
const KEY_AGE = 86_400;
/** Stands before every priority. */
const FIRST = -1_000_000;

interface Add {
  readonly task: Task;
  readonly claims: Claims;
  readonly once: Once | null;
  resolve(): void;
  reject(error: unknown): void;
}

export interface TaskStoreOptions {
  readonly database: Database;
  claims(task: Task): Claims;
  readonly workspaces: {
    /** Makes the workspace of a task, durable when it resolves. */
    create(task: Task, files: readonly MovedFile[]): Promise<void>;
    remove(task: Task): Promise<void>;
  };
}

type Row = { record: string };

export class TaskStore implements Records {
  readonly #o: TaskStoreOptions;
  readonly #sql: ReturnType<typeof statements>;
  #batch: Add[] = [];
  #committing = false;
  /** Keys whose first submission is under way. */
  readonly #underWay = new Set<string>();

  constructor(options: TaskStoreOptions) {
    this.#o = options;
    this.#sql = statements(options.database);
  }

  async add(task: Task, files: readonly MovedFile[], once: Once | null): Promise<void> {
    await this.#o.workspaces.create(task, files);
    return new Promise<void>((resolve, reject) => {
      this.#batch.push({ task, claims: this.#o.claims(task), once, resolve, reject });
      void this.#commit();
    }).catch(async error => {
      if (!this.knows(task.id)) await this.#o.workspaces.remove(task);
      throw error;
    });
  }

  /** One commit serves all who come while the disk is busy with the one before. */
  async #commit(): Promise<void> {
    if (this.#committing) return;
    this.#committing = true;
    while (this.#batch.length > 0) {
      const batch = this.#batch;
      this.#batch = [];
      try {
        await this.#o.database.commitLater(() => {
          for (const { task, claims, once } of batch) {
            this.#insert(task, claims);
            if (once) this.#sql.addKey.run(task.user, once.key, once.digest, task.id, task.submission);
          }
        });
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#committing = false;
  }

  #insert(task: Task, claims: Claims): void {
    const { id, instance, state, rank, name, user, priority } = task;
    const [claimed, record] = [JSON.stringify(claims), JSON.stringify(task)];
    const artifact = artifactOf(task.spec);
    this.#sql.addLive.run(
      id,
      instance,
      state,
      urgency(task),
      rank,
      name,
      artifact,
      user,
      priority,
      claimed,
      record,
    );
  }

  get(id: string): Task | null {
    const row = this.#sql.live.get<Row>(id) ?? this.#sql.archived.get<Row>(id);
    return row ? (JSON.parse(row.record) as Task) : null;
  }

  entry(task: Task): Entry {
    const { id, instance, priority, rank } = task;
    return { id, instance, priority, rank, claims: this.#o.claims(task) };
  }

  update(task: Task): void {
    const { id, state, rank, priority } = task;
    const record = JSON.stringify(task);
    this.#o.database.transaction(() => {
      const { changes } = this.#sql.change.run(state, urgency(task), rank, priority, record, id);
      if (changes !== 1) throw new TypeError(`task ${id} is not in the queue`);
    });
  }

  archive(task: Task): void {
    const { id, instance, name, user, result } = task;
    this.#o.database.transaction(() => {
      if (this.#sql.removeLive.run(id).changes !== 1) throw new TypeError(`task ${id} is not in the queue`);
      const record = JSON.stringify(task);
      this.#sql.addArchived.run(id, instance, name, artifactOf(task.spec), user, result, record);
    });
  }

  /** Waiting tasks of an earlier life, in any order; records stay on disk. */
  *waiting(): Generator<Entry> {
    for (const row of this.#sql.waiting.iterate<Omit<Entry, 'claims'> & { claims: string }>()) {
      yield { ...row, claims: JSON.parse(row.claims) as Claims };
    }
  }

  /** Tasks that were running when the daemon ended. */
  interrupted(): Task[] {
    return this.#sql.running.all<Row>().map(row => JSON.parse(row.record) as Task);
  }

  /** Whether a task of that id is known, waiting, running or archived. */
  knows(id: string): boolean {
    return this.#sql.known.get(id, id) !== undefined;
  }

  /**
   * Begins a submission under a key. Gives the task that was submitted under it before, null when there is none: then
   * endKey() must follow. Throws `conflict` for another submission under the same key, or one still under way.
   */
  beginKey(user: string, once: Once, now: number): string | null {
    const name = `${user}\n${once.key}`;
    if (this.#underWay.has(name)) {
      throw new Fault(
        'conflict',
        'busy',
        'the first submission under this Idempotency-Key is still under way',
      );
    }
    const row = this.#sql.key.get<{ digest: string; task: string }>(user, once.key, now - KEY_AGE);
    if (row && row.digest !== once.digest) {
      throw new Fault('conflict', 'already-there', 'another submission was made under this Idempotency-Key');
    }
    if (row) return row.task;
    this.#underWay.add(name);
    return null;
  }

  endKey(user: string, once: Once): void {
    this.#underWay.delete(`${user}\n${once.key}`);
  }

  /** Forgets keys that are older than a day. */
  forgetKeys(now: number): void {
    this.#sql.forgetKeys.run(now - KEY_AGE);
  }

  /** Forgets archived tasks; their workspaces are gone. */
  forget(ids: readonly string[]): void {
    this.#o.database.transaction(() => {
      for (const id of ids) this.#sql.removeArchived.run(id);
    });
  }
}

function urgency(task: Task): number {
  return task.rank < 0 ? FIRST : -task.priority;
}

function statements(database: Database) {
  return {
    addLive: database.prepare(
      `INSERT INTO live (id, instance, state, urgency, rank, name, artifact, user, priority, claims, record)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    removeLive: database.prepare('DELETE FROM live WHERE id = ?'),
    change: database.prepare(
      'UPDATE live SET state = ?, urgency = ?, rank = ?, priority = ?, record = ? WHERE id = ?',
    ),
    live: database.prepare('SELECT record FROM live WHERE id = ?'),
    archived: database.prepare('SELECT record FROM archive WHERE id = ?'),
    addArchived: database.prepare(
      'INSERT INTO archive (id, instance, name, artifact, user, result, record) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    removeArchived: database.prepare('DELETE FROM archive WHERE id = ?'),
    waiting: database.prepare(
      "SELECT id, instance, priority, rank, claims FROM live WHERE state = 'pending' ORDER BY urgency, rank",
    ),
    running: database.prepare("SELECT record FROM live WHERE state = 'running' ORDER BY rank"),
    known: database.prepare('SELECT 1 FROM live WHERE id = ? UNION ALL SELECT 1 FROM archive WHERE id = ?'),
    addKey: database.prepare(
      `INSERT INTO submission_key VALUES (?, ?, ?, ?, ?) ON CONFLICT (user, key) DO UPDATE
       SET digest = excluded.digest, task = excluded.task, created = excluded.created`,
    ),
    key: database.prepare(
      'SELECT digest, task FROM submission_key WHERE user = ? AND key = ? AND created > ?',
    ),
    forgetKeys: database.prepare('DELETE FROM submission_key WHERE created <= ?'),
  };
}
