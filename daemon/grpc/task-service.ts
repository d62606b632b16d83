/** The queue and the archive of tasks over gRPC. */
import { Fault } from '../../proto/fault.ts';
import type { Handlers } from '../../proto/services.ts';
import type { Task as TaskMessage } from '../../proto/types/rackwright/v1/Task.ts';
import type { Spec } from '../../workers/job.ts';
import type { Feed } from '../core/feed.ts';
import { parsePurge } from '../core/retention.ts';
import type { Scheduler } from '../core/scheduler.ts';
import type { Task, TaskResult, TaskState } from '../core/task.ts';
import type { MovedFile } from '../core/world.ts';
import { checkPriority } from './build-service.ts';
import { type Caller, callerOf, requirePermission } from './caller.ts';
import { RETRIES } from './permissions.ts';
import { type Submitter, submitOnce, submitSpec } from './submit.ts';
import { resultOf, stateOf, viewTask } from './task-view.ts';

/** Pages of tasks. */
interface Pages {
  page(filter: {
    readonly instance: string;
    readonly states: readonly TaskState[];
    readonly name: string;
    readonly artifact: string;
    readonly user: string;
    readonly result: TaskResult | '';
    readonly limit: number;
    readonly after: string;
  }): { readonly tasks: readonly Task[]; readonly next: string };
}

export interface TaskServiceDeps {
  readonly scheduler: Scheduler;
  readonly pages: Pages;
  readonly feed: Feed;
  readonly submitter: Submitter;
  /** The purge policy of a request that names none. */
  readonly purge: () => string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Tasks told to a new watcher before it hears news, at most. */
const MAX_TOLD = 1000;

/** The task of an instance. Throws `not_found`, for what is no uuid too. */
export function findTask(scheduler: Scheduler, instance: string, id: string): Task {
  const lower = id.toLowerCase();
  const task = UUID.test(lower) ? scheduler.present.get(lower) : null;
  if (task?.instance !== instance) throw new Fault('not_found', 'not-found', 'there is no such task');
  return task;
}

export function taskService(deps: TaskServiceDeps): Handlers<'TaskService'> {
  const { scheduler, pages, feed, submitter } = deps;
  const { queue } = scheduler;
  const view = (task: Task): TaskMessage =>
    viewTask(task, { position: queue.position(task.id), reason: queue.reason(task.id) });
  const find = (request: { instance: string; task: string }): Task =>
    findTask(scheduler, request.instance, request.task);
  return {
    getTask: async request => ({ task: view(find(request)) }),
    listTasks: async request => {
      const states = request.states.map(stateOf).filter(state => state !== null);
      const { tasks, next } = pages.page({ ...request, states, result: resultOf(request.result) });
      // What runs has news that the records don't have.
      return { tasks: tasks.map(task => view(scheduler.present.current(task))), next };
    },
    watchTasks: async function* (request, call) {
      const id = request.task === '' ? null : find(request).id;
      const wants = (task: Task): boolean =>
        task.instance === request.instance && (id === null || task.id === id);
      const news = feed.watch(wants, call.signal);
      // The watch begins before the present is told, so that nothing falls between.
      let first = news.next();
      // Told where it is awaited, which a slow reader puts off.
      first.catch(() => undefined);
      try {
        for (const task of presentTasks(deps, request.instance, id)) yield { task: view(task) };
        for (;;) {
          const { value, done } = await first;
          if (done) return;
          yield { task: view(value) };
          if (id !== null && value.state === 'finished') return;
          first = news.next();
        }
      } finally {
        void news.return(undefined);
      }
    },
    cancelTask: async (request, call) => ({
      task: view(scheduler.cancel(find(request).id, callerOf(call).login)),
    }),
    retryTask: async (request, call) => {
      const old = find(request);
      // It gives nobody what they could not have submitted.
      requirePermission(callerOf(call), RETRIES[old.spec.type] ?? 'none');
      checkOrigin(old, callerOf(call));
      checkFolder(old, callerOf(call));
      const task = await submitOnce(submitter, old.instance, callerOf(call), null, id => {
        const place = submitter.paths(old.instance, id).place;
        const { spec, files } = moveSpec(old, place);
        return { submission: { spec, retryOf: old.id, priority: old.priority, size: old.size }, files };
      });
      return { task: task.id };
    },
    setPriority: async request => {
      checkPriority(request.priority);
      return { task: view(scheduler.present.setPriority(find(request).id, request.priority)) };
    },
    purgeHistory: async (request, call) => {
      const policy = request.policy === '' ? deps.purge() : request.policy;
      if (!parsePurge(policy)) throw new Fault('invalid', 'bad-input', `"${policy}" is no purge policy`);
      const spec: Spec = { type: 'history-purge', policy, tasks: [] };
      return submitSpec(submitter, request.instance, callerOf(call), spec);
    },
  };
}

/** The task that is watched, or those that are not finished. */
function presentTasks(
  { scheduler, pages }: TaskServiceDeps,
  instance: string,
  id: string | null,
): readonly Task[] {
  if (id !== null) {
    const task = scheduler.present.get(id);
    return task ? [task] : [];
  }
  const any = { name: '', artifact: '', user: '', result: '', after: '' } as const;
  const states = ['running', 'pending'] as const;
  return pages
    .page({ ...any, instance, states, limit: MAX_TOLD })
    .tasks.map(task => scheduler.present.current(task));
}

/** A promotion from another instance was permitted to who submitted it: nobody else gets it by a retry. */
function checkOrigin({ spec, user, instance }: Task, caller: Caller): void {
  if (spec.type !== 'registry' || spec.action !== 'promotion' || spec.parameters.instance === instance)
    return;
  if (caller.login === user || caller.door === 'control') return;
  throw new Fault(
    'forbidden',
    'no-permission',
    `it takes over from another instance, which ${user} was permitted: submit a promotion of your own`,
  );
}

/** A folder of the host that the control socket had imported: what lies there by now is not for others to publish. */
function checkFolder({ spec }: Task, { door }: Caller): void {
  if (spec.type !== 'registry' || spec.action !== 'import' || door === 'control') return;
  const { source = '', root } = spec.parameters;
  if (!source.startsWith('/') || root !== undefined) return;
  throw new Fault(
    'forbidden',
    'no-permission',
    'it imports a folder of the host: it can be submitted again over the local control socket only',
  );
}

/** A task's input for a retry: its files are copied from the old workspace. */
function moveSpec(old: Task, place: string): { spec: Spec; files: MovedFile[] } {
  const { spec } = old;
  const move = (path: string): string => path.replace(old.place, place);
  if (spec.type === 'registry' && spec.file !== undefined) {
    const [from, to] = [spec.file, move(spec.file)];
    return { spec: { ...spec, file: to }, files: [{ from, to, keep: true }] };
  }
  if (spec.type !== 'build') return { spec, files: [] };
  const files = [spec.definition, ...spec.sources.map(source => source.path)];
  const sources = spec.sources.map(source => ({ ...source, path: move(source.path) }));
  return {
    spec: { ...spec, definition: move(spec.definition), sources },
    files: files.map(from => ({ from, to: move(from), keep: true })),
  };
}
