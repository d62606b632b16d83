#!/usr/bin/env node
/** The daemon's process: settings, signals, systemd. `node daemon/main.ts [--home DIR] [--lifeline]`. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { hostname, machine } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '../proto/fault.ts';
import { connect } from '../proto/rpc.ts';
import { loadProtocol } from '../proto/services.ts';
import { enterLeaf } from '../systemd/leaf.ts';
import { holdLifeline, LIFELINE } from '../systemd/lifeline.ts';
import { openLog } from '../systemd/log.ts';
import { openNotifier } from '../systemd/notify.ts';
import { runService } from '../systemd/service.ts';
import { type Places, places, SettingsError } from '../systemd/settings.ts';
import { passedSockets } from '../systemd/sockets.ts';
import { readConfig } from './config.ts';
import { openDaemon } from './daemon.ts';
import { checkSocketPaths } from './doors.ts';
import { idleSettings } from './idle-settings.ts';
import { openDatabase } from './store/database.ts';
import { checkLater } from './store/integrity.ts';
import { relocateTasks } from './store/relocation.ts';
import { TASK_TABLES } from './store/task-store.ts';
import { Workspaces } from './store/workspaces.ts';

/** Exit codes: 1 could not start or broke, 2 was called wrongly. */
const BROKEN = 1;
const MISUSED = 2;

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const at = places(values.home === undefined ? null : resolve(values.home));
  if (positionals[0] === 'reload') return reload(at);
  if (positionals[0] === 'relocate') return relocate(at, resolve(positionals[1] ?? ''));
  enterLeaf();
  // Threads can't change it, and what they make for the sandbox's users must be readable there. What is nobody else's
  // business lies in folders whose own modes keep others out.
  process.umask(0o022);
  // Read at the first use: enough that the syncs of who submits at the same time meet in one commit of the file system.
  process.env.UV_THREADPOOL_SIZE ??= '16';
  const loaded = readConfig(at);
  const { settings } = loaded;
  const { debug, fulldebug } = settings.daemon;
  const log = openLog('rackwrightd', debug || fulldebug, process.env);
  for (const line of idleSettings(loaded)) log.warn(line);
  const notifier = openNotifier(process.env, text => log.warn(text));
  checkSocketPaths(settings);
  for (const folder of [at.lib, settings.dirs.cache, settings.dirs.run])
    mkdirSync(folder, { recursive: true });
  const open = async () => {
    const daemon = await openDaemon({
      places: at,
      settings,
      log,
      host: { architecture: machine(), name: hostname(), release: readRelease() },
      passed: passedSockets(process.env, process.pid),
      clock: { wall: () => Date.now(), monotonic: () => performance.now() },
      newId: randomUUID,
      env: process.env,
    });
    void checkLater(join(at.lib, 'state.db'), {
      onDamage: fault => {
        log.fatal(fault.message);
        // At once: nothing more may be written to it, and the next start begins with the same check.
        process.exit(BROKEN);
      },
      report: error => log.error({ err: error }, 'checking the whole state'),
    });
    // Its holder waits for this word. Should there be nobody any more, the lifeline tells.
    if (values[LIFELINE])
      process.stdout.on('error', () => undefined).write(`listening ${settings.dirs.run}\n`);
    return daemon;
  };
  process.on('uncaughtException', error => {
    // State that nobody has thought of: the next life recovers, this one must not go on.
    log.fatal({ err: error }, 'unforeseen');
    process.exit(BROKEN);
  });
  if (values[LIFELINE]) holdLifeline(process.stdin, () => process.kill(process.pid, 'SIGTERM'));
  await runService({ open, notifier, log, signals: process });
}

/**
 * Has the running daemon read its settings again, and says which of them wait for a restart; returns once all others are
 * in force, throws with every fault if not.
 */
async function reload(at: Places): Promise<void> {
  const { settings } = readConfig(at);
  const connection = connect(loadProtocol(), `unix:${join(settings.dirs.run, 'control.sock')}`);
  try {
    const { restart } = await connection.service('DaemonService').reloadSettings({});
    if (restart.length > 0) process.stdout.write(`restart needed for: ${restart.join(', ')}\n`);
  } finally {
    connection.close();
  }
}

/** Makes a state that no daemon has open fit the folders that the settings name: part of a restore to another place. */
function relocate(at: Places, file: string): void {
  const { settings } = readConfig(at);
  const { tasks, dirs } = settings;
  const spool = join(at.lib, 'spool');
  const workspaces = new Workspaces({ root: tasks.workspaces, spool, run: dirs.run });
  const database = openDatabase(file, [TASK_TABLES]);
  try {
    relocateTasks(database, (instance, task) => workspaces.paths(instance, task));
  } finally {
    database.close();
  }
}

function readArguments() {
  try {
    const read = parseArgs({
      options: { home: { type: 'string' }, [LIFELINE]: { type: 'boolean' } },
      allowPositionals: true,
    });
    const [command, ...more] = read.positionals;
    const known = command === undefined || command === 'reload' || command === 'relocate';
    if (!known || more.length !== (command === 'relocate' ? 1 : 0)) {
      throw new TypeError(`unknown command ${read.positionals.join(' ')}`);
    }
    return read;
  } catch (error) {
    process.stderr.write(
      `rackwrightd: ${(error as Error).message}\nusage: node daemon/main.ts [--home DIR] [--lifeline] [reload | relocate STATE]\n`,
    );
    return process.exit(MISUSED);
  }
}

/** The fields of os-release(5); none where the host has no such file. */
function readRelease(): Record<string, string> {
  try {
    const lines = readFileSync('/etc/os-release', 'utf8').matchAll(/^([A-Z_]+)="?([^"\n]*)"?$/gm);
    return Object.fromEntries([...lines].map(([, key = '', value = '']) => [key, value]));
  } catch {
    return {};
  }
}

main().then(
  () => process.exit(0),
  error => {
    const told = error instanceof Fault || error instanceof SettingsError;
    process.stderr.write(`rackwrightd: ${told ? error.message : (error?.stack ?? error)}\n`);
    process.exit(BROKEN);
  },
);
