/** The daemon's turns of life: taking an earlier one's work over, tidying up, coming to an end. */
import { recover } from './core/recovery.ts';
import type { Scheduler } from './core/scheduler.ts';
import type { Place } from './core/world.ts';
import type { WorkerPool } from './pool/worker-pool.ts';
import type { Catalogue } from './store/catalogue.ts';
import type { TaskStore } from './store/task-store.ts';
import type { Workspaces } from './store/workspaces.ts';

export interface RecoveryParts {
  readonly catalogue: Catalogue;
  readonly store: TaskStore;
  readonly pool: WorkerPool;
  readonly place: Place;
  readonly scheduler: Scheduler;
  readonly report: (error: unknown, where: string) => void;
}

/** Takes waiting and interrupted tasks over. What it did, in words; empty when there was nothing to do. */
export async function recoverState(parts: RecoveryParts): Promise<string> {
  const { catalogue, store, pool, place, scheduler, report } = parts;
  const { forward, discarded } = catalogue.recover();
  const waiting = [...store.waiting()];
  scheduler.restore(waiting);
  const interrupted = store.interrupted();
  if (interrupted.length === 0) return '';
  const tasks = interrupted.map(({ id, place: folder }) => ({ id, place: folder }));
  // Nothing of an interrupted attempt may run beside the next one.
  const { killed } = await pool.query({ type: 'sweep', tasks }).catch(error => {
    report(error, 'sweeping what interrupted tasks left');
    return { killed: 0 };
  });
  const { recovered, entries } = recover(
    interrupted,
    store,
    place,
    task => catalogue.hasPublished(task),
    waiting,
  );
  scheduler.restore(entries);
  return (
    `recovered: ${recovered.queuedAgain} interrupted tasks queued again, ${recovered.ended} ended, ` +
    `${killed} processes killed, ${forward} publications kept, ${discarded} undone`
  );
}

/** Milliseconds after the start until leftovers on the disk are looked for. */
const SWEEP_AFTER = 5000;
/** Milliseconds between looks for what has expired. */
const TIDY_EVERY = 3_600_000;

export interface SweepParts {
  readonly workspaces: Workspaces;
  readonly store: TaskStore;
  /** Milliseconds since the epoch. */
  readonly clock: { wall(): number };
  readonly report: (error: unknown, where: string) => void;
}

/** Removes abandoned files and expired keys, a little after the start and then every hour. */
export function sweepLater({ workspaces, store, clock, report }: SweepParts): () => void {
  const started = clock.wall();
  const tidy = async (): Promise<void> => {
    store.forgetKeys(clock.wall() / 1000);
    await workspaces.sweep(id => store.knows(id), started);
  };
  const run = (): void => {
    tidy().catch(error => report(error, 'tidying up'));
  };
  const first = setTimeout(run, SWEEP_AFTER).unref();
  const every = setInterval(run, TIDY_EVERY).unref();
  return () => {
    clearTimeout(first);
    clearInterval(every);
  };
}

/** Asks what runs to end and waits; what is not done after `limit` milliseconds is killed, to be recovered next time. */
export async function stopWithin(limit: number, scheduler: Scheduler, pool: WorkerPool): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), limit);
  const done = await Promise.race([scheduler.stop().then(() => true), late]);
  clearTimeout(timer);
  if (!done) pool.kill();
  return done;
}
