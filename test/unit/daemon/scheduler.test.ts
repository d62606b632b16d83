/** The scheduler's decisions: what is durable before what, what is made first, how tasks end and begin again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dispatcherCheck } from '../../../daemon/core/pulse.ts';
import { recover } from '../../../daemon/core/recovery.ts';
import { Fault } from '../../../proto/fault.ts';
import type { Outcome } from '../../../workers/job.ts';
import { buildOf, makeWorld, settle } from '../../support/decisions.ts';

const FAILED: Outcome = {
  result: 'failed',
  fault: { kind: 'refused', reason: 'mirror', message: 'the mirror is down', details: {} },
  usage: null,
};

describe('the scheduler', () => {
  test('runs a task, archives it once and tells its true times', async () => {
    const world = makeWorld();
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    assert.equal(world.records.get('t1')?.state, 'running');
    await world.end('t1');
    const task = world.records.archived.get('t1');
    assert.equal(task?.state, 'finished');
    assert.equal(task?.result, 'success');
    assert.equal(task?.attempts, 1);
    assert.equal(task?.started, 1000);
    assert.equal(world.records.live.size, 0);
  });

  test('ends a task whose thread breaks as failed, and as cancelled when it was to end', async () => {
    const world = makeWorld();
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    await world.submit('t2', buildOf('world'));
    world.scheduler.cancel('t2', 'jane');
    const memory = new Fault('exhausted', 'out-of-memory', 'the worker thread needed more than 1 MiB');
    await world.breakThread('t1', memory);
    await world.breakThread('t2', memory);
    const [first, second] = [world.records.archived.get('t1'), world.records.archived.get('t2')];
    assert.deepEqual([first?.result, first?.cause], ['failed', 'out-of-memory']);
    assert.deepEqual([second?.result, second?.reason], ['cancelled', 'cancelled by jane']);
    assert.deepEqual(
      world.ended.map(one => one.outcome.result),
      ['failed', 'cancelled'],
    );
  });

  test('obeys what is ordered of a task that can be seen but is not durable yet', async () => {
    const world = makeWorld({ total: 1, perInstance: 1 });
    const news: string[] = [];
    world.feed.subscribe(task => news.push(`${task.id} ${task.state}`));
    world.scheduler.open();
    await world.submit('busy', buildOf('hello'));
    await world.submit('before', buildOf('world'));
    const disk = Promise.withResolvers<void>();
    world.records.synced = disk.promise;
    const submitted = [world.submit('gone', buildOf('gone')), world.submit('urgent', buildOf('urgent'))];
    await settle();
    assert.equal(world.scheduler.cancel('gone', 'jane').result, 'cancelled');
    world.scheduler.present.setPriority('urgent', 50);
    disk.resolve();
    const [gone, urgent] = await Promise.all(submitted);
    assert.equal(gone?.state, 'finished');
    assert.equal(urgent?.priority, 50);
    assert.deepEqual(
      world.scheduler.queue.waitingIn('a').map(({ id }) => id),
      ['urgent', 'before'],
    );
    assert.deepEqual(
      news.filter(line => line.startsWith('gone')),
      ['gone finished'],
    );
  });

  test('is found out by the watchdog when it leaves a task waiting that could start', async () => {
    const world = makeWorld({ total: 2, perInstance: 2 });
    let now = 0;
    const isAlive = dispatcherCheck(world.scheduler, () => now);
    const check = (at: number): boolean => {
      now = at;
      return isAlive();
    };
    const { queue } = world.scheduler;
    await world.submit('t1', buildOf('hello'));
    assert.ok(check(0), 'what is not open yet starts nothing');
    world.scheduler.open();
    await world.submit('t2', buildOf('hello'));
    queue.block('t2', 'for the test');
    await world.end('t1');
    for (const at of [20_000, 60_000]) assert.ok(check(at), 'what is kept back waits rightly');
    queue.unblock('t2');
    assert.ok(check(75_000), 'it may be about to start');
    assert.ok(!check(90_000));
    assert.ok(!check(105_000));
    world.scheduler.open();
    assert.equal(world.records.get('t2')?.state, 'running');
    await world.submit('t3', buildOf('hello'));
    for (const at of [120_000, 150_000]) assert.ok(check(at), 'all that could start has');
  });

  test('starts nothing before it is opened', async () => {
    const world = makeWorld();
    await world.submit('t1', buildOf('hello'));
    assert.equal(world.records.get('t1')?.state, 'pending');
    world.scheduler.open();
    assert.equal(world.records.get('t1')?.state, 'running');
  });

  test('never runs two builds of one artifact for one place at once', async () => {
    const world = makeWorld({ total: 5, perInstance: 5 });
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    await world.submit('t2', buildOf('hello'));
    await world.submit('t3', buildOf('world'));
    assert.deepEqual(states(world, 't1', 't2', 't3'), ['running', 'pending', 'running']);
    assert.match(world.scheduler.queue.reason('t2'), /waits for task t1, which holds builds of hello/);
    await world.end('t1');
    assert.equal(world.records.get('t2')?.state, 'running');
  });

  test('has keyring, image and environment made once, in order, before the builds that need them', async () => {
    const world = makeWorld({ total: 2, perInstance: 2 }, false);
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    await world.submit('t2', buildOf('world'));
    const made: string[] = [];
    for (const kind of ['keyring', 'image', 'environment']) {
      const running = [...world.records.live.values()].filter(task => task.state === 'running');
      assert.equal(running.length, 1, `one task makes the ${kind}`);
      const maker = running[0];
      assert.ok(maker);
      made.push(maker.name);
      assert.match(world.scheduler.queue.reason('t1'), new RegExp(`which task ${maker.id} makes`));
      assert.match(world.scheduler.queue.reason('t2'), new RegExp(`which task ${maker.id} makes`));
      world.there.add(kind);
      await world.end(maker.id);
    }
    assert.deepEqual(made, ['keyring creation', 'image creation', 'image build environment creation']);
    assert.deepEqual(states(world, 't1', 't2'), ['running', 'running']);
  });

  test('fails every build that waits for what can not be made, naming it', async () => {
    const world = makeWorld({ total: 2, perInstance: 2 }, false);
    world.there.add('keyring').add('image');
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    await world.submit('t2', buildOf('world'));
    await world.end('made-1', FAILED);
    for (const id of ['t1', 't2']) {
      const task = world.records.archived.get(id);
      assert.equal(task?.result, 'failed');
      assert.equal(task?.cause, 'no-environment');
      assert.match(
        task?.reason ?? '',
        /build environment bookworm for x86_64 can't be made: .*mirror is down/,
      );
    }
    assert.equal(world.ended.length, 2, 'their journals are ended');
  });

  test('fails them later where there is no room to record it now', async () => {
    const world = makeWorld({ total: 2, perInstance: 2 }, false);
    world.there.add('keyring').add('image');
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    await world.submit('t2', buildOf('world'));
    const archive = world.records.archive.bind(world.records);
    let room = 1;
    world.records.archive = task => {
      if (room-- <= 0) throw new Fault('unavailable', 'disk-full', 'no space is left on the disk');
      archive(task);
    };
    await world.end('made-1', FAILED);
    assert.deepEqual(states(world, 't1', 't2'), ['pending', 'pending']);
    assert.match(world.scheduler.queue.reason('t1') ?? '', /can't be made: .*no space is left/);
    room = 100;
    await world.pass();
    assert.deepEqual(states(world, 't1', 't2'), ['finished', 'finished']);
  });

  test('gives up when what was made is not there, instead of making it for ever', async () => {
    const world = makeWorld({ total: 2, perInstance: 2 }, false);
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    await world.end('made-1');
    assert.equal(world.records.archived.get('t1')?.cause, 'no-keyring');
  });

  test('waits for a creation that somebody else asked for', async () => {
    const world = makeWorld({ total: 2, perInstance: 2 }, false);
    world.there.add('image').add('environment');
    world.scheduler.open();
    await world.submit('mine', { type: 'keyring-creation' });
    await world.submit('t1', buildOf('hello'));
    assert.equal(world.records.live.size, 2);
    world.there.add('keyring');
    await world.end('mine');
    assert.equal(world.records.get('t1')?.state, 'running');
  });

  test('cancels a waiting task at once and a running one when it has ended', async () => {
    const world = makeWorld({ total: 1, perInstance: 1 });
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    await world.submit('t2', buildOf('world'));
    assert.equal(world.scheduler.cancel('t2', 'jane').result, 'cancelled');
    assert.equal(world.records.archived.get('t2')?.reason, 'cancelled by jane');
    world.scheduler.cancel('t1', 'jane');
    world.scheduler.cancel('t1', 'joe');
    assert.deepEqual(world.cancelled, ['t1'], 'asking again is harmless');
    assert.equal(world.records.get('t1')?.state, 'running');
    const fault = new Fault('cancelled', 'cancelled', 'cancelled by jane').toData();
    await world.end('t1', { result: 'cancelled', fault, usage: null });
    assert.equal(world.records.archived.get('t1')?.result, 'cancelled');
    assert.throws(() => world.scheduler.cancel('t1', 'jane'), { kind: 'refused' });
    assert.throws(() => world.scheduler.cancel('t9', 'jane'), { kind: 'not_found' });
  });

  test('fails the task of a thread that broke, and goes on', async () => {
    const world = makeWorld({ total: 1, perInstance: 1 });
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    await world.submit('t2', buildOf('world'));
    await world.breakThread('t1', new Error('out of memory'));
    assert.equal(world.records.archived.get('t1')?.result, 'failed');
    assert.equal(world.ended[0]?.task, 't1');
    assert.equal(world.records.get('t2')?.state, 'running');
  });

  test('queues what it stops again at the front, with no interruption counted', async () => {
    const world = makeWorld({ total: 1, perInstance: 1 });
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    await world.submit('t2', buildOf('world'), { priority: 50 });
    await world.scheduler.stop();
    await settle();
    assert.deepEqual(states(world, 't1', 't2'), ['pending', 'pending']);
    assert.equal(world.records.get('t1')?.interruptions, 0);
    assert.ok((world.records.get('t1')?.rank ?? 0) < 0);
    await assert.rejects(world.submit('t3', buildOf('late')), { kind: 'unavailable' });
  });

  test('tries again when the disk had no room for the end of a task', async () => {
    const world = makeWorld({ total: 1, perInstance: 1 });
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    world.records.broken = new Fault('unavailable', 'disk-full', 'full');
    await world.end('t1');
    assert.equal(world.records.archived.size, 0);
    await world.pass();
    assert.equal(world.records.archived.get('t1')?.result, 'success');
  });

  test('tries again when the disk had no room for the start of a task', async () => {
    const world = makeWorld({ total: 1, perInstance: 1 });
    await world.submit('t1', buildOf('hello'));
    world.records.broken = new Fault('unavailable', 'disk-full', 'no space is left');
    world.scheduler.open();
    assert.equal(world.records.get('t1')?.state, 'pending');
    assert.equal(world.scheduler.queue.reason('t1'), 'no space is left');
    await world.pass();
    assert.equal(world.records.get('t1')?.state, 'running');
  });

  test('fails a task whose instance is gone without ending the queue', async () => {
    const world = makeWorld();
    world.scheduler.open();
    await world.scheduler.submit({ id: 't1', instance: 'gone', spec: buildOf('hello'), user: 'jane' });
    assert.match(world.records.archived.get('t1')?.reason ?? '', /no instance gone/);
  });
});

describe('recovery', () => {
  const interrupted = async (
    more: Partial<{ interruptions: number; interactive: boolean; cancelledBy: string }>,
  ) => {
    const world = makeWorld();
    world.scheduler.open();
    await world.submit('t1', buildOf('hello'));
    const task = world.records.get('t1');
    assert.ok(task);
    return { ...task, ...more };
  };
  const run = async (task: Awaited<ReturnType<typeof interrupted>>, published = false) => {
    const world = makeWorld();
    world.records.live.set(task.id, task);
    const place = {
      now: () => 2000,
      endJournal: () => undefined,
    } as unknown as Parameters<typeof recover>[2];
    const { entries } = recover([task], world.records, place, () => published, []);
    return { task: world.records.get('t1'), entries };
  };

  test('queues an interrupted task again once, at the front', async () => {
    const { task, entries } = await run(await interrupted({}));
    assert.equal(task?.state, 'pending');
    assert.equal(task?.interruptions, 1);
    assert.equal(task?.submission, 1000);
    assert.ok((entries[0]?.rank ?? 0) < 0);
  });

  test('gives up the second time, and on an interactive task', async () => {
    for (const more of [{ interruptions: 1 }, { interactive: true }]) {
      const { task } = await run(await interrupted(more));
      assert.equal(task?.result, 'failed');
      assert.equal(task?.cause, 'interrupted');
    }
  });

  test('ends a task whose publication was committed as a success', async () => {
    const { task } = await run(await interrupted({ interruptions: 1 }), true);
    assert.equal(task?.result, 'success');
  });

  test('ends a task that was being cancelled as cancelled', async () => {
    const { task } = await run(await interrupted({ cancelledBy: 'jane' }));
    assert.equal(task?.result, 'cancelled');
    assert.equal(task?.reason, 'cancelled by jane');
  });
});

function states(world: ReturnType<typeof makeWorld>, ...ids: string[]): (string | undefined)[] {
  return ids.map(id => world.records.get(id)?.state);
}
