/** Reading a registry of 50,000 artifacts at the edge, beside 10,000 tasks: first page of the list, description, search. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPair } from '../support/pair.ts';
import { seedName } from '../support/seed-apt.ts';
import { seedTasks } from '../support/seed-tasks.ts';
import { type Bench, type BenchRow, quantile } from './row.ts';

const TIMER = fileURLToPath(new URL('../support/publish-timer.ts', import.meta.url));
const ARTIFACTS = 50_000;
const TASKS = 10_000;
const RUNS = 200;
/** Milliseconds at the edge, median. */
const AIM = 5;

export const bench: Bench = { name: 'registry-reads', run };

async function run(): Promise<BenchRow[]> {
  const home = mkdtempSync(join(tmpdir(), 'rw-bench-'));
  try {
    // The registry of the tests lies as the daemon's `lib` does.
    execFileSync(process.execPath, [TIMER, join(home, 'lib'), 'seed', String(ARTIFACTS)]);
    await seedTasks(home, TASKS, 'archived');
    const pair = await startPair({ home });
    try {
      const place = '/default/registry/deb/bookworm/main';
      const name = (at: number): string => seedName((at * 7919) % ARTIFACTS);
      return [
        await row('first page of the list', pair.url, () => `${place}/`),
        await row('one artifact', pair.url, at => `${place}/x86_64/${name(at)}.json`),
        await row('search, one match', pair.url, at => `/default/search.json?artifact=${name(at)}`),
      ];
    } finally {
      await pair.stop();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function row(what: string, url: string, path: (run: number) => string): Promise<BenchRow> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let at = 0; at < RUNS; at++) {
    const start = performance.now();
    const status = await fetchWhole(`${url}${path(at)}`, agent);
    times.push(performance.now() - start);
    if (status !== 200) throw new Error(`${path(at)}: status ${status}`);
  }
  agent.destroy();
  const ours = quantile(times, 0.5);
  return {
    measured: `${what} of ${ARTIFACTS} artifacts beside ${TASKS} tasks, milliseconds at the edge, median of ${RUNS}`,
    ours,
    peer: null,
    aim: { text: `<= ${AIM} ms`, met: ours <= AIM },
    note: 'the server that clients know starts programs for its reads; it can not run here',
  };
}

function fetchWhole(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, response => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    }).on('error', reject);
  });
}
