/** The HTTP edge as a process: reads settings, listens, and ends in order on SIGTERM. */
import { parseArgs } from 'node:util';
import { type Log, openLog } from '../systemd/log.ts';
import { type Notifier, openNotifier } from '../systemd/notify.ts';
import { type Places, places, SettingsError } from '../systemd/settings.ts';
import { passedSockets } from '../systemd/sockets.ts';
import { type EdgeSettings, loadEdgeConfig, showEdgeConfig } from './config.ts';
import { type Edge, openEdge } from './edge.ts';
import { gatewayCommands } from './gateway/commands.ts';
import { type AreaMaker, loadRoles } from './roles.ts';

const USAGE = `usage: node edge/main.ts [--home DIR] [--host HOST] [--port N] [COMMAND]

  --home DIR   keep everything under DIR instead of /etc, /var and /run
  --host HOST  listen there instead of at [edge] host
  --port N     listen there instead of at [edge] port; 0 takes a free port

commands, instead of serving:
  show-conf edge|gateway          every setting with its value and where it came from
  gen-jwt-key [--with-slurm]      make the key that gateway and agents share
  gen-session-key                 make the key that seals sign-ins
`;

/** Milliseconds in which streams and requests may end after SIGTERM. */
const STOP_LIMIT = 20_000;

interface Arguments {
  readonly home: string | null;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly command: readonly string[];
}

/** Throws TypeError for what is no use of this program. */
function readArguments(argv: readonly string[]): Arguments | null {
  // Words behind a command are the command's own.
  const at = argv.findIndex(
    (word, index) => !word.startsWith('-') && !argv[index - 1]?.match(/^--(home|host|port)$/),
  );
  const ours = at < 0 ? argv : argv.slice(0, at);
  const { values } = parseArgs({
    args: [...ours],
    options: {
      home: { type: 'string' },
      host: { type: 'string' },
      port: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return null;
  if (values.port !== undefined && !(/^\d{1,5}$/.test(values.port) && Number(values.port) <= 65_535)) {
    throw new TypeError(`--port "${values.port}" is no port`);
  }
  return {
    home: values.home ?? null,
    host: values.host,
    port: values.port === undefined ? undefined : Number(values.port),
    command: at < 0 ? [] : argv.slice(at),
  };
}

function runCommand([name, ...words]: readonly string[], at: Places): number {
  const around = {
    places: at,
    print: (line: string) => process.stdout.write(`${line}\n`),
    warn: (line: string) => process.stderr.write(`${line}\n`),
  };
  if (name === 'show-conf' && words[0] === 'edge') {
    for (const line of showEdgeConfig(at)) around.print(line);
    return 0;
  }
  const command =
    name !== undefined && Object.hasOwn(gatewayCommands, name) ? gatewayCommands[name] : undefined;
  if (command) return command(words, around);
  around.warn(`unknown command ${name}\n${USAGE}`);
  return 2;
}

function withArguments(settings: EdgeSettings, { host, port }: Arguments): EdgeSettings {
  const edge = { ...settings.edge, host: host ?? settings.edge.host, port: port ?? settings.edge.port };
  return { ...settings, edge };
}

/** All settings of all roles; faults of all files are told at once. */
function loadAll(at: Places): { settings: EdgeSettings; roles: AreaMaker[] } {
  const faults: SettingsError['faults'][number][] = [];
  const attempt = <T>(load: () => T): T | null => {
    try {
      return load();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      faults.push(...error.faults);
      return null;
    }
  };
  const config = attempt(() => loadEdgeConfig(at));
  const roles = attempt(() => loadRoles({ places: at, env: process.env }));
  if (!config || !roles) throw new SettingsError(faults);
  return { settings: config.settings, roles };
}

async function serve(options: Arguments): Promise<void> {
  const { settings, roles } = loadAll(places(options.home));
  const log = openLog('rackwright-edge', settings.edge.debug, process.env);
  const notifier = openNotifier(process.env, text => log.warn({}, text));
  const passed = passedSockets(process.env, process.pid).find(({ name }) => name === 'http' || name === '');
  const edge = await openEdge({
    settings: withArguments(settings, options),
    log,
    now: Date.now,
    random: Math.random,
    roles,
    passedSocket: passed?.fd ?? null,
  });
  for (const address of edge.addresses) process.stdout.write(`listening ${address}\n`);
  await notifier.ready(`listening at ${edge.addresses.join(', ')}`);
  if (notifier.watchdogEvery > 0) setInterval(() => void notifier.alive(), notifier.watchdogEvery).unref();
  stopOn(edge, log, notifier);
}

function stopOn(edge: Edge, log: Log, notifier: Notifier): void {
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      log.warn({}, 'requests are still running; they are cut off');
      process.exit(0);
    }, STOP_LIMIT).unref();
    await notifier.stopping('stopping');
    await edge.close();
    process.exit(0);
  };
  const onSignal = (): void => {
    stop().catch(error => {
      log.error({ err: error }, 'could not stop in order');
      process.exit(1);
    });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

async function main(): Promise<number | null> {
  let options: Arguments | null;
  try {
    options = readArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  if (!options) {
    process.stdout.write(USAGE);
    return 0;
  }
  try {
    if (options.command.length > 0) return runCommand(options.command, places(options.home));
    await serve(options);
    return null;
  } catch (error) {
    const isTold = error instanceof SettingsError;
    process.stderr.write(`${isTold ? error.message : `the edge can't start: ${(error as Error).message}`}\n`);
    return 1;
  }
}

const code = await main();
if (code !== null) process.exit(code);
