/** The edge's own settings: `[dirs]`, `[edge]` and its part of `[drawing]` in rackwright.ini. */
import { VERSION } from '../proto/words.ts';
import { dirsSection, readRackwrightIni, sharedEdgeKeys } from '../systemd/rackwright-ini.ts';
import {
  bool,
  choice,
  type Field,
  int,
  type Loaded,
  list,
  type Places,
  path,
  type Schema,
  text,
} from '../systemd/settings.ts';
import { networks } from './http/networks.ts';

const PORT: Field<number> = int(5000, 0, 65_535);

/** The edge's own keys for the paths of an installation. */
export function edgeSchema(at: Places) {
  return {
    dirs: dirsSection(at),
    edge: {
      host: text('localhost'),
      port: PORT,
      /** `all`, or the one instance that is served without its name in the paths. */
      instance: text('all'),
      /** Whether directories of stored files are listed. */
      listing: bool(true),
      debug: bool(false),
      /** Folders with a `page.html` that replaces the frame of our pages; the first wins. */
      templates: path(null),
      vendor_templates: path(null),
      /** Folder with files that replace those under /static/. */
      static: path(null),
      ...sharedEdgeKeys(at),
      /** Whether /metrics tells of the edge and the daemon, and the networks that may read it. */
      metrics: bool(false),
      metrics_restrict: networks(['127.0.0.0/8', '::1/128']),
      trusted_proxies: networks([], ','),
      connections_per_peer: int(512, 0, 100_000),
    },
    // The daemon has further keys here.
    drawing: {
      /** Origins of pages that may ask for drawings, or `*`. */
      cors: list([], ','),
      /** What unknown infrastructures and rooms answer; 400 as RacksDB does. */
      not_found_status: choice('404', ['404', '400']),
    },
  } as const satisfies Schema;
}

type EdgeSchema = ReturnType<typeof edgeSchema>;
export type EdgeConfig = Loaded<EdgeSchema>;
export type EdgeSettings = EdgeConfig['settings'];

/** Reads `{etc}/rackwright.ini`. Throws SettingsError with a line for every fault. */
export function loadEdgeConfig(at: Places): EdgeConfig {
  return readRackwrightIni(edgeSchema(at), at, { shared: ['drawing'] });
}

/** What `/version` answers. */
export const VERSION_LINE = `Rackwright v${VERSION}`;
