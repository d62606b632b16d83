/** Uploads of an edge that was killed: gone when the next one starts, but no other upload is. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { removeLeftovers, spoolPrefix } from '../../../edge/build/leftovers.ts';
import { type Home, makeHome, type RunningDaemon, startDaemon } from '../../support/daemon.ts';
import { startEdge } from '../../support/edge-process.ts';
import { until } from '../../support/until.ts';

/** Longer than a daemon takes over a submission. */
const LONG_AGO = (Date.now() - 600_000) / 1000;

let home: Home;
let spool = '';
beforeEach(() => {
  home = makeHome();
  spool = join(home.path, 'lib/spool');
});
afterEach(() => home.remove());

/** Begins an upload that never ends. */
function beginUpload(url: string): void {
  const upload = request(`${url}/default/build`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  upload.on('error', () => undefined);
  upload.write('--b\r\ncontent-disposition: form-data; name="tarball"; filename="a.tar"\r\n\r\n');
  upload.write('x'.repeat(3_000_000));
}

describe('what edges leave in the spool', () => {
  let daemon: RunningDaemon;
  beforeEach(async () => {
    home.configure('policy.ini', '[roles]\nanonymous\n[anonymous]\nactions=build\n');
    daemon = await startDaemon(home, { quick: true });
  });
  afterEach(() => daemon.stop('SIGKILL'));

  test('is removed by the next one, and an upload to a living one is not', async () => {
    const [first, second] = [await startEdge(home), await startEdge(home)];
    beginUpload(first.url);
    await until(() => readdirSync(spool).length === 1);
    const left = join(spool, readdirSync(spool)[0]!);
    beginUpload(second.url);
    await until(() => readdirSync(spool).length === 2);
    const living = join(spool, readdirSync(spool).find(name => join(spool, name) !== left)!);
    process.kill(first.pid, 'SIGKILL');
    await first.stop();
    for (const file of [left, living]) utimesSync(file, LONG_AGO, LONG_AGO);
    const third = await startEdge(home);
    await until(() => !existsSync(left));
    assert.ok(existsSync(living));
    await Promise.all([third, second].map(edge => process.kill(edge.pid, 'SIGKILL') && edge.stop()));
  });
});

test('an upload that the daemon may be taking over gets time, files of nobody’s edge are left alone', async () => {
  mkdirSync(spool, { recursive: true });
  // No process has that beginning.
  const gone = `edge-${process.pid}-1-00000000-0000-4000-8000-000000000000`;
  const names = [
    `${gone}-0`,
    `${gone}-1`,
    '11111111-0000-4000-8000-000000000000-0',
    `${spoolPrefix(process.pid)}x-0`,
  ];
  for (const name of names) writeFileSync(join(spool, name), 'x');
  // The definition was whole long before the last source was.
  utimesSync(join(spool, `${gone}-0`), LONG_AGO, LONG_AGO);
  const failed: unknown[] = [];
  const rest = { folder: spool, wait: 600_000, report: (error: unknown) => failed.push(error) };
  await removeLeftovers({ ...rest, now: Date.now });
  await new Promise(resolve => setTimeout(resolve, 200));
  assert.equal(readdirSync(spool).length, 4);
  // A moment before its time is over.
  const over = statSync(join(spool, `${gone}-1`)).mtimeMs + rest.wait;
  await removeLeftovers({ ...rest, now: () => over - 50 });
  await until(() => readdirSync(spool).length === 2);
  assert.deepEqual(readdirSync(spool).sort(), names.slice(2).sort());
  assert.deepEqual(failed, []);
});
