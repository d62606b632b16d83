/** Routes of cluster data below `/v{V}/`, each behind its action of the policy. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../../proto/fault.ts';
import { Refusal } from '../../http/problem.ts';
import type { Authenticate, Caller } from '../access.ts';
import type { Cache } from '../cache.ts';
import type { Cluster, Row } from '../cluster.ts';
import { bothVocabularies } from '../policy.ts';
import type { AgentSettings } from '../schema.ts';
import { requireVersion, VERSIONED } from '../version.ts';

export interface DataParts {
  readonly cluster: Cluster;
  readonly cache: Cache;
  readonly settings: AgentSettings;
  readonly authenticate: Authenticate;
}

type Answer = (caller: Caller, request: FastifyRequest) => Promise<unknown>;

/** NO_VAL of slurm.h, above all job ids. */
const NO_JOB_ID = 4_294_967_294;
/** Rows joined per piece of a long list: few enough to be sent without a stall, many enough to be quick. */
const ROWS_A_PIECE = 500;

export function addDataRoutes(app: FastifyInstance, parts: DataParts): void {
  const { cluster, settings, authenticate } = parts;
  const get = (path: string, answer: Answer): void => {
    app.get(`${VERSIONED}/${path}`, async (request, reply) => {
      requireVersion(request);
      const made = await answer(await authenticate(request.raw), request);
      void reply.header('cache-control', 'no-store');
      return made instanceof RowList ? sendRows(reply, made.rows) : made;
    });
  };
  const rows = (
    path: string,
    action: Parameters<Caller['require']>[0],
    read: () => Promise<readonly Row[]>,
  ): void =>
    get(path, async caller => {
      caller.require(action);
      return new RowList(await read());
    });

  get('permissions', async caller => ({ roles: caller.roles, actions: bothVocabularies(caller.actions) }));
  get('ping', async () => {
    const { slurm, api } = await cluster.ping();
    return { versions: { slurm, api } };
  });
  get('stats', async caller => {
    caller.require('view-stats');
    return cluster.statistics();
  });
  get('jobs', async (caller, request) => {
    const own = ownOnly(caller, 'view-jobs', 'jobs-view-own');
    return new RowList(visible(await cluster.jobs(single(request, 'node')), own));
  });
  get('jobs/past', async (caller, request) => {
    const own = ownOnly(caller, 'jobs-view-past', 'jobs-view-past-own');
    const hours = single(request, 'hours');
    if (hours === null || !/^\d{1,6}$/.test(hours)) throw new Refusal(400, 'the query must have hours=N');
    const span = Math.min(Math.max(1, Number(hours)), settings.slurmdbd.jobs_max_hours);
    return new RowList(visible(await cluster.pastJobs(span), own));
  });
  get('job/:id', async (caller, request) => {
    const { id = '' } = request.params as { id?: string };
    // 22.05's slurmrestd ends at a job id that is none, and cuts one of more than 32 bits: another job would be shown.
    if (!/^[1-9]\d{0,9}$/.test(id) || Number(id) >= NO_JOB_ID)
      throw new Fault('not_found', 'not-found', `Job ${id} not found`);
    const own = ownOnly(caller, 'view-jobs', 'jobs-view-own');
    const { job, user } = await cluster.job(Number(id));
    if (own !== null && user.toLowerCase() !== own) {
      throw new Fault('not_found', 'not-found', `Job ${id} not found`);
    }
    return job;
  });
  rows('nodes', 'view-nodes', () => cluster.nodes());
  get('node/:name', async (caller, request) => {
    caller.require('view-nodes');
    const { name = '' } = request.params as { name?: string };
    if (!/^[\w.-]{1,255}$/.test(name)) throw new Fault('not_found', 'not-found', `Node ${name} not found`);
    return cluster.node(name);
  });
  rows('partitions', 'view-partitions', () => cluster.partitions());
  rows('qos', 'view-qos', () => cluster.qos());
  rows('reservations', 'view-reservations', () => cluster.reservations());
  rows('accounts', 'view-accounts', () => cluster.accounts());
  rows('associations', 'associations-view', () => cluster.associations());
  addCacheRoutes(app, parts, get);
}

function addCacheRoutes(
  app: FastifyInstance,
  { cache, settings, authenticate }: DataParts,
  get: (path: string, answer: Answer) => void,
): void {
  const counts = () => {
    if (!settings.cache.enabled) throw new Refusal(501, 'Cache service is disabled');
    const sum = (of: Readonly<Record<string, number>>) => ({
      keys: of,
      total: Object.values(of).reduce((all, one) => all + one, 0),
    });
    return { hit: sum(cache.counts.hit), miss: sum(cache.counts.miss) };
  };
  get('cache/stats', async caller => {
    caller.require('cache-view');
    return counts();
  });
  app.post(`${VERSIONED}/cache/reset`, async request => {
    requireVersion(request);
    const caller = await authenticate(request.raw);
    caller.require('cache-reset');
    counts();
    cache.reset();
    return counts();
  });
}

/** A query parameter that stands once, null without one. Throws 400 when it stands twice. */
function single(request: FastifyRequest, name: string): string | null {
  const value = (request.query as Readonly<Record<string, string | string[]>>)[name] ?? null;
  if (Array.isArray(value)) throw new Refusal(400, `the query has more than one ${name}`);
  return value;
}

/** The caller's login in lower case when only their own are shown to them, null when all are. */
function ownOnly(
  caller: Caller,
  all: 'view-jobs' | 'jobs-view-past',
  own: 'jobs-view-own' | 'jobs-view-past-own',
): string | null {
  if (caller.permits(all)) return null;
  if (caller.permits(own)) return caller.login.toLowerCase();
  caller.require(all);
  return null;
}

function visible(rows: readonly Row[], own: string | null): readonly Row[] {
  return own === null ? rows : rows.filter(row => row.user.toLowerCase() === own);
}

class RowList {
  readonly rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.rows = rows;
  }
}

/** Sends a list as JSON in pieces, so that 100,000 rows are never one text. */
function sendRows(reply: FastifyReply, rows: readonly Row[]): FastifyReply {
  function* pieces(): Generator<string> {
    yield '[';
    for (let at = 0; at < rows.length; at += ROWS_A_PIECE) {
      const piece = rows.slice(at, at + ROWS_A_PIECE).map(row => row.json);
      yield (at === 0 ? '' : ',') + piece.join(',');
    }
    yield ']\n';
  }
  void reply.type('application/json; charset=utf-8');
  if (rows.length <= ROWS_A_PIECE) return reply.send([...pieces()].join(''));
  return reply.send(Readable.from(pieces(), { objectMode: false }));
}
