/** Locks of registries: one task at a time publishes to each; who asks first gets it first. Pure. */
import { Fault } from '../../proto/fault.ts';

interface Line {
  holder: string;
  readonly waiting: {
    readonly task: string;
    readonly give: () => void;
    readonly refuse: (fault: Fault) => void;
  }[];
}

export class Locks {
  readonly #lines = new Map<string, Line>();

  /** Resolves when the task holds the lock; at once when it holds it already. Rejects when the task ends meanwhile. */
  take(name: string, task: string): Promise<void> {
    const line = this.#lines.get(name);
    if (!line) {
      this.#lines.set(name, { holder: task, waiting: [] });
      return Promise.resolve();
    }
    if (line.holder === task) return Promise.resolve();
    return new Promise((give, refuse) => line.waiting.push({ task, give, refuse }));
  }

  /** Gives a lock back; harmless for one that the task does not hold. */
  release(name: string, task: string): void {
    const line = this.#lines.get(name);
    if (line?.holder !== task) return;
    const next = line.waiting.shift();
    if (!next) {
      this.#lines.delete(name);
      return;
    }
    line.holder = next.task;
    next.give();
  }

  /** The task has ended: its locks are free, its places in line are gone. */
  releaseAll(task: string): void {
    for (const [name, line] of [...this.#lines]) {
      for (let at = line.waiting.length - 1; at >= 0; at--) {
        if (line.waiting[at]?.task !== task) continue;
        const [gone] = line.waiting.splice(at, 1);
        gone?.refuse(new Fault('cancelled', 'cancelled', `task ${task} has ended`));
      }
      this.release(name, task);
    }
  }
}
