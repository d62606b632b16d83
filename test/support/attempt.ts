/** An attempt at a task as a worker thread has it, for tests of what runs in one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { type Frame, FrameReader } from '../../proto/frame.ts';
import { Attempt } from '../../workers/attempt.ts';
import type { Job, PipelineSlice, Progress, TaskLimits } from '../../workers/job.ts';

export const LIMITS: TaskLimits = {
  memory: 4 * 1024 ** 3,
  cpus: 0,
  pids: 4096,
  disk: 20 * 1024 ** 3,
  timeout: 4 * 3600,
  idleTimeout: 1800,
  journal: 256 * 1024 ** 2,
  unpacked: 8 * 1024 ** 3,
  seccomp: true,
};

export interface JobOptions {
  readonly limits?: Partial<TaskLimits>;
  readonly spec?: Job['spec'];
  readonly attempt?: number;
  readonly interactive?: boolean;
  readonly task?: string;
  readonly debug?: boolean;
  readonly imageFormats?: readonly string[];
  /** Folder for caches and images; below the place unless told. */
  readonly base?: string;
  readonly pipelines?: readonly PipelineSlice[];
  readonly mirror?: string;
}

/** A job in a place of its own. */
export function testJob(place: string, options: JobOptions = {}): Job {
  const base = options.base ?? place;
  const dir = (name: string): string => join(base, name);
  return {
    task: options.task ?? crypto.randomUUID(),
    name: 'artifact build',
    attempt: options.attempt ?? 1,
    user: 'tester',
    submission: 1_767_225_600,
    instance: {
      id: 'test',
      name: 'Test',
      gpg: { name: 'Test', email: 'test@example.org' },
      pipelines: options.pipelines ?? [],
      extends: {},
      architectures: ['x86_64'],
      limits: {},
    },
    spec: options.spec ?? { type: 'history-purge', policy: 'last:100', tasks: [] },
    place,
    journal: join(place, 'task.journal'),
    console: join(place, 'console.sock'),
    interactive: options.interactive ?? false,
    settings: {
      dirs: {
        registry: dir('registry'),
        cache: dir('cache'),
        run: dir('run'),
        tmp: '/var/tmp',
        images: dir('images'),
        keyring: dir('keyring'),
      },
      imageFormats: options.imageFormats ?? ['deb'],
      debug: options.debug ?? false,
      limits: { ...LIMITS, ...options.limits },
      keyring: { type: 'rsa', size: 4096, expires: 0 },
      deb: {
        mirror: options.mirror ?? null,
        components: [],
        prescriptDeps: [],
        validFor: 0,
        xzAfter: 0,
        lintian: true,
      },
      rpm: { repositories: {}, modules: [], prescriptDeps: [], compression: 'gz' },
    },
  };
}

export interface OpenAttempt {
  readonly attempt: Attempt;
  readonly place: string;
  /** What the thread sent. */
  readonly sent: Progress[];
  /** Sends an order as the daemon does. */
  order(command: { type: 'cancel'; by: string } | { type: 'stop' }): void;
  /** Whole frames of the journal so far. */
  frames(): Frame[];
  /** All output in one. */
  output(): string;
  /** Ends it and removes its place. */
  close(): Promise<void>;
}

/** Opens an attempt in a new place; `prepare` sees the job first. */
export async function openAttempt(options: JobOptions = {}, place = newPlace()): Promise<OpenAttempt> {
  const { port1, port2 } = new MessageChannel();
  const sent: Progress[] = [];
  port1.on('message', (message: Progress) => sent.push(message));
  port1.unref();
  const job = testJob(place, options);
  const attempt = await Attempt.open(job, port2, { uid: process.getuid?.() ?? 0, architecture: arch() });
  return {
    attempt,
    place,
    sent,
    order: command => port1.postMessage(command),
    frames: () => readFrames(job.journal),
    output: () => outputOf(readFrames(job.journal)),
    close: async () => {
      await attempt.close();
      attempt.console.close();
      port1.close();
      rmSync(place, { recursive: true, force: true });
    },
  };
}

export function newPlace(): string {
  return mkdtempSync(join(tmpdir(), 'rackwright-exec-'));
}

export function readFrames(journal: string): Frame[] {
  return [...new FrameReader().push(readFileSync(journal))];
}

export function outputOf(frames: readonly Frame[]): string {
  return Buffer.concat(frames.filter(frame => frame.command === 1).map(frame => frame.payload)).toString(
    'utf8',
  );
}
