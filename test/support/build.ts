/** Runs build tasks through the workers' real entry, with the real catalogue answering, but without a daemon. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import type { CatalogueQuestion } from '../../daemon/store/catalogue.ts';
import { COMMAND, decodeLog, FrameReader } from '../../proto/frame.ts';
import { TASK_NAMES } from '../../proto/words.ts';
import type { Job, Outcome, Progress, Question, Spec } from '../../workers/job.ts';
import runTask from '../../workers/task.ts';
import { pack, type Sample } from './definitions.ts';
import type { RegistryHome } from './registry.ts';

export interface TaskRun {
  readonly outcome: Outcome;
  readonly job: Job;
  /** LOG lines as `LEVEL:text`, in order. */
  readonly log: readonly string[];
  /** All output of tools. */
  readonly output: string;
  readonly facts: readonly Extract<Progress, { type: 'facts' }>[];
  readonly steps: readonly string[];
}

export interface TaskOptions {
  /** Seconds since the epoch. */
  readonly submission?: number;
  /** uuid of the task; a new one unless told. */
  readonly task?: string;
  /** Stands in for an answer of the catalogue; undefined leaves it. */
  readonly answer?: (question: Question) => unknown;
}

/** Runs one task to its end. */
export async function runTaskIn(home: RegistryHome, spec: Spec, options: TaskOptions = {}): Promise<TaskRun> {
  const task = options.task ?? crypto.randomUUID();
  const place = join(home.home, 'places', crypto.randomUUID());
  mkdirSync(place, { recursive: true });
  const job: Job = {
    ...{ task, attempt: 1, user: 'test', place, interactive: false, spec },
    name: spec.type === 'build' ? TASK_NAMES.build : TASK_NAMES.environmentCreation,
    submission: options.submission ?? Math.floor(Date.now() / 1000),
    instance: home.instance,
    journal: join(place, 'task.journal'),
    console: join(place, 'console.sock'),
    settings: home.settings,
  };
  const { port1, port2 } = new MessageChannel();
  const facts: Extract<Progress, { type: 'facts' }>[] = [];
  const steps: string[] = [];
  port1.on('message', (message: Progress) => {
    if (message.type === 'facts') facts.push(message);
    if (message.type === 'progress') steps.push(message.step);
    if (message.type !== 'ask') return;
    const { id, question } = message;
    const given = options.answer?.(question);
    const isLock = question.type === 'lock' || question.type === 'unlock';
    const answer =
      given !== undefined
        ? given
        : isLock
          ? null
          : home.catalogue.answer(home.instance.id, question as CatalogueQuestion);
    port1.postMessage({ type: 'answer', id, answer });
  });
  try {
    const outcome = await runTask({ job, port: port2 });
    return { outcome, job, facts, steps, ...readJournal(job.journal) };
  } finally {
    port1.close();
    port2.close();
  }
}

function readJournal(path: string): { log: string[]; output: string } {
  const log: string[] = [];
  const output: Buffer[] = [];
  for (const frame of new FrameReader().push(readFileSync(path))) {
    const line = frame.command === COMMAND.log ? decodeLog(frame.payload) : null;
    if (line) log.push(`${line.level}:${line.text}`);
    if (frame.command === COMMAND.bytes) output.push(Buffer.from(frame.payload));
  }
  return { log, output: Buffer.concat(output).toString('utf8') };
}

/** Makes the environment `bookworm` of the host's architecture, from the kept tarball where there is one. */
export async function createEnvironment(home: RegistryHome): Promise<void> {
  const architecture = home.instance.architectures[0] ?? 'x86_64';
  const environment = home.instance.pipelines[0]?.environment ?? 'bookworm';
  const { outcome, log } = await runTaskIn(home, {
    type: 'environment-creation',
    format: 'deb',
    environment,
    architecture,
  });
  if (outcome.result !== 'success') throw new Error(`no environment: ${log.join('\n')}`);
}

/** Submits a sample as the edge would: definition packed, sources beside it. */
export async function buildSample(
  home: RegistryHome,
  sample: Sample,
  options: TaskOptions & { readonly derivative?: string; readonly message?: string } = {},
): Promise<TaskRun> {
  const definition = pack(sample.folder, join(home.home, 'sent', `${crypto.randomUUID()}.tar.xz`));
  return runTaskIn(
    home,
    {
      ...{ type: 'build', format: 'deb', distribution: 'bookworm', derivative: options.derivative ?? 'main' },
      architectures: home.instance.architectures,
      artifact: sample.artifact,
      ...{
        author: 'Jane Roe',
        email: 'jane@example.org',
        message: options.message ?? 'First build',
        definition,
      },
      sources: sample.sources.map(({ id, path }) => ({ id, path, filename: basename(path) })),
    },
    options,
  );
}

/** SHA-256 of a file, lower-case hex. */
export function sha256(path: string): string {
  return execFileSync('sha256sum', [path], { encoding: 'utf8' }).slice(0, 64);
}
