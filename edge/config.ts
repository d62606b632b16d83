/** The edge's own settings: `[dirs]`, `[edge]` and its part of `[drawing]` in rackwright.ini. */
import { join } from 'node:path';
import { VERSION } from '../proto/words.ts';
import {
  bool,
  choice,
  duration,
  type Field,
  int,
  type Loaded,
  list,
  type Places,
  path,
  readSettings,
  type Schema,
  size,
  text,
} from '../systemd/settings.ts';

import { networks } from './gateway/fields.ts';

const GiB = 1024 ** 3;

/** Sections that the daemon reads. */
const FOREIGN = [
  // The daemon says of these that they are another program's.
  'web',
  'containers',
  'daemon',
  'images',
  'registry',
  'tasks',
  'sandbox',
  'keyring',
  'tokens',
  'drawings',
  'inventory',
  'slurm',
  'format:deb',
  'format:rpm',
  'format:osi',
];

const PORT: Field<number> = int(5000, 0, 65_535);

function schema(at: Places) {
  return {
    dirs: {
      instances: path(join(at.etc, 'instances.d')),
      registry: path(join(at.lib, 'registry')),
      cache: path(at.cache),
      run: path(at.run),
      tmp: path('/var/tmp'),
    },
    edge: {
      host: text('localhost'),
      port: PORT,
      /** `all`, or the one instance that is served without its name in the paths. */
      instance: text('all'),
      /** Whether directories of stored files are listed. */
      listing: bool(true),
      debug: bool(false),
      // Read by the daemon, which judges; here so that they are no unknown keys.
      policy: path(join(at.etc, 'policy.ini')),
      vendor_policy: path(null),
      /** Folders with a `page.html` that replaces the frame of our pages; the first wins. */
      templates: path(null),
      vendor_templates: path(null),
      /** Folder with files that replace those under /static/. */
      static: path(null),
      /** Bytes of one submission. */
      max_upload: size(2 * GiB),
      max_unpacked: size(8 * GiB),
      /** Seconds of silence after which a watched journal shows a sign of life. */
      heartbeat: duration(15),
      /** Whether /metrics tells of the edge and the daemon, and the networks that may read it. */
      metrics: bool(false),
      metrics_restrict: networks(['127.0.0.0/8', '::1/128']),
      trusted_proxies: list([], ','),
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

type EdgeSchema = ReturnType<typeof schema>;
export type EdgeConfig = Loaded<EdgeSchema>;
export type EdgeSettings = EdgeConfig['settings'];

/** Reads `{etc}/rackwright.ini`. Throws SettingsError with a line for every fault. */
export function loadEdgeConfig(at: Places): EdgeConfig {
  return readSettings(schema(at), {
    files: [join(at.etc, 'rackwright.ini')],
    foreign: FOREIGN,
    shared: ['drawing'],
    variables: { etc: at.etc, lib: at.lib, cache: at.cache, run: at.run },
  });
}

/** Every setting with its value and where it came from: `FILE:LINE` or `default`. */
export function showEdgeConfig(at: Places): string[] {
  const { settings, origin } = loadEdgeConfig(at);
  const lines: string[] = [];
  for (const [section, values] of Object.entries(settings)) {
    lines.push(`[${section}]`);
    for (const [key, value] of Object.entries(values)) {
      const shown = value === null || (Array.isArray(value) && value.length === 0) ? '∅' : String(value);
      lines.push(`  ${key}: ${shown} (${origin(section, key)})`);
    }
  }
  return lines;
}

/** What `/version` answers. */
export const VERSION_LINE = `Rackwright v${VERSION}`;
