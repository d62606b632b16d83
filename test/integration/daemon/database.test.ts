/** The state database against the real SQLite: one holder, migrations, damage, transactions. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Migrations, openDatabase } from '../../../daemon/store/database.ts';
import { checkLater } from '../../../daemon/store/integrity.ts';
import type { Fault } from '../../../proto/fault.ts';
import { random, SEED } from '../../support/scale.ts';

const THINGS: Migrations = { store: 'things', steps: ['CREATE TABLE thing (name TEXT) STRICT'] };

describe('the state database', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rackwright-database-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('records nothing while its log can not be opened to be synced, and goes on when it can', async () => {
    const home = join(folder, 'late');
    mkdirSync(home);
    const database = openDatabase(join(home, 'a.db'), [THINGS]);
    const insert = database.prepare('INSERT INTO thing VALUES (?)');
    renameSync(home, `${home}.away`);
    await assert.rejects(
      database.commitLater(() => insert.run('lost')),
      { code: 'ENOENT' },
    );
    renameSync(`${home}.away`, home);
    await database.commitLater(() => insert.run('kept'));
    const rows = database.prepare('SELECT name FROM thing').all() as { name: string }[];
    assert.deepEqual(
      rows.map(row => row.name),
      ['kept'],
    );
    database.close();
  });

  test('keeps what a transaction wrote and forgets what a failed one wrote', () => {
    const path = join(folder, 'a.db');
    const first = openDatabase(path, [THINGS]);
    const insert = first.prepare('INSERT INTO thing VALUES (?)');
    first.transaction(() => insert.run('kept'));
    assert.throws(() =>
      first.transaction(() => {
        insert.run('lost');
        first.transaction(() => insert.run('lost too'));
        throw new Error('stop');
      }),
    );
    first.close();
    const again = openDatabase(path, [THINGS]);
    const names = again.prepare('SELECT name FROM thing').all<{ name: string }>();
    assert.deepEqual(
      names.map(row => row.name),
      ['kept'],
    );
    again.close();
  });

  test('applies only the migrations that are missing, and refuses a newer state', () => {
    const path = join(folder, 'b.db');
    openDatabase(path, [THINGS]).close();
    const more = { store: 'things', steps: [...THINGS.steps, 'ALTER TABLE thing ADD COLUMN size INTEGER'] };
    const database = openDatabase(path, [more]);
    database.prepare('INSERT INTO thing VALUES (?, ?)').run('x', 1);
    database.close();
    assert.throws(() => openDatabase(path, [THINGS]), /version 2, this program knows 1/);
    openDatabase(path, [more]).close();
  });

  test('refuses a second holder, naming the first, until the first is killed', async () => {
    const path = join(folder, 'c.db');
    const code = `import { openDatabase } from '${join(import.meta.dirname, '../../../daemon/store/database.ts')}';
      openDatabase('${path}', []); console.log('held'); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise(resolve => holder.stdout.once('data', resolve));
    assert.throws(() => openDatabase(path, []), new RegExp(`process ${holder.pid}`));
    const gone = new Promise(resolve => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await gone;
    openDatabase(path, []).close();
  });

  test('S16: a log that is torn anywhere is cut to the last whole transaction before', () => {
    const path = join(folder, 'wal.db');
    const first = openDatabase(path, [THINGS]);
    const insert = first.prepare('INSERT INTO thing VALUES (?)');
    // Bytes of the log after each transaction: the state that a power loss may leave is any prefix of it.
    const ends: number[] = [];
    for (let at = 0; at < 40; at++) {
      first.transaction(() => insert.run(`thing ${at}`));
      ends.push(statSync(`${path}-wal`).size);
    }
    const copies = [path, `${path}-wal`].map(file => readFileSync(file));
    first.close();
    const chance = random(SEED);
    const torn = join(folder, 'torn.db');
    for (let turn = 0; turn < 60; turn++) {
      const [state = Buffer.alloc(0), log = Buffer.alloc(0)] = copies;
      const length = Math.floor(chance() * (log.length + 1));
      // What a disk leaves behind the last whole sector may be missing, or be anything.
      const garbage = turn % 2 === 0 ? Buffer.alloc(0) : Buffer.alloc(log.length - length, 0xa5);
      for (const name of ['', '-wal', '-shm', '.lock']) rmSync(`${torn}${name}`, { force: true });
      writeFileSync(torn, state);
      writeFileSync(`${torn}-wal`, Buffer.concat([log.subarray(0, length), garbage]));
      const whole = ends.filter(end => end <= length).length;
      // Before the tables were made there is nothing that could be lost.
      if (whole === 0) continue;
      const again = openDatabase(torn, [THINGS]);
      const names = again.prepare('SELECT name FROM thing ORDER BY rowid').all<{ name: string }>();
      again.close();
      assert.deepEqual(
        names.map(row => row.name),
        Array.from({ length: whole }, (_, at) => `thing ${at}`),
        `torn at ${length} of ${log.length}`,
      );
    }
  });

  test('refuses a damaged page with restore instructions and does not touch the file', () => {
    const path = join(folder, 'd.db');
    const database = openDatabase(path, [THINGS]);
    const insert = database.prepare('INSERT INTO thing VALUES (?)');
    database.transaction(() => {
      for (let i = 0; i < 5000; i++) insert.run(`thing number ${i}`);
    });
    database.close();
    const size = statSync(path).size;
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(4096, 0xaa), 0, 4096, 8 * 4096);
    assert.throws(() => openDatabase(path, [THINGS]), /is damaged .*backup/s);
    assert.equal(statSync(path).size, size);
  });

  test('finds damage in what was too large to look at before the start, and refuses the next start', async () => {
    const path = join(folder, 'large.db');
    const tables = { store: 'things', steps: [...THINGS.steps, 'CREATE TABLE live (id TEXT) STRICT'] };
    const database = openDatabase(path, [tables]);
    const insert = database.prepare('INSERT INTO thing VALUES (?)');
    database.transaction(() => {
      for (let i = 0; i < 70_000; i++) insert.run(`${i} ${'x'.repeat(1000)}`);
    });
    database.close();
    const check = async (): Promise<Fault | null> => {
      // The thread is no reason for a process to stay; the test's process stays for this one.
      const stay = setInterval(() => undefined, 1000);
      const told: Fault[] = [];
      await checkLater(path, {
        onDamage: fault => told.push(fault),
        report: error => assert.fail(`${error}`),
      });
      clearInterval(stay);
      return told[0] ?? null;
    };
    const whole = openDatabase(path, [tables]);
    assert.equal(await check(), null, 'while the daemon has it open');
    whole.close();
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(4096, 0xaa), 0, 4096, 9000 * 4096);
    openDatabase(path, [tables]).close();
    assert.match((await check())?.message ?? '', /is damaged .*backup/s);
    assert.throws(() => openDatabase(path, [tables]), /is damaged .*backup/s);
    rmSync(path);
    openDatabase(path, [tables]).close();
    assert.ok(!existsSync(`${path}.damaged`), 'what was put in its place is whole');
  });

  test('refuses a file that is no database instead of beginning anew', () => {
    const path = join(folder, 'e.db');
    writeFileSync(path, 'not a database '.repeat(1000));
    assert.throws(() => openDatabase(path, [THINGS]), /is damaged/);
  });
});
