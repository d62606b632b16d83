/** Joins the edge: the daemon's clients, the areas, and a server for each address that they listen on. */
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { buildRoutes } from './build/build.ts';
import { loadFrame } from './build/frame.ts';
import type { EdgeSettings } from './config.ts';
import { type Control, openControl } from './control/control.ts';
import { type DrawDeps, drawingArea } from './draw/draw.ts';
import { openMetrics, type ProcessMetrics } from './http/metrics.ts';
import { requireNetwork } from './http/networks.ts';
import { addOpenApi } from './http/openapi.ts';
import { type Speaker, speakBuild } from './http/problem.ts';
import { type HttpLog, openHttp } from './http/server.ts';

/** Routes with an address of their own. Areas with the same address share a server. */
export interface Area {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** `alone`: no other area shares the server, so paths such as /version are free. */
  routes(alone: boolean): FastifyPluginAsync;
  /** How faults are answered below a prefix. */
  readonly speakers: readonly { readonly prefix: string; readonly speak: Speaker }[];
  /** Takes the area's public prefix off a URL. */
  rewrite?(url: string): string;
  /** The area has pages at `/`. */
  readonly ownsRoot?: boolean;
}

interface EdgeLog extends HttpLog {
  info(fields: object, message: string): void;
}

/** What an area may be made of. */
export interface AreaContext {
  readonly control: Control;
  readonly log: EdgeLog;
  /** Wall clock in milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
  readonly metrics: ProcessMetrics;
  /** Aborts when the edge stops: streams that would go on end. */
  readonly stopping: AbortSignal;
}

export interface Edge {
  /** Addresses that answer, as `http://HOST:PORT`; the build service's first. */
  readonly addresses: readonly string[];
  /** Lets requests end, streams at a frame boundary, and closes all. */
  close(): Promise<void>;
}

export interface EdgeOptions {
  /** What may change while the edge runs is looked up whenever it is needed. */
  readonly settings: EdgeSettings;
  readonly log: EdgeLog;
  readonly now: () => number;
  readonly random: () => number;
  /** Areas beside the build service. */
  readonly roles: readonly ((context: AreaContext) => Area)[];
  /** A listening socket to serve the build service on instead of its address; null for none. */
  readonly passedSocket: number | null;
}

/** Milliseconds that a scrape waits for the daemon. */
const DAEMON_PATIENCE = 2000;

/** Starts to listen. Throws when an address can't be had. */
export async function openEdge(options: EdgeOptions): Promise<Edge> {
  const { settings, log, now, random } = options;
  // Not by the wall clock: one that is set back would make what is remembered last that much longer.
  const control = openControl(`unix:${join(settings.dirs.run, 'edge.sock')}`, () => performance.now());
  const stop = new AbortController();
  const metrics = openMetrics(() => control.daemon.getDaemonStatus({}, { timeout: DAEMON_PATIENCE }));
  const context: AreaContext = { control, log, now, random, metrics, stopping: stop.signal };
  const servers: FastifyInstance[] = [];
  const close = async (): Promise<void> => {
    stop.abort();
    await Promise.all(servers.map(server => server.close()));
    control.close();
  };
  try {
    const groups = byAddress(
      options.roles.map(make => make(context)),
      settings,
      context,
    );
    const addresses: string[] = [];
    for (const group of groups) {
      const server = await openServer(group, settings, context);
      servers.push(server);
      const passed = group.some(area => area.name === 'build') ? options.passedSocket : null;
      addresses.push(await listen(server, group[0]?.host ?? '', group[0]?.port ?? 0, passed));
    }
    return { addresses, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Areas by address, the build service's group first. It leaves `/` to an area with pages there. */
function byAddress(roles: readonly Area[], settings: EdgeSettings, context: AreaContext): Area[][] {
  const { host, port } = settings.edge;
  const groups = new Map<string, Area[]>([[`${host}:${port}`, []]]);
  for (const area of roles) {
    const key = `${area.host}:${area.port}`;
    groups.set(key, [...(groups.get(key) ?? []), area]);
  }
  const shared = groups.get(`${host}:${port}`) ?? [];
  const frame = loadFrame([settings.edge.templates, settings.edge.vendor_templates]);
  const home = !shared.some(area => area.ownsRoot === true);
  const deps = { ...context, settings, frame, home };
  shared.unshift(
    { name: 'build', host, port, routes: () => buildRoutes(deps), speakers: [] },
    ...metricsArea(settings, context),
    { name: 'drawing', host, port, routes: () => drawingArea(drawingsOf(context, settings)), speakers: [] },
  );
  return [...groups.values()];
}

/** Our own metrics, where the settings want them. */
function metricsArea(settings: EdgeSettings, { metrics }: AreaContext): Area[] {
  const { host, port, metrics: wanted } = settings.edge;
  if (!wanted) return [];
  const check = (request: IncomingMessage): void => {
    const { metrics_restrict: restrict, trusted_proxies: trusted } = settings.edge;
    requireNetwork(request, restrict, trusted);
  };
  return [{ name: 'build', host, port, routes: () => metrics.routes(check), speakers: [] }];
}

/** Drawings as the settings want them; `defaults` as JSON lie beneath each request's parameters. */
export function drawingsOf(
  { control }: AreaContext,
  settings: Pick<EdgeSettings, 'drawing'>,
  defaults: string | null = null,
): DrawDeps {
  const { drawings, inventories } = control;
  return {
    drawings,
    inventories,
    get notFoundStatus() {
      return settings.drawing.not_found_status;
    },
    cors: settings.drawing.cors,
    defaults,
  };
}

async function openServer(
  group: readonly Area[],
  settings: EdgeSettings,
  context: AreaContext,
): Promise<FastifyInstance> {
  const server = openHttp({
    log: context.log,
    get trustedProxies() {
      return settings.edge.trusted_proxies;
    },
    get connectionsPerPeer() {
      return settings.edge.connections_per_peer;
    },
    rewrite: url => group.reduce((changed, area) => area.rewrite?.(changed) ?? changed, url),
    speakers: group.flatMap(area => area.speakers),
    speak: speakBuild,
  });
  await addOpenApi(server);
  context.metrics.watch(server);
  const alone = group.every(area => area.name === group[0]?.name);
  for (const area of group) await server.register(area.routes(alone));
  return server;
}

async function listen(
  server: FastifyInstance,
  host: string,
  port: number,
  passed: number | null,
): Promise<string> {
  if (passed === null) {
    // One address, not one for each family: a free port is then the same for every client.
    return server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
  }
  await server.ready();
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.server.listen({ fd: passed }, resolve);
  });
  const address = server.server.address();
  if (address === null || typeof address === 'string') return String(address);
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}
