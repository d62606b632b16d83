/** Tasks as the gRPC interface shows them. */
import type { Task as TaskMessage } from '../../proto/types/rackwright/v1/Task.ts';
import type { TaskResult__Output } from '../../proto/types/rackwright/v1/TaskResult.ts';
import type { TaskState__Output } from '../../proto/types/rackwright/v1/TaskState.ts';
import type { Task, TaskResult, TaskState } from '../core/task.ts';

const STATES: Readonly<Record<TaskState, TaskState__Output>> = {
  pending: 'TASK_STATE_PENDING',
  running: 'TASK_STATE_RUNNING',
  finished: 'TASK_STATE_FINISHED',
};
const RESULTS: Readonly<Record<TaskResult, TaskResult__Output>> = {
  success: 'TASK_RESULT_SUCCESS',
  failed: 'TASK_RESULT_FAILED',
  cancelled: 'TASK_RESULT_CANCELLED',
};

export function stateOf(word: TaskState__Output): TaskState | null {
  return (Object.keys(STATES) as TaskState[]).find(state => STATES[state] === word) ?? null;
}

export function resultOf(word: TaskResult__Output): TaskResult | '' {
  return (Object.keys(RESULTS) as TaskResult[]).find(result => RESULTS[result] === word) ?? '';
}

/** `waiting` tells of a task that waits: its position, 1 = next, and why. */
export function viewTask(
  task: Task,
  waiting: { readonly position: number; readonly reason: string },
): TaskMessage {
  return {
    id: task.id,
    instance: task.instance,
    name: task.name,
    state: STATES[task.state],
    result: task.result === null ? 'TASK_RESULT_UNSPECIFIED' : RESULTS[task.result],
    user: task.user,
    submission: task.submission,
    started: task.started,
    ended: task.ended,
    attempts: task.attempts,
    priority: task.priority,
    place: task.place,
    io: { console: task.console, interactive: task.interactive, journal: task.journal },
    reason: task.state === 'pending' ? waiting.reason : task.reason,
    cause: task.cause ?? '',
    progress: task.progress,
    retryOf: task.retryOf ?? '',
    usage: task.usage && { peakMemoryBytes: task.usage.peakMemory, cpuSeconds: task.usage.cpuSeconds },
    position: waiting.position,
    ...detailOf(task),
  };
}

/** What only tasks of its type have. */
function detailOf({ spec, archives, version, size }: Task): Partial<TaskMessage> {
  switch (spec.type) {
    case 'build': {
      const { format, distribution, derivative, architectures, artifact, author, email, message } = spec;
      const where = { format, distribution, derivative, architectures: [...architectures], artifact };
      return { build: { ...where, author, email, message, archives: [...archives], version } };
    }
    case 'deletion': {
      const { format, distribution, derivative, architecture, artifact: name } = spec;
      const artifact = { architecture, name, version: spec.version, size };
      return { deletion: { format, distribution, derivative, artifact } };
    }
    case 'keyring-creation':
      return { keyring: {} };
    case 'keyring-renewal':
      return { keyring: { duration: spec.duration } };
    case 'history-purge':
      return { purge: { policy: spec.policy } };
    case 'image-creation':
      return { image: { format: spec.format, force: spec.force } };
    case 'image-update':
      return { image: { format: spec.format } };
    case 'image-shell':
      return { image: { format: spec.format, term: spec.term, command: [...spec.command] } };
    case 'environment-creation':
    case 'environment-update':
    case 'environment-shell': {
      const { format, environment, architecture } = spec;
      const shell = spec.type === 'environment-shell' ? { term: spec.term, command: [...spec.command] } : {};
      return { environment: { format, environment, architecture, ...shell } };
    }
    case 'registry': {
      const { format, distribution, derivative, parameters } = spec;
      return { registry: { format, distribution, derivative, parameters } };
    }
  }
}
