/** `/metrics` for a collector, and the charts that are drawn from what it stored. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../../proto/fault.ts';
import { requireNetwork } from '../../http/networks.ts';
import { Refusal } from '../../http/problem.ts';
import { negotiate, sendMetrics } from '../../http/scrape.ts';
import type { Authenticate } from '../access.ts';
import type { Cache } from '../cache.ts';
import type { Collector } from '../collector.ts';
import { render } from '../exposition.ts';
import { CHARTS, type Chart, type HistoryOptions, RANGES, type Range, readHistory } from '../history.ts';
import { clusterFamilies } from '../metrics.ts';
import type { AgentAction } from '../policy.ts';
import type { AgentSettings } from '../schema.ts';
import { requireVersion, VERSIONED } from '../version.ts';

export interface MetricsParts {
  readonly settings: AgentSettings;
  /** Null while metrics are disabled. */
  readonly collector: Collector | null;
  readonly cache: Cache;
  readonly authenticate: Authenticate;
  readonly now: () => number;
}

/** The documented address of the collector's HTTP API where none is set. */
const DEFAULT_HOST = 'http://localhost:9090';
/** Seconds that the collector gets for one query. */
const PATIENCE = 10;
/** Whose data a chart shows, and so what one must be allowed to see. */
const NEEDED: Readonly<Record<Chart, AgentAction>> = {
  nodes: 'view-nodes',
  cores: 'view-nodes',
  gpus: 'view-nodes',
  jobs: 'view-jobs',
  cache: 'cache-view',
};

export function addMetricsRoutes(app: FastifyInstance, parts: MetricsParts): void {
  app.get('/metrics', (request, reply) => scrape(request, reply, parts));
  app.get(`${VERSIONED}/metrics/:metric`, async (request, reply) => {
    requireVersion(request);
    void reply.header('cache-control', 'no-store');
    return chart(request, parts);
  });
}

async function scrape(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: MetricsParts,
): Promise<FastifyReply> {
  const { settings, collector, cache, now } = parts;
  if (!collector) throw new Fault('not_found', 'not-found', 'metrics are disabled');
  requireNetwork(request.raw, settings.metrics.restrict, settings.service.trusted_proxies);
  const snapshot = await collector.read();
  const exposition = negotiate(request.headers.accept);
  const counts = settings.cache.enabled ? cache.counts : null;
  const text = render(
    clusterFamilies(snapshot, collector, settings.metrics.prefix, now(), counts),
    exposition,
  );
  return sendMetrics(request, reply, exposition, text);
}

async function chart(
  request: FastifyRequest,
  { settings, authenticate, now }: MetricsParts,
): Promise<unknown> {
  const caller = await authenticate(request.raw);
  const { metric = '' } = request.params as { metric?: string };
  if (!settings.metrics.enabled) throw new Refusal(501, 'Metrics are disabled');
  if (!Object.hasOwn(CHARTS, metric)) throw new Fault('not_found', 'not-found', `Metric ${metric} not found`);
  const wanted = metric as Chart;
  if (!caller.permits(NEEDED[wanted])) {
    throw new Fault('forbidden', 'no-permission', `Access to ${metric} metric not permitted`);
  }
  const { range = 'hour' } = request.query as { range?: string };
  if (!(RANGES as readonly string[]).includes(range)) {
    throw new Refusal(400, `range must be one of ${RANGES.join(', ')}`);
  }
  const options: HistoryOptions = {
    host: settings.metrics.host ?? DEFAULT_HOST,
    job: settings.metrics.job,
    prefix: settings.metrics.prefix,
    match: settings.metrics.match,
    scrapeInterval: settings.metrics.scrape_interval,
    patience: PATIENCE,
    now,
  };
  return readHistory(wanted, range as Range, options);
}
