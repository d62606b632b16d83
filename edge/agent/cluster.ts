/** The cluster's data as routes serve it: one upstream fetch shared by all readers, in the frontends' shapes. */
import { Fault, toFault } from '../../proto/fault.ts';
import type { Cache } from './cache.ts';
import { jobDetail, only } from './filters.ts';
import { inHostlist } from './hostlist.ts';
import { jobRow, pastRow } from './job-shapes.ts';
import type { AgentSettings } from './schema.ts';
import {
  accountRow,
  associationRow,
  nodeDetail,
  nodeRow,
  partitionRow,
  qosRow,
  reservationRow,
} from './shapes.ts';
import { EMPTY_RESULT, type Slurmrestd, type SlurmVersions } from './slurmrestd.ts';
import { addJob, addNode, emptyTally } from './tally.ts';
import { integer, items, type Raw, raw, states, text } from './values.ts';

/** Lists whose setting, path and answer share one name. */
type ListName = 'jobs' | 'nodes' | 'partitions' | 'reservations' | 'qos' | 'accounts' | 'associations';

/** A row of a list as JSON text, with what filters look at. A list of texts is a fifth of the same list of objects. */
export interface Row {
  readonly json: string;
  /** Job number or name. */
  readonly id: string;
  readonly user: string;
  readonly nodes: string;
  readonly states: readonly string[];
}

/** Seconds that one ping serves all who ask. */
const PING = 4;

/** States in which a job has no processes any longer. */
const FINISHED = new Set([
  'COMPLETED',
  'CANCELLED',
  'FAILED',
  'TIMEOUT',
  'NODE_FAIL',
  'PREEMPTED',
  'BOOT_FAIL',
  'DEADLINE',
  'OUT_OF_MEMORY',
]);

export interface Statistics {
  readonly resources: {
    readonly nodes: number;
    readonly cores: number;
    readonly memory: number;
    readonly gpus: number;
  };
  readonly jobs: { readonly running: number; readonly total: number };
}

export class Cluster {
  readonly #slurmrestd: Slurmrestd;
  readonly #cache: Cache;
  readonly #settings: AgentSettings;
  readonly #now: () => number;

  constructor(slurmrestd: Slurmrestd, cache: Cache, settings: AgentSettings, now: () => number) {
    this.#slurmrestd = slurmrestd;
    this.#cache = cache;
    this.#settings = settings;
    this.#now = now;
  }

  /** Whether Slurm answers now, and its versions. Frontends learn of trouble from this alone, so it is never old. */
  ping(): Promise<SlurmVersions> {
    return this.#cache.read('version', '', Math.min(PING, this.#settings.cache.version), () =>
      this.#slurmrestd.ping(),
    );
  }

  statistics(): Promise<Statistics> {
    const { nodes } = this.#settings.cache;
    return this.#cache.read('stats', '', nodes, async () => {
      const tally = emptyTally();
      await this.#each('nodes', 'nodes', node => addNode(tally, node));
      await this.#each('jobs', 'jobs', job => addJob(tally, job, 0));
      return {
        resources: {
          nodes: tally.nodesTotal,
          cores: tally.coresTotal,
          memory: tally.memoryTotal,
          gpus: tally.gpusTotal,
        },
        jobs: { running: tally.jobs.running, total: tally.jobsTotal },
      };
    });
  }

  /** All jobs, or those that are on a node now. */
  async jobs(node: string | null): Promise<readonly Row[]> {
    const rows = await this.#rows('jobs', jobRow);
    if (node === null) return rows;
    return rows.filter(
      row =>
        inHostlist(row.nodes, node) &&
        (row.states.includes('COMPLETING') || !row.states.some(state => FINISHED.has(state))),
    );
  }

  /** Jobs that ended within the last hours. */
  async pastJobs(hours: number): Promise<readonly Row[]> {
    const { cache } = this.#settings;
    return this.#cache.read('jobs_past', String(hours), cache.jobs_past, async () => {
      const from = Math.floor(this.#now() / 1000) - hours * 3600;
      const rows: Row[] = [];
      await this.#each(
        `jobs?start_time=uts${from}`,
        'jobs',
        job => {
          const object = raw(job);
          const state = raw(object.state);
          const ended = integer(raw(object.time).end);
          const current = states(state.current ?? object.job_state);
          if (ended >= from && current.some(word => FINISHED.has(word)))
            rows.push(row(pastRow(job), this.#settings.filters.jobs_dbd));
        },
        true,
      );
      return rows;
    });
  }

  /** A job whole, with the login of its user. Throws `not_found`. */
  async job(id: number): Promise<{ readonly job: Record<string, unknown>; readonly user: string }> {
    return this.#cache.read('job', String(id), this.#settings.cache.job, () => this.#job(id));
  }

  nodes(): Promise<readonly Row[]> {
    return this.#rows('nodes', nodeRow);
  }

  node(name: string): Promise<Record<string, unknown>> {
    return this.#cache.read('node', name, this.#settings.cache.node, async () => {
      const missing = new Fault('not_found', 'not-found', `Node ${name} not found`);
      const answer = await this.#slurmrestd
        .get(`node/${encodeURIComponent(name)}`)
        .catch((error: unknown) => {
          throw error instanceof Fault && error.kind === 'not_found' ? missing : error;
        });
      const node = items(answer.nodes)[0];
      if (node === undefined) throw missing;
      return only(nodeDetail(node), this.#settings.filters.node);
    });
  }

  partitions(): Promise<readonly Row[]> {
    return this.#rows('partitions', partitionRow);
  }

  reservations(): Promise<readonly Row[]> {
    return this.#rows('reservations', reservationRow);
  }

  qos(): Promise<readonly Row[]> {
    return this.#rows('qos', qosRow, true);
  }

  accounts(): Promise<readonly Row[]> {
    return this.#rows('accounts', accountRow, true);
  }

  associations(): Promise<readonly Row[]> {
    return this.#rows('associations', associationRow, true);
  }

  async #job(id: number): Promise<{ readonly job: Record<string, unknown>; readonly user: string }> {
    const [record, live] = await Promise.all([this.#oneJob(id, true), this.#oneJob(id, false)]);
    if (record.job === null && live.job === null) {
      const trouble = live.trouble ?? record.trouble;
      throw trouble ?? new Fault('not_found', 'not-found', `Job ${id} not found`);
    }
    const job = jobDetail(record.job, live.job, this.#settings.filters, this.#now() / 1000);
    return { job, user: text(live.job?.user_name) || text(record.job?.user) };
  }

  /** A job out of one of the two sources; trouble with one is no trouble while the other knows it. */
  async #oneJob(id: number, accounting: boolean): Promise<{ job: Raw | null; trouble: Fault | null }> {
    try {
      const answer = await this.#slurmrestd.get(`job/${id}`, undefined, accounting);
      // The id of an array names one of its tasks too, and all of them are answered.
      const found = items(answer.jobs).find(job => integer(raw(job).job_id) === id) ?? items(answer.jobs)[0];
      return { job: found === undefined ? null : raw(found), trouble: null };
    } catch (error) {
      const fault = toFault(error);
      if (fault.kind === 'not_found') return { job: null, trouble: null };
      // Accounting may not be there at all, which is told at once; then the controller's word decides. But one that is
      // silent says nothing of a job that the controller has forgotten.
      const absent = accounting && fault.reason !== 'timeout' && fault.reason !== 'slurm-unreachable';
      return { job: null, trouble: absent ? null : fault };
    }
  }

  /** A list, named alike in settings, path and answer. */
  #rows(
    kind: ListName,
    shape: (value: unknown) => Record<string, unknown>,
    accounting = false,
  ): Promise<readonly Row[]> {
    return this.#cache.read(kind, '', this.#settings.cache[kind], async () => {
      const rows: Row[] = [];
      const members = this.#settings.filters[kind];
      await this.#each(kind, kind, value => rows.push(row(shape(value), members)), accounting);
      return rows;
    });
  }

  async #each(path: string, list: string, take: (value: unknown) => void, accounting = false): Promise<void> {
    // slurmdb of some versions spells its lists in capitals: QOS.
    const lists = new Set([list, list.toUpperCase()]);
    try {
      await this.#slurmrestd.get(path, { lists, onElement: (_list, value) => take(value) }, accounting);
    } catch (error) {
      if (!accounting || !(error instanceof Fault) || error.details.code !== EMPTY_RESULT) throw error;
    }
  }
}

function row(object: Record<string, unknown>, members: readonly string[]): Row {
  const state = raw(object.state);
  return {
    json: JSON.stringify(only(object, members)),
    id: text(object.job_id ?? object.name),
    user: text(object.user_name ?? object.user),
    nodes: text(object.nodes),
    states: states(object.job_state ?? state.current ?? object.state),
  };
}
