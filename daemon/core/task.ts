/** A task and its life: pending, running, finished. Pure: each step takes a task and gives the next one. */
import { Fault, type FaultData, type Reason } from '../../proto/fault.ts';
import { OWN_TASK_NAMES, TASK_NAMES, type TaskName } from '../../proto/words.ts';
import type { Outcome, Spec } from '../../workers/job.ts';

export type TaskState = 'pending' | 'running' | 'finished';
export type TaskResult = 'success' | 'failed' | 'cancelled';

/** A unit of work that changes an instance. Times are seconds since the epoch with fractions, 0 = not yet. */
export interface Task {
  /** uuid */
  readonly id: string;
  readonly instance: string;
  readonly name: TaskName;
  readonly spec: Spec;
  readonly state: TaskState;
  /** null until finished. */
  readonly result: TaskResult | null;
  /** Login of who submitted it. */
  readonly user: string;
  readonly submission: number;
  readonly started: number;
  readonly ended: number;
  /** Runs so far; only the newest may publish. */
  readonly attempts: number;
  /** Runs that a crash cut short. */
  readonly interruptions: number;
  readonly priority: number;
  /** Place in the queue: lower is earlier; negative stands before every priority. */
  readonly rank: number;
  /** Absolute paths. */
  readonly place: string;
  readonly journal: string;
  readonly console: string;
  readonly interactive: boolean;
  /** Why it failed, once finished. */
  readonly reason: string;
  readonly cause: Reason | null;
  /** Who asked for it to be cancelled; null when nobody did. */
  readonly cancelledBy: string | null;
  readonly retryOf: string | null;
  /** What became known while it ran. */
  readonly archives: readonly { readonly id: string; readonly path: string }[];
  readonly version: string;
  /** Bytes of the artifact that a deletion names, as the catalogue had it at submission. */
  readonly size: number;
  readonly progress: { readonly step: string; readonly done: number; readonly total: number } | null;
  readonly usage: Outcome['usage'];
}

/** What a submitter decides about a task. */
export interface Submission {
  readonly id: string;
  readonly instance: string;
  readonly spec: Spec;
  readonly user: string;
  readonly interactive?: boolean;
  readonly priority?: number;
  readonly retryOf?: string | null;
  readonly size?: number;
  /** Before everything that waits: work that a waiting task needs first. */
  readonly front?: boolean;
}

/** Where a task keeps its files; absolute paths. */
export interface TaskPaths {
  readonly place: string;
  readonly journal: string;
  readonly console: string;
}

export function newTask(submission: Submission, paths: TaskPaths, now: number, rank: number): Task {
  return {
    id: submission.id,
    instance: submission.instance,
    name: nameOf(submission.spec),
    spec: submission.spec,
    state: 'pending',
    result: null,
    user: submission.user,
    submission: now,
    started: 0,
    ended: 0,
    attempts: 0,
    interruptions: 0,
    priority: submission.priority ?? 0,
    rank,
    ...paths,
    interactive: submission.interactive ?? false,
    reason: '',
    cause: null,
    cancelledBy: null,
    retryOf: submission.retryOf ?? null,
    archives: [],
    version: '',
    size: submission.size ?? 0,
    progress: null,
    usage: null,
  };
}

const NAMES: Readonly<Record<Exclude<Spec['type'], 'registry'>, TaskName>> = {
  build: TASK_NAMES.build,
  deletion: TASK_NAMES.deletion,
  'keyring-creation': TASK_NAMES.keyringCreation,
  'keyring-renewal': TASK_NAMES.keyringRenewal,
  'history-purge': TASK_NAMES.purge,
  'image-creation': TASK_NAMES.imageCreation,
  'image-update': TASK_NAMES.imageUpdate,
  'image-shell': TASK_NAMES.imageShell,
  'environment-creation': TASK_NAMES.environmentCreation,
  'environment-update': TASK_NAMES.environmentUpdate,
  'environment-shell': TASK_NAMES.environmentShell,
};

const REGISTRY_NAMES: Readonly<Record<Extract<Spec, { type: 'registry' }>['action'], TaskName>> = {
  snapshot: OWN_TASK_NAMES.snapshot,
  promotion: OWN_TASK_NAMES.promotion,
  rollback: OWN_TASK_NAMES.rollback,
  import: OWN_TASK_NAMES.importing,
  verification: OWN_TASK_NAMES.verification,
  repair: OWN_TASK_NAMES.repair,
  refresh: OWN_TASK_NAMES.refresh,
  retention: OWN_TASK_NAMES.retention,
  collection: OWN_TASK_NAMES.collection,
  updateinfo: OWN_TASK_NAMES.updateinfo,
};

/** The type name that clients know. */
function nameOf(spec: Spec): TaskName {
  return spec.type === 'registry' ? REGISTRY_NAMES[spec.action] : NAMES[spec.type];
}

/** Artifact that a task is about; empty where it is about none. */
export function artifactOf(spec: Spec): string {
  return spec.type === 'build' || spec.type === 'deletion' ? spec.artifact : '';
}

/** A pending task that is given to a worker. */
export function start(task: Task, now: number): Task {
  expect(task, 'pending');
  // Neither may a clock that was set back make a task begin before it was submitted, nor end before it began.
  const started = Math.max(now, task.submission);
  return { ...task, state: 'running', started, attempts: task.attempts + 1, progress: null };
}

/** A task that ends, whether it ran or not. */
export function finish(task: Task, outcome: Outcome, now: number): Task {
  if (task.state === 'finished') throw new TypeError(`task ${task.id} has ended already`);
  const result = outcome.result === 'stopped' ? 'failed' : outcome.result;
  return {
    ...task,
    state: 'finished',
    result,
    ended: Math.max(now, task.started, task.submission),
    reason: result === 'success' ? '' : (outcome.fault?.message ?? result),
    cause: result === 'success' ? null : (outcome.fault?.reason ?? 'internal'),
    progress: null,
    usage: outcome.usage,
  };
}

/** Far beyond the ranks of any queue, and far within whole numbers. */
const FRONT = 2 ** 40;

/** Rank of a task that was stopped and waits again: before all that never ran, in the order that they had. */
export function rankAgain(task: Task): number {
  return task.rank < 0 ? task.rank : task.rank - FRONT;
}

/** A running task that goes back to the head of the queue: the daemon stops, or a crash cut it short. */
export function requeue(task: Task, rank: number, interrupted: boolean): Task {
  expect(task, 'running');
  const interruptions = task.interruptions + (interrupted ? 1 : 0);
  return { ...task, state: 'pending', started: 0, rank, interruptions, progress: null };
}

/** What becomes of a task that was running when the daemon died. */
export function fateOf(task: Task, published: boolean): 'succeeded' | 'queue again' | 'give up' {
  if (published) return 'succeeded';
  return task.interactive || task.interruptions > 0 ? 'give up' : 'queue again';
}

/** A failure as the outcome of an attempt. */
export function failure(fault: FaultData): Outcome {
  return { result: fault.reason === 'cancelled' ? 'cancelled' : 'failed', fault, usage: null };
}

/** The outcome of a task that somebody cancelled before it ran. */
export function cancellation(by: string): Outcome {
  return failure(new Fault('cancelled', 'cancelled', `cancelled by ${by}`).toData());
}

/** The outcome of a task whose thread broke: one that breaks while it is made to end has done what was asked. */
export function breakdown(task: Task | undefined, fault: FaultData): Outcome {
  const by = task?.cancelledBy ?? null;
  return by === null ? failure(fault) : cancellation(by);
}

function expect(task: Task, state: TaskState): void {
  if (task.state !== state) throw new TypeError(`task ${task.id} is ${task.state}, not ${state}`);
}
