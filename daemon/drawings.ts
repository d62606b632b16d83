/** The drawings' part of the daemon: renderers over the site's inventory, and the services that ask them. */
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../proto/fault.ts';
import { type DrawingSettings, readDrawingSettings } from '../systemd/drawing.ts';
import type { Log } from '../systemd/log.ts';
import type { Places } from '../systemd/settings.ts';
import { drawingService } from './grpc/drawing-service.ts';
import { inventoryService } from './grpc/inventory-service.ts';
import type { Services } from './grpc/server.ts';
import { Renderers } from './pool/renderers.ts';

export interface DrawingsOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Wall clock in milliseconds. */
  readonly now: () => number;
}

export interface DrawingsPart {
  readonly services: Pick<Services, 'DrawingService' | 'InventoryService'>;
  /**
   * Reads the settings again and throws SettingsError when they can't be used. What it answers puts them in force, reads
   * the inventory, and answers the keys that wait for a restart; it throws when the inventory is refused: then all stays.
   */
  prepare(): () => Promise<readonly string[]>;
  /**
   * Begins to read the inventory; a missing one is told by requests. That is a process of its own: once nothing can fail
   * any longer, so that a start in vain leaves no child that speaks to nobody.
   */
  open(): void;
  close(): Promise<void>;
}

/** Reads the settings. Throws SettingsError. */
export function openDrawings({ places, env, log, now }: DrawingsOptions): DrawingsPart {
  let settings = readDrawingSettings(places);
  const renderers = new Renderers({
    get database() {
      return settings.database;
    },
    get extensions() {
      return settings.extensions;
    },
    get memory() {
      return settings.memory;
    },
    get deadline() {
      return settings.deadline * 1000;
    },
    renderers: settings.renderers,
    defaults: () => (settings.parameters ? [settings.parameters] : []),
    env,
    log,
    now,
  });
  const putInForce = async (next: DrawingSettings): Promise<readonly string[]> => {
    const before = settings;
    settings = next;
    await renderers.reload();
    const refused = renderers.refusal();
    if (refused === null) return waiting(before, next);
    settings = before;
    await renderers.reload();
    throw new Fault('invalid', 'bad-inventory', refused);
  };
  return {
    services: {
      DrawingService: drawingService(renderers, now),
      InventoryService: inventoryService(renderers),
    },
    prepare: () => {
      const next = readDrawingSettings(places);
      return () => putInForce(next);
    },
    open: () => void renderers.open(),
    close: () => renderers.close(),
  };
}

/** Changed keys that count from the next start on: the number of processes, and what the edge has read. */
function waiting(before: DrawingSettings, next: DrawingSettings): string[] {
  const keys = [
    ['renderers', ''],
    ['cors', ' (rackwright-edge)'],
    ['not_found_status', ' (rackwright-edge)'],
  ] as const;
  return keys
    .filter(([key]) => !isDeepStrictEqual(before[key], next[key]))
    .map(([key, where]) => `[drawing]>${key}${where}`);
}
