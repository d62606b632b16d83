/** State changes of jobs and nodes as events: one upstream poll for any number of viewers, none while nobody looks. */
import { Fault, toFault } from '../../proto/fault.ts';
import type { Cluster, Row } from './cluster.ts';

export type Topic = 'jobs' | 'nodes';

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
/** Milliseconds between polls while somebody looks. */
const EVERY = 5000;

export class Live {
  readonly #cluster: Cluster;
  readonly #viewers = new Set<Viewer>();
  readonly #known: Record<Topic, Map<string, { state: string; user: string }> | null> = {
    jobs: null,
    nodes: null,
  };
  #timer: NodeJS.Timeout | null = null;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Tells a viewer every change from now on, until the returned function is called. */
  watch(viewer: Viewer): () => void {
    if (this.#viewers.size >= MAX_VIEWERS) {
      throw new Fault('exhausted', 'busy', `more than ${MAX_VIEWERS} viewers`, { limit: MAX_VIEWERS });
    }
    this.#viewers.add(viewer);
    if (!this.#timer) this.#timer = setTimeout(() => void this.#poll(), 0);
    return () => {
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.close();
    };
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    // What changed while nobody looked is no news.
    this.#known.jobs = null;
    this.#known.nodes = null;
  }

  async #poll(): Promise<void> {
    let trouble: string | null = null;
    const changes: Change[] = [];
    try {
      changes.push(...this.#compare('nodes', await this.#cluster.nodes()));
      changes.push(...this.#compare('jobs', await this.#cluster.jobs(null)));
    } catch (error) {
      trouble = toFault(error).message;
    }
    if (this.#viewers.size === 0) return;
    for (const viewer of this.#viewers) viewer(changes, trouble);
    this.#timer = setTimeout(() => void this.#poll(), EVERY);
    this.#timer.unref();
  }

  #compare(topic: Topic, rows: readonly Row[]): Change[] {
    const before = this.#known[topic];
    const after = new Map(rows.map(row => [row.id, { state: row.states.join(' '), user: row.user }]));
    this.#known[topic] = after;
    if (!before) return [];
    const changes: Change[] = [];
    for (const row of rows) {
      if (before.get(row.id)?.state !== row.states.join(' ')) {
        changes.push({ topic, id: row.id, user: row.user, state: row.states });
      }
    }
    for (const [id, { user }] of before) if (!after.has(id)) changes.push({ topic, id, user, state: null });
    return changes;
  }
}
