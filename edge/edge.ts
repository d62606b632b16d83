/** Joins the edge: the daemon's clients, the areas, and a server for each address that they listen on. */
import { join } from 'node:path';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { type BuildDeps, buildRoutes } from './build/build.ts';
import { loadFrame } from './build/frame.ts';
import type { EdgeSettings } from './config.ts';
import { openControl } from './control/control.ts';
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
}

export interface Edge {
  /** Addresses that answer, as `http://HOST:PORT`; the build service's first. */
  readonly addresses: readonly string[];
  /** Lets requests end, streams at a frame boundary, and closes all. */
  close(): Promise<void>;
}

export interface EdgeOptions {
  readonly settings: EdgeSettings;
  readonly log: HttpLog;
  /** Wall clock in milliseconds. */
  readonly now: () => number;
}

/** Starts to listen. Throws when an address can't be had. */
export async function openEdge(options: EdgeOptions): Promise<Edge> {
  const { settings, log, now } = options;
  const control = openControl(`unix:${join(settings.dirs.run, 'edge.sock')}`, now);
  const stopping = new AbortController();
  const frame = loadFrame([settings.edge.templates, settings.edge.vendor_templates]);
  const areas: Area[] = [buildArea({ settings, control, now, stopping: stopping.signal, frame, home: true })];
  const servers: FastifyInstance[] = [];
  const addresses: string[] = [];
  try {
    for (const group of byAddress(areas)) {
      const server = openHttp({
        log,
        trustedProxies: settings.edge.trusted_proxies,
        connectionsPerPeer: settings.edge.connections_per_peer,
        speakers: group.flatMap(area => area.speakers),
        speak: speakBuild,
      });
      servers.push(server);
      await addOpenApi(server);
      for (const area of group) await server.register(area.routes(group.length === 1));
      addresses.push(await listen(server, group[0]?.host ?? '', group[0]?.port ?? 0));
    }
  } catch (error) {
    await Promise.all(servers.map(server => server.close()));
    control.close();
    throw error;
  }
  return {
    addresses,
    async close() {
      stopping.abort();
      await Promise.all(servers.map(server => server.close()));
      control.close();
    },
  };
}

function buildArea(deps: BuildDeps): Area {
  const { host, port } = deps.settings.edge;
  return { name: 'build', host, port, routes: () => buildRoutes(deps), speakers: [] };
}

function byAddress(areas: readonly Area[]): Area[][] {
  const groups = new Map<string, Area[]>();
  for (const area of areas) {
    const key = `${area.host}:${area.port}`;
    groups.set(key, [...(groups.get(key) ?? []), area]);
  }
  return [...groups.values()];
}

async function listen(server: FastifyInstance, host: string, port: number): Promise<string> {
  // One address, not one for each family: a free port is then the same for every client.
  const address = await server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
  return address;
}
