/** The HTTP edge as a process: reads settings, listens, and ends in order on SIGTERM. */
import { parseArgs } from 'node:util';
import { places, SettingsError } from '../systemd/settings.ts';
import { type EdgeSettings, loadEdgeConfig } from './config.ts';
import { type Edge, openEdge } from './edge.ts';

const USAGE = `usage: node edge/main.ts [--home DIR] [--host HOST] [--port N]

  --home DIR   keep everything under DIR instead of /etc, /var and /run
  --host HOST  listen there instead of at [edge] host
  --port N     listen there instead of at [edge] port; 0 takes a free port
`;

/** Milliseconds in which streams and requests may end after SIGTERM. */
const STOP_LIMIT = 20_000;

interface Arguments {
  readonly home: string | null;
  readonly host: string | undefined;
  readonly port: number | undefined;
}

function readArguments(argv: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      home: { type: 'string' },
      host: { type: 'string' },
      port: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  if (values.port !== undefined && !/^\d{1,5}$/.test(values.port))
    throw new TypeError(`--port ${values.port}`);
  return {
    home: values.home ?? null,
    host: values.host,
    port: values.port === undefined ? undefined : Number(values.port),
  };
}

function withArguments(settings: EdgeSettings, { host, port }: Arguments): EdgeSettings {
  const edge = { ...settings.edge, host: host ?? settings.edge.host, port: port ?? settings.edge.port };
  return { ...settings, edge };
}

const log = {
  error: (fields: object, message: string) => write('error', fields, message),
  warn: (fields: object, message: string) => write('warning', fields, message),
};

function write(level: string, fields: object, message: string): void {
  const shown = Object.entries(fields).map(([key, value]) => {
    const text = value instanceof Error ? (value.stack ?? value.message) : String(value);
    return ` ${key}=${JSON.stringify(text)}`;
  });
  process.stderr.write(`${level}: ${message}${shown.join('')}\n`);
}

async function start(options: Arguments): Promise<Edge> {
  const { settings } = loadEdgeConfig(places(options.home));
  const edge = await openEdge({ settings: withArguments(settings, options), log, now: Date.now });
  for (const address of edge.addresses) process.stdout.write(`listening ${address}\n`);
  return edge;
}

function stopOn(edge: Edge): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    const limit = setTimeout(() => process.exit(0), STOP_LIMIT);
    limit.unref();
    edge.close().then(
      () => process.exit(0),
      error => {
        log.error({ err: error }, 'could not stop in order');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

let options: Arguments;
try {
  options = readArguments(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  process.exit(2);
}
try {
  stopOn(await start(options));
} catch (error) {
  const message =
    error instanceof SettingsError ? error.message : `the edge can't start: ${(error as Error).message}`;
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
