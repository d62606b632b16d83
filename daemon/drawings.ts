/** The drawings' part of the daemon: renderers over the site's inventory, and the services that ask them. */

import { readDrawingSettings } from '../systemd/drawing.ts';
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
  /** Reads the inventory again; the last good one stays in force while the new one has faults. */
  reload(): void;
  close(): Promise<void>;
}

/** Reads the settings and begins to read the inventory. Throws SettingsError; a missing inventory is told by requests. */
export function openDrawings({ places, env, log, now }: DrawingsOptions): DrawingsPart {
  const settings = readDrawingSettings(places);
  const renderers = new Renderers({
    ...settings,
    deadline: settings.deadline * 1000,
    defaults: () => (settings.parameters ? [settings.parameters] : []),
    env,
    log,
    now,
  });
  void renderers.open();
  return {
    services: {
      DrawingService: drawingService(renderers, now),
      InventoryService: inventoryService(renderers),
    },
    reload: () => void renderers.reload(),
    close: () => renderers.close(),
  };
}
