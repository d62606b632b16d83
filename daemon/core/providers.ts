/** Has what waiting tasks need made first: one creation task for each thing, however many wait for it. */
import { Fault, toFault } from '../../proto/fault.ts';
import { claimsOf } from './claims.ts';
import { causeOf, describeNeed, makerOf, type Need } from './needs.ts';
import type { Queue } from './queue.ts';
import type { Submission, Task } from './task.ts';

export interface ProvidersOptions {
  newId(): string;
  submit(submission: Submission): Promise<Task>;
  /** Ends a waiting task that can't get what it needs. */
  giveUp(id: string, fault: Fault): void;
  /** Does something a little later, and then looks for tasks that may start. */
  retry(action: () => void): void;
}

export class Providers {
  readonly #queue: Queue;
  readonly #options: ProvidersOptions;
  /** Who waits for a creation task, and for what. */
  readonly #waiting = new Map<string, Map<string, Need>>();
  /** Creation tasks that are being recorded, by what they make. */
  readonly #coming = new Map<string, string>();
  /** What has been made for a task that still waits: missing once more means that making does not help. */
  readonly #made = new Map<string, Set<string>>();

  constructor(queue: Queue, options: ProvidersOptions) {
    this.#queue = queue;
    this.#options = options;
  }

  /** Keeps a task back and has the first missing thing made; the others follow when it is looked at again. */
  provide(task: Task, missing: readonly Need[]): void {
    const need = missing[0];
    const thing = need && claimsOf(task.instance, makerOf(need)).makes;
    if (!need || thing === null || thing === undefined) return;
    if (this.#made.get(task.id)?.has(JSON.stringify(need))) {
      this.#fail(task.id, need, 'it was made, but it is not there');
      return;
    }
    const known = this.#queue.makerOf(thing) ?? this.#coming.get(thing) ?? null;
    const maker = known ?? this.#options.newId();
    this.#queue.block(task.id, `waits for ${describeNeed(need)}, which task ${maker} makes`);
    this.#waiting.set(maker, (this.#waiting.get(maker) ?? new Map()).set(task.id, need));
    if (known !== null) return;
    this.#make(maker, thing, task, need);
  }

  #make(maker: string, thing: string, task: Task, need: Need): void {
    const { instance, user } = task;
    this.#coming.set(thing, maker);
    this.#options
      .submit({ id: maker, instance, spec: makerOf(need), user, front: true })
      .catch(error => {
        const waiting = [...(this.#waiting.get(maker)?.keys() ?? [])];
        this.#waiting.delete(maker);
        const why = `${describeNeed(need)} can't be made now: ${toFault(error).message}`;
        for (const id of waiting) this.#queue.block(id, why);
        this.#options.retry(() => {
          for (const id of waiting) this.#queue.unblock(id);
        });
      })
      .finally(() => this.#coming.delete(thing));
  }

  /** A task has ended: who waited for what it made is looked at again, or fails with it. */
  ended(task: Task): void {
    this.#made.delete(task.id);
    const waiting = this.#waiting.get(task.id);
    this.#waiting.delete(task.id);
    for (const [id, need] of waiting ?? []) {
      if (task.result !== 'success') {
        this.#fail(id, need, `task ${task.id} ${task.result}: ${task.reason}`);
        continue;
      }
      this.#made.set(id, (this.#made.get(id) ?? new Set()).add(JSON.stringify(need)));
      this.#queue.unblock(id);
    }
  }

  #fail(id: string, need: Need, why: string): void {
    this.#made.delete(id);
    if (!this.#queue.has(id)) return;
    const message = `${describeNeed(need)} can't be made: ${why}`;
    try {
      this.#options.giveUp(id, new Fault('refused', causeOf(need), message));
    } catch (error) {
      // A full disk: nobody else would hear of it, and others wait behind this one.
      this.#queue.block(id, `${message} (${toFault(error).message})`);
      this.#options.retry(() => this.#fail(id, need, why));
    }
  }
}
