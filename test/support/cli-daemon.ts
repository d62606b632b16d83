/** A small daemon that takes uploads and holds interactive consoles, on a real Unix socket, for tests of the command line. */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { Fault } from '../../proto/fault.ts';
import { COMMAND, encodeBytes, encodeEnd, encodeFrame, encodeLog, FrameReader } from '../../proto/frame.ts';
import { createServer, implement } from '../../proto/rpc.ts';
import { type Handlers, loadProtocol, type ServiceName } from '../../proto/services.ts';
import type { SubmitBuildRequest__Output } from '../../proto/types/rackwright/v1/SubmitBuildRequest.ts';
import type { Task } from '../../proto/types/rackwright/v1/Task.ts';
import { scriptedTask } from './scripted-daemon.ts';

export interface Received {
  readonly request: SubmitBuildRequest__Output;
  readonly login: string | undefined;
  /** Bytes of each file in the order in which they were announced. */
  readonly files: Buffer[];
}

export interface CliDaemon {
  readonly socket: string;
  readonly received: Received[];
  /** Frames that clients of interactive tasks have sent, as `command:payload`. */
  readonly typed: string[];
  readonly shells: unknown[];
  /** Tasks by id, finished as successes when their console ends. */
  readonly tasks: Map<string, Task>;
  /** What builds show, where a test has its own idea; the task may be changed meanwhile. */
  show: ((task: Task) => AsyncGenerator<Buffer>) | null;
  stop(): Promise<void>;
}

/** Starts to answer on `{folder}/control.sock`. */
export async function startCliDaemon(folder: string): Promise<CliDaemon> {
  const socket = join(folder, 'control.sock');
  const daemon: Omit<CliDaemon, 'stop'> = {
    socket,
    received: [],
    typed: [],
    shells: [],
    tasks: new Map(),
    show: null,
  };
  const server = createServer();
  const protocol = loadProtocol();
  const add = <S extends ServiceName>(service: S, handlers: Partial<Handlers<S>>): void => {
    const whole = new Proxy(handlers as unknown as Handlers<S>, {
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
  addPipelines(add);
  addUploads(add, daemon);
  addConsoles(add, daemon);
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${socket}`, grpc.ServerCredentials.createInsecure(), error =>
      error ? reject(error) : resolve(),
    ),
  );
  return Object.assign(daemon, { stop: async () => server.forceShutdown() });
}

type Add = <S extends ServiceName>(service: S, handlers: Partial<Handlers<S>>) => void;

function addPipelines(add: Add): void {
  const pipeline = {
    format: 'deb',
    distribution: 'bookworm',
    environment: 'bookworm',
    derivatives: ['main'],
    tag: '',
  };
  add('InstanceService', {
    listPipelines: async () => ({ pipelines: [pipeline] }),
    listArchitectures: async () => ({ architectures: ['x86_64', 'aarch64'] }),
    listInstances: async () => ({ instances: [] }),
  });
}

function addUploads(add: Add, { received, tasks }: Omit<CliDaemon, 'stop'>): void {
  add('BuildService', {
    uploadBuild: async (parts, call) => {
      let request: SubmitBuildRequest__Output | null = null;
      const chunks: Buffer[] = [];
      for await (const part of parts) {
        if (part.request) request = part.request;
        else if (part.chunk) chunks.push(part.chunk);
      }
      if (!request) throw new Fault('invalid', 'bad-input', 'no request came first');
      let bytes = Buffer.concat(chunks);
      const files: Buffer[] = [];
      for (const file of [request.definition, ...request.sources.map(source => source.file)]) {
        const size = file?.size ?? 0;
        const content = bytes.subarray(0, size);
        bytes = bytes.subarray(size);
        if (createHash('sha256').update(content).digest('hex') !== file?.sha256) {
          throw new Fault('invalid', 'bad-checksum', `${file?.filename} came damaged`);
        }
        files.push(content);
      }
      if (bytes.length > 0) throw new Fault('invalid', 'bad-input', `${bytes.length} bytes too many`);
      received.push({ request, files, login: call.metadata['rackwright-login'] });
      const id = randomUUID();
      tasks.set(id, scriptedTask({ id, state: 'TASK_STATE_RUNNING' }));
      return { task: id };
    },
  });
}

function addConsoles(add: Add, daemon: Omit<CliDaemon, 'stop'>): void {
  const { typed, shells, tasks } = daemon;
  const finish = (id: string): void => {
    const task = tasks.get(id);
    if (task) Object.assign(task, { state: 'TASK_STATE_FINISHED', result: 'TASK_RESULT_SUCCESS' });
  };
  add('TaskService', {
    getTask: async ({ task }) => {
      const found = tasks.get(task);
      if (!found) throw new Fault('not_found', 'not-found', 'there is no such task');
      return { task: found };
    },
  });
  add('ImageService', {
    openShell: async request => {
      shells.push(request);
      const id = randomUUID();
      tasks.set(id, scriptedTask({ id, state: 'TASK_STATE_RUNNING' }));
      return { task: id };
    },
  });
  add('ConsoleService', {
    follow: async function* ({ task }) {
      const told = tasks.get(task);
      if (daemon.show && told) {
        for await (const frames of daemon.show(told)) yield { frames };
        finish(task);
        yield { frames: encodeEnd(true) };
        return;
      }
      yield { frames: Buffer.concat([encodeLog('info', 'Building'), ...encodeBytes(Buffer.from('made\n'))]) };
      finish(task);
      yield { frames: encodeEnd(true) };
    },
    // A shell that knows one command, exit, and repeats everything else.
    attach: async function* (requests) {
      yield { frames: Buffer.concat([encodeLog('info', 'Shell'), encodeFrame(COMMAND.rawEnable)]) };
      yield { frames: Buffer.concat(encodeBytes(Buffer.from('# '))) };
      const reader = new FrameReader();
      let id = '';
      // Left by hand: leaving a loop over it would destroy the stream before the last frame is sent.
      const incoming = requests[Symbol.asyncIterator]();
      for (;;) {
        const { value: request, done } = await incoming.next();
        if (done) return;
        id ||= request.task;
        for (const { command, payload } of reader.push(request.frames)) {
          typed.push(`${command}:${payload.toString('latin1')}`);
          if (command !== COMMAND.bytes) continue;
          yield { frames: Buffer.concat(encodeBytes(payload)) };
          if (!/exit|\x04/.test(payload.toString('latin1'))) continue;
          finish(id);
          yield { frames: Buffer.concat([encodeFrame(COMMAND.rawDisable), encodeEnd(true)]) };
          return;
        }
      }
    },
  });
}
