/** What callers do at a bad moment, and what they may not have by a way round: the daemon goes on, and says no. */
import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeBytes } from '../../../proto/frame.ts';
import {
  type Home,
  makeHome,
  pretendReady,
  type RunningDaemon,
  spoolBuild,
  startDaemon,
  wishFor,
} from '../../support/daemon.ts';
import { EXAMPLE } from '../../support/drawing-service.ts';
import { until } from '../../support/until.ts';

const HERE = { instance: 'default' };
const POLICY =
  '[roles]\nusers=bob\nanonymous\n[anonymous]\nactions=view-task\n[users]\nactions=view-task,edit-task\n';

let home: Home;
let daemon: RunningDaemon;
let bob = { authorization: '' };

before(async () => {
  home = makeHome();
  writeFileSync(join(home.path, 'inventory.yml'), EXAMPLE);
  writeFileSync(join(home.path, 'hook'), '#!/bin/sh\n', { mode: 0o755 });
  home.configure('policy.ini', POLICY);
  home.configure('racksdb.ini', '');
  home.configure(
    'rackwright.ini',
    `[drawing]\ndatabase = ${join(home.path, 'inventory.yml')}\n[edge]\nmax_upload = 1 MiB\n`,
  );
  pretendReady(home);
  daemon = await startDaemon(home, { quick: true });
  const { token } = await daemon.service('TokenService').issueToken({ ...HERE, subject: 'bob' });
  bob = { authorization: `Bearer ${token}` };
});
after(async () => {
  await daemon.stop('SIGKILL');
  home.remove();
});
afterEach(async () => {
  await daemon.service('InstanceService').listInstances({});
  assert.equal(daemon.child.exitCode, null, daemon.log());
});

const get = async (task: string) => (await daemon.service('TaskService').getTask({ ...HERE, task })).task;
const finished = async (task: string) => {
  await until(async () => (await get(task))?.state === 'TASK_STATE_FINISHED');
  return get(task);
};

describe('a caller', () => {
  test('may type before the console is there', async () => {
    const wish = spoolBuild(home, 'wait600000', { interactive: true });
    const { task } = await daemon.service('BuildService').submitBuild(wish);
    await until(async () => (await get(task))?.state === 'TASK_STATE_RUNNING');
    const leaving = new AbortController();
    const input = async function* () {
      yield { ...HERE, task };
      // The thread of this task never opens a console.
      yield { frames: Buffer.concat([...encodeBytes(Buffer.from('x'))]) };
      await sleep(10_000, null, { signal: leaving.signal }).catch(() => undefined);
    };
    const options = { signal: leaving.signal, timeout: Number.POSITIVE_INFINITY };
    const frames = daemon.service('ConsoleService').attach(input(), options)[Symbol.asyncIterator]();
    await frames.next();
    await sleep(200);
    leaving.abort();
    await frames.next().catch(() => undefined);
    await daemon.service('TaskService').cancelTask({ ...HERE, task });
    await finished(task);
  });

  test('may leave before the drawing begins that then fails', async () => {
    await until(async () => {
      const { status } = await daemon.service('InventoryService').getStatus({});
      return (status?.loaded ?? 0) > 0;
    });
    const drawing = {
      ...{ entity: 'room', name: 'nowhere', format: 'png', datacenter: '', parameters: Buffer.alloc(0) },
      ...{ syntax: 'yaml', settings: [], defaults: Buffer.alloc(0), coordinates: '', fullCoordinates: false },
    };
    for (let wait = 0; wait < 10; wait++) {
      const leaving = new AbortController();
      const options = { ...bob, signal: leaving.signal };
      const answer = daemon.service('DrawingService', 'edge').draw({ drawing, etag: '' }, options);
      const reading = (async () => {
        for await (const piece of answer) assert.fail(String(piece));
      })().catch((error: unknown) => error);
      await sleep(wait);
      leaving.abort();
      await reading;
    }
    // Each of them has failed by now.
    const last = daemon.service('DrawingService', 'edge').draw({ drawing, etag: '' }, bob);
    await assert.rejects(async () => {
      for await (const piece of last) assert.fail(String(piece));
    }, /Unable to find room nowhere/);
  });

  test('can not make room for an upload by a file of negative size', async () => {
    const big = 8 * 1024 * 1024;
    const file = (size: number) => ({ spool: '', filename: 'f.tar', size, sha256: '' });
    const parts = async function* () {
      yield { request: { ...wishFor('ok', file(big)), sources: [{ id: 'x', file: file(1 - big) }] } };
      for (let at = 0; at < big; at += 1 << 20) yield { chunk: Buffer.alloc(1 << 20) };
    };
    await assert.rejects(daemon.service('BuildService').uploadBuild(parts()), {
      reason: 'bad-input',
      message: /negative/,
    });
    assert.deepEqual(readdirSync(join(home.path, 'lib/spool')), []);
  });

  test('gets by a retry nothing that may not be submitted', async () => {
    const edge = daemon.service('TaskService', 'edge');
    const done: string[] = [];
    const own = daemon.service('BuildService').submitBuild(spoolBuild(home, 'ok'));
    await finished((await own).task);
    const submitted = [
      await daemon.service('KeyringService').renewKeyring({ ...HERE, duration: '1y' }),
      await daemon.service('ImageService').updateImage({ ...HERE, format: 'deb' }),
      await daemon.service('ImageService').openShell({ ...HERE, format: 'deb', command: ['true'] }),
      await daemon.service('TaskService').purgeHistory({ ...HERE, policy: 'last:100' }),
    ];
    for (const { task } of submitted) {
      await finished(task);
      done.push(task);
    }
    for (const task of done) {
      await assert.rejects(edge.retryTask({ ...HERE, task }, bob), { reason: 'no-permission' }, task);
    }
    await finished((await edge.retryTask({ ...HERE, task: (await own).task }, bob)).task);
    const again = await daemon.service('TaskService').retryTask({ ...HERE, task: done.at(-1) ?? '' });
    assert.equal((await finished(again.task))?.result, 'TASK_RESULT_SUCCESS');
  });
});

describe('a hook that can not be run', () => {
  for (const [what, path] of [
    ['since it is being written', 'hook'],
    ['since its folder is none', 'hook/below'],
  ] as const) {
    test(`${what} is told of, and its task goes on`, async () => {
      const other = makeHome();
      pretendReady(other);
      writeFileSync(join(other.path, 'hook'), '#!/bin/sh\n', { mode: 0o755 });
      other.configure('rackwright.ini', `[tasks]\nhook = ${join(other.path, path)}\n`);
      const writing = openSync(join(other.path, 'hook'), 'a');
      const running = await startDaemon(other, { quick: true });
      try {
        const { task } = await running.service('BuildService').submitBuild(spoolBuild(other, 'ok'));
        await until(() => /stage end.*can't be run|end: hook .* can't be run/.test(running.log()));
        const { task: ended } = await running.service('TaskService').getTask({ ...HERE, task });
        assert.equal(ended?.result, 'TASK_RESULT_SUCCESS');
        assert.ok(existsSync(join(other.path, 'hook')));
      } finally {
        closeSync(writing);
        await running.stop('SIGKILL');
        other.remove();
      }
    });
  }
});
