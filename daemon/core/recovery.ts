/** What becomes of tasks that were running when the daemon died. Pure but for the records it writes to. */
import { Fault } from '../../proto/fault.ts';
import type { Entry } from './queue.ts';
import { cancellation, failure, fateOf, finish, requeue, type Task } from './task.ts';
import type { Place, Records } from './world.ts';

export interface Recovered {
  readonly queuedAgain: number;
  readonly ended: number;
}

/**
 * Ends or queues again every interrupted task. To be called once nothing of them runs any longer, and before the queue
 * is restored. `front` is the lowest rank that waits.
 */
export function recover(
  interrupted: readonly Task[],
  records: Records,
  place: Place,
  published: (task: string) => boolean,
  waiting: readonly Entry[],
): { readonly recovered: Recovered; readonly entries: readonly Entry[] } {
  const front = waiting.reduce((least, entry) => Math.min(least, entry.rank), 0);
  const entries: Entry[] = [];
  const again = interrupted.filter(task => isQueuedAgain(task, published(task.id)));
  for (const [at, task] of again.sort((a, b) => a.started - b.started).entries()) {
    const next = requeue(task, front - again.length + at, true);
    records.update(next);
    entries.push(records.entry(next));
  }
  const ended = interrupted.filter(task => !again.includes(task));
  for (const task of ended) {
    const outcome = outcomeOf(task, published(task.id));
    place.endJournal(task, outcome);
    records.archive(finish(task, outcome, place.now()));
  }
  return { recovered: { queuedAgain: again.length, ended: ended.length }, entries };
}

function isQueuedAgain(task: Task, published: boolean): boolean {
  return task.cancelledBy === null && fateOf(task, published) === 'queue again';
}

function outcomeOf(task: Task, published: boolean) {
  if (published) return { result: 'success', fault: null, usage: null } as const;
  if (task.cancelledBy !== null) return cancellation(task.cancelledBy);
  const times = task.interactive ? 'while somebody was attached to it' : 'a second time';
  return failure(
    new Fault('unavailable', 'interrupted', `the daemon ended ${times} before the task did`).toData(),
  );
}
