/** What a task's sandbox and console cost beside the bare programs. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import runTask from '../../workers/task.ts';
import { newPlace, openAttempt, testJob } from '../support/attempt.ts';
import {
  hostArchitecture,
  hostCodename,
  hostPipeline,
  preparedRoot,
  testCache,
} from '../support/environment.ts';
import type { Bench, BenchRow } from './row.ts';
import { quantile } from './row.ts';

const RUNS = 20;
/** Bytes of output. */
const FLOOD = 100_000_000;
const FLOOD_SCRIPT = `head -c ${FLOOD} /dev/zero | tr '\\0' x | fold -w 200`;

export const bench: Bench = {
  name: 'sandbox',
  run: async () => [await noOpTask(), await commandInSandbox(), await output()],
};

/** A whole task around a command that does nothing: console, groups, overlay, end. */
async function noOpTask(): Promise<BenchRow> {
  await preparedRoot();
  const key = { format: 'deb', environment: hostCodename(), architecture: hostArchitecture() } as const;
  const spec = { type: 'environment-shell', ...key, term: '', command: ['true'] } as const;
  const times: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const place = newPlace();
    const { port1, port2 } = new MessageChannel();
    const began = performance.now();
    const job = testJob(place, { spec, base: testCache(), pipelines: [hostPipeline()] });
    const outcome = await runTask({ job, port: port2 });
    if (outcome.result !== 'success') throw new Error(JSON.stringify(outcome));
    // The first one loads the code.
    if (run > 0) times.push((performance.now() - began) / 1000);
    port1.close();
    rmSync(place, { recursive: true, force: true });
  }
  const ours = quantile(times, 0.5);
  return {
    measured: `a task with a no-op command in the sandbox, taken up to ended, seconds, median of ${RUNS}`,
    ours,
    peer: null,
    aim: { text: '<= 0.15 s', met: ours <= 0.15 },
  };
}

/** One command in an open sandbox, beside chroot, which confines nothing. */
async function commandInSandbox(): Promise<BenchRow> {
  const root = await preparedRoot();
  const opened = await openAttempt();
  try {
    const { context } = opened.attempt;
    const sandbox = await context.openSandbox({ roots: [root], work: join(opened.place, 'sandbox') });
    const ours: number[] = [];
    const bare: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      let began = performance.now();
      await sandbox.run(['dpkg', '--version']);
      ours.push((performance.now() - began) / 1000);
      began = performance.now();
      await context.runTool(
        process.getuid?.() === 0 ? ['chroot', root, 'dpkg', '--version'] : ['dpkg', '--version'],
      );
      bare.push((performance.now() - began) / 1000);
    }
    return {
      measured: `one command in an open sandbox, seconds, median of ${RUNS}`,
      ours: quantile(ours, 0.5),
      peer: { name: 'chroot, which isolates nothing', value: quantile(bare, 0.5) },
      aim: null,
    };
  } finally {
    await opened.close();
  }
}

/** A flood of output through terminal and journal, beside script(1), which does the same without frames. */
async function output(): Promise<BenchRow> {
  const opened = await openAttempt({ limits: { journal: 0 } });
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-bench-'));
  try {
    let began = performance.now();
    await opened.attempt.context.runTool(['sh', '-c', FLOOD_SCRIPT], { show: true });
    const ours = (performance.now() - began) / 1000;
    began = performance.now();
    execFileSync('script', ['-qec', FLOOD_SCRIPT, join(folder, 'typescript')], { stdio: 'ignore' });
    const peer = (performance.now() - began) / 1000;
    return {
      measured: `${FLOOD / 1e6} MB of output through the terminal into the journal, seconds`,
      ours,
      peer: { name: 'script(1)', value: peer },
      aim: { text: 'at most twice script(1)', met: ours <= 2 * peer },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await opened.close();
  }
}
