/** Tasks as the documented JSON has them: eight keys on every task, none missing, none null. */
import type { FastifyRequest } from 'fastify';
import type { Task__Output } from '../../proto/types/rackwright/v1/Task.ts';
import type { TaskResult } from '../../proto/types/rackwright/v1/TaskResult.ts';
import type { TaskState } from '../../proto/types/rackwright/v1/TaskState.ts';
import { TASK_NAMES } from '../../proto/words.ts';
import { present } from '../control/control.ts';
import type { Json } from '../http/json.ts';
import { type BuildDeps, instanceOf, onBehalf, taskOf } from './scope.ts';

type TaskJson = { readonly [key: string]: Json | undefined };

const STATES: Readonly<Record<string, string>> = {
  TASK_STATE_PENDING: 'pending',
  TASK_STATE_RUNNING: 'running',
  TASK_STATE_FINISHED: 'finished',
};
const RESULTS: Readonly<Record<string, string>> = {
  TASK_RESULT_SUCCESS: 'success',
  TASK_RESULT_FAILED: 'failed',
  TASK_RESULT_CANCELLED: 'cancelled',
};
const DOCUMENTED: ReadonlySet<string> = new Set(Object.values(TASK_NAMES));

/** Whether the existing client knows tasks of this name; it fails on others. */
export function isDocumented(task: Task__Output): boolean {
  return DOCUMENTED.has(task.name);
}

/** `pending`, `running` or `finished`. */
export function stateOf(task: Task__Output): string {
  return STATES[task.state] ?? 'pending';
}

/** `unknown` until the end, then `success`, `failed` or `cancelled`. */
export function resultOf(task: Task__Output): string {
  return (task.state === 'TASK_STATE_FINISHED' && RESULTS[task.result]) || 'unknown';
}

/** A task. Further keys of ours are there only when they say something. */
export function taskJson(task: Task__Output): TaskJson {
  return {
    id: task.id,
    name: task.name,
    user: task.user,
    state: stateOf(task),
    result: resultOf(task),
    submission: Math.floor(task.submission),
    place: task.place,
    io: {
      console: task.io?.console ?? '',
      interactive: task.io?.interactive ?? false,
      journal: { path: task.io?.journal ?? '' },
    },
    ...detailJson(task),
    started: task.started > 0 ? Math.floor(task.started) : undefined,
    ended: task.ended > 0 ? Math.floor(task.ended) : undefined,
    attempts: task.attempts > 0 ? task.attempts : undefined,
    priority: task.priority !== 0 ? task.priority : undefined,
    position: task.position > 0 ? task.position : undefined,
    reason: text(task.reason),
    cause: text(task.cause),
    retry_of: text(task.retryOf),
    progress: task.progress?.step
      ? { step: task.progress.step, done: task.progress.done, total: task.progress.total }
      : undefined,
    usage: task.usage
      ? { peak_memory_bytes: task.usage.peakMemoryBytes, cpu_seconds: task.usage.cpuSeconds }
      : undefined,
  };
}

function detailJson(task: Task__Output): TaskJson {
  if (task.build) return buildJson(task.build);
  if (task.deletion) return deletionJson(task.deletion);
  if (task.keyring) return task.name === TASK_NAMES.keyringRenewal ? { duration: task.keyring.duration } : {};
  if (task.image) {
    const { format, force, term, command } = task.image;
    if (task.name === TASK_NAMES.imageCreation) return { format, force };
    return task.name === TASK_NAMES.imageShell ? { format, term, command } : { format };
  }
  if (task.environment) {
    const { format, environment, architecture, term, command } = task.environment;
    const key = { format, environment, architecture };
    return task.name === TASK_NAMES.environmentShell ? { ...key, term, command } : key;
  }
  if (task.registry) {
    const { format, distribution, derivative, parameters } = task.registry;
    return { format, distribution, derivative, parameters: { ...parameters } };
  }
  return task.purge?.policy ? { policy: task.purge.policy } : {};
}

function buildJson(build: NonNullable<Task__Output['build']>): TaskJson {
  const { format, distribution, derivative, architectures, artifact, author, email, message } = build;
  return {
    format,
    distribution,
    derivative,
    architectures,
    artifact,
    author,
    email,
    message,
    // The client builds these from their keys: there must be no other.
    archives: build.archives.map(({ id, path }) => ({ id, path })),
    version: text(build.version),
  };
}

function deletionJson(deletion: NonNullable<Task__Output['deletion']>): TaskJson {
  const { format, distribution, derivative, artifact } = deletion;
  return {
    format,
    distribution,
    derivative,
    artifact: {
      architecture: artifact?.architecture ?? '',
      name: artifact?.name ?? '',
      size: artifact?.size ?? 0,
      version: artifact?.version ?? '',
    },
  };
}

function text(value: string): string | undefined {
  return value === '' ? undefined : value;
}

/** The task that a request's path names. Throws 404. */
export async function getTask(deps: BuildDeps, request: FastifyRequest): Promise<Task__Output> {
  const call = { instance: instanceOf(deps, request), task: taskOf(request) };
  return present((await deps.control.tasks.getTask(call, onBehalf(request))).task, 'task');
}

/** What tasks to list: states and result by their names in the messages. */
export interface TaskFilter {
  readonly states: readonly string[];
  readonly name?: string;
  readonly artifact?: string;
  readonly user?: string;
  readonly result?: string;
  readonly limit: number;
  readonly after?: string;
}

/** A page of an instance's tasks. */
export async function listTasks(
  deps: BuildDeps,
  request: FastifyRequest,
  { states, result, ...rest }: TaskFilter,
): Promise<{ tasks: Task__Output[]; next: string }> {
  const call = {
    instance: instanceOf(deps, request),
    states: states as TaskState[],
    ...(result === undefined ? {} : { result: result as TaskResult }),
    ...rest,
  };
  return deps.control.tasks.listTasks(call, onBehalf(request));
}
