/** S16 for a state that has grown large: damage is found while the daemon serves, it stops, and no later start goes on. */
import assert from 'node:assert/strict';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { failDaemon, makeHome, startDaemon } from '../../support/daemon.ts';

test('a damaged page outside the waiting tasks ends the daemon with restore instructions', async t => {
  const home = makeHome();
  t.after(() => home.remove());
  await (await startDaemon(home)).stop();
  const path = join(home.path, 'lib/state.db');
  const state = new DatabaseSync(path);
  state.exec('CREATE TABLE ballast (text TEXT); BEGIN');
  const insert = state.prepare('INSERT INTO ballast VALUES (?)');
  for (let i = 0; i < 70_000; i++) insert.run(`${i} ${'x'.repeat(1000)}`);
  state.exec('COMMIT');
  state.close();
  writeSync(openSync(path, 'r+'), Buffer.alloc(4096, 0xaa), 0, 4096, 9000 * 4096);
  // It is opened first: the start does not take longer for a large archive.
  const found = await failDaemon(home);
  assert.equal(found.code, 1);
  assert.doesNotMatch(found.said, /^rackwrightd: /m);
  assert.match(found.said, /state\.db is damaged .*backup/s);
  const refused = await failDaemon(home);
  assert.equal(refused.code, 1);
  assert.match(refused.said, /^rackwrightd: .*state\.db is damaged .*backup/s);
});
