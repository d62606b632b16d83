/** What the log is told of inventories: nothing while there is none, a refusal once, and that it is mended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InventoryKeeper } from '../../../daemon/pool/inventory.ts';
import type { Reading } from '../../../proto/renderer.ts';

function refused(code: string, message: string): Reading {
  const place = { file: '/db', line: 3, column: 1, path: 'types' };
  return { snapshot: null, findings: [{ ...place, level: 'error', code, message }], folders: [] };
}

function good(version: string): Reading {
  return { snapshot: { version } as Reading['snapshot'], findings: [], folders: [] };
}

test('the log is told once of each refusal, when it is mended, and nothing where there is no inventory', async () => {
  const readings: Reading[] = [
    ...[refused('absent', 'not there'), refused('absent', 'not there')],
    ...[refused('unknown', 'refers to nope'), refused('unknown', 'refers to nope')],
    ...[
      good('one'),
      good('one'),
      refused('absent', 'not there'),
      refused('absent', 'not there'),
      good('one'),
    ],
  ];
  const told: string[] = [];
  const tell = (_fields: object, message: string): void => void told.push(message);
  const keeper = new InventoryKeeper({
    read: async () => readings.shift() ?? good('never'),
    log: { info: tell, warn: tell },
    now: () => 1000,
  });
  const steps: number[] = [];
  while (readings.length > 0) {
    await keeper.reload();
    steps.push(told.length);
  }
  keeper.close();
  assert.deepEqual(steps, [0, 0, 1, 1, 2, 2, 3, 3, 4]);
  assert.deepEqual(told, [
    'the inventory was refused, none is served: /db:3: types: refers to nope',
    'serving the inventory as it is now',
    'the inventory was refused, the last good one stays served: /db:3: types: not there',
    'serving the inventory as it is now',
  ]);
});

test('a reload during a reading tells of what is there when it was asked for', async () => {
  const readings = [Promise.withResolvers<Reading>(), Promise.withResolvers<Reading>()];
  let at = 0;
  const silent = (): void => undefined;
  const keeper = new InventoryKeeper({
    read: () => readings[at++]?.promise ?? Promise.reject(new Error('one reading too many')),
    log: { info: silent, warn: silent },
    now: () => 1000,
  });
  const first = keeper.reload();
  const asked = [keeper.reload(), keeper.reload()];
  readings[0]?.resolve(good('old'));
  await first;
  assert.equal(keeper.refusal, null);
  readings[1]?.resolve(refused('unknown', 'refers to nope'));
  await Promise.all(asked);
  assert.notEqual(keeper.refusal, null);
  keeper.close();
});
