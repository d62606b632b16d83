/** Runs recorded tasks in the pool and answers what their threads ask. */
import { Fault } from '../proto/fault.ts';
import type { Answer, Job, Question, WorkerSettings } from '../workers/job.ts';
import { registryName } from './core/claims.ts';
import type { Locks } from './core/locks.ts';
import type { Scheduler } from './core/scheduler.ts';
import type { Runner } from './core/world.ts';
import { type Archive, afterRun, jobOf, withPurged } from './jobs.ts';
import type { WorkerPool } from './pool/worker-pool.ts';
import type { Catalogue } from './store/catalogue.ts';
import type { TaskLists } from './store/task-lists.ts';
import type { TaskStore } from './store/task-store.ts';
import { sizeOfFolder, type Workspaces } from './store/workspaces.ts';

export interface RunnerParts {
  readonly pool: WorkerPool;
  readonly lists: TaskLists;
  readonly store: TaskStore;
  readonly locks: Locks;
  readonly catalogue: Catalogue;
  readonly workspaces: Workspaces;
  /** For the next task. */
  readonly threads: () => WorkerSettings;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

export function taskRunner(parts: RunnerParts): Runner {
  const { pool, lists, store, locks, catalogue, workspaces, threads, now } = parts;
  const archive: Archive = {
    archived: instance => lists.archived(instance),
    sizeOf: sizeOfFolder,
    forget: ids => store.forget(ids),
  };
  return {
    run: async (task, instance) => {
      let { spec } = task;
      try {
        const outcome = await pool.run(task.id, async () => {
          await workspaces.describe(task);
          spec = await withPurged(task, archive, now());
          return jobOf(task, instance, spec, threads());
        });
        afterRun(spec, outcome, archive);
        return outcome;
      } finally {
        try {
          // A thread that broke may have left a publication half way.
          catalogue.settleTask(task.id);
        } finally {
          locks.releaseAll(task.id);
        }
      }
    },
    cancel: (id, by) => pool.cancel(id, by),
    stop: () => pool.stop(),
  };
}

export interface ThreadParts {
  readonly locks: Locks;
  readonly catalogue: Catalogue;
  readonly scheduler: Scheduler;
}

/** Answers a thread. Throws the Fault to refuse it with. */
export async function answerThread(parts: ThreadParts, job: Job, question: Question): Promise<Answer> {
  const { locks, catalogue, scheduler } = parts;
  switch (question.type) {
    case 'lock':
      await locks.take(lockName(job, question.registry), job.task);
      return null;
    case 'unlock':
      locks.release(lockName(job, question.registry), job.task);
      return null;
    case 'intent': {
      const task = scheduler.present.get(job.task);
      // Only the current attempt may publish, and only as itself.
      if (task?.state !== 'running' || task.attempts !== job.attempt || question.intent.task !== job.task) {
        throw new Fault('refused', 'interrupted', 'another attempt at the task has taken over');
      }
      return catalogue.answer(job.instance.id, question);
    }
    default:
      return catalogue.answer(job.instance.id, question);
  }
}

function lockName(job: Job, registry: Parameters<typeof registryName>[0]): string {
  return `${job.instance.id}: ${registryName(registry)}`;
}
