/** The state database against the real SQLite: one holder, migrations, damage, transactions. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Migrations, openDatabase } from '../../../daemon/store/database.ts';

const THINGS: Migrations = { store: 'things', steps: ['CREATE TABLE thing (name TEXT) STRICT'] };

describe('the state database', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rackwright-database-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

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
    const start = performance.now();
    assert.throws(() => openDatabase(path, []), new RegExp(`process ${holder.pid}`));
    assert.ok(performance.now() - start < 1000);
    const gone = new Promise(resolve => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await gone;
    openDatabase(path, []).close();
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

  test('refuses a file that is no database instead of beginning anew', () => {
    const path = join(folder, 'e.db');
    writeFileSync(path, 'not a database '.repeat(1000));
    assert.throws(() => openDatabase(path, [THINGS]), /is damaged/);
  });
});
