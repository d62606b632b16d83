/** The verbs' questions over the daemon's socket. */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import { type Frame, FrameReader } from '../../proto/frame.ts';
import type { Connection } from '../../proto/rpc.ts';
import type { CallOptions } from '../../proto/services.ts';
import type { Task__Output } from '../../proto/types/rackwright/v1/Task.ts';
import type { UploadBuildRequest } from '../../proto/types/rackwright/v1/UploadBuildRequest.ts';
import { taskJson } from '../build/task-json.ts';
import type { Api, Consoles, Submission, Task, Upload } from './api.ts';
import { keyringOf, registryOf } from './grpc-registry.ts';
import { statesOf } from './grpc-states.ts';

/** Tasks asked for at a time, the most that the daemon answers. */
const PAGE = 1000;
/** Seconds of silence after which the daemon shows that it is still there. */
const HEARTBEAT = 15;
/** Bytes of a file sent in one message, well under the message limit. */
const CHUNK = 256 * 1024;
/** Milliseconds for an upload to be taken, disk and all. */
const UPLOAD_LIMIT = 3_600_000;

/** A daemon at its socket. `options` carry who calls; `uri` is for messages. */
export function grpcApi(connection: Connection, uri: string, instance: string, options: CallOptions): Api {
  const instances = connection.service('InstanceService');
  const tasks = connection.service('TaskService');
  const images = connection.service('ImageService');
  const tokens = connection.service('TokenService');
  const list = async (state: 'TASK_STATE_PENDING' | 'TASK_STATE_RUNNING'): Promise<Task[]> => {
    const found: Task[] = [];
    for (let after = ''; ; ) {
      const page = await tasks.listTasks({ instance, states: [state], limit: PAGE, after }, options);
      found.push(...page.tasks.map(toTask));
      if (page.next === '') return found;
      after = page.next;
    }
  };
  return {
    uri,
    async formats(distribution = '') {
      const { pipelines } = await instances.listPipelines({ instance, distribution }, options);
      return Object.fromEntries(
        Object.entries(Object.groupBy(pipelines, pipeline => pipeline.format)).map(([format, group]) => [
          format,
          (group ?? []).map(({ distribution, environment, derivatives }) => ({
            distribution,
            environment: environment === '' ? null : environment,
            derivatives,
          })),
        ]),
      );
    },
    architectures: async () => (await instances.listArchitectures({ instance }, options)).architectures,
    submitBuild: submission => sendBuild(connection, submission, instance, options),

    running: () => list('TASK_STATE_RUNNING'),
    pending: () => list('TASK_STATE_PENDING'),
    async history(limit) {
      const answer = await tasks.listTasks({ instance, states: ['TASK_STATE_FINISHED'], limit }, options);
      return answer.tasks.map(toTask);
    },
    task: async id => toTask((await tasks.getTask({ instance, task: id }, options)).task),
    async cancelTask(id) {
      await tasks.cancelTask({ instance, task: id }, options);
    },
    retryTask: async id => (await tasks.retryTask({ instance, task: id }, options)).task,
    purgeHistory: async (policy = '') => (await tasks.purgeHistory({ instance, policy }, options)).task,
    frames: (id, offset, signal) =>
      follow(connection, { instance, task: id, offset }, { ...options, signal }),

    ...registryOf(connection, instance, options),
    states: statesOf(connection, instance, options),
    ...keyringOf(connection, instance, options),

    images: async () => (await images.listImages({ instance }, options)).images,
    async createImage({ format, environment, architecture = '' }, force) {
      if (environment === undefined)
        return (await images.createImage({ instance, format, force }, options)).task;
      return (await images.createEnvironment({ instance, format, environment, architecture }, options)).task;
    },
    async updateImage({ format, environment, architecture = '' }) {
      if (environment === undefined) return (await images.updateImage({ instance, format }, options)).task;
      return (await images.updateEnvironment({ instance, format, environment, architecture }, options)).task;
    },

    issuedTokens: async () => (await tokens.listTokens({ instance }, options)).tokens,
    issueToken: async (subject, days) =>
      (await tokens.issueToken({ instance, subject, days }, options)).token,
    async revokeToken(jti) {
      await tokens.revokeToken({ instance, jti }, options);
    },

    consoles: consolesOf(connection, instance, options),
    close: async () => connection.close(),
  };
}

function toTask(task: Task__Output | null): Task {
  if (!task) throw new Fault('internal', 'internal', 'the daemon answered without a task');
  return taskJson(task) as unknown as Task;
}

function consolesOf(connection: Connection, instance: string, options: CallOptions): Consoles {
  return {
    async openShell({ format, environment = '', architecture = '' }, term, command) {
      const request = { instance, format, environment, architecture, term, command: [...command] };
      return (await connection.service('ImageService').openShell(request, options)).task;
    },
    async *attach(id, input, signal) {
      async function* requests() {
        yield { instance, task: id };
        for await (const frames of input) yield { frames };
      }
      const calls = { ...options, signal, timeout: Number.POSITIVE_INFINITY };
      const answers = connection.service('ConsoleService').attach(requests(), calls);
      yield* framesOf(answers);
    },
  };
}

async function* follow(
  connection: Connection,
  request: { instance: string; task: string; offset: number },
  options: CallOptions,
): AsyncGenerator<Frame> {
  const calls = { ...options, timeout: Number.POSITIVE_INFINITY };
  yield* framesOf(connection.service('ConsoleService').follow({ ...request, heartbeat: HEARTBEAT }, calls));
}

async function* framesOf(answers: AsyncIterable<{ frames: Buffer }>): AsyncGenerator<Frame> {
  const reader = new FrameReader();
  try {
    for await (const { frames } of answers) yield* reader.push(frames);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Fault('invalid', 'bad-input', `the journal is damaged: ${error.message}`);
  }
}

async function sendBuild(
  connection: Connection,
  submission: Submission,
  instance: string,
  options: CallOptions,
): Promise<string> {
  const { definition, sources, interactive, architectures, ...texts } = submission;
  const request = {
    ...texts,
    instance,
    interactive,
    architectures: [...architectures],
    definition: await describeUpload(definition),
    sources: await Promise.all(
      sources.map(async ({ id, ...upload }) => ({ id, file: await describeUpload(upload) })),
    ),
    idempotencyKey: randomUUID(),
  };
  async function* parts(): AsyncGenerator<UploadBuildRequest> {
    yield { request };
    for (const { path } of [definition, ...sources]) {
      for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }))
        yield { chunk: chunk as Buffer };
    }
  }
  const answer = await connection
    .service('BuildService')
    .uploadBuild(parts(), { ...options, timeout: UPLOAD_LIMIT });
  return answer.task;
}

/** A file as the daemon is told of it before its bytes come. */
async function describeUpload({ path, filename }: Upload) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const { size } = await stat(path);
  return { spool: '', filename: basename(filename), size, sha256: hash.digest('hex') };
}
