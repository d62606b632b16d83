/**
 * The daemon's state in SQLite: opened once, by one process, checked, brought to the newest shape. The only importer of
 * `node:sqlite`.
 *
 * Every committed transaction is on durable storage (WAL with `synchronous=FULL`), or once its promise resolves. The lock that keeps a second daemon
 * out is an SQLite file of its own, held by an open transaction and so released by the kernel when its holder dies;
 * the state itself stays readable for a backup.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Fault } from '../../proto/fault.ts';
import { checkAtStart, damaged, damageIn, isDamage } from './integrity.ts';

/** The tables of one store: step n is the SQL that leads from version n to n + 1. Published steps never change. */
export interface Migrations {
  /** Name of the store, `tasks`. */
  readonly store: string;
  readonly steps: readonly string[];
}

/** A value as SQLite keeps it. */
export type SqlValue = SQLInputValue;

/** A prepared statement; rows come as plain objects whose keys are column names. */
export interface Statement {
  run(...values: readonly SqlValue[]): { readonly changes: number; readonly row: number };
  get<Row>(...values: readonly SqlValue[]): Row | undefined;
  all<Row>(...values: readonly SqlValue[]): Row[];
  iterate<Row>(...values: readonly SqlValue[]): IterableIterator<Row>;
}

export interface Database {
  prepare(sql: string): Statement;
  /**
   * Runs `work` in one transaction that is durable when this returns; a throw undoes it. Inside another transaction
   * it joins that one.
   */
  transaction<T>(work: () => T): T;
  /**
   * Runs `work` in one transaction that is durable when the promise resolves; meanwhile the thread goes on instead of
   * waiting for the disk. A throw undoes it. When the disk itself fails it may have been done or not.
   */
  commitLater<T>(work: () => T): Promise<T>;
  /** Writes a whole copy to an absent file, a little at a time, as of the moment when it is done. */
  copyTo(path: string): Promise<void>;
  /** Whether the database still answers: part of the watchdog's self-check. */
  isAlive(): boolean;
  close(): void;
}

/** Milliseconds a statement waits for a foreign reader or backup before it fails. */
const BUSY_TIMEOUT = 5000;
/** Pages of 4 KiB that the log grows to before it is folded into the database: often, so that it never takes long. */
const CHECKPOINT_PAGES = 1000;
/** Pages copied before others have their turn: some 10 ms. */
const COPIED_PAGES = 1000;

/**
 * Opens the state at `path`, making it where it is absent. Throws a Fault: `busy` when another process holds it (named
 * by its pid), `internal` with restore instructions when it is damaged or made by a newer version.
 */
export function openDatabase(path: string, migrations: readonly Migrations[]): Database {
  mkdirSync(dirname(path), { recursive: true });
  const lock = holdLock(`${path}.lock`);
  try {
    const database = openState(path);
    migrate(database, path, migrations);
    return wrap(database, lock, path);
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Takes the lock for the life of this process; its holder's pid is readable meanwhile. */
function holdLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(path, { timeout: 200 });
  try {
    chmodSync(path, 0o640);
    lock.exec('BEGIN EXCLUSIVE');
    lock.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER); DELETE FROM holder');
    lock.prepare('INSERT INTO holder VALUES (?)').run(process.pid);
    lock.exec('COMMIT');
    // From here on others may read who holds it, but not begin to write.
    lock.exec('BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    const holder = holderOf(lock);
    lock.close();
    if (!isBusy(error)) throw error;
    throw new Fault(
      'conflict',
      'busy',
      `${path}: another daemon is running on this state (process ${holder})`,
      {
        holder,
      },
    );
  }
}

function holderOf(lock: DatabaseSync): string {
  try {
    return String(lock.prepare('SELECT pid FROM holder').get()?.pid ?? 'unknown');
  } catch {
    return 'unknown';
  }
}

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5;
}

function openState(path: string): DatabaseSync {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
    chmodSync(path, 0o640);
    database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON');
    database.exec(`PRAGMA wal_autocheckpoint=${CHECKPOINT_PAGES}; PRAGMA cell_size_check=ON`);
    checkAtStart(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw isDamage(error) ? damaged(path, error.message) : error;
  }
}

/** Looks at a whole database that others may be writing to: what is damaged, null for nothing. Changes nothing. */
export function findDamage(path: string): string | null {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT, readOnly: true });
    return damageIn(database, null);
  } catch (error) {
    if (isDamage(error)) return error.message;
    throw error;
  } finally {
    database?.close();
  }
}

function migrate(database: DatabaseSync, path: string, migrations: readonly Migrations[]): void {
  database.exec(
    'CREATE TABLE IF NOT EXISTS migrations (store TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT',
  );
  const read = database.prepare('SELECT version FROM migrations WHERE store = ?');
  const write = database.prepare(
    'INSERT INTO migrations VALUES (?, ?) ON CONFLICT (store) DO UPDATE SET version = excluded.version',
  );
  for (const { store, steps } of migrations) {
    const from = Number(read.get(store)?.version ?? 0);
    if (from > steps.length) {
      const message = `${path}: its ${store} have version ${from}, this program knows ${steps.length}; use the newer one`;
      throw new Fault('internal', 'internal', message, { path });
    }
    for (let version = from; version < steps.length; version++) {
      database.exec('BEGIN IMMEDIATE');
      try {
        database.exec(steps[version] ?? '');
        write.run(store, version + 1);
        database.exec('COMMIT');
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    }
  }
}

function wrap(database: DatabaseSync, lock: DatabaseSync, path: string): Database {
  let inside = false;
  let log: Promise<FileHandle> | null = null;
  const alive = database.prepare('SELECT 1 AS one');
  const transaction = <T>(work: () => T): T => {
    if (inside) return work();
    database.exec('BEGIN IMMEDIATE');
    inside = true;
    try {
      const answer = work();
      database.exec('COMMIT');
      return answer;
    } catch (error) {
      // A full disk may have rolled back already.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw isFull(error) ? full(error) : error;
    } finally {
      inside = false;
    }
  };
  return {
    prepare: sql => statement(database.prepare(sql)),
    transaction,
    async commitLater(work) {
      if (inside) throw new TypeError('a transaction inside another one is durable with that one');
      // The log stays the same file for as long as the database is open. Before anything is recorded: there may be no
      // descriptor left.
      log ??= open(`${path}-wal`, 'r').catch(error => {
        log = null;
        throw error;
      });
      const file = await log;
      // NORMAL leaves out nothing but the sync of the log at the commit, which then is made up for off this thread.
      database.exec('PRAGMA synchronous=NORMAL');
      let answer: ReturnType<typeof work>;
      try {
        answer = transaction(work);
      } finally {
        database.exec('PRAGMA synchronous=FULL');
      }
      await file.datasync();
      return answer;
    },
    copyTo: async path => {
      await backup(database, path, { rate: COPIED_PAGES });
    },
    isAlive: () => alive.get()?.one === 1,
    close() {
      void log?.then(file => file.close());
      database.close();
      lock.close();
    },
  };
}

/** SQLITE_FULL, or an I/O error whose cause was the space. */
function isFull(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) === 13;
}

function full(cause: unknown): Fault {
  return new Fault('unavailable', 'disk-full', 'no space is left for the state of the daemon', {}, { cause });
}

function statement(prepared: StatementSync): Statement {
  return {
    run: (...values) => {
      try {
        const { changes, lastInsertRowid } = prepared.run(...values);
        return { changes: Number(changes), row: Number(lastInsertRowid) };
      } catch (error) {
        throw isFull(error) ? full(error) : error;
      }
    },
    get: <Row>(...values: readonly SqlValue[]) => prepared.get(...values) as Row | undefined,
    all: <Row>(...values: readonly SqlValue[]) => prepared.all(...values) as Row[],
    iterate: <Row>(...values: readonly SqlValue[]) => prepared.iterate(...values) as IterableIterator<Row>,
  };
}
