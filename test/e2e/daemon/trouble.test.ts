/** Faults that the daemon survives, by the numbers of the hardening catalogue: S3, S13, S17, S23, S29. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectGrpc } from '../../../proto/rpc.ts';
import { loadProtocol } from '../../../proto/services.ts';
import {
  type Home,
  makeHome,
  pretendReady,
  type RunningDaemon,
  spoolBuild,
  startDaemon,
} from '../../support/daemon.ts';
import { type EdgeProcess, startEdge } from '../../support/edge-process.ts';
import { until } from '../../support/until.ts';

const HERE = { instance: 'default' };

function open(ini = ''): Home {
  const home = makeHome();
  home.configure('rackwright.ini', `[tasks]\nworkers = 4\nmax_workers = 4\n${ini}`);
  pretendReady(home);
  return home;
}

async function submit(home: Home, daemon: RunningDaemon, artifact: string): Promise<string> {
  return (await daemon.service('BuildService').submitBuild(spoolBuild(home, artifact))).task;
}

async function taskOf(daemon: RunningDaemon, task: string) {
  const answer = await daemon.service('TaskService').getTask({ ...HERE, task });
  assert.ok(answer.task);
  return answer.task;
}

async function finished(daemon: RunningDaemon, task: string) {
  const ended = async () => (await taskOf(daemon, task)).state === 'TASK_STATE_FINISHED';
  await until(ended, 60_000);
  return taskOf(daemon, task);
}

const spooled = (home: Home): string[] => readdirSync(join(home.path, 'lib/spool'));
const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

describe('an upload whose client goes away', () => {
  let home: Home;
  let daemon: RunningDaemon;
  before(async () => {
    home = open();
    daemon = await startDaemon(home, { quick: true });
  });
  after(async () => {
    await daemon.stop();
    home.remove();
  });

  /** A submission of 1 MB under a key, by a connection through `proxy`; waits for `halt` in the middle. */
  async function upload(proxy: string, halt: Promise<void>, signal: AbortSignal): Promise<string> {
    const connection = connectGrpc(loadProtocol(), proxy);
    const { definition, ...wish } = spoolBuild(home, 'ok', { idempotencyKey: 'mid-upload' });
    execFileSync('rm', [join(home.path, 'lib/spool', definition.spool)]);
    const bytes = Buffer.alloc(1_000_000, 'x');
    const request = { ...wish, definition: { filename: 'd', size: bytes.length, sha256: '', spool: '' } };
    const parts = async function* () {
      yield { request };
      yield { chunk: bytes.subarray(0, 400_000) };
      await halt;
      yield { chunk: bytes.subarray(400_000) };
    };
    try {
      return (await connection.service('BuildService').uploadBuild(parts(), { signal, timeout: 600_000 }))
        .task;
    } finally {
      connection.close();
    }
  }

  const control = (): string => join(home.path, 'run/control.sock');

  test('S23: a stream that is cut mid-upload leaves no file, and sent again under its key is one task', async () => {
    const gone = new AbortController();
    const over = Promise.withResolvers<void>();
    const cut = upload(`unix:${control()}`, over.promise, gone.signal);
    await until(async () => spooled(home).length === 1);
    gone.abort();
    await assert.rejects(cut);
    over.resolve();
    await until(async () => spooled(home).length === 0);
    const again = await upload(`unix:${control()}`, Promise.resolve(), new AbortController().signal);
    assert.equal(await upload(`unix:${control()}`, Promise.resolve(), new AbortController().signal), again);
    await finished(daemon, again);
    assert.equal((await daemon.service('TaskService').listTasks(HERE)).tasks.length, 1);
    assert.deepEqual(spooled(home), []);
  });

  test('S23: a connection that is half open is noticed, and its upload removed', async () => {
    const proxy = await openProxy(join(home.path, 'proxy.sock'), control());
    const over = Promise.withResolvers<void>();
    const stuck = upload(`unix:${proxy.path}`, over.promise, new AbortController().signal);
    stuck.catch(() => undefined);
    await until(async () => spooled(home).length === 1);
    const began = performance.now();
    proxy.freeze();
    await until(async () => spooled(home).length === 0, 300_000);
    const noticed = performance.now() - began;
    assert.ok(noticed > 1000, 'it was not the proxy that told');
    proxy.close();
    over.resolve();
    await assert.rejects(stuck);
  });
});

interface Proxy {
  readonly path: string;
  /** Passes nothing on any longer and keeps all connections, as a cable that was pulled out. */
  freeze(): void;
  close(): void;
}

async function openProxy(path: string, target: string): Promise<Proxy> {
  const sockets: Socket[] = [];
  const server: Server = createServer(near => {
    const far = connect(target);
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>(resolve => server.listen(path, resolve));
  return {
    path,
    freeze: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('S29: a hook that never returns is killed with its children, said so, and delays nothing', async () => {
  const home = open();
  const hook = join(home.path, 'hook.sh');
  const pids = join(home.path, 'pids');
  writeFileSync(hook, `#!/bin/sh\nsleep 1000 &\necho $$ $! >>${pids}\nwait\n`, { mode: 0o755 });
  home.configure('rackwright.ini', `[tasks]\nhook = ${hook}\n`);
  const daemon = await startDaemon(home, { quick: true });
  try {
    const killed = (stage: string): number =>
      daemon.log().match(new RegExp(`${stage}: hook \\S+ was killed: it took more than 5 s`, 'g'))?.length ??
      0;
    let [tasks, ahead] = [0, 0];
    // A task that its hook held up would end after it, however often it is tried; a busy machine is slow only now and then.
    await until(async () => {
      tasks++;
      const task = await finished(daemon, await submit(home, daemon, 'ok'));
      assert.equal(task.result, 'TASK_RESULT_SUCCESS');
      if (killed(`task ${task.id}, start`) === 0) ahead++;
      return ahead === 2;
    });
    await until(() => killed('start') === tasks && killed('end') === tasks);
    const started = readFileSync(pids, 'utf8').trim().split(/\s+/);
    assert.equal(started.length, 4 * tasks);
    await until(async () => !started.some(isAlive));
  } finally {
    await daemon.stop();
    home.remove();
  }
});

test('S17: a wall clock that jumps by days ends nothing early, changes no order and makes no duration false', async () => {
  const home = open('timeout = 1 h\nidle_timeout = 30 min\n');
  const daemon = await startDaemon(home, { quick: true });
  const jump = (days: number): void => writeFileSync(join(home.path, 'clock'), String(days * 86_400_000));
  try {
    const tasks: string[] = [];
    for (const name of ['held-a', 'held-b', 'held-c', 'held-d']) {
      tasks.push(await submit(home, daemon, name));
    }
    for (const days of [1, -1, 1, 0]) {
      jump(days);
      tasks.push(await submit(home, daemon, `wait100-${days}-${tasks.length}`));
    }
    await until(async () => (await taskOf(daemon, tasks[3] ?? '')).state === 'TASK_STATE_RUNNING');
    jump(-1);
    const waiting = tasks.slice(4);
    await sleep(1500);
    const pending = await daemon
      .service('TaskService')
      .listTasks({ ...HERE, states: ['TASK_STATE_PENDING'] });
    assert.deepEqual(
      pending.tasks.map(task => task.id),
      waiting,
    );
    for (const task of tasks.slice(0, 4)) writeFileSync(join((await taskOf(daemon, task)).place, 'go'), '');
    const ended = [];
    for (const task of tasks) ended.push(await finished(daemon, task));
    for (const task of ended) {
      assert.equal(task.result, 'TASK_RESULT_SUCCESS', task.reason);
      assert.ok(task.started >= task.submission && task.ended >= task.started);
    }
    const started = await daemon
      .service('TaskService')
      .listTasks({ ...HERE, states: ['TASK_STATE_FINISHED'] });
    assert.equal(started.tasks.length, tasks.length);
    const status = await daemon.service('DaemonService').getDaemonStatus({});
    const seconds = status.ended.reduce((sum, one) => sum + one.seconds, 0);
    assert.ok(seconds > 4 * 1.4 && seconds < 3600, `the tasks ran ${seconds} s`);
  } finally {
    await daemon.stop();
    home.remove();
  }
});

test('S3: what an earlier life has abandoned is removed after a start, and nothing that somebody owns', async () => {
  const home = open();
  const first = await startDaemon(home, { quick: true });
  const kept = await submit(home, first, 'ok');
  await finished(first, kept);
  await first.stop();
  const at = (path: string): string => join(home.path, 'lib', path);
  const workspace = at('workspaces/default/11111111-0000-4000-8000-000000000001');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'definition.archive'), 'never recorded');
  const [old, young] = [at('spool/old-0'), at('spool/young-0')];
  for (const file of [old, young]) writeFileSync(file, 'an upload');
  const dayBefore = new Date(Date.now() - 2 * 86_400_000);
  utimesSync(old, dayBefore, dayBefore);
  const daemon = await startDaemon(home, { quick: true });
  try {
    await until(() => !existsSync(workspace) && !existsSync(old));
    assert.ok(existsSync(young), 'it may belong to a submission under way');
    assert.ok(existsSync((await taskOf(daemon, kept)).place));
    assert.equal((await finished(daemon, await submit(home, daemon, 'ok'))).result, 'TASK_RESULT_SUCCESS');
  } finally {
    await daemon.stop();
    home.remove();
  }
});

/** Whether a process runs; one that only waits to be noticed dead does not. */
function isAlive(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('S13: a process without descriptors', () => {
  let home: Home;
  let daemon: RunningDaemon;
  let edge: EdgeProcess;
  before(async () => {
    home = open('[edge]\nconnections_per_peer = 0\n');
    home.configure(
      'policy.ini',
      '[roles]\nanonymous\n[anonymous]\nactions=view-registry,view-task,view-pipeline,build\n',
    );
    daemon = await startDaemon(home, { quick: true });
    edge = await startEdge(home);
  });
  after(async () => {
    await edge.stop();
    await daemon.stop();
    home.remove();
  });

  /** How many descriptors a process has, once none of them is about to go: nothing runs, and it turns without a change. */
  async function settled(pid: number): Promise<number> {
    for (let last = -1, same = 0; ; await sleep(50)) {
      const { running, waiting } = await daemon.service('DaemonService').getDaemonStatus({});
      // Answers of both show that neither stands still.
      await status();
      const count = descriptors(pid);
      same = count === last && running + waiting === 0 ? same + 1 : 0;
      if (same === 5) return count;
      last = count;
    }
  }

  /** Lets a process open only so many descriptors more while `work` runs; it must not have kept any afterwards. */
  async function starved(pid: number, more: number, work: () => Promise<void>): Promise<void> {
    const before = await settled(pid);
    const limit = (count: number): void =>
      void execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]);
    // The limit is a number, not a count: descriptors below it that are free may be had.
    const taken = new Set(readdirSync(`/proc/${pid}/fd`));
    let below = 0;
    for (let free = 0; free < more || taken.has(String(below)); below++)
      if (!taken.has(String(below))) free++;
    limit(below);
    try {
      await work();
    } finally {
      limit(4096);
    }
    await until(async () => descriptors(pid) <= before + 2);
  }

  /** Holds many connections open at once. */
  async function crowd(to: { port: number; host: string } | { path: string }, work: () => Promise<void>) {
    const sockets = Array.from({ length: 200 }, () => connect(to));
    for (const socket of sockets) socket.on('error', () => undefined);
    try {
      await sleep(500);
      await work();
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  }

  // One connection for all: while the edge can open nothing, it can't take another one either.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  after(() => agent.destroy());

  async function ask(path: string, body?: FormData): Promise<IncomingMessage> {
    const sent = body ? new Response(body) : null;
    const content = sent ? Buffer.from(await sent.arrayBuffer()) : '';
    const headers = sent ? { 'content-type': sent.headers.get('content-type') ?? '' } : {};
    const asked = request(`${edge.url}/default/${path}`, { agent, method: body ? 'POST' : 'GET', headers });
    asked.setTimeout(120_000, () => asked.destroy(new Error('no answer')));
    asked.end(content);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return answer;
  }

  const status = async (): Promise<number | undefined> => (await ask('registry.json')).statusCode;
  const post = async (): Promise<IncomingMessage> => {
    const form = new FormData();
    const fields = { format: 'deb', distribution: 'bookworm', derivative: 'main', artifact: 'ok' };
    const author = { user_name: 'Jane Roe', user_email: 'jane@example.org', message: 'Try' };
    for (const [key, value] of Object.entries({ ...fields, ...author, architectures: 'x86_64' }))
      form.set(key, value);
    form.set('tarball', new Blob(['definition']), 'definition.tar');
    return ask('build', form);
  };

  test('the edge stops accepting, says 503 where a file can not be opened, and goes on', async () => {
    const { hostname: host, port } = new URL(edge.url);
    assert.equal((await post()).statusCode, 200);
    await starved(edge.pid, 40, () => crowd({ host, port: Number(port) }, async () => undefined));
    assert.equal(await status(), 200);
    // A connection that stands already may ask for what needs a file.
    await starved(edge.pid, 0, async () => {
      const answer = await post();
      assert.equal(answer.statusCode, 503);
      assert.ok('retry-after' in answer.headers);
    });
    assert.equal((await post()).statusCode, 200);
    assert.deepEqual(spooled(home), []);
  });

  test('the daemon stops accepting, refuses what needs a file as unavailable, and goes on', async () => {
    const pid = daemon.child.pid ?? 0;
    await starved(pid, 20, () =>
      crowd({ path: join(home.path, 'run/control.sock') }, async () => {
        await daemon.service('TaskService').listTasks(HERE);
      }),
    );
    await starved(pid, 0, async () => {
      await assert.rejects(submit(home, daemon, 'ok'), { kind: 'unavailable' });
      await daemon.service('TaskService').listTasks(HERE);
    });
    assert.equal((await finished(daemon, await submit(home, daemon, 'ok'))).result, 'TASK_RESULT_SUCCESS');
    assert.equal((await post()).statusCode, 200);
  });
});
