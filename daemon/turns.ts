/** The daemon's turns of life: taking an earlier one's work over, tidying up, coming to an end. */
import type { DaemonSettings } from './config.ts';
import { recover } from './core/recovery.ts';
import type { Scheduler } from './core/scheduler.ts';
import type { Place } from './core/world.ts';
import { keyEndWarner } from './key-ends.ts';
import type { WorkerPool } from './pool/worker-pool.ts';
import type { Catalogue } from './store/catalogue.ts';
import type { Definitions } from './store/definitions.ts';
import { Keyrings } from './store/keyrings.ts';
import type { Spool } from './store/spool.ts';
import type { TaskStore } from './store/task-store.ts';
import type { Workspaces } from './store/workspaces.ts';

export interface RecoveryParts {
  readonly catalogue: Catalogue;
  readonly store: TaskStore;
  readonly pool: WorkerPool;
  readonly place: Place;
  readonly scheduler: Scheduler;
  readonly dirs: Pick<DaemonSettings['dirs'], 'run' | 'tmp'>;
  readonly report: (error: unknown, where: string) => void;
}

/** Takes waiting and interrupted tasks over. What it did, in words; empty when there was nothing to do. */
export async function recoverState(parts: RecoveryParts): Promise<string> {
  const { catalogue, store, pool, place, scheduler, dirs, report } = parts;
  const { forward, discarded } = catalogue.recover();
  const waiting = [...store.waiting()];
  scheduler.restore(waiting);
  const interrupted = store.interrupted();
  if (interrupted.length === 0) return '';
  const tasks = interrupted.map(({ id, place: folder }) => ({ id, place: folder }));
  // Nothing of an interrupted attempt may run beside the next one.
  const homes = [dirs.run, dirs.tmp];
  const { killed } = await pool.query({ type: 'sweep', tasks, homes }).catch(error => {
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
  readonly settings: { readonly keyring: Pick<DaemonSettings['keyring'], 'storage'> };
  readonly definitions: Pick<Definitions, 'all'>;
  readonly workspaces: Pick<Workspaces, 'sweep'>;
  readonly spool: Pick<Spool, 'sweep'>;
  readonly store: Pick<TaskStore, 'forgetKeys' | 'knows'>;
  /** Milliseconds since the epoch, and monotonic. */
  readonly clock: { wall(): number; monotonic(): number };
  readonly warn: (text: string) => void;
  readonly report: (error: unknown, where: string) => void;
}

/**
 * Forgets expired keys, warns of signing keys and removes abandoned uploads, a little after the start and then every hour.
 * What an earlier life has abandoned is removed once by its age: later, a clock that was set could make files of this life
 * look as old.
 */
export function sweepLater(parts: SweepParts): () => void {
  const { settings, definitions, workspaces, spool, store, clock, warn, report } = parts;
  const keyrings = new Keyrings(settings.keyring.storage);
  const warnOfKeys = keyEndWarner({ keyrings, definitions, warn });
  const started = clock.wall();
  const tidy = async (): Promise<void> => {
    store.forgetKeys(clock.wall() / 1000);
    await warnOfKeys(clock.wall() / 1000);
  };
  const run = (work: () => Promise<unknown>): void => {
    work().catch(error => report(error, 'tidying up'));
  };
  const first = setTimeout(() => {
    run(() => workspaces.sweep(id => store.knows(id), started));
    run(tidy);
    run(() => spool.sweep(clock.monotonic()));
  }, SWEEP_AFTER).unref();
  const every = setInterval(() => {
    run(tidy);
    run(() => spool.sweep(clock.monotonic()));
  }, TIDY_EVERY).unref();
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
