/**
 * The daemon's state in SQLite: opened once, by one process, checked, brought to the newest shape. The only importer of
 * `node:sqlite`.
 *
 * Every committed transaction is on durable storage (WAL with `synchronous=FULL`). The lock that keeps a second daemon
 * out is an SQLite file of its own, held by an open transaction and so released by the kernel when its holder dies;
 * the state itself stays readable for a backup.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Fault } from '../../proto/fault.ts';

/** The tables of one store: step n is the SQL that leads from version n to n + 1. Published steps never change. */
export interface Migrations {
  /** Name of the store, `tasks`. */
  readonly store: string;
  readonly steps: readonly string[];
}

/** A value as SQLite keeps it. */
export type SqlValue = SQLInputValue;

/** A prepared statement; rows come as plain objects whose keys are column names. */
interface Statement {
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
  /** Writes a whole copy to an absent file, a little at a time, as of the moment when it is done. */
  copyTo(path: string): Promise<void>;
  /** Whether the database still answers: part of the watchdog's self-check. */
  isAlive(): boolean;
  close(): void;
}

/** Milliseconds a statement waits for a foreign reader or backup before it fails. */
const BUSY_TIMEOUT = 5000;
/** Pages of 4 KiB that the log grows to before it is folded into the database. */
const CHECKPOINT_PAGES = 4000;
/** Pages copied before others have their turn: some 10 ms. */
const COPIED_PAGES = 1000;
/** Pages looked at, at most, when state is checked at start (64 MiB): a start takes no longer as the archive grows. */
const CHECKED_PAGES = 16_384;

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
    return wrap(database, lock);
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
    check(database, path);
    return database;
  } catch (error) {
    database?.close();
    // SQLITE_CORRUPT and SQLITE_NOTADB.
    const code = (error as { errcode?: number }).errcode ?? 0;
    if ((code & 0xff) === 11 || code === 26) throw damaged(path, (error as Error).message);
    throw error;
  }
}

/** Looks at the whole state while it is small, at the tables with live tasks when it has grown. */
function check(database: DatabaseSync, path: string): void {
  const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count ?? 0);
  const whole = pages <= CHECKED_PAGES;
  const known = whole ? null : database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'live'").get();
  const sql = whole ? 'PRAGMA quick_check(3)' : known ? "PRAGMA quick_check('live')" : 'SELECT 1 WHERE 0';
  for (const row of database.prepare(sql).all()) {
    const word = String(row.quick_check);
    if (word !== 'ok') throw damaged(path, word);
  }
}

function damaged(path: string, what: string): Fault {
  return new Fault(
    'internal',
    'internal',
    `${path} is damaged (${what}). Nothing was changed. Put the file and its -wal back from a backup, or recover ` +
      `what is readable with "sqlite3 ${path} .recover | sqlite3 NEW" and move NEW into its place, then start again.`,
    { path },
  );
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

function wrap(database: DatabaseSync, lock: DatabaseSync): Database {
  let inside = false;
  const alive = database.prepare('SELECT 1 AS one');
  return {
    prepare: sql => statement(database.prepare(sql)),
    transaction(work) {
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
    },
    copyTo: async path => {
      await backup(database, path, { rate: COPIED_PAGES });
    },
    isAlive: () => alive.get()?.one === 1,
    close() {
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
      const { changes, lastInsertRowid } = prepared.run(...values);
      return { changes: Number(changes), row: Number(lastInsertRowid) };
    },
    get: <Row>(...values: readonly SqlValue[]) => prepared.get(...values) as Row | undefined,
    all: <Row>(...values: readonly SqlValue[]) => prepared.all(...values) as Row[],
    iterate: <Row>(...values: readonly SqlValue[]) => prepared.iterate(...values) as IterableIterator<Row>,
  };
}
