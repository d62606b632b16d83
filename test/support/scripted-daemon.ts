/** A daemon that answers our own services as a test scripts it, on a real Unix socket: what the edge is tested against. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { requireBuildable } from '../../proto/buildable.ts';
import { Fault } from '../../proto/fault.ts';
import { createServer, implement } from '../../proto/rpc.ts';
import { type CallContext, type Handlers, loadProtocol, type ServiceName } from '../../proto/services.ts';
import type { Artifact } from '../../proto/types/rackwright/v1/Artifact.ts';
import type { Pipeline } from '../../proto/types/rackwright/v1/Pipeline.ts';
import type { SubmitBuildRequest__Output } from '../../proto/types/rackwright/v1/SubmitBuildRequest.ts';
import type { Task } from '../../proto/types/rackwright/v1/Task.ts';
import { ACTIONS, type FormatName } from '../../proto/words.ts';

export interface Published extends Artifact {
  readonly format: string;
  readonly distribution: string;
  readonly derivative: string;
}

/** Everything the daemon answers from; tests change it as they go. */
export interface World {
  instances: { id: string; name: string; userid: string }[];
  pipelines: Pipeline[];
  architectures: string[];
  artifacts: Published[];
  tasks: Task[];
  /** Frames by task; a task that is not finished is followed until its list says `null`. */
  journals: Map<string, (Buffer | null)[]>;
  /** Watchers that have not gone. */
  following: number;
  /** Milliseconds that a journal takes to begin. */
  slow: number;
  keyring: string | null;
  anonymous: string[];
  /** Logins and their actions by token. */
  tokens: Map<string, { login: string; actions: readonly string[] }>;
  submitted: SubmitBuildRequest__Output[];
  /** Thrown by the next submission. */
  refuse: Fault | null;
  deleted: unknown[];
  spool: string;
  maxUpload: number;
  changes: unknown[];
}

export interface ScriptedDaemon {
  readonly world: World;
  stop(): Promise<void>;
}

export function newWorld(home: string): World {
  const spool = join(home, 'lib/spool');
  mkdirSync(spool, { recursive: true });
  mkdirSync(join(home, 'lib/taken'), { recursive: true });
  mkdirSync(join(home, 'run'), { recursive: true });
  return {
    instances: [{ id: 'default', name: 'Example', userid: 'Ops <ops@example.org>' }],
    pipelines: [
      {
        format: 'deb',
        distribution: 'bookworm',
        environment: 'bookworm',
        derivatives: ['main', 'extra'],
        tag: 'deb12',
      },
      { format: 'osi', distribution: 'ci', environment: '', derivatives: ['main'], tag: '' },
    ],
    architectures: ['x86_64', 'aarch64'],
    artifacts: [],
    tasks: [],
    following: 0,
    slow: 0,
    journals: new Map(),
    keyring: '-----BEGIN PGP PUBLIC KEY BLOCK-----\n',
    anonymous: ['view-pipeline', 'view-registry', 'view-task', 'view-keyring'],
    tokens: new Map([
      [
        'good.builder.token',
        { login: 'jane', actions: ['build', 'edit-registry', 'edit-task', 'view-task'] },
      ],
      ['good.admin.token', { login: 'root', actions: ACTIONS }],
    ]),
    submitted: [],
    refuse: null,
    deleted: [],
    spool,
    maxUpload: 0,
    changes: [],
  };
}

/** Starts to answer on `{home}/run/edge.sock`. */
export async function startScriptedDaemon(
  home: string,
  world: World = newWorld(home),
): Promise<ScriptedDaemon> {
  const server = createServer();
  const protocol = loadProtocol();
  const add = <S extends ServiceName>(service: S, handlers: Partial<Handlers<S>>): void => {
    const whole = new Proxy(handlers as unknown as Handlers<S> & object, {
      get: (own, name) =>
        (own as Record<string | symbol, unknown>)[name] ??
        (async () => {
          throw new Fault('unavailable', 'not-built-yet', `${service}.${String(name)} is not scripted`);
        }),
    });
    implement(server, protocol, service, whole, error => {
      throw error;
    });
  };
  addReads(add, world);
  addTasks(add, world);
  addChanges(add, world, home);
  rmSync(join(home, 'run/edge.sock'), { force: true });
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${join(home, 'run/edge.sock')}`, grpc.ServerCredentials.createInsecure(), error =>
      error ? reject(error) : resolve(),
    ),
  );
  return {
    world,
    stop: async () => server.forceShutdown(),
  };
}

type Add = <S extends ServiceName>(service: S, handlers: Partial<Handlers<S>>) => void;

/** The caller; throws as the daemon does. */
function identify(
  world: World,
  instance: string,
  call: CallContext,
): { login: string; actions: readonly string[] } {
  const header = call.metadata.authorization;
  const caller =
    header === undefined
      ? { login: 'anonymous', actions: world.anonymous }
      : world.tokens.get(header.replace(/^Bearer /, ''));
  if (!caller) throw new Fault('forbidden', 'token-invalid', 'the token is not valid');
  if (!world.instances.some(known => known.id === instance)) {
    throw new Fault('not_found', 'not-found', `there is no instance "${instance}"`);
  }
  return caller;
}

function absent(what: string): Fault {
  return new Fault('not_found', 'not-found', `there is no such ${what}`);
}

function addReads(add: Add, world: World): void {
  add('TokenService', {
    whoAmI: async ({ instance }, call) => {
      const { login, actions } = identify(world, instance, call);
      return { login, roles: [login], actions: [...actions] };
    },
    listTokens: async () => ({ tokens: [{ jti: 'j', subject: 'jane', issued: 1, expires: 2, revoked: 0 }] }),
    issueToken: async request => {
      world.changes.push({ issueToken: request });
      return {
        token: 'a.b.c',
        issued: { jti: 'j', subject: request.subject || 'root', issued: 1, expires: 2 },
      };
    },
    revokeToken: async request => {
      world.changes.push({ revokeToken: request });
      return {};
    },
  });
  add('InstanceService', {
    listInstances: async () => ({ instances: world.instances }),
    getInstance: async ({ instance }) => ({
      instance: world.instances.find(known => known.id === instance) ?? null,
    }),
    listArchitectures: async () => ({ architectures: world.architectures }),
    listPipelines: async request => ({
      pipelines: world.pipelines.filter(pipeline =>
        (['format', 'distribution', 'environment'] as const).every(
          key => request[key] === '' || pipeline[key] === request[key],
        ),
      ),
    }),
  });
  add('KeyringService', {
    exportKeyring: async () => {
      if (world.keyring === null) throw absent('keyring');
      return { armored: world.keyring };
    },
    getKeyring: async () => ({
      keyring: {
        userid: 'Ops <ops@example.org>',
        updated: 5,
        master: { id: 'A', fingerprint: 'AA', algorithm: 'rsa4096' },
      },
    }),
    createKeyring: async () => ({ task: randomUUID() }),
    renewKeyring: async request => {
      world.changes.push({ renewKeyring: request });
      return { task: randomUUID() };
    },
  });
  addRegistry(add, world);
}

function addRegistry(add: Add, world: World): void {
  const names = (key: 'format' | 'distribution' | 'derivative', where: Partial<Published>): string[] => {
    const matching = world.artifacts.filter(artifact =>
      Object.entries(where).every(([name, value]) => artifact[name as 'format'] === value),
    );
    return [...new Set(matching.map(artifact => artifact[key]))].sort();
  };
  const change = (name: string) => async (request: unknown) => {
    world.changes.push({ [name]: request });
    return { task: randomUUID() };
  };
  add('RegistryService', {
    listFormats: async () => ({ formats: names('format', {}) }),
    listDistributions: async ({ format }) => {
      if (!world.pipelines.some(pipeline => pipeline.format === format)) throw absent('format');
      return { distributions: names('distribution', { format }) };
    },
    listDerivatives: async ({ format, distribution }) => {
      const derivatives = names('derivative', { format, distribution });
      if (derivatives.length === 0) throw absent('distribution');
      return { derivatives };
    },
    listArtifacts: async function* ({ place }) {
      const { format, distribution, derivative } = place ?? {};
      const found = world.artifacts.filter(
        known =>
          known.format === format && known.distribution === distribution && known.derivative === derivative,
      );
      if (found.length === 0) throw absent('derivative');
      for (let at = 0; at < found.length; at += 1000)
        yield { artifacts: found.slice(at, at + 1000), next: '' };
    },
    describeArtifact: async function* ({ place, architecture, name, version }) {
      const artifact = world.artifacts.find(
        known =>
          known.name === name &&
          known.architecture === architecture &&
          known.distribution === place?.distribution &&
          (version === '' || known.version === version),
      );
      if (!artifact) throw absent('artifact');
      const source = { architecture: 'src', name, version: artifact.version ?? '', size: 0 };
      yield { part: { artifact, source, binaries: [artifact], changelog: [], content: [] } };
      yield {
        part: {
          changelog: [{ author: 'Jané <jane@example.org>', changes: ['First build'], date: 5, version: '1' }],
          content: [{ path: '/usr/bin/hello', type: 'f', size: 26 }],
        },
      };
    },
    searchArtifacts: async function* ({ contains }) {
      const found = world.artifacts.filter(known => known.name?.includes(contains));
      yield {
        matches: found.map(artifact => ({
          place: {
            format: artifact.format,
            distribution: artifact.distribution,
            derivative: artifact.derivative,
          },
          artifact,
        })),
      };
    },
    listGenerations: async () => ({
      generations: [{ name: '7', created: 5.5, superseded: 0, task: 't', snapshots: ['stable'] }],
    }),
    compareGenerations: async function* ({ from }) {
      const artifact = { architecture: 'x86_64', name: 'hello', version: from, size: 1 };
      yield { differences: [{ place: { derivative: 'main' }, artifact, added: true }] };
    },
    createSnapshot: change('createSnapshot'),
    deleteSnapshot: change('deleteSnapshot'),
    promote: change('promote'),
    rollBack: change('rollBack'),
    importArtifacts: change('importArtifacts'),
    verifyRegistry: change('verifyRegistry'),
    repairRegistry: change('repairRegistry'),
    retainArtifacts: change('retainArtifacts'),
    collectRegistry: change('collectRegistry'),
    uploadUpdateInfo: async requests => {
      const got = { request: null as unknown, bytes: '' };
      for await (const { request, chunk } of requests) {
        if (request) got.request = request;
        if (chunk) got.bytes += chunk.toString('latin1');
      }
      world.changes.push({ uploadUpdateInfo: got });
      return { task: randomUUID() };
    },
    planRetention: async function* (request) {
      const artifact = { architecture: 'x86_64', name: 'hello', version: '1', size: 1 };
      yield {
        rule: request.rule ?? { last: 3, newer: 0 },
        outdated: [{ artifact, published: 5.5, newerVersions: 3, snapshots: ['stable'] }],
      };
    },
    deleteArtifact: async request => {
      const { name, version, architecture } = request;
      const there = world.artifacts.some(
        known => known.name === name && known.version === version && known.architecture === architecture,
      );
      if (!there) throw absent('artifact');
      world.deleted.push(request);
      return { task: randomUUID() };
    },
  });
}

function addTasks(add: Add, world: World): void {
  const find = (id: string): Task => {
    const task = world.tasks.find(known => known.id === id);
    if (!task) throw absent('task');
    return task;
  };
  add('TaskService', {
    getTask: async ({ task }) => ({ task: find(task) }),
    listTasks: async ({ states, limit, after }) => {
      const matching = world.tasks.filter(
        task => states.length === 0 || states.includes(task.state as (typeof states)[number]),
      );
      const from = Number(after || '0');
      const next = from + limit < matching.length ? String(from + limit) : '';
      return { tasks: matching.slice(from, from + limit), next };
    },
    cancelTask: async ({ task }) => ({ task: find(task) }),
    retryTask: async ({ task }) => {
      find(task);
      return { task: randomUUID() };
    },
    setPriority: async ({ task, priority }) => ({ task: { ...find(task), priority } }),
    purgeHistory: async request => {
      world.changes.push({ purgeHistory: request });
      return { task: randomUUID() };
    },
  });
  add('ConsoleService', {
    follow: async function* ({ task, offset, storedOnly }, { signal }) {
      world.following++;
      signal.addEventListener('abort', () => world.following--, { once: true });
      if (world.slow > 0) await pause(world.slow);
      const journal = world.journals.get(task) ?? [];
      let skip = offset;
      for (let at = 0; ; ) {
        while (at === journal.length && !storedOnly && !signal.aborted) await pause(5);
        const frame = journal[at++];
        if (frame === undefined || frame === null) return;
        if (skip >= frame.length) skip -= frame.length;
        else yield { frames: frame };
      }
    },
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds));
}

function addChanges(add: Add, world: World, home: string): void {
  add('BuildService', {
    prepareBuild: async () => ({ spool: world.spool, maxUpload: world.maxUpload }),
    submitBuild: async request => {
      if (world.refuse) throw world.refuse;
      const files = [request.definition, ...request.sources.map(source => source.file)];
      for (const file of files) {
        if (file) renameSync(join(world.spool, file.spool), join(home, 'lib/taken', file.spool));
      }
      world.submitted.push(request);
      return { task: randomUUID() };
    },
  });
  add('ImageService', {
    listImages: async () => ({
      images: [{ format: 'deb', exists: true, environments: [{ name: 'bookworm' }] }],
    }),
    createImage: async request => {
      requireBuildable(request.format as FormatName);
      world.changes.push({ createImage: request });
      return { task: randomUUID() };
    },
    updateImage: async () => ({ task: randomUUID() }),
    createEnvironment: async request => {
      world.changes.push({ createEnvironment: request });
      return { task: randomUUID() };
    },
    updateEnvironment: async () => ({ task: randomUUID() }),
  });
}

/** A task as the daemon would tell it, with what a test wants otherwise. */
export function scriptedTask(changes: Partial<Task> = {}): Task {
  const id = changes.id ?? randomUUID();
  return {
    id,
    instance: 'default',
    name: 'artifact build',
    state: 'TASK_STATE_PENDING',
    result: 'TASK_RESULT_UNSPECIFIED',
    user: 'jane',
    submission: 1_767_225_600.75,
    place: `/var/lib/rackwright/workspaces/default/${id}`,
    io: { console: '/run/c.sock', interactive: false, journal: '/j/task.journal' },
    build: {
      format: 'deb',
      distribution: 'bookworm',
      derivative: 'main',
      architectures: ['x86_64'],
      artifact: 'hello',
      author: 'Jane Roe',
      email: 'jane@example.org',
      message: 'First build',
    },
    ...changes,
  };
}
