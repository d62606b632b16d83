/** Workspaces on a real disk: what a submission may bring along, and that nothing stays of one that is refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newTask, type Task } from '../../../daemon/core/task.ts';
import { Spool } from '../../../daemon/store/spool.ts';
import { Workspaces } from '../../../daemon/store/workspaces.ts';
import { sweepLater } from '../../../daemon/turns.ts';
import { buildOf } from '../../support/decisions.ts';

describe('a workspace', () => {
  let home: string;
  let workspaces: Workspaces;
  let count = 0;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'rackwright-workspaces-'));
    workspaces = new Workspaces({
      root: join(home, 'workspaces'),
      spool: join(home, 'spool'),
      run: join(home, 'run'),
    });
    await workspaces.prepare(['a']);
    writeFileSync(join(home, 'secret'), 'secret');
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  const newOne = (instance = 'a'): Task => {
    const id = `task-${count++}`;
    return newTask({ id, instance, spec: buildOf('x'), user: 'jane' }, workspaces.paths(instance, id), 1, 1);
  };
  const spooled = (name: string): string => join(home, 'spool', name);

  test('takes files over, also the first of an instance that nobody prepared', async () => {
    for (const instance of ['a', 'new']) {
      const task = newOne(instance);
      writeFileSync(spooled('up'), 'bytes');
      await workspaces.create(task, [{ from: spooled('up'), to: join(task.place, 'definition') }]);
      assert.equal(readFileSync(join(task.place, 'definition'), 'utf8'), 'bytes');
      assert.deepEqual(readdirSync(join(home, 'spool')), []);
    }
  });

  test('copies what stays another task’s', async () => {
    const [first, second] = [newOne(), newOne()];
    writeFileSync(spooled('up'), 'bytes');
    const kept = join(first.place, 'definition');
    await workspaces.create(first, [{ from: spooled('up'), to: kept }]);
    await workspaces.create(second, [{ from: kept, to: join(second.place, 'definition'), keep: true }]);
    assert.equal(readFileSync(kept, 'utf8'), 'bytes');
    assert.equal(readFileSync(join(second.place, 'definition'), 'utf8'), 'bytes');
  });

  test('copies over the bounds of a file system', async () => {
    const other = mkdtempSync('/dev/shm/rackwright-');
    try {
      const task = newOne();
      writeFileSync(join(other, 'up'), 'bytes');
      await workspaces.create(task, [{ from: join(other, 'up'), to: join(task.place, 'definition') }]);
      assert.equal(readFileSync(join(task.place, 'definition'), 'utf8'), 'bytes');
      symlinkSync(join(home, 'secret'), join(other, 'link'));
      const bad = newOne();
      const moved = { from: join(other, 'link'), to: join(bad.place, 'definition') };
      await assert.rejects(workspaces.create(bad, [moved]), { kind: 'invalid' });
      assert.ok(!existsSync(bad.place));
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  test('refuses whatever is no regular file, and is gone again', async () => {
    symlinkSync(join(home, 'secret'), spooled('link'));
    execFileSync('mkfifo', [spooled('fifo')]);
    mkdirSync(spooled('folder'));
    const server = createServer().listen(spooled('socket'));
    await new Promise(resolve => server.once('listening', resolve));
    for (const name of ['link', 'fifo', 'folder', 'socket', 'absent']) {
      const task = newOne();
      writeFileSync(spooled('good'), 'bytes');
      const files = [
        { from: spooled('good'), to: join(task.place, 'definition') },
        { from: spooled(name), to: join(task.place, 'source-0') },
      ];
      const message = name === 'absent' ? /absent is not there/ : /is not a regular file/;
      await assert.rejects(workspaces.create(task, files), { kind: 'invalid', message });
      assert.ok(!existsSync(task.place), name);
    }
    server.close();
    assert.equal(readFileSync(join(home, 'secret'), 'utf8'), 'secret');
  });
});

describe('abandoned uploads', () => {
  const HOUR = 3_600_000;
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rackwright-spool-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('go after a day of silence, however the clock is set, and one that is written to stays whole', async () => {
    const spool = new Spool(folder, () => 'x');
    for (const name of ['left-0', 'left-1', 'slow-0', 'slow-1']) writeFileSync(join(folder, name), 'bytes');
    for (let hour = 0; hour < 24; hour++) {
      appendFileSync(join(folder, 'slow-1'), 'more');
      assert.equal(await spool.sweep(hour * HOUR), 0);
      // A wall clock that jumped: by their age all would have to go.
      if (hour === 12) for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1, 1);
    }
    appendFileSync(join(folder, 'slow-1'), 'more');
    assert.equal(await spool.sweep(24 * HOUR), 0, 'the change of the times counts as one');
    for (let hour = 25; hour <= 37; hour++) {
      appendFileSync(join(folder, 'slow-1'), 'more');
      await spool.sweep(hour * HOUR);
    }
    assert.deepEqual(readdirSync(folder), ['slow-0', 'slow-1']);
  });

  test('are looked for after the start and then every hour', t => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const looked: number[] = [];
    let now = 0;
    const stop = sweepLater({
      settings: { keyring: { storage: folder } },
      definitions: { all: () => [] },
      workspaces: { sweep: async () => 0 },
      spool: { sweep: async at => looked.push(at) },
      store: { forgetKeys: () => undefined, knows: () => true },
      clock: { wall: () => 0, monotonic: () => now },
      warn: () => undefined,
      report: error => assert.fail(String(error)),
    });
    for (const pass of [5000, HOUR - 5000, HOUR]) {
      now += pass;
      t.mock.timers.tick(pass);
    }
    stop();
    t.mock.timers.tick(HOUR);
    assert.deepEqual(looked, [5000, HOUR, 2 * HOUR]);
  });
});
