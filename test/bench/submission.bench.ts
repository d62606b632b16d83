/** Durable submission under load, and a restart with very many tasks waiting. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeHome, pretendReady, spoolBuild, startDaemon } from '../support/daemon.ts';
import { startEdge } from '../support/edge-process.ts';
import { scaled } from '../support/scale.ts';
import { seedTasks } from '../support/seed-tasks.ts';
import { type LoadResult, type LoadTarget, runLoad } from '../support/submission-load.ts';
import { type Bench, type BenchRow, quantile } from './row.ts';

const CLIENTS = 50;
/** Seconds. */
const LOAD = scaled(10, 0.4);
/** Submissions of each client a second, which together are more than any site of ours has. */
const PACE = 4;
const WAITING = 100_000;

export const bench: Bench = {
  name: 'submission',
  run: async () => [...(await submit()), ...(await restart())],
};

/** Fifty clients: over gRPC, and over REST as uploads through the edge; at a pace, and as fast as each is answered. */
async function submit(): Promise<BenchRow[]> {
  const home = makeHome();
  home.configure('rackwright.ini', '[tasks]\nworkers = 1\nmax_workers = 1\n');
  home.configure('policy.ini', '[roles]\nanonymous\nbuilders=jane\n[anonymous]\n[builders]\nactions=build\n');
  pretendReady(home);
  const daemon = await startDaemon(home, { quick: true });
  const edge = await startEdge(home);
  try {
    // One long task keeps the worker busy: what is measured is submission.
    await daemon.service('BuildService').submitBuild(spoolBuild(home, 'wait600000'));
    const { token } = await daemon
      .service('TokenService')
      .issueToken({ instance: 'default', subject: 'jane' });
    const folder = join(home.path, 'bare');
    mkdirSync(folder);
    const rows: BenchRow[] = [];
    for (const pace of [PACE, undefined]) {
      const run = (target: LoadTarget) =>
        runLoad({ target, clients: CLIENTS, seconds: LOAD, ...(pace === undefined ? {} : { pace }) });
      const how = pace === undefined ? 'each as fast as it is answered' : `each ${pace} times a second`;
      const grpc = await run({ by: 'grpc', socket: join(home.path, 'run/control.sock') });
      const rest = await run({ by: 'rest', url: edge.url, token });
      const bare = await run({ by: 'bare writes', folder });
      rows.push(row('gRPC, the definition with the call', how, grpc, bare));
      rows.push(row('REST, the definition as an upload to the edge', how, rest, bare));
    }
    return rows;
  } finally {
    await edge.stop();
    await daemon.stop('SIGKILL');
    home.remove();
  }
}

function row(way: string, how: string, ours: LoadResult, bare: LoadResult): BenchRow {
  if (ours.failed > 0) throw new Error(`${ours.failed} clients were refused over ${way}`);
  const p99 = quantile(ours.times, 0.99);
  const speed = ({ times }: LoadResult): string =>
    `median ${quantile(times, 0.5).toFixed(1)} ms, ${(times.length / LOAD).toFixed(0)}/s`;
  return {
    measured: `answer to a durable submission over ${way}, ${CLIENTS} clients for ${LOAD} s, ${how}, milliseconds, 99th percentile`,
    ours: p99,
    peer: {
      name: 'definition and row as plain files, each synced, in a synced folder',
      value: quantile(bare.times, 0.99),
    },
    aim: { text: '<= 50 ms', met: p99 <= 50 },
    note: `${speed(ours)}; plain files ${speed(bare)}`,
  };
}

async function restart(): Promise<BenchRow[]> {
  const home = makeHome();
  home.configure('rackwright.ini', '[tasks]\nworkers = 1\nmax_workers = 1\n');
  pretendReady(home);
  const empty = await startDaemon(home, { quick: true });
  await empty.stop();
  await seedTasks(home.path, WAITING, 'waiting');
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
