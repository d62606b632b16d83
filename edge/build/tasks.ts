/** Tasks: what runs, what waits, one by its id; and beyond the documented routes, lists, cancel, retry and purge. */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Task__Output } from '../../proto/types/rackwright/v1/Task.ts';
import { present } from '../control/control.ts';
import type { Json } from '../http/json.ts';
import { speakProblem } from '../http/problem.ts';
import { sendList } from './lists.ts';
import { ErrorBody, SubmittedTask, Task } from './schemas.ts';
import {
  type BuildDeps,
  instanceOf,
  mergeOptions,
  onBehalf,
  optionOf,
  permit,
  queryOf,
  sendJson,
  taskOf,
} from './scope.ts';
import { getTask, isDocumented, listTasks, taskJson } from './task-json.ts';

/** Tasks asked of the daemon at a time. */
const PAGE = 1000;

const REFUSED = { 403: ErrorBody, 404: ErrorBody };

/** Routes below an instance. */
export function taskRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    documentedRoutes(deps, app);
    listRoutes(deps, app);
    changeRoutes(deps, app);
  };
}

function documentedRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'view-task');
  app.get(
    '/running.json',
    {
      onRequest,
      schema: {
        summary: 'The task that runs, or null',
        response: { 200: Type.Union([Task, Type.Null()]), ...REFUSED },
      },
    },
    async (request, reply) => {
      for await (const tasks of pagesOf(deps, request, 'TASK_STATE_RUNNING')) {
        const first = tasks.find(isDocumented);
        if (first) return sendJson(reply, taskJson(first));
      }
      return sendJson(reply, null);
    },
  );
  app.get(
    '/queue.json',
    {
      onRequest,
      schema: { summary: 'Tasks that wait, next first', response: { 200: Type.Array(Task), ...REFUSED } },
    },
    (request, reply) => sendTasks(reply, documented(pagesOf(deps, request, 'TASK_STATE_PENDING'))),
  );
  app.get(
    '/tasks/:task.json',
    { onRequest, schema: { summary: 'A task in any state', response: { 200: Task, ...REFUSED } } },
    async (request, reply) => sendJson(reply, taskJson(await getTask(deps, request))),
  );
}

async function* documented(pages: AsyncIterable<Task__Output[]>): AsyncGenerator<Task__Output[]> {
  for await (const tasks of pages) yield tasks.filter(isDocumented);
}

async function* pagesOf(
  deps: BuildDeps,
  request: FastifyRequest,
  state: 'TASK_STATE_PENDING' | 'TASK_STATE_RUNNING',
): AsyncGenerator<Task__Output[]> {
  let after = '';
  do {
    const { tasks, next } = await listTasks(deps, request, { states: [state], limit: PAGE, after });
    yield tasks;
    after = next;
  } while (after !== '');
}

/** Sends tasks as they come; a queue may hold 100,000. */
async function sendTasks(reply: FastifyReply, pages: AsyncIterable<Task__Output[]>): Promise<FastifyReply> {
  async function* shown(): AsyncGenerator<Json[]> {
    for await (const tasks of pages) yield tasks.map(taskJson);
  }
  return sendList(reply, shown());
}

const ListQuery = Type.Object({
  state: Type.Optional(Type.Union(['pending', 'running', 'finished'].map(name => Type.Literal(name)))),
  limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]{0,2}|1000)$' })),
  before: Type.Optional(Type.String({ maxLength: 256, description: 'Rackwright-Next of an earlier answer' })),
  name: Type.Optional(Type.String()),
  artifact: Type.Optional(Type.String()),
  user: Type.Optional(Type.String()),
  result: Type.Optional(Type.Union(['success', 'failed', 'cancelled'].map(name => Type.Literal(name)))),
});

const DEFAULT_LIMIT = '100';
const DEFAULT_HISTORY = '10';

function listRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'view-task');
  const config = { speak: speakProblem };
  const list = async (
    request: FastifyRequest,
    reply: FastifyReply,
    state: string | undefined,
    limit: string,
  ) => {
    const result = queryOf(request, 'result');
    const call = {
      states: state === undefined ? [] : [`TASK_STATE_${state.toUpperCase()}`],
      name: queryOf(request, 'name') ?? '',
      artifact: queryOf(request, 'artifact') ?? '',
      user: queryOf(request, 'user') ?? '',
      ...(result === undefined
        ? {}
        : { result: `TASK_RESULT_${result.toUpperCase()}` as 'TASK_RESULT_FAILED' }),
      limit: Number(queryOf(request, 'limit') ?? limit),
      after: queryOf(request, 'before') ?? '',
    };
    const { tasks, next } = await listTasks(deps, request, call);
    if (next !== '') reply.header('rackwright-next', next);
    return sendJson(reply, tasks.map(taskJson));
  };
  const response = { 200: Type.Array(Task), ...REFUSED };
  app.get(
    '/tasks.json',
    {
      onRequest,
      config,
      schema: {
        summary: 'Tasks of any state; the header Rackwright-Next continues',
        querystring: ListQuery,
        response,
      },
    },
    (request, reply) => list(request, reply, queryOf(request, 'state'), DEFAULT_LIMIT),
  );
  app.get(
    '/history.json',
    {
      onRequest,
      config,
      schema: { summary: 'Finished tasks, newest first', querystring: ListQuery, response },
    },
    (request, reply) => list(request, reply, 'finished', DEFAULT_HISTORY),
  );
}

function changeRoutes(deps: BuildDeps, app: FastifyInstance): void {
  const onRequest = permit(deps, 'edit-task');
  const config = { speak: speakProblem };
  app.post(
    '/tasks/:task/cancel',
    {
      onRequest,
      config,
      schema: { summary: 'Cancels a task that has not finished', response: { 200: Task, ...REFUSED } },
    },
    async (request, reply) => {
      const call = { instance: instanceOf(deps, request), task: taskOf(request) };
      const { task } = await deps.control.tasks.cancelTask(call, onBehalf(request));
      return sendJson(reply, taskJson(present(task, 'task')));
    },
  );
  app.post(
    '/tasks/:task/retry',
    {
      onRequest,
      config,
      schema: {
        summary: 'Submits a new task with the same input',
        response: { 200: SubmittedTask, ...REFUSED },
      },
    },
    async (request, reply) => {
      const call = { instance: instanceOf(deps, request), task: taskOf(request) };
      const { task } = await deps.control.tasks.retryTask(call, onBehalf(request));
      return sendJson(reply, { task });
    },
  );
  app.post(
    '/tasks/:task/priority',
    {
      onRequest,
      config,
      preValidation: mergeOptions,
      schema: {
        summary: 'Moves a task that waits; higher runs first',
        body: Type.Object({ priority: Type.Integer({ minimum: -100, maximum: 100 }) }),
        response: { 200: Task, ...REFUSED },
      },
    },
    async (request, reply) => {
      const priority = optionOf<number>(request, 'priority') ?? 0;
      const call = { instance: instanceOf(deps, request), task: taskOf(request), priority };
      const { task } = await deps.control.tasks.setPriority(call, onBehalf(request));
      return sendJson(reply, taskJson(present(task, 'task')));
    },
  );
  app.post(
    '/history/purge',
    {
      onRequest: permit(deps, 'purge-history'),
      config,
      preValidation: mergeOptions,
      schema: {
        summary: 'Removes old tasks by a purge policy; the setting unless told',
        body: Type.Object({ policy: Type.Optional(Type.String({ maxLength: 100 })) }),
        response: { 200: SubmittedTask, ...REFUSED },
      },
    },
    async (request, reply) => {
      const call = { instance: instanceOf(deps, request), policy: optionOf<string>(request, 'policy') ?? '' };
      const { task } = await deps.control.tasks.purgeHistory(call, onBehalf(request));
      return sendJson(reply, { task });
    },
  );
}
