/** Journals of tasks over HTTP: the frames as they are, as plain text, as one JSON object a line. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { COMMAND, encodeFrame } from '../../proto/frame.ts';
import type { Task__Output } from '../../proto/types/rackwright/v1/Task.ts';
import { goneSignal } from '../http/gone.ts';
import { Refusal, speakProblem } from '../http/problem.ts';
import { followJournal } from './journal.ts';
import { toLines, toText } from './journal-text.ts';
import { ErrorBody } from './schemas.ts';
import { type BuildDeps, instanceOf, onBehalf, permit, queryOf } from './scope.ts';
import { getTask, stateOf } from './task-json.ts';

/** Milliseconds after which an answer begins although the task has said nothing. */
const PATIENCE = 1000;

type Words = (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer | string>;

const OFFSET = Type.Object({
  offset: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,15}$',
      description: 'Bytes of the journal to skip, at a frame boundary',
    }),
  ),
});

/** Routes below an instance. */
export function watchRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    watchRoute(deps, app, 'journal', 'application/octet-stream', chunks => chunks);
    watchRoute(deps, app, 'txt', 'text/plain; charset=utf-8', toText);
    watchRoute(deps, app, 'ndjson', 'application/x-ndjson', toLines);
  };
}

function watchRoute(deps: BuildDeps, app: FastifyInstance, suffix: string, type: string, words: Words): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `/watch/:task.${suffix}`,
    onRequest: permit(deps, 'view-task'),
    config: suffix === 'journal' ? {} : { speak: speakProblem },
    schema: {
      summary: 'The journal of a task; that of a running task is streamed until it ends',
      querystring: OFFSET,
      produces: [type],
      response: { 403: ErrorBody, 404: ErrorBody },
    },
    handler: async (request, reply) => {
      const task = await getTask(deps, request);
      reply
        .header('content-type', type)
        .header('cache-control', 'no-cache')
        .header('rackwright-offset', queryOf(request, 'offset') ?? '0')
        .header('x-accel-buffering', 'no')
        .header('x-content-type-options', 'nosniff');
      if (request.method === 'HEAD') return reply.send();
      return sendJournal(deps, request, reply, task, words);
    },
  });
}

async function sendJournal(
  deps: BuildDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  task: Task__Output,
  words: Words,
): Promise<FastifyReply> {
  const offset = Number(queryOf(request, 'offset') ?? '0');
  const isStored = stateOf(task) === 'finished';
  let begun = false;
  const chunks = followJournal(deps.control, {
    instance: instanceOf(deps, request),
    task,
    offset,
    heartbeat: deps.settings.edge.heartbeat,
    begun: () => begun,
    options: { ...onBehalf(request), signal: AbortSignal.any([goneSignal(reply), deps.stopping]) },
  });
  // The first chunk decides: what fails before it is a fault that can still be answered. What is stored comes soon; a task
  // that runs and has said nothing yet is not waited for.
  const first = chunks.next();
  first.catch(() => {}); // Told where it is awaited, if anyone still listens then.
  const early = isStored ? await first : await Promise.race([first, sleep(PATIENCE, null, { ref: false })]);
  if (early?.done && isStored) throw new Refusal(416, `the journal ends at or before offset ${offset}`);
  begun = true;
  async function* all(): AsyncGenerator<Buffer> {
    if (early === null) yield encodeFrame(COMMAND.heartbeat);
    const { done, value } = await first;
    if (done) return;
    yield value;
    yield* chunks;
  }
  return reply.send(Readable.from(words(all()), { objectMode: false, highWaterMark: 0 }));
}
