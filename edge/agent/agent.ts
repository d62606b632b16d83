/** Joins the agent: settings become parts, parts become routes of one area of the edge. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Policy } from '../../proto/policy.ts';
import { VERSION } from '../../proto/words.ts';
import type { TokenKey } from '../auth/key.ts';
import { verifyToken } from '../auth/token.ts';
import type { Speaker } from '../http/problem.ts';
import { makeAuthenticate } from './access.ts';
import { Cache } from './cache.ts';
import { Cluster } from './cluster.ts';
import { Collector } from './collector.ts';
import { Live } from './live.ts';
import { addDataRoutes } from './routes/data.ts';
import { addEventRoutes } from './routes/events.ts';
import { addMetricsRoutes } from './routes/metrics.ts';
import { type AgentSettings, slurmrestdTarget } from './settings.ts';
import { slurmHeaders } from './slurm-auth.ts';
import { Slurmrestd } from './slurmrestd.ts';
import { speakAgent } from './speak.ts';

/** Version of the drawing interface that `/info` announces. */
const RACKSDB_VERSION = '0.5.0';

interface AgentLog {
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
}

export interface AgentOptions {
  readonly settings: AgentSettings;
  readonly warnings: readonly string[];
  readonly policy: Policy;
  readonly keys: readonly TokenKey[];
  /** Views and drawings of the inventory, served below `/racksdb/v{R}`; null without a daemon that draws. */
  readonly racksdb: FastifyPluginAsync | null;
  /** Wall clock in milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
  readonly log: AgentLog;
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
}

export function agentArea(options: AgentOptions): AgentArea {
  const { service } = options.settings;
  return {
    name: 'agent',
    host: service.interface,
    port: service.port,
    routes: alone => app => addRoutes(app, options, alone),
    speakers: [{ prefix: '/agent', speak: speakAgent }],
  };
}

async function addRoutes(app: FastifyInstance, options: AgentOptions, alone: boolean): Promise<void> {
  const { settings, now, log, random } = options;
  // Routes at root answer faults as those below /agent do.
  app.addHook('onRoute', route => {
    route.config = { ...route.config, speak: speakAgent };
  });
  const warn = (sentence: string): void => log.warn({}, sentence);
  for (const sentence of options.warnings) warn(sentence);
  const slurmrestd = new Slurmrestd({
    target: slurmrestdTarget(settings),
    headers: slurmHeaders(settings.slurmrestd, now, warn),
    versions: settings.slurmrestd.versions,
    timeout: settings.slurmrestd.timeout,
    rediscover: settings.cache.version,
    now,
    warn,
    trace: tracer(settings, log),
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
      })
    : null;
  const verify = verifyToken({
    algorithm: settings.jwt.algorithm,
    audience: settings.jwt.audience,
    keys: options.keys,
    now,
  });
  const authenticate = makeAuthenticate(verify, options.policy);
  const mount: FastifyPluginAsync = async at => {
    addOpenRoutes(at, options);
    addDataRoutes(at, { cluster, cache, settings, authenticate });
    addEventRoutes(at, { live, authenticate, stopping: options.stopping });
    addMetricsRoutes(at, { settings, collector, cache, authenticate, now });
    if (options.racksdb) await at.register(options.racksdb, { prefix: `/racksdb/v${RACKSDB_VERSION}` });
  };
  await app.register(mount, { prefix: '/agent' });
  if (alone) await app.register(mount);
  collector?.open();
  app.addHook('onClose', async () => {
    live.close();
    await collector?.close();
    await cache.close();
    await slurmrestd.close();
  });
}

/**
 * Requests to slurmrestd as log lines, where `[service] debug` asks for them and `debug_flags` does not choose others.
 * Lines go out as information that begins with `debug:`, since the level of the log is the process's.
 */
function tracer({ service }: AgentSettings, log: AgentLog): (text: string) => void {
  const { debug, debug_flags: flags } = service;
  const chosen = flags.length === 0 || flags.some(flag => ['ALL', 'slurmweb', 'slurmrestd'].includes(flag));
  return debug && chosen ? text => log.info({}, `debug: slurmrestd: ${text}`) : () => undefined;
}

/** Routes that need no token. */
function addOpenRoutes(app: FastifyInstance, { settings, racksdb }: AgentOptions): void {
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
        enabled: settings.racksdb.enabled !== false && racksdb !== null,
        infrastructure: settings.racksdb.infrastructure ?? service.cluster,
        version: RACKSDB_VERSION,
      },
      slurmdbd: { jobs_max_hours: slurmdbd.jobs_max_hours },
    };
  });
}
