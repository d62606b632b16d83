/** State changes of jobs and nodes as events: one upstream poll for any number of viewers, none while nobody looks. */
import { setTimeout } from 'node:timers/promises';
import { Fault, toFault } from '../../proto/fault.ts';
import type { Cluster, Row } from './cluster.ts';

type Topic = 'jobs' | 'nodes';

/** One state change; `state` is null for what has left the list. */
export interface Change {
  readonly topic: Topic;
  readonly id: string;
  /** Login of a job's user, empty for nodes. */
  readonly user: string;
  readonly state: readonly string[] | null;
}

export type Viewer = (changes: readonly Change[], trouble: string | null) => void;

/** Viewers at once. */
const MAX_VIEWERS = 1000;
/** Milliseconds between looks while somebody looks. */
const EVERY = 5000;

type Known = Record<Topic, Map<string, { state: string; user: string }> | null>;

export class Live {
  readonly #cluster: Pick<Cluster, 'jobs' | 'nodes'>;
  readonly #every: number;
  readonly #viewers = new Set<Viewer>();
  /** Ends the polling that goes on while there are viewers; null while there is none. */
  #polling: AbortController | null = null;

  constructor(cluster: Pick<Cluster, 'jobs' | 'nodes'>, every = EVERY) {
    this.#cluster = cluster;
    this.#every = every;
  }

  /** Tells a viewer every change from now on, until the returned function is called. */
  watch(viewer: Viewer): () => void {
    if (this.#viewers.size >= MAX_VIEWERS) {
      throw new Fault('exhausted', 'busy', `more than ${MAX_VIEWERS} viewers`, { limit: MAX_VIEWERS });
    }
    this.#viewers.add(viewer);
    if (!this.#polling) {
      this.#polling = new AbortController();
      void this.#poll(this.#polling.signal);
    }
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.close();
    };
  }

  close(): void {
    this.#polling?.abort();
    this.#polling = null;
  }

  /** What changed while nobody looked is no news: each polling begins with nothing known. */
  async #poll(ended: AbortSignal): Promise<void> {
    const known: Known = { jobs: null, nodes: null };
    while (!ended.aborted) {
      let trouble: string | null = null;
      const changes: Change[] = [];
      try {
        changes.push(...compare(known, 'nodes', await this.#cluster.nodes()));
        changes.push(...compare(known, 'jobs', await this.#cluster.jobs(null)));
      } catch (error) {
        trouble = toFault(error).message;
      }
      if (ended.aborted) return;
      for (const viewer of [...this.#viewers]) viewer(changes, trouble);
      await setTimeout(this.#every, null, { ref: false, signal: ended }).catch(() => undefined);
    }
  }
}

/** What is new since the last look, which is then remembered. */
function compare(known: Known, topic: Topic, rows: readonly Row[]): Change[] {
  const before = known[topic];
  known[topic] = new Map(rows.map(row => [row.id, { state: row.states.join(' '), user: row.user }]));
  if (!before) return [];
  const changes: Change[] = [];
  for (const row of rows) {
    if (before.get(row.id)?.state !== row.states.join(' ')) {
      changes.push({ topic, id: row.id, user: row.user, state: row.states });
    }
  }
  for (const [id, { user }] of before) {
    if (!known[topic].has(id)) changes.push({ topic, id, user, state: null });
  }
  return changes;
}
