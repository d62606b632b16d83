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
  readonly #counts = new Map<string, EndedCount>();

  note(task: Task): void {
    if (task.state !== 'finished' || task.result === null) return;
    const { instance, name, result } = task;
    const key = `${instance}\0${name}\0${result}`;
    const before = this.#counts.get(key) ?? { instance, name, result, count: 0, seconds: 0 };
    const ran = task.started > 0 ? task.ended - task.started : 0;
    this.#counts.set(key, { ...before, count: before.count + 1, seconds: before.seconds + ran });
  }

  counts(): Iterable<EndedCount> {
    return this.#counts.values();
  }
}
