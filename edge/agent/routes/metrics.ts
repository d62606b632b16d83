/** `/metrics` for a collector, and the charts that are drawn from what it stored. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../../proto/fault.ts';
import { Refusal } from '../../http/problem.ts';
import { type Authenticate, requireNetwork } from '../access.ts';
import type { Cache } from '../cache.ts';
import type { Collector } from '../collector.ts';
import { CONTENT_TYPES, negotiate, render } from '../exposition.ts';
import { CHARTS, type Chart, type HistoryOptions, RANGES, type Range, readHistory } from '../history.ts';
import { clusterFamilies } from '../metrics.ts';
import type { AgentAction } from '../policy.ts';
import type { AgentSettings } from '../settings.ts';

export interface MetricsParts {
  readonly settings: AgentSettings;
  /** Null while metrics are disabled. */
  readonly collector: Collector | null;
  readonly cache: Cache;
  readonly authenticate: Authenticate;
  readonly now: () => number;
}

const compress = promisify(gzip);
/** The documented address of the collector's HTTP API where none is set. */
const DEFAULT_HOST = 'http://localhost:9090';
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
  app.get('/v:version(\\d+\\.[\\w.]+)/metrics/:metric', async (request, reply) => {
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
  void reply.headers({
    'content-type': CONTENT_TYPES[exposition],
    vary: 'Accept, Accept-Encoding',
    'cache-control': 'no-store',
  });
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(request.headers['accept-encoding'] ?? '')) {
    return reply.send(Buffer.from(text, 'utf8'));
  }
  return reply.header('content-encoding', 'gzip').send(await compress(text, { level: 1 }));
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
    now,
  };
  return readHistory(wanted, range as Range, options);
}
