/** The inventory that drawings and views are made from: read by a renderer, watched, and kept when a newer one is faulty. */
import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';
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
  /** The one reading that follows it, for all who asked meanwhile. */
  #next: Promise<void> | null = null;
  /** What was last logged of a refused reading; empty when the newest is served. */
  #told = '';
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

  /** What was wrong with the newest state of the files; null when it is served, or when there never was one. */
  get refusal(): string | null {
    const [first] = this.#faults;
    if (!first || (first.code === 'absent' && !this.#served)) return null;
    const kept = this.#served ? 'the last good one stays served' : 'none is served';
    const where = `${first.file}:${first.line}: ${first.path}: ${first.message}`;
    return `the inventory was refused, ${kept}: ${where}`;
  }

  /** Reads now; readings that are asked for meanwhile become one more. Never throws: what fails is told as a fault. */
  async reload(): Promise<void> {
    if (this.#closed) return;
    if (this.#reading !== null) {
      // What is being read may be older than what the caller means.
      this.#next ??= this.#reading.then(() => {
        this.#next = null;
        return this.reload();
      });
      return this.#next;
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  close(): void {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #read(): Promise<void> {
    const { now } = this.#options;
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
    if (reading.snapshot) this.#serve(reading.snapshot, reading.findings, now());
    else this.#tellRefusal();
    // What changed in a folder between its reading and its watch was told to nobody.
    if (this.#watch(reading.folders)) await this.#read();
  }

  #serve(snapshot: Snapshot, findings: readonly Finding[], now: number): void {
    const { version } = snapshot;
    const changed = this.#served?.snapshot.version !== version || this.#told !== '';
    this.#served = { snapshot, findings, loaded: Math.floor(now / 1000) };
    this.#told = '';
    if (changed) this.#options.log.info({ version }, 'serving the inventory as it is now');
  }

  /** Says why a reading was refused: once, however often it is tried, and nothing where there never was an inventory. */
  #tellRefusal(): void {
    const words = this.refusal;
    if (words === null || words === this.#told) return;
    this.#told = words;
    this.#options.log.warn({ errors: this.#faults.length }, words);
  }

  /** Whether a folder is watched that was not before. */
  #watch(folders: readonly string[]): boolean {
    const wanted = new Set(folders.slice(0, MAX_WATCHED));
    let missed = folders.length === 0 || folders.length > MAX_WATCHED;
    let isNew = false;
    for (const [folder, watcher] of this.#watchers) {
      // A faulty tree may have told only some of its folders.
      if (wanted.has(folder) || this.#faults.length > 0) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of wanted) {
      if (this.#watchers.has(folder)) continue;
      try {
        const lose = (): void => {
          watcher.close();
          this.#watchers.delete(folder);
        };
        const watcher = watch(folder, { persistent: false }, (event, name) => {
          // Of the folder itself: it is gone or has moved, and another one may take its place.
          if (event === 'rename' && name === basename(folder)) lose();
          this.#changed(DEBOUNCE);
        });
        watcher.on('error', () => {
          lose();
          this.#changed(DEBOUNCE);
        });
        this.#watchers.set(folder, watcher);
        isNew = true;
      } catch {
        missed = true;
      }
    }
    if (missed && !this.#timer) this.#changed(POLL);
    return isNew;
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
