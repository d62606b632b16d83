/**
 * Whether the state database is whole. A small one is looked at before anything else; of one that has grown the waiting
 * tasks are, and the rest by a thread once the daemon serves, so that a start takes no longer as the archive grows.
 */
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { Fault } from '../../proto/fault.ts';

/** A connection as far as it is asked here; `node:sqlite` has one importer only. */
export interface Connection {
  prepare(sql: string): {
    get(): Record<string, unknown> | undefined;
    all(): Record<string, unknown>[];
  };
}

/** Bytes of a database that is looked at whole before the start. */
const WHOLE_BYTES = 64 * 1024 * 1024;
const THREAD = new URL('integrity-thread.ts', import.meta.url);

/** There when a thread has found damage: the next start then looks at all and is refused, as long as it finds any. */
const markOf = (path: string): string => `${path}.damaged`;

/** Throws a Fault with restore instructions when what is looked at before the start is damaged. */
export function checkAtStart(database: Connection, path: string): void {
  const whole = statSync(path).size <= WHOLE_BYTES || existsSync(markOf(path));
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'live'").get();
  if (!whole && !known) return;
  const damage = damageIn(database, whole ? null : 'live');
  if (damage !== null) throw damaged(path, damage);
  if (whole) rmSync(markOf(path), { force: true });
}

/** What is wrong with a table and its indexes, or with all; null for nothing. Throws what SQLite throws. */
export function damageIn(database: Connection, table: 'live' | null): string | null {
  const rows = database
    .prepare(table === null ? 'PRAGMA quick_check(3)' : `PRAGMA quick_check('${table}')`)
    .all();
  const words = rows.map(row => String(row.quick_check)).filter(word => word !== 'ok');
  return words.length > 0 ? words.join('; ') : null;
}

/** What SQLite throws for a damaged database or none at all: SQLITE_CORRUPT and SQLITE_NOTADB. */
export function isDamage(error: unknown): error is Error {
  const code = (error as { errcode?: number }).errcode ?? 0;
  return (code & 0xff) === 11 || code === 26;
}

export function damaged(path: string, what: string): Fault {
  return new Fault(
    'internal',
    'internal',
    `${path} is damaged (${what}). It stays as it is: put the file and its -wal back from a backup, or recover ` +
      `what is readable with "sqlite3 ${path} .recover | sqlite3 NEW" and move NEW into its place, then start again.`,
    { path },
  );
}

/** Says what it found: a text, null for nothing. */
export type Found = { readonly damage: string | null };

/**
 * Looks at all of a database that was too large to be looked at before, in a thread with a connection of its own.
 * `onDamage` hears of damage, with restore instructions; a check that could not be made is told to `report`. Resolves
 * when the thread has ended, however.
 */
export function checkLater(
  path: string,
  { onDamage, report }: { onDamage(fault: Fault): void; report(error: unknown): void },
): Promise<void> {
  if (statSync(path).size <= WHOLE_BYTES) return Promise.resolve();
  const thread = new Worker(THREAD, { workerData: path });
  thread.unref();
  thread.once('error', report);
  thread.once('message', ({ damage }: Found) => {
    if (damage === null) return;
    writeFileSync(markOf(path), `${damage}\n`, { mode: 0o640 });
    onDamage(damaged(path, damage));
  });
  return new Promise(resolve => thread.once('exit', () => resolve()));
}
