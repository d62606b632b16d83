/**
 * A thread entry for tests of the daemon: does what the artifact's name says, with a real journal and real processes.
 * `ok…` ends at once, `wait<ms>…` takes its time, `held…` lasts until a file `go` lies in its folder, `fail…` fails,
 * `stuck…` ignores every word until it is killed.
 * Builds of `real…`, and what is no build, are left to the shipped thread.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '../../proto/fault.ts';
import { encodeEnd, encodeLog, resumableLength } from '../../proto/frame.ts';
import type { Command, Job, Outcome } from '../../workers/job.ts';

// biome-ignore lint/style/noDefaultExport: a thread is entered by the default export
export default async function quickTask({ job, port }: { job: Job; port: MessagePort }): Promise<Outcome> {
  if (job.spec.type !== 'build' || job.spec.artifact.startsWith('real')) {
    return (await import('../../workers/task.ts')).default({ job, port });
  }
  const { artifact } = job.spec;
  // A kill may have come before the attempt's first line.
  if (job.attempt > 1 && existsSync(job.journal)) {
    const bytes = readFileSync(job.journal);
    truncateSync(
      job.journal,
      resumableLength((into, at) => bytes.copy(into, 0, at)),
    );
  }
  const log = (frame: Buffer): void => appendFileSync(job.journal, frame);
  const mark = (word: string): void => appendFileSync(join(job.place, 'runs'), `${word} ${job.attempt}\n`);
  mark('start');
  if (job.attempt > 1) log(encodeLog('warning', `attempt ${job.attempt}`));
  log(encodeLog('info', `running ${artifact}`));
  const ordered = waitFor(port, artifact);
  const millis = Number(/^wait(\d+)/.exec(artifact)?.[1] ?? 0);
  const over = artifact.startsWith('held') ? released(job.place) : sleep(millis);
  const command = artifact.startsWith('stuck') ? null : await Promise.race([ordered, over]);
  if (artifact.startsWith('stuck')) await runStubborn(port);
  if (command?.type === 'stop') return { result: 'stopped', fault: null, usage: null };
  const fault = faultOf(artifact, command);
  if (fault) log(encodeLog('error', fault.message));
  log(encodeEnd(fault === null, fault?.message ?? ''));
  mark('end');
  const result = fault === null ? 'success' : command?.type === 'cancel' ? 'cancelled' : 'failed';
  return { result, fault: fault?.toData() ?? null, usage: { peakMemory: 1, cpuSeconds: 0.1 } };
}

function faultOf(artifact: string, command: Command | null): Fault | null {
  if (command?.type === 'cancel') return new Fault('cancelled', 'cancelled', `cancelled by ${command.by}`);
  return artifact.startsWith('fail') ? new Fault('refused', 'build-failed', 'it was to fail') : null;
}

/** The first word of the daemon. */
function waitFor(port: MessagePort, artifact: string): Promise<Command | null> {
  return new Promise(resolve => {
    port.on('message', (command: Command) => {
      if (!artifact.startsWith('stuck') && (command.type === 'cancel' || command.type === 'stop'))
        resolve(command);
    });
  });
}

function sleep(millis: number): Promise<null> {
  return new Promise(resolve => setTimeout(() => resolve(null), millis));
}

async function released(place: string): Promise<null> {
  while (!existsSync(join(place, 'go'))) await sleep(20);
  return null;
}

/** A process that does not end by itself. */
function runStubborn(port: MessagePort): Promise<void> {
  const child = spawn('sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'], { stdio: 'ignore' });
  port.postMessage({ type: 'progress', step: `pid ${child.pid}`, done: 0, total: 0 });
  return new Promise(resolve => child.on('exit', () => resolve()));
}
