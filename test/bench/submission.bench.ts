/** Durable submission under load, and a restart with very many tasks waiting. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { claimsOf } from '../../daemon/core/claims.ts';
import { newTask } from '../../daemon/core/task.ts';
import { openDatabase } from '../../daemon/store/database.ts';
import { TASK_TABLES, TaskStore } from '../../daemon/store/task-store.ts';
import type { Spec } from '../../workers/job.ts';
import { type Home, makeHome, pretendReady, spoolBuild, startDaemon } from '../support/daemon.ts';
import { scaled } from '../support/scale.ts';
import { type Bench, type BenchRow, quantile } from './row.ts';

const CLIENTS = 50;
/** Seconds. */
const LOAD = scaled(10, 0.4);
const WAITING = 100_000;

export const bench: Bench = {
  name: 'submission',
  run: async () => [...(await submit()), ...(await restart())],
};

/** Fifty clients, each submitting as fast as it is answered. */
async function submit(): Promise<BenchRow[]> {
  const home = makeHome();
  home.configure('rackwright.ini', '[tasks]\nworkers = 1\nmax_workers = 1\n');
  pretendReady(home);
  const daemon = await startDaemon(home, { quick: true });
  try {
    // One long task keeps the worker busy: what is measured is submission.
    const builds = daemon.service('BuildService');
    await builds.submitBuild(spoolBuild(home, 'wait600000'));
    const ours = await load(
      () => spoolBuild(home, `hello-${randomUUID().slice(0, 8)}`),
      wish => builds.submitBuild(wish),
    );
    const bare = await load(
      () => undefined,
      () => bareWrites(home),
    );
    const p99 = quantile(ours, 0.99);
    const rate = ours.length / LOAD;
    return [
      {
        measured: `answer to a durable submission with ${CLIENTS} clients for ${LOAD} s, milliseconds, 99th percentile`,
        ours: p99,
        peer: {
          name: 'the same three files written and synced, without daemon',
          value: quantile(bare, 0.99),
        },
        aim: { text: '<= 50 ms', met: p99 <= 50 },
        note: `median ${quantile(ours, 0.5).toFixed(1)} ms, ${rate.toFixed(0)} submissions/s`,
      },
    ];
  } finally {
    await daemon.stop('SIGKILL');
    home.remove();
  }
}

/** Milliseconds of each call; what a client prepares before is its own. */
async function load<T>(prepare: () => T, call: (prepared: T) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + LOAD * 1000;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (performance.now() < end) {
        const prepared = prepare();
        const began = performance.now();
        await call(prepared);
        times.push(performance.now() - began);
      }
    }),
  );
  return times;
}

async function bareWrites(home: Home): Promise<void> {
  const folder = join(home.path, 'bare', randomUUID());
  mkdirSync(folder, { recursive: true });
  for (const name of ['definition', 'task.yml', 'row']) {
    const file = await open(join(folder, name), 'w');
    await file.writeFile('x'.repeat(1000));
    await file.sync();
    await file.close();
  }
  const entry = await open(folder, 'r');
  await entry.sync();
  await entry.close();
}

async function restart(): Promise<BenchRow[]> {
  const home = makeHome();
  home.configure('rackwright.ini', '[tasks]\nworkers = 1\nmax_workers = 1\n');
  pretendReady(home);
  const empty = await startDaemon(home, { quick: true });
  await empty.stop();
  await fill(home);
  const daemon = await startDaemon(home, { quick: true });
  try {
    const began = performance.now();
    const states = ['TASK_STATE_PENDING'] as const;
    const page = await daemon
      .service('TaskService')
      .listTasks({ instance: 'default', states: [...states], limit: 100 });
    const took = performance.now() - began;
    if (page.tasks.length !== 100) throw new Error(`a page of ${page.tasks.length} tasks`);
    const seconds = daemon.startup / 1000;
    return [
      {
        measured: `restart with ${WAITING} waiting tasks until the sockets answer, seconds`,
        ours: seconds,
        peer: { name: 'the same with none', value: empty.startup / 1000 },
        aim: { text: '<= 3 s', met: seconds <= 3 },
      },
      {
        measured: 'first page of 100 waiting tasks, milliseconds',
        ours: took,
        peer: null,
        aim: { text: '<= 100 ms', met: took <= 100 },
        note: 'no peer keeps such a queue',
      },
    ];
  } finally {
    await daemon.stop('SIGKILL');
    home.remove();
  }
}

/** Records waiting tasks as their submission would have. */
async function fill(home: Home): Promise<void> {
  const database = openDatabase(join(home.path, 'lib/state.db'), [TASK_TABLES]);
  const store = new TaskStore({
    database,
    claims: task => claimsOf(task.instance, task.spec),
    create: async () => undefined,
    soon: action => setImmediate(action),
  });
  const adding: Promise<unknown>[] = [];
  for (let rank = 0; rank < WAITING; rank++) {
    const id = randomUUID();
    const place = join(home.path, 'lib/workspaces/default', id);
    const paths = { place, journal: join(place, 'task.journal'), console: join(place, 'console.sock') };
    const task = newTask(
      { id, instance: 'default', spec: buildOf(`wait600000-${rank}`, place), user: 'jane' },
      paths,
      1e9,
      rank,
    );
    adding.push(store.add(task, [], null));
  }
  await Promise.all(adding);
  database.close();
}

function buildOf(artifact: string, place: string): Spec {
  return {
    type: 'build',
    format: 'deb',
    distribution: 'bookworm',
    derivative: 'main',
    architectures: ['x86_64'],
    artifact,
    author: 'Jane Roe',
    email: 'jane@example.org',
    message: 'Try',
    definition: join(place, 'definition.archive'),
    sources: [],
  };
}
