/** Takes tasks in, starts the next that may run, ends them: all durable before anybody hears of it. */
import { Fault, toFault } from '../../proto/fault.ts';
import type { Outcome } from '../../workers/job.ts';
import { needsOf } from './needs.ts';
import { Present } from './present.ts';
import { Providers } from './providers.ts';
import { type Entry, Queue } from './queue.ts';
import {
  breakdown,
  cancellation,
  failure,
  finish,
  newTask,
  rankAgain,
  requeue,
  type Submission,
  start,
  type Task,
} from './task.ts';
import type { MovedFile, Once, SchedulerOptions } from './world.ts';

/** Milliseconds until a decision that found no space on the disk is tried again. */
const RETRY = 2000;

export class Scheduler {
  readonly queue: Queue;
  readonly present: Present;
  readonly #o: SchedulerOptions;
  readonly #providers: Providers;
  #rank = 0;
  #front = -1;
  #state: 'held' | 'open' | 'stopping' = 'held';
  #ticking = false;

  constructor(options: SchedulerOptions) {
    this.#o = options;
    this.queue = new Queue(options.caps);
    this.present = new Present(options.records, this.queue, options.feed);
    this.#providers = new Providers(this.queue, {
      submit: submission => this.submit(submission),
      newId: options.place.newId,
      retry: action => this.#later(action),
      giveUp: (id, fault) => this.#giveUp(id, failure(fault.toData())),
    });
  }

  /** Takes the waiting tasks of an earlier life over. Nothing starts before open(). */
  restore(entries: Iterable<Entry>): void {
    for (const entry of entries) {
      this.queue.add(entry);
      this.#rank = Math.max(this.#rank, entry.rank + 1);
      this.#front = Math.min(this.#front, entry.rank - 1);
    }
  }

  /** From now on tasks start. */
  open(): void {
    if (this.#state === 'held') this.#state = 'open';
    this.#tick();
  }

  /** A task could start and nobody starts it: never true between two turns of the event loop, unless something broke. */
  get isBehind(): boolean {
    return this.#state === 'open' && this.queue.next() !== null;
  }

  /** Takes a task in. Resolves once it is durable; throws a Fault when it can't be taken. */
  async submit(
    submission: Submission,
    files: readonly MovedFile[] = [],
    once: Once | null = null,
  ): Promise<Task> {
    const { place, records, feed } = this.#o;
    if (this.#state === 'stopping') throw new Fault('unavailable', 'busy', 'the daemon is stopping');
    this.queue.checkRoom();
    const rank = submission.front ? this.#front-- : this.#rank++;
    const task = newTask(submission, place.paths(submission.instance, submission.id), place.now(), rank);
    await records.add(task, files, once);
    // While that was synced it could be seen already: somebody may have cancelled or moved it.
    const now = records.get(task.id) ?? task;
    if (now.state !== 'pending') return now;
    this.queue.add(records.entry(now));
    feed.publish(now);
    this.#tick();
    return now;
  }

  /** Cancels a task: a waiting one at once, a running one when its processes are gone. */
  cancel(id: string, by: string): Task {
    const task = this.present.get(id);
    if (!task) throw new Fault('not_found', 'not-found', `there is no task ${id}`);
    if (task.state === 'finished')
      throw new Fault('refused', 'already-there', `task ${id} has ended already`);
    if (task.state === 'pending') return this.#giveUp(id, cancellation(by));
    if (task.cancelledBy !== null) return task;
    const cancelled = { ...task, cancelledBy: by };
    this.#o.records.update(cancelled);
    this.present.keep(cancelled);
    this.#o.runner.cancel(id, by);
    return cancelled;
  }

  /** Lets nothing start any longer and asks what runs to end; what does not finish waits again. */
  async stop(): Promise<void> {
    this.#state = 'stopping';
    await this.#o.runner.stop();
  }

  #tick(): void {
    // What is started may end at once; the loop that is under way then goes on, instead of one inside it.
    if (this.#ticking) return;
    this.#ticking = true;
    while (this.#state === 'open') {
      const entry = this.queue.next();
      if (!entry) break;
      try {
        this.#begin(entry);
      } catch (error) {
        this.#o.place.report(error, `starting task ${entry.id}`);
        this.queue.block(entry.id, toFault(error).message);
        this.#later(() => this.queue.unblock(entry.id));
      }
    }
    this.#ticking = false;
  }

  #later(action: () => void): void {
    this.#o.place.later(RETRY, () => {
      action();
      this.#tick();
    });
  }

  #begin(entry: Entry): void {
    const { records, place, runner } = this.#o;
    const task = records.get(entry.id);
    if (!task) throw new TypeError(`task ${entry.id} waits but is not recorded`);
    const instance = this.#o.instance(task.instance);
    if (!instance) {
      const fault = new Fault('not_found', 'not-found', `there is no instance ${task.instance} any longer`);
      this.#giveUp(task.id, failure(fault.toData()));
      return;
    }
    const missing = needsOf(instance, task.spec).filter(need => !place.isThere(task.instance, need));
    if (missing.length > 0) {
      this.#providers.provide(task, missing);
      return;
    }
    const running = start(task, place.now());
    records.update(running);
    this.queue.begin(task.id);
    this.present.keep(running);
    void runner.run(running, instance).then(
      outcome => this.#ended(task.id, outcome),
      error => {
        place.report(error, `task ${task.id}`);
        const outcome = breakdown(this.present.running(task.id), toFault(error).toData());
        place.endJournal(running, outcome);
        this.#ended(task.id, outcome);
      },
    );
  }

  #ended(id: string, outcome: Outcome): void {
    const task = this.present.running(id);
    if (!task) return;
    const { records, place } = this.#o;
    const again = outcome.result === 'stopped' && task.cancelledBy === null;
    const next = again ? requeue(task, rankAgain(task), false) : finish(task, outcome, place.now());
    try {
      if (again) records.update(next);
      else records.archive(next);
    } catch (error) {
      place.report(error, `recording the end of task ${id}`);
      place.later(RETRY, () => this.#ended(id, outcome));
      return;
    }
    this.present.forget(id);
    this.queue.end(id);
    if (again) this.queue.add(records.entry(next));
    this.#o.feed.publish(next);
    if (!again) this.#providers.ended(next);
    this.#tick();
  }

  /** Ends a task that never got to run. */
  #giveUp(id: string, outcome: Outcome): Task {
    const task = this.#o.records.get(id);
    if (task?.state !== 'pending') throw new TypeError(`task ${id} does not wait`);
    const ended = finish(task, outcome, this.#o.place.now());
    this.#o.place.endJournal(task, outcome);
    this.#o.records.archive(ended);
    this.queue.remove(id);
    this.#o.feed.publish(ended);
    this.#providers.ended(ended);
    this.#tick();
    return ended;
  }
}
