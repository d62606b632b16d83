/** Watches a task from the side: total time, silence, memory, disk; tells when one of its limits is reached. */

import { Fault } from '../proto/fault.ts';
import type { TaskLimits } from './job.ts';

/** Milliseconds between looks. */
const LOOK = 500;
/** Milliseconds between measurements of disk usage, at least; and how many times longer than the measurement itself. */
const MEASURE = 5000;
const RATIO = 20;

export interface Watched {
  /** In force now: they may be lowered meanwhile. */
  limits(): TaskLimits;
  /** Monotonic milliseconds of the last output. */
  lastOutput(): number;
  /** Whether a program runs: silence counts only then. */
  isRunning(): boolean;
  /** Processes killed so far for want of memory. */
  outOfMemory(): number;
  /** Bytes that a folder takes on disk. */
  measure(folder: string): Promise<number>;
}

export class LimitWatch {
  readonly #watched: Watched;
  readonly #onFault: (fault: Fault) => void;
  readonly #folders = new Set<string>();
  readonly #started = performance.now();
  #quietSince = performance.now();
  #timer: NodeJS.Timeout;
  #measuring = false;
  #nextMeasure = 0;

  constructor(watched: Watched, onFault: (fault: Fault) => void) {
    this.#watched = watched;
    this.#onFault = onFault;
    this.#timer = setInterval(() => this.#look(), LOOK);
    this.#timer.unref();
  }

  /** Counts a folder against the disk limit until the returned function is called. */
  addFolder(folder: string): () => void {
    this.#folders.add(folder);
    return () => this.#folders.delete(folder);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { timeout, idleTimeout, disk, memory } = this.#watched.limits();
    const now = performance.now();
    if (!this.#watched.isRunning()) this.#quietSince = now;
    const quiet = now - Math.max(this.#quietSince, this.#watched.lastOutput());
    if (timeout > 0 && now - this.#started > timeout * 1000) {
      this.#onFault(
        new Fault('exhausted', 'timeout-total', `the task ran longer than its limit of ${timeout} s`, {
          limit: timeout,
        }),
      );
    } else if (idleTimeout > 0 && quiet > idleTimeout * 1000) {
      this.#onFault(
        new Fault('exhausted', 'timeout-idle', `no output for ${idleTimeout} s, the limit of silence`, {
          limit: idleTimeout,
        }),
      );
    } else if (memory > 0 && this.#watched.outOfMemory() > 0) {
      this.#onFault(
        new Fault(
          'exhausted',
          'out-of-memory',
          `the task needed more memory than its limit of ${memory} bytes`,
          {
            limit: memory,
          },
        ),
      );
    }
    if (disk > 0 && this.#folders.size > 0 && !this.#measuring && now >= this.#nextMeasure)
      void this.#measure(disk);
  }

  async #measure(limit: number): Promise<void> {
    this.#measuring = true;
    const began = performance.now();
    try {
      let total = 0;
      for (const folder of this.#folders) total += await this.#watched.measure(folder);
      if (total > limit) {
        this.#onFault(
          new Fault('exhausted', 'disk-full', `the task took more disk than its limit of ${limit} bytes`, {
            limit,
          }),
        );
      }
    } catch {
      // A folder that is being removed; whatever else it is will show when the folder is used.
    }
    const took = performance.now() - began;
    this.#nextMeasure = performance.now() + Math.max(MEASURE, RATIO * took);
    this.#measuring = false;
  }
}
