/** The inventory's files as they are watched: no change of theirs is missed, whenever it comes. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { InventoryKeeper } from '../../../daemon/pool/inventory.ts';
import type { Reading } from '../../../proto/renderer.ts';
import { until } from '../../support/until.ts';

/** A keeper of what one file says, in a folder of its own within the database; `onRead` is told behind each reading. */
function openKeeper(context: TestContext, onRead: (file: string) => void = () => undefined) {
  const top = mkdtempSync(join(tmpdir(), 'rw-inventory-'));
  const folder = join(top, 'racks');
  const file = join(folder, 'racks.yml');
  mkdirSync(folder);
  writeFileSync(file, 'one');
  const silent = (): void => undefined;
  const keeper = new InventoryKeeper({
    read: async (): Promise<Reading> => {
      const snapshot = { version: readFileSync(file, 'utf8') } as Reading['snapshot'];
      onRead(file);
      return { snapshot, findings: [], folders: [top, folder] };
    },
    log: { info: silent, warn: silent },
    now: Date.now,
  });
  context.after(() => {
    keeper.close();
    rmSync(top, { recursive: true });
  });
  const serves = (version: string) => (): boolean => keeper.served?.snapshot.version === version;
  return { keeper, folder, file, serves };
}

test('what changes behind the first reading and before the watch is served', async context => {
  const { keeper, serves } = openKeeper(context, file => writeFileSync(file, 'two'));
  await keeper.reload();
  assert.ok(serves('two')());
});

test('a folder that takes the place of another one is watched as that was', async context => {
  const { keeper, folder, file, serves } = openKeeper(context);
  await keeper.reload();
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  writeFileSync(file, 'two');
  await until(serves('two'));
  writeFileSync(file, 'three');
  await until(serves('three'));
});
