/** Tells everybody who watches what became of tasks. Pure; nobody who watches can hold up who tells. */
import { Fault } from '../../proto/fault.ts';
import type { Task } from './task.ts';

/** Tasks that one watcher may be behind by before it is cut off. Several changes of one task count once. */
const MAX_BEHIND = 10_000;
/** Watchers at once. */
const MAX_WATCHERS = 2000;

export class Feed {
  readonly #listeners = new Set<(task: Task) => void>();

  publish(task: Task): void {
    for (const listener of this.#listeners) listener(task);
  }

  /** Calls back on each change until the returned function is called. */
  subscribe(listener: (task: Task) => void): () => void {
    if (this.#listeners.size >= MAX_WATCHERS) {
      throw new Fault('exhausted', 'busy', `more than ${MAX_WATCHERS} watchers`, { limit: MAX_WATCHERS });
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Changes of the tasks that `wants` accepts, until `signal` aborts. A slow reader gets each task's newest state, and
   * a fault once it is too far behind.
   */
  async *watch(wants: (task: Task) => boolean, signal: AbortSignal): AsyncGenerator<Task> {
    const behind = new Map<string, Task>();
    let wake = (): void => {};
    const unsubscribe = this.subscribe(task => {
      if (!wants(task)) return;
      behind.delete(task.id);
      behind.set(task.id, task);
      wake();
    });
    const stop = (): void => wake();
    signal.addEventListener('abort', stop, { once: true });
    try {
      while (!signal.aborted) {
        if (behind.size > MAX_BEHIND) throw new Fault('exhausted', 'busy', 'the watcher is too slow');
        const next = behind.values().next();
        if (next.done) {
          await new Promise<void>(resolve => {
            wake = resolve;
          });
          continue;
        }
        behind.delete(next.value.id);
        yield next.value;
      }
    } finally {
      unsubscribe();
      signal.removeEventListener('abort', stop);
    }
  }
}
