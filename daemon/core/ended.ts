/** Counts the tasks that ended since the start, for monitoring. Pure. */
import type { Task } from './task.ts';

export interface EndedCount {
  readonly instance: string;
  readonly name: string;
  readonly result: string;
  readonly count: number;
  /** Seconds that they ran, in all. */
  readonly seconds: number;
}

export class Ended {
  readonly #now: () => number;
  readonly #counts = new Map<string, EndedCount>();
  /** When each running task began, in milliseconds of the monotonic clock: the wall clock may jump meanwhile. */
  readonly #began = new Map<string, number>();

  /** `now` answers monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  note(task: Task): void {
    const began = this.#began.get(task.id);
    if (task.state === 'running' && began === undefined) this.#began.set(task.id, this.#now());
    if (task.state !== 'running') this.#began.delete(task.id);
    if (task.state !== 'finished' || task.result === null) return;
    const { instance, name, result } = task;
    const key = `${instance}\0${name}\0${result}`;
    const before = this.#counts.get(key) ?? { instance, name, result, count: 0, seconds: 0 };
    const ran = began === undefined ? 0 : (this.#now() - began) / 1000;
    this.#counts.set(key, { ...before, count: before.count + 1, seconds: before.seconds + ran });
  }

  counts(): Iterable<EndedCount> {
    return this.#counts.values();
  }
}
