/** The agent's cache in memory: one fetch at a time of each thing, nothing kept for longer than it is answered. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Cache } from '../../../edge/agent/cache.ts';

let clock = 0;
let cache: Cache;
beforeEach(() => {
  clock = 1_000_000;
  cache = new Cache({ redis: null, prefix: '', enabled: false, now: () => clock, warn: () => undefined });
});

/** A load that ends when it is told to. */
function slowLoad() {
  const load = { count: 0, end: (_value: string): void => undefined };
  const start = (): Promise<string> => {
    load.count++;
    return new Promise(resolve => {
      load.end = resolve;
    });
  };
  return { load, start };
}

test('a load that takes longer than its answer is kept is shared, and its answer is kept from then on', async () => {
  const { load, start } = slowLoad();
  const first = cache.read('jobs', '', 4, start);
  await Promise.resolve();
  clock += 20_000;
  const second = cache.read('jobs', '', 4, start);
  await new Promise(resolve => setImmediate(resolve));
  assert.equal(load.count, 1);
  load.end('rows');
  assert.deepEqual(await Promise.all([first, second]), ['rows', 'rows']);
  clock += 3900;
  assert.equal(await cache.read('jobs', '', 4, start), 'rows');
  assert.equal(load.count, 1);
  clock += 200;
  const third = cache.read('jobs', '', 4, start);
  await new Promise(resolve => setImmediate(resolve));
  load.end('newer');
  assert.equal(await third, 'newer');
});

test('a failure is told to all who wait, and the next who asks asks anew', async () => {
  let loads = 0;
  const fail = async (): Promise<string> => {
    loads++;
    throw new Error('away');
  };
  const both = [cache.read('nodes', '', 4, fail), cache.read('nodes', '', 4, fail)];
  for (const one of both) await assert.rejects(one, /away/);
  assert.equal(loads, 1);
  assert.equal(await cache.read('nodes', '', 4, async () => 'rows'), 'rows');
});

test('a clock that is set back does not make an answer last for hours', async () => {
  assert.equal(await cache.read('nodes', '', 4, async () => 'old'), 'old');
  clock -= 3_600_000;
  assert.equal(await cache.read('nodes', '', 4, async () => 'new'), 'new');
});

test('lists of past jobs are not kept for each span that anybody asks for', async () => {
  let loads = 0;
  const read = (hours: number): Promise<number> =>
    cache.read('jobs_past', String(hours), 60, async () => ++loads);
  for (let hours = 1; hours <= 168; hours++) await read(hours);
  assert.equal(await read(168), 168, 'the latest is kept');
  assert.equal(await read(1), 169, 'the first of many is not');
});

test('what is too old to be answered is not held in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let held: WeakRef<object> | undefined;
  await cache.read('jobs', '', 4, async () => {
    const rows = { rows: [] };
    held = new WeakRef(rows);
    return rows;
  });
  clock += 5000;
  await cache.read('nodes', '', 4, async () => 'rows');
  // A weak reference holds until the turn in which it was made is over.
  await new Promise(resolve => setImmediate(resolve));
  collect();
  assert.ok(held);
  assert.equal(held.deref(), undefined);
});
