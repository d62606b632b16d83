/** A registry without a daemon: the real catalogue and the real jobs, joined in this process. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalogue, type CatalogueQuestion } from '../../daemon/store/catalogue.ts';
import { type Database, openDatabase } from '../../daemon/store/database.ts';
import type { TaskContext, ToolOptions } from '../../workers/context.ts';
import type { InstanceSlice, Job, PipelineSlice, Question, Spec, WorkerSettings } from '../../workers/job.ts';
import { keyringCreation } from '../../workers/jobs/keyring.ts';
import { runTool } from '../../workers/tool.ts';

export interface RegistryHome {
  /** The folder of everything; removed by `close`. */
  readonly home: string;
  readonly instance: InstanceSlice;
  readonly settings: WorkerSettings;
  readonly catalogue: Catalogue;
  readonly database: Database;
  /** Lines that tasks logged. */
  readonly log: string[];
  /** A context as a task of its own gets it. */
  context(spec: Spec, task?: string): TaskContext;
  /** Absolute path of a format's public tree. */
  tree(format: string): string;
  close(): void;
}

export interface RegistryOptions {
  readonly home?: string;
  readonly instance?: string;
  readonly pipelines?: readonly Partial<PipelineSlice>[];
  readonly architectures?: readonly string[];
  readonly settings?: Partial<WorkerSettings>;
  /** Wraps every question: faults of the daemon's side. */
  readonly ask?: (question: Question, answer: () => unknown) => unknown;
  readonly keyring?: Partial<WorkerSettings['keyring']>;
}

/** Opens a registry; ed25519 unless told, since making an RSA key takes seconds. */
export function openRegistry(options: RegistryOptions = {}): RegistryHome {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'rw-reg-'));
  const dirs = {
    registry: join(home, 'registry'),
    cache: join(home, 'cache'),
    run: join(home, 'run'),
    tmp: join(home, 'tmp'),
    images: join(home, 'images'),
    keyring: join(home, 'keyring'),
  };
  for (const folder of [...Object.values(dirs), join(home, 'places')]) mkdirSync(folder, { recursive: true });
  const database = openDatabase(join(home, 'state.db'), [Catalogue.migrations]);
  const catalogue = new Catalogue(database, { registry: dirs.registry, now: () => Date.now() / 1000 });
  catalogue.recover();
  const instance = instanceOf(options);
  const settings: WorkerSettings = {
    dirs,
    imageFormats: ['deb'],
    debug: false,
    limits: {
      memory: 0,
      cpus: 0,
      pids: 0,
      disk: 0,
      timeout: 0,
      idleTimeout: 0,
      journal: 0,
      unpacked: 0,
      seccomp: false,
    },
    keyring: { type: 'ed25519', size: 4096, expires: 0, ...options.keyring },
    deb: { mirror: null, components: ['main'], prescriptDeps: [], validFor: 0, xzAfter: 60, lintian: true },
    rpm: { repositories: {}, modules: [], prescriptDeps: [], compression: 'gz' },
    ...options.settings,
  };
  const log: string[] = [];
  const answer = (question: Question): unknown => {
    const real = (): unknown =>
      question.type === 'lock' || question.type === 'unlock'
        ? null
        : catalogue.answer(instance.id, question as CatalogueQuestion);
    return options.ask ? options.ask(question, real) : real();
  };
  return {
    home,
    instance,
    settings,
    catalogue,
    database,
    log,
    tree: format => join(dirs.registry, instance.id, format),
    context: (spec, task = crypto.randomUUID()) =>
      contextOf({ spec, task, home, instance, settings, log, answer }),
    close: () => {
      database.close();
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

function instanceOf(options: RegistryOptions): InstanceSlice {
  return {
    id: options.instance ?? 'default',
    name: 'Example site',
    gpg: { name: 'Example team', email: 'team@example.org' },
    pipelines: (options.pipelines ?? [{}]).map(pipeline => ({
      format: 'deb',
      distribution: 'bookworm',
      environment: 'bookworm',
      tag: 'deb12',
      derivatives: ['main', 'extra'],
      mirror: null,
      components: [],
      modules: [],
      retention: {},
      ...pipeline,
    })),
    extends: { extra: 'main' },
    architectures: options.architectures ?? ['x86_64'],
    limits: {},
  };
}

interface ContextParts {
  readonly spec: Spec;
  readonly task: string;
  readonly home: string;
  readonly instance: InstanceSlice;
  readonly settings: WorkerSettings;
  readonly log: string[];
  readonly answer: (question: Question) => unknown;
}

function contextOf(parts: ContextParts): TaskContext {
  const place = join(parts.home, 'places', parts.task);
  mkdirSync(place, { recursive: true });
  const abort = new AbortController();
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C.UTF-8', HOME: place };
  const job: Job = {
    task: parts.task,
    name: 'artifact build',
    attempt: 1,
    user: 'test',
    submission: Math.floor(Date.now() / 1000),
    instance: parts.instance,
    spec: parts.spec,
    place,
    journal: join(place, 'task.journal'),
    console: join(place, 'console.sock'),
    interactive: false,
    settings: parts.settings,
  };
  return {
    job,
    console: { log: (level, text) => parts.log.push(`${level}: ${text}`), output: () => undefined },
    limits: parts.settings.limits,
    signal: abort.signal,
    progress: () => undefined,
    facts: () => undefined,
    ask: async question => parts.answer(question as Question) as never,
    holdCancel: () => () => undefined,
    lowerLimits: () => undefined,
    openSandbox: () => Promise.reject(new Error('no sandbox here')),
    runTool: (command: readonly string[], options: ToolOptions = {}) =>
      runTool(command, options, { signal: abort.signal, env }),
  };
}

/** Makes the instance's keys. */
export async function makeKeyring(registry: RegistryHome): Promise<void> {
  const spec = { type: 'keyring-creation' } as const;
  await keyringCreation(registry.context(spec), spec);
}
