/** The HTTP edge as a process: reads settings, listens, reads them again on SIGHUP, and ends in order on SIGTERM. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { holdLifeline, LIFELINE } from '../systemd/lifeline.ts';
import { type Log, openLog } from '../systemd/log.ts';
import { openNotifier } from '../systemd/notify.ts';
import { runService } from '../systemd/service.ts';
import { places, SettingsError } from '../systemd/settings.ts';
import { passedSockets } from '../systemd/sockets.ts';
import { removeLeftovers } from './build/leftovers.ts';
import { SUBMIT_TIMEOUT } from './build/submit.ts';
import { type EdgeSettings, loadEdgeConfig } from './config.ts';
import { type Edge, openEdge } from './edge.ts';
import { gatewayCommands } from './gateway/commands.ts';
import { EdgeSettingsInForce, reloader } from './reload.ts';
import { loadRoles, type Role } from './roles.ts';
import { showConf } from './show-conf.ts';

const USAGE = `usage: node edge/main.ts [--home DIR] [--host HOST] [--port N] [--lifeline] [COMMAND]

  --home DIR   keep everything under DIR instead of /etc, /var and /run
  --host HOST  listen there instead of at [edge] host
  --port N     listen there instead of at [edge] port; 0 takes a free port
  --lifeline   stop as on SIGTERM when standard input closes

commands, instead of serving:
  check                           read all settings as a start does, and tell every fault
  reload PID                      the same; without a fault, have the edge of that process id read them, too
  show-conf edge|gateway|agent    every setting with its value and where it came from
  gen-jwt-key [--with-slurm]      make the key that gateway and agents share
  gen-session-key                 make the key that seals sign-ins
`;

/** Milliseconds in which streams and requests may end after SIGTERM. */
const STOP_LIMIT = 20_000;

interface Arguments {
  readonly home: string | null;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly lifeline: boolean;
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
      [LIFELINE]: { type: 'boolean', default: false },
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
    lifeline: values[LIFELINE],
    command: at < 0 ? [] : argv.slice(at),
  };
}

function runCommand(options: Arguments): number {
  const [name, ...words] = options.command;
  const around = {
    places: places(options.home),
    print: (line: string) => process.stdout.write(`${line}\n`),
    warn: (line: string) => process.stderr.write(`${line}\n`),
  };
  if (name === 'check' || name === 'reload') {
    loadAll(options);
    if (name === 'reload') process.kill(readPid(words), 'SIGHUP');
    return 0;
  }
  if (name === 'show-conf') return showConf(words, around);
  const command =
    name !== undefined && Object.hasOwn(gatewayCommands, name) ? gatewayCommands[name] : undefined;
  if (command) return command(words, around);
  around.warn(`unknown command ${name}\n${USAGE}`);
  return 2;
}

/** Throws for what is no process: 0 and less would mean whole groups of them. */
function readPid([pid = '', ...more]: readonly string[]): number {
  if (!/^[1-9]\d*$/.test(pid) || more.length > 0)
    throw new TypeError('reload PID: the process id of the edge');
  return Number(pid);
}

function withArguments(settings: EdgeSettings, { host, port }: Arguments): EdgeSettings {
  const edge = { ...settings.edge, host: host ?? settings.edge.host, port: port ?? settings.edge.port };
  return { ...settings, edge };
}

/** All settings of all roles; faults of all files are told at once. */
function loadAll(options: Arguments): { settings: EdgeSettings; roles: Role[] } {
  const at = places(options.home);
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
  return { settings: withArguments(config.settings, options), roles };
}

async function serve(options: Arguments): Promise<void> {
  const { settings, roles } = loadAll(options);
  const inForce = new EdgeSettingsInForce(settings);
  const log = openLog('rackwright-edge', settings.edge.debug, process.env);
  const notifier = openNotifier(process.env, text => log.warn({}, text));
  const passed = passedSockets(process.env, process.pid).find(({ name }) => name === 'http' || name === '');
  const open = async () => {
    const edge = await openEdge({
      settings: inForce,
      log,
      now: Date.now,
      random: Math.random,
      roles: roles.map(role => role.open),
      passedSocket: passed?.fd ?? null,
    });
    const report = (err: unknown): void => log.warn({ err }, 'what earlier edges left in the spool');
    const spool = {
      folder: join(places(options.home).lib, 'spool'),
      wait: SUBMIT_TIMEOUT,
      now: Date.now,
      report,
    };
    removeLeftovers(spool).catch(report);
    for (const address of edge.addresses) process.stdout.write(`listening ${address}\n`);
    return {
      status: () => `listening at ${edge.addresses.join(', ')}`,
      isAlive: () => true,
      reload: reloader({ inForce, roles, read: () => loadAll(options), log }),
      close: () => closeWithin(STOP_LIMIT, edge, log),
    };
  };
  await runService({ open, notifier, log, signals: process });
}

async function closeWithin(limit: number, edge: Edge, log: Log): Promise<void> {
  const cut = setTimeout(() => {
    log.warn({}, 'requests are still running; they are cut off');
    process.exit(0);
  }, limit);
  await edge.close();
  clearTimeout(cut);
}

async function main(): Promise<number> {
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
    if (options.command.length > 0) return runCommand(options);
    if (options.lifeline) holdLifeline(process.stdin, () => process.kill(process.pid, 'SIGTERM'));
    await serve(options);
    return 0;
  } catch (error) {
    const isTold = error instanceof SettingsError || options.command.length > 0;
    const { message } = error as Error;
    process.stderr.write(`${isTold ? message : `the edge can't start: ${message}`}\n`);
    return 1;
  }
}

process.exit(await main());
