/**
 * A thread entry that takes memory until it is ended, a program on a terminal beside it; one named `calm…` just waits,
 * one named `brief…` tells facts, ends at once, and then leaves a file `over` in its folder.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { Terminal } from '../../workers/console/terminal.ts';
import type { Job, Outcome } from '../../workers/job.ts';

// biome-ignore lint/style/noDefaultExport: a thread is entered by the default export
export default async function hogTask({ job, port }: { job: Job; port: MessagePort }): Promise<Outcome> {
  if (job.task.startsWith('brief')) {
    port.postMessage({ type: 'facts', version: job.task, archives: [] });
    setImmediate(() => writeFileSync(join(job.place, 'over'), ''));
    return { result: 'success', fault: null, usage: null };
  }
  if (!job.task.startsWith('calm')) {
    const command = ['sh', '-c', 'while sleep 0.1; do echo line; done'];
    const terminal = new Terminal({
      command,
      env: process.env as never,
      input: 'none',
      onOutput: () => undefined,
    });
    port.postMessage({ type: 'progress', step: `pid ${terminal.pid}`, done: 0, total: 0 });
    await sleep(300);
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, at) => at + Math.random()));
  }
  await sleep(1500);
  return { result: 'success', fault: null, usage: null };
}
