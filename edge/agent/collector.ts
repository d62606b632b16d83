/** One background collection for any number of scrapes and viewers: two list calls, a snapshot, its age. */
import { Fault, toFault } from '../../proto/fault.ts';
import type { Slurmrestd } from './slurmrestd.ts';
import { addJob, addNode, emptyTally, type Tally } from './tally.ts';
import { number, type Raw, raw } from './values.ts';

export interface Snapshot {
  readonly tally: Tally;
  /** Counters of slurmctld's own statistics, by name; empty when diag was refused. */
  readonly scheduler: ReadonlyMap<string, number>;
  /** Milliseconds since the epoch at which it was complete. */
  readonly taken: number;
  /** Milliseconds that the collection took. */
  readonly took: number;
}

export interface CollectorOptions {
  readonly slurmrestd: Pick<Slurmrestd, 'get'>;
  /** Seconds between collections, and until a snapshot is too old to be served. */
  readonly interval: number;
  readonly maxAge: number;
  /** Users told apart; 0 for none. */
  readonly users: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly warn: (text: string) => void;
  readonly info: (text: string) => void;
}

/** How long the very first scrape waits for the first snapshot, in milliseconds. */
const FIRST_WAIT = 5000;
/** Longest pause after failures, in seconds. */
const MAX_PAUSE = 300;

/** slurmctld's statistics that are worth a series, out of `diag`. */
const SCHEDULER_STATISTICS = [
  'jobs_submitted',
  'jobs_started',
  'jobs_completed',
  'jobs_canceled',
  'jobs_failed',
  'server_thread_count',
  'agent_queue_size',
  'schedule_cycle_last',
  'schedule_cycle_mean',
  'bf_backfilled_jobs',
  'bf_cycle_last',
  'bf_queue_len',
] as const;

export class Collector {
  readonly #options: CollectorOptions;
  readonly #failures = new Map<string, number>();
  readonly #warned = new Set<string>();
  #snapshot: Snapshot | null = null;
  #last: Fault | null = null;
  #streak = 0;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Starts collecting; the first collection begins at once. */
  open(): void {
    void this.#round();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
  }

  /** Collections that failed so far, by cause. */
  get failures(): ReadonlyMap<string, number> {
    return this.#failures;
  }

  /** Whether the last collection succeeded. */
  get up(): boolean {
    return this.#snapshot !== null && this.#streak === 0;
  }

  get latest(): Snapshot | null {
    return this.#snapshot;
  }

  /** The snapshot to serve. Throws `metrics-unavailable` with the reason when there is none that is fresh enough. */
  async read(): Promise<Snapshot> {
    if (!this.#snapshot && this.#running && this.#streak === 0) {
      await Promise.race([this.#running, new Promise(resolve => setTimeout(resolve, FIRST_WAIT).unref())]);
    }
    const age = this.#snapshot ? this.#options.now() - this.#snapshot.taken : Number.POSITIVE_INFINITY;
    // A clock that was set back makes a snapshot of the future, which would never be too old.
    if (this.#snapshot && Math.abs(age) <= this.#options.maxAge * 1000) return this.#snapshot;
    const why = this.#last?.message ?? 'the first collection has not ended yet';
    throw new Fault('unavailable', 'metrics-unavailable', `no metrics to show: ${why}`);
  }

  async #round(): Promise<void> {
    this.#running = this.#collect();
    await this.#running;
    this.#running = null;
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#round(), this.#pause() * 1000);
    this.#timer.unref();
  }

  /** Seconds to the next round: the interval; after failures doubling, with jitter so that agents don't march in step. */
  #pause(): number {
    const { interval, random } = this.#options;
    if (this.#streak === 0) return interval;
    const longest = Math.max(interval, Math.min(MAX_PAUSE, interval * 2 ** Math.min(this.#streak - 1, 10)));
    return Math.min(longest, this.#options.maxAge) * (0.5 + random() / 2);
  }

  async #collect(): Promise<void> {
    const { now, slurmrestd, users } = this.#options;
    const began = now();
    const tally = emptyTally();
    try {
      await slurmrestd.get('nodes', { lists: NODES, onElement: (_list, node) => addNode(tally, node) });
      await slurmrestd.get('jobs', { lists: JOBS, onElement: (_list, job) => addJob(tally, job, users) });
      const scheduler = await this.#scheduler();
      this.#snapshot = { tally, scheduler, taken: now(), took: now() - began };
      if (this.#streak > 0) this.#options.info(`collections succeed again after ${this.#streak} that failed`);
      this.#streak = 0;
      this.#last = null;
      for (const odd of tally.unreadableGres)
        this.#warnOnce(`GRES "${odd}" can't be read: it counts as no GPU`);
    } catch (error) {
      // The connections were closed under it.
      if (this.#closed) return;
      const fault = toFault(error);
      this.#last = fault;
      this.#streak++;
      this.#failures.set(fault.reason, (this.#failures.get(fault.reason) ?? 0) + 1);
      this.#options.warn(`collection failed (${this.#streak} in a row): ${fault.message}`);
    }
  }

  /** Statistics are an extra: a daemon that refuses them spoils no collection. */
  async #scheduler(): Promise<ReadonlyMap<string, number>> {
    try {
      const answer: Raw = await this.#options.slurmrestd.get('diag');
      const statistics = raw(answer.statistics);
      return new Map(
        SCHEDULER_STATISTICS.filter(name => name in statistics).map(name => [name, number(statistics[name])]),
      );
    } catch (error) {
      this.#warnOnce(`slurmctld's statistics are not to be had: ${toFault(error).message}`);
      return new Map();
    }
  }

  #warnOnce(message: string): void {
    if (this.#warned.has(message) || this.#warned.size >= 100) return;
    this.#warned.add(message);
    this.#options.warn(message);
  }
}

const NODES = new Set(['nodes']);
const JOBS = new Set(['jobs']);
