/** Settings of the drawings: `[drawing]` of rackwright.ini, read by the daemon, the edge and the command line alike. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRackwrightIni } from './rackwright-ini.ts';
import {
  choice,
  duration,
  int,
  list,
  type Places,
  path,
  type Settings,
  SettingsError,
  size,
} from './settings.ts';

function schema() {
  return {
    drawing: {
      /** The inventory: one YAML file or a folder tree. */
      database: path('/var/lib/racksdb'),
      /** Extensions of its schema; an absent file is none. */
      extensions: path('/etc/racksdb/extensions.yml'),
      /** Parameters beneath those of each request, a YAML file. */
      default_parameters: path(null),
      /** What unknown names answer: 404, or 400 as clients of the older service may expect. */
      not_found_status: choice('404', ['404', '400']),
      /** Origins whose pages may ask, or `*`. */
      cors: list([], ','),
      /** Renderer processes, and bytes of memory at which one is killed. */
      renderers: int(2, 1, 64),
      memory: size(1536 * 1024 ** 2),
      /** Seconds that a drawing may take, waiting included. */
      deadline: duration(30),
    },
  };
}

export type DrawingSettings = Settings<ReturnType<typeof schema>>['drawing'] & {
  /** The site's parameters, read already; null for none. */
  readonly parameters: { readonly source: string; readonly text: string } | null;
};

/** Reads `[drawing]`. Throws one SettingsError for all faults, an unreadable parameters file among them. */
export function readDrawingSettings(at: Places): DrawingSettings {
  const file = join(at.etc, 'rackwright.ini');
  const { settings, origin } = readRackwrightIni(schema(), at);
  const source = settings.drawing.default_parameters;
  if (source === null) return { ...settings.drawing, parameters: null };
  try {
    return { ...settings.drawing, parameters: { source, text: readFileSync(source, 'utf8') } };
  } catch (error) {
    const line = Number(/:(\d+)$/.exec(origin('drawing', 'default_parameters'))?.[1] ?? 0);
    const message = `${source} can't be read (${(error as NodeJS.ErrnoException).code})`;
    throw new SettingsError([{ file, line, section: 'drawing', key: 'default_parameters', message }]);
  }
}
