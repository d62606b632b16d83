/** A whole drawing service for tests: renderers, their gRPC door, and the HTTP routes on a free port of loopback. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawingService } from '../../daemon/grpc/drawing-service.ts';
import { inventoryService } from '../../daemon/grpc/inventory-service.ts';
import { openDoor } from '../../daemon/grpc/server.ts';
import { Renderers, type RenderersOptions } from '../../daemon/pool/renderers.ts';
import { type DrawDeps, drawingArea } from '../../edge/draw/draw.ts';
import { speakDrawing } from '../../edge/draw/speak.ts';
import { parseNetworks } from '../../edge/http/networks.ts';
import { addOpenApi } from '../../edge/http/openapi.ts';
import { openHttp } from '../../edge/http/server.ts';
import { connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';

export interface DrawingServiceOptions extends Partial<RenderersOptions> {
  /** YAML text of a database to write, or `database` for a path. */
  readonly inventory?: string;
  readonly edge?: Partial<DrawDeps>;
}

/** The database of the specification's worked example. */
export const EXAMPLE = `types:
  nodes: {blade: {model: B, height: 1u, width: 1/3, cpu: {model: C, sockets: 2, cores: 16}, ram: {dimm: 8, size: 32GB}}}
  network: {sw: {model: S, height: 1u}}
  racks: {r42: {height: 2m, width: 600mm, depth: 1000mm, slots: 42u}}
datacenters: {lab: {rooms: {hall: {dimensions: {width: 6m, depth: 4m}, rows: {
  A: {position: {width: 1m, depth: 1.5m}, racks: [{name: "A[1-3]", type: r42}]}}}}}}
infrastructures: {demo: {description: demo, layout: [{rack: A2,
  nodes: {"cn[1-4]": {type: blade, slot: 1}}, network: {sw1: {type: sw, slot: 10}}}]}}
`;

/** Starts a service; `close` ends its processes and removes its files. */
export async function openDrawingService(options: DrawingServiceOptions = {}) {
  const { inventory, edge, ...rest } = options;
  const folder = mkdtempSync(join(tmpdir(), 'drawing-'));
  // In a folder of its own, which is watched: a socket made beside it would have it read once more.
  mkdirSync(join(folder, 'database'));
  const database = options.database ?? join(folder, 'database/inventory.yml');
  if (options.database === undefined) writeFileSync(database, inventory ?? EXAMPLE);
  const log: string[] = [];
  const told = (_fields: object, message: string): void => {
    log.push(message);
  };
  const settings: { -readonly [K in keyof RenderersOptions]: RenderersOptions[K] } = {
    database,
    extensions: null,
    defaults: () => [],
    renderers: 2,
    memory: 1024 ** 3,
    deadline: 30_000,
    env: process.env,
    log: { info: told, warn: told },
    now: Date.now,
    ...rest,
  };
  const renderers = new Renderers(settings);
  await renderers.open();
  const protocol = loadProtocol();
  const path = join(folder, 'door.sock');
  const services = {
    DrawingService: drawingService(renderers, Date.now),
    InventoryService: inventoryService(renderers),
  };
  const report = (error: unknown, where: string): void => {
    log.push(`bug in ${where}: ${error instanceof Error ? error.stack : error}`);
  };
  const door = await openDoor(protocol, { door: 'edge', path, mode: 0o600 }, services, report);
  const connection = connect(protocol, `unix:${path}`);
  const drawings = connection.service('DrawingService');
  const inventories = connection.service('InventoryService');
  const http = openHttp({
    log: { error: (fields, message) => report((fields as { err?: unknown }).err, message), warn: told },
    trustedProxies: parseNetworks([]),
    connectionsPerPeer: 0,
    speakers: [],
    speak: speakDrawing,
  });
  await addOpenApi(http);
  await http.register(
    drawingArea({ drawings, inventories, notFoundStatus: '404', cors: [], defaults: null, ...edge }),
  );
  const base = await http.listen({ host: '127.0.0.1', port: 0 });
  return {
    base,
    database,
    renderers,
    /** Those of the renderers; `deadline` may be changed while they run. */
    settings,
    drawings,
    inventories,
    log,
    async close(): Promise<void> {
      await http.close();
      connection.close();
      await door.close(100);
      await renderers.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
