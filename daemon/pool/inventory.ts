/** The inventory that drawings and views are made from: read by a renderer, watched, and kept when a newer one is faulty. */
import { type FSWatcher, watch } from 'node:fs';
import type { Reading, Snapshot } from '../../proto/renderer.ts';
import type { Finding } from '../../proto/tree.ts';

/** Milliseconds without a change after which a changed database is read. */
const DEBOUNCE = 300;
/** Folders that are watched; more are read on request only. */
const MAX_WATCHED = 5000;
/** Milliseconds between looks for a database that is not there, or whose folders can't be watched. */
const POLL = 5000;

export interface InventoryLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface InventoryOptions {
  /** Reads the files. */
  readonly read: () => Promise<Reading>;
  readonly log: InventoryLog;
  /** Wall clock in milliseconds. */
  readonly now: () => number;
}

/** A database that is served. */
export interface Served {
  readonly snapshot: Snapshot;
  readonly findings: readonly Finding[];
  /** Seconds since the epoch. */
  readonly loaded: number;
}

/** Keeps the last good reading of a database. */
export class InventoryKeeper {
  readonly #options: InventoryOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #served: Served | null = null;
  #faults: readonly Finding[] = [];
  #reading: Promise<void> | null = null;
  #again = false;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: InventoryOptions) {
    this.#options = options;
  }

  get served(): Served | null {
    return this.#served;
  }

  /** Errors of a newer state of the files that was refused; empty when the newest is served. */
  get faults(): readonly Finding[] {
    return this.#faults;
  }

  /** Reads now; readings that are asked for meanwhile become one more. Never throws: what fails is told as a fault. */
  async reload(): Promise<void> {
    if (this.#closed) return;
    if (this.#reading !== null) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#read();
    try {
      await this.#reading;
    } finally {
      this.#reading = null;
    }
    if (!this.#again) return;
    this.#again = false;
    await this.reload();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #read(): Promise<void> {
    const { log, now } = this.#options;
    let reading: Reading;
    try {
      reading = await this.#options.read();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      reading = { snapshot: null, findings: [unreadable(message)], folders: [] };
    }
    if (this.#closed) return;
    const errors = reading.findings.filter(finding => finding.level === 'error');
    this.#faults = errors;
    if (reading.snapshot) {
      const changed = this.#served?.snapshot.version !== reading.snapshot.version;
      this.#served = {
        snapshot: reading.snapshot,
        findings: reading.findings,
        loaded: Math.floor(now() / 1000),
      };
      if (changed) log.info({ version: reading.snapshot.version }, 'serving the inventory as it is now');
    } else {
      const first = errors[0];
      const where = first ? `${first.file}:${first.line}: ${first.path}: ${first.message}` : 'faulty';
      const kept = this.#served ? 'the last good one stays served' : 'none is served';
      log.warn({ errors: errors.length }, `the inventory was refused, ${kept}: ${where}`);
    }
    this.#watch(reading.folders);
  }

  #watch(folders: readonly string[]): void {
    const wanted = new Set(folders.slice(0, MAX_WATCHED));
    let missed = folders.length === 0 || folders.length > MAX_WATCHED;
    for (const [folder, watcher] of this.#watchers) {
      // A faulty tree may have told only some of its folders.
      if (wanted.has(folder) || this.#faults.length > 0) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of wanted) {
      if (this.#watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, () => this.#changed(DEBOUNCE));
        watcher.on('error', () => {
          watcher.close();
          this.#watchers.delete(folder);
          this.#changed(DEBOUNCE);
        });
        this.#watchers.set(folder, watcher);
      } catch {
        missed = true;
      }
    }
    if (missed && !this.#timer) this.#changed(POLL);
  }

  #changed(delay: number): void {
    if (this.#closed) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.reload();
    }, delay);
    this.#timer.unref();
  }
}

function unreadable(message: string): Finding {
  return { file: '', line: 0, column: 0, level: 'error', code: 'unreadable', path: '', message };
}
