/** Tasks as they are at this moment: what is recorded, with the news that only a running one has. */
import { Fault } from '../../proto/fault.ts';
import type { Progress } from '../../workers/job.ts';
import type { Feed } from './feed.ts';
import type { Queue } from './queue.ts';
import type { Task } from './task.ts';
import type { Records } from './world.ts';

export class Present {
  readonly #records: Records;
  readonly #queue: Queue;
  readonly #feed: Feed;
  readonly #running = new Map<string, Task>();

  constructor(records: Records, queue: Queue, feed: Feed) {
    this.#records = records;
    this.#queue = queue;
    this.#feed = feed;
  }

  /** The task as it is now, its latest progress included; null when there is none. */
  get(id: string): Task | null {
    return this.#running.get(id) ?? this.#records.get(id);
  }

  /** A recorded task with the news that only its run knows. */
  current(task: Task): Task {
    return this.#running.get(task.id) ?? task;
  }

  /** A task that runs; undefined when it does not. */
  running(id: string): Task | undefined {
    return this.#running.get(id);
  }

  /** A running task has changed, or has begun to run. */
  keep(task: Task): void {
    this.#running.set(task.id, task);
    this.#feed.publish(task);
  }

  /** A task runs no longer. */
  forget(id: string): void {
    this.#running.delete(id);
  }

  /** What a running task told of itself. */
  note(id: string, told: Extract<Progress, { type: 'progress' | 'facts' }>): void {
    const task = this.#running.get(id);
    if (!task) return;
    const { type, ...news } = told;
    const changed =
      type === 'progress' ? { ...task, progress: news as Task['progress'] } : { ...task, ...news };
    this.keep(changed);
    if (type === 'facts') this.#records.update(changed);
  }

  /** Moves a waiting task in the queue. Throws `not_found`, and `refused` for one that does not wait. */
  setPriority(id: string, priority: number): Task {
    const task = this.get(id);
    if (!task) throw new Fault('not_found', 'not-found', `there is no task ${id}`);
    if (task.state !== 'pending')
      throw new Fault('refused', 'bad-input', `task ${id} does not wait any longer`);
    const changed = { ...task, priority };
    this.#records.update(changed);
    this.#queue.reprioritise(id, priority);
    this.#feed.publish(changed);
    return changed;
  }
}
