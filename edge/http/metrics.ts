/** Metrics of our own processes: requests, sign-ins, the daemon's queue and what it has done. The only importer of prom-client. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import {
  type Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Counter as PromCounter,
  Registry,
} from 'prom-client';
import { negotiate, sendMetrics } from './scrape.ts';

/** What the daemon tells of itself; null while it is away. */
export interface DaemonCounts {
  readonly running: number;
  readonly waiting: number;
  readonly ended: readonly {
    readonly instance: string;
    readonly name: string;
    readonly result: string;
    readonly count: number;
    readonly seconds: number;
  }[];
  readonly signingKeys: readonly { readonly instance: string; readonly expires: number }[];
}

export interface ProcessMetrics {
  /** Counts the requests of a server from now on. */
  watch(server: FastifyInstance): void;
  /** A sign-in that ended: `oidc` or `ldap`, and how. */
  signIn(method: string, result: string): void;
  /** `GET /metrics` for clients that `check` does not refuse by a Fault. */
  routes(check: (request: IncomingMessage) => void): FastifyPluginAsync;
}

/** Bounds of the request durations, in seconds: from a read out of memory to a slow build submission. */
const BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Gauges of prom-client's default set that no reader needs. */
const SUMS = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** `daemon` is asked at each scrape; a daemon that is away spoils no scrape. */
export function openMetrics(daemon: () => Promise<DaemonCounts>): ProcessMetrics {
  // One registry a format: a registry's content type decides how its metrics are worded.
  const classic = new Registry();
  const open = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
  open.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [classic, open as unknown as Registry];
  for (const register of registers) {
    collectDefaultMetrics({ register });
    // Sums of other families, named as if they were counters: strict readers object, and nothing is lost.
    for (const name of SUMS) register.removeSingleMetric(name);
  }
  const requests = new Histogram({
    name: 'rackwright_http_request_duration_seconds',
    help: 'Requests by route, with the time until their answer was sent',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: BUCKETS,
    registers,
  });
  const signIns = new PromCounter({
    name: 'rackwright_sign_ins_total',
    help: 'Sign-ins by method and how they ended',
    labelNames: ['method', 'result'] as const,
    registers,
  });
  const refresh = addDaemon(registers, daemon);
  return {
    watch: server => {
      server.addHook('onResponse', async (request, reply) => {
        // The pattern, never the path: names of users' making would be labels without end.
        const route = request.routeOptions.url ?? 'none';
        requests.observe(
          { method: request.method, route, status: String(reply.statusCode) },
          reply.elapsedTime / 1000,
        );
      });
    },
    signIn: (method, result) => signIns.inc({ method, result }),
    routes: check => async app => {
      app.get('/metrics', async (request, reply) => {
        check(request.raw);
        const exposition = negotiate(request.headers.accept);
        await refresh();
        const register = exposition === 'text-0.0.4' ? classic : open;
        return sendMetrics(request, reply, exposition, await register.metrics());
      });
    },
  };
}

const ENDED_LABELS = ['instance', 'name', 'result'] as const;

/** The daemon's numbers. They are counted there, so each scrape sets them anew: the answer does so. */
function addDaemon(registers: Registry[], daemon: () => Promise<DaemonCounts>): () => Promise<void> {
  const counter = (name: string, help: string): Counter<(typeof ENDED_LABELS)[number]> =>
    new PromCounter({ name, help, labelNames: ENDED_LABELS, registers });
  const ended = counter('rackwright_tasks_ended_total', 'Tasks that ended since the daemon started');
  const seconds = counter('rackwright_tasks_run_seconds_total', 'Time that ended tasks ran');
  const up = new Gauge({ name: 'rackwright_daemon_up', help: 'Whether the daemon answers', registers });
  const tasks = new Gauge({
    name: 'rackwright_tasks',
    help: 'Tasks of the daemon by state',
    labelNames: ['state'] as const,
    registers,
  });
  const keys = new Gauge({
    name: 'rackwright_signing_key_expires_timestamp_seconds',
    help: 'When the signing key of an instance ends, from when on its publications fail; not there where it never ends',
    labelNames: ['instance'] as const,
    registers,
  });
  return async () => {
    try {
      const counts = await daemon();
      tasks.set({ state: 'running' }, counts.running);
      tasks.set({ state: 'pending' }, counts.waiting);
      ended.reset();
      seconds.reset();
      for (const { count, seconds: ran, instance, name, result } of counts.ended) {
        ended.inc({ instance, name, result }, count);
        seconds.inc({ instance, name, result }, ran);
      }
      keys.reset();
      for (const { instance, expires } of counts.signingKeys)
        if (expires > 0) keys.set({ instance }, expires);
      up.set(1);
    } catch {
      // Told by the gauge itself; the other numbers stay as they were last known.
      up.set(0);
    }
  };
}
