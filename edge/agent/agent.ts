/** Joins the agent: settings become parts, parts become routes of one area of the edge. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Policy } from '../../proto/policy.ts';
import { VERSION } from '../../proto/words.ts';
import { verifyToken } from '../auth/token.ts';
import { withoutFinalSlash } from '../http/final-slash.ts';
import { type AreaLog, flaggedLog } from '../http/log-flags.ts';
import type { Speaker } from '../http/problem.ts';
import { makeAuthenticate } from './access.ts';
import { Cache } from './cache.ts';
import { Cluster } from './cluster.ts';
import { Collector } from './collector.ts';
import { Live } from './live.ts';
import { addDataRoutes } from './routes/data.ts';
import { addEventRoutes } from './routes/events.ts';
import { addMetricsRoutes } from './routes/metrics.ts';
import type { LOG_FLAGS } from './schema.ts';
import { type Agent, slurmrestdTarget } from './settings.ts';
import { slurmHeaders } from './slurm-auth.ts';
import { Slurmrestd } from './slurmrestd.ts';
import { speakAgent } from './speak.ts';

/** Version of the drawing interface that `/info` announces. */
const RACKSDB_VERSION = '0.5.0';

/** Views and drawings of the inventory, for those who have a token. */
interface Racksdb {
  /** Served below `/racksdb/v{R}`. */
  readonly routes: FastifyPluginAsync;
  /** Whether the inventory has an infrastructure of that name; false without a daemon or an inventory. */
  has(infrastructure: string): Promise<boolean>;
}

export interface AgentOptions {
  readonly agent: Agent;
  readonly policy: Policy;
  /** Null where the settings want none. */
  readonly racksdb: Racksdb | null;
  /** Wall clock in milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
  readonly log: AreaLog;
  /** Aborts when the edge stops: streams end. */
  readonly stopping: AbortSignal;
}

/** The area as the edge joins it with others. */
export interface AgentArea {
  readonly name: 'agent';
  readonly host: string;
  readonly port: number;
  routes(alone: boolean): FastifyPluginAsync;
  readonly speakers: readonly { readonly prefix: string; readonly speak: Speaker }[];
  rewrite(url: string): string;
}

export function agentArea(options: AgentOptions): AgentArea {
  const { service } = options.agent.settings;
  let root = '/agent/';
  return {
    name: 'agent',
    host: service.interface,
    port: service.port,
    routes: alone => {
      if (alone) root = '/';
      return app => addRoutes(app, options, alone);
    },
    rewrite: url => withoutFinalSlash(url, root),
    speakers: [{ prefix: '/agent', speak: speakAgent }],
  };
}

async function addRoutes(app: FastifyInstance, options: AgentOptions, alone: boolean): Promise<void> {
  const { agent, now, random } = options;
  const { settings } = agent;
  const log = flaggedLog<(typeof LOG_FLAGS)[number]>(options.log, settings.service);
  // Routes at root answer faults as those below /agent do.
  app.addHook('onRoute', route => {
    route.config = { ...route.config, speak: speakAgent };
  });
  const warn = (sentence: string): void => log.warn({}, sentence);
  const info = (sentence: string): void => log.info({}, sentence);
  for (const sentence of agent.warnings) warn(sentence);
  const slurmrestd = new Slurmrestd({
    target: slurmrestdTarget(settings),
    headers: slurmHeaders({ ...settings.slurmrestd, jwt_key: agent.slurmKey }, now, warn),
    versions: settings.slurmrestd.versions,
    timeout: settings.slurmrestd.timeout,
    rediscover: settings.cache.version,
    now,
    warn,
    info,
    trace: text => log.trace('slurmrestd', text),
  });
  const { enabled, host, port, password } = settings.cache;
  const prefix = `rackwright:${settings.service.cluster}:`;
  const cache = new Cache({ redis: enabled ? { host, port, password } : null, prefix, enabled, now, warn });
  const cluster = new Cluster(slurmrestd, cache, settings, now);
  const live = new Live(cluster);
  const { metrics } = settings;
  const collector = metrics.enabled
    ? new Collector({
        slurmrestd,
        interval: metrics.interval,
        maxAge: metrics.max_age,
        users: metrics.users ? metrics.max_users : 0,
        now,
        random,
        warn,
        info,
      })
    : null;
  const verify = verifyToken({
    algorithm: settings.jwt.algorithm,
    audience: settings.jwt.audience,
    keys: [agent.key],
    now,
  });
  const authenticate = makeAuthenticate(verify, options.policy);
  const mount: FastifyPluginAsync = async at => {
    // No route here reads a body, so none is a bad one.
    at.removeAllContentTypeParsers();
    at.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
    addOpenRoutes(at, options);
    addDataRoutes(at, { cluster, cache, settings, authenticate });
    addEventRoutes(at, { live, authenticate, now, stopping: options.stopping });
    addMetricsRoutes(at, { settings, collector, cache, authenticate, now });
    if (options.racksdb)
      await at.register(options.racksdb.routes, { prefix: `/racksdb/v${RACKSDB_VERSION}` });
  };
  await app.register(mount, { prefix: '/agent' });
  if (alone) await app.register(mount);
  collector?.open();
  app.addHook('onClose', async () => {
    live.close();
    // Together: a collection that waits for a hung slurmrestd ends with the connections.
    await Promise.all([collector?.close(), slurmrestd.close()]);
    await cache.close();
  });
}

/** Routes that need no token. */
function addOpenRoutes(app: FastifyInstance, { agent, racksdb }: AgentOptions): void {
  const { settings } = agent;
  const infrastructure = settings.racksdb.infrastructure ?? settings.service.cluster;
  // Unless the settings say so, drawings are announced while there is something to draw.
  const drawn = async (): Promise<boolean> =>
    racksdb !== null && (settings.racksdb.enabled === true || (await racksdb.has(infrastructure)));
  app.get('/version', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(`Rackwright agent v${VERSION}\n`),
  );
  app.get('/info', async (_request, reply) => {
    void reply.header('cache-control', 'no-store');
    const { service, metrics, cache, slurmdbd } = settings;
    return {
      cluster: service.cluster,
      version: service.compat_version,
      metrics: metrics.enabled,
      cache: cache.enabled,
      racksdb: {
        enabled: await drawn(),
        infrastructure,
        version: RACKSDB_VERSION,
      },
      slurmdbd: { jobs_max_hours: slurmdbd.jobs_max_hours },
    };
  });
}
