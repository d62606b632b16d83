/** The dispatcher's part of the watchdog's self-check: what may start does start. Pure. */
import type { Scheduler } from './scheduler.ts';

/** Milliseconds for which a task that could start may be found waiting. */
const BEHIND_LIMIT = 10_000;

/** A check to be made now and then; false once tasks have been left waiting for too long. `now` is monotonic. */
export function dispatcherCheck(scheduler: Pick<Scheduler, 'isBehind'>, now: () => number): () => boolean {
  let since: number | null = null;
  return () => {
    since = scheduler.isBehind ? (since ?? now()) : null;
    return since === null || now() - since < BEHIND_LIMIT;
  };
}
