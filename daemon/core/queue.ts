/** The order of waiting tasks and the choice of the next one that may run. Pure. */
import { Fault } from '../../proto/fault.ts';
import { type Claims, Held } from './claims.ts';

/** A waiting or running task as far as its order matters. */
export interface Entry {
  readonly id: string;
  readonly instance: string;
  readonly priority: number;
  /** Unique among waiting tasks; negative stands before every priority. */
  readonly rank: number;
  readonly claims: Claims;
}

export interface Caps {
  /** Tasks that run at once, in all. */
  readonly total: number;
  /** Tasks that run at once in one instance. */
  readonly perInstance: number;
}

/** Tasks that may wait, in all. */
const MAX_WAITING = 250_000;
/** Waiting tasks looked at, in order, for one that may run: bounds a choice when very many stand in the way. */
const LOOKAHEAD = 1000;

/** Waiting and running tasks of all instances. */
export class Queue {
  readonly #caps: Caps;
  /** Per instance, in order. */
  readonly #waiting = new Map<string, Entry[]>();
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Entry>();
  readonly #held = new Held();
  /** Waiting and running creations by what they make. */
  readonly #makers = new Map<string, Set<string>>();
  /** Waiting tasks that something else must come before. */
  readonly #blocked = new Map<string, string>();

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  get waiting(): number {
    return this.#entries.size;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Throws `busy` when no more may wait. */
  checkRoom(): void {
    if (this.#entries.size < MAX_WAITING) return;
    throw new Fault('exhausted', 'busy', `${MAX_WAITING} tasks wait already`, { limit: MAX_WAITING });
  }

  waitingIn(instance: string): readonly Entry[] {
    return this.#waiting.get(instance) ?? [];
  }

  add(entry: Entry): void {
    const line = this.#waiting.get(entry.instance) ?? [];
    line.splice(placeOf(line, entry), 0, entry);
    this.#waiting.set(entry.instance, line);
    this.#entries.set(entry.id, entry);
    if (entry.claims.makes !== null) {
      const makers = this.#makers.get(entry.claims.makes) ?? new Set();
      this.#makers.set(entry.claims.makes, makers.add(entry.id));
    }
  }

  /** The waiting or running task that makes something; null when none does. */
  makerOf(thing: string): string | null {
    return this.#makers.get(thing)?.values().next().value ?? null;
  }

  /** Whether a waiting or running task writes all of that. */
  isWritten({ write }: Claims): boolean {
    const writes = ({ claims }: Entry): boolean => write.every(thing => claims.write.includes(thing));
    return this.#running.values().some(writes) || this.#entries.values().some(writes);
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Takes a waiting task out of the line. */
  remove(id: string): void {
    const entry = this.#take(id);
    if (entry) this.#forget(entry);
  }

  #forget({ id, claims }: Entry): void {
    const makers = claims.makes === null ? undefined : this.#makers.get(claims.makes);
    if (makers?.delete(id) && makers.size === 0) this.#makers.delete(claims.makes ?? '');
  }

  #take(id: string): Entry | null {
    const entry = this.#entries.get(id);
    if (!entry) return null;
    const line = this.#waiting.get(entry.instance) ?? [];
    line.splice(placeOf(line, entry), 1);
    this.#entries.delete(id);
    this.#blocked.delete(id);
    return entry;
  }

  reprioritise(id: string, priority: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    const why = this.#blocked.get(id);
    this.remove(id);
    this.add({ ...entry, priority });
    if (why !== undefined) this.#blocked.set(id, why);
  }

  /** 1 = next in its instance; 0 when it does not wait. */
  position(id: string): number {
    const entry = this.#entries.get(id);
    return entry ? placeOf(this.waitingIn(entry.instance), entry) + 1 : 0;
  }

  /** Keeps a waiting task back until unblock; `why` is shown to who asks. */
  block(id: string, why: string): void {
    if (this.#entries.has(id)) this.#blocked.set(id, why);
  }

  unblock(id: string): void {
    this.#blocked.delete(id);
  }

  /** The next task that may run, null when none may. Instances take turns: the one that runs least comes first. */
  next(): Entry | null {
    if (this.#running.size >= this.#caps.total) return null;
    const busy = new Map<string, number>();
    for (const entry of this.#running.values()) busy.set(entry.instance, (busy.get(entry.instance) ?? 0) + 1);
    const instances = [...this.#waiting.keys()].sort((a, b) => (busy.get(a) ?? 0) - (busy.get(b) ?? 0));
    for (const instance of instances) {
      if ((busy.get(instance) ?? 0) >= this.#caps.perInstance) continue;
      const entry = this.#choose(this.waitingIn(instance));
      if (entry) return entry;
    }
    return null;
  }

  /** What stands in the way of an earlier task is kept for it: a later one must not overtake it there. */
  #choose(line: readonly Entry[]): Entry | null {
    const kept = new Held();
    for (const entry of line.slice(0, LOOKAHEAD)) {
      if (this.#blocked.has(entry.id)) continue;
      if (!this.#held.obstacle(entry.claims) && !kept.obstacle(entry.claims)) return entry;
      kept.take(entry.id, entry.claims);
    }
    return null;
  }

  /** A waiting task now runs. */
  begin(id: string): void {
    const entry = this.#take(id);
    if (!entry) throw new TypeError(`task ${id} does not wait`);
    this.#running.set(id, entry);
    this.#held.take(id, entry.claims);
  }

  /** A running task has ended, or waits again under a new entry. */
  end(id: string): void {
    const entry = this.#running.get(id);
    if (!entry) return;
    this.#running.delete(id);
    this.#held.release(id, entry.claims);
    this.#forget(entry);
  }

  /** Why a waiting task waits, in words for its user; empty for one that does not wait. */
  reason(id: string): string {
    const entry = this.#entries.get(id);
    if (!entry) return '';
    const blocked = this.#blocked.get(id);
    if (blocked !== undefined) return blocked;
    const obstacle = this.#held.obstacle(entry.claims);
    if (obstacle) return `waits for task ${obstacle.holder}, which holds ${thing(obstacle.thing)}`;
    const here = [...this.#running.values()].filter(other => other.instance === entry.instance).length;
    if (this.#running.size >= this.#caps.total) return `all ${this.#caps.total} workers are busy`;
    if (here >= this.#caps.perInstance)
      return `all ${this.#caps.perInstance} workers of the instance are busy`;
    const before = this.position(id) - 1;
    return before > 0
      ? `${before} ${before === 1 ? 'task stands' : 'tasks stand'} before it`
      : 'about to start';
  }
}

/** What is claimed, without the instance that names it uniquely. */
function thing(name: string): string {
  return name.slice(name.indexOf(': ') + 2);
}

/** Where an entry stands in a line, or would. */
function placeOf(line: readonly Entry[], entry: Entry): number {
  let low = 0;
  let high = line.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(line[middle] as Entry, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First who stands before every priority, then higher priorities, then earlier ranks. */
export function compare(a: Pick<Entry, 'priority' | 'rank'>, b: Pick<Entry, 'priority' | 'rank'>): number {
  const front = Number(b.rank < 0) - Number(a.rank < 0);
  if (front !== 0) return front;
  return a.rank < 0 ? a.rank - b.rank : b.priority - a.priority || a.rank - b.rank;
}
