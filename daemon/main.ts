#!/usr/bin/env node
/** The daemon's process: settings, signals, systemd. `node daemon/main.ts [--home DIR]`. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { hostname, machine } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '../proto/fault.ts';
import { connect } from '../proto/rpc.ts';
import { loadProtocol } from '../proto/services.ts';
import { openLog } from '../systemd/log.ts';
import { openNotifier } from '../systemd/notify.ts';
import { runService } from '../systemd/service.ts';
import { type Places, places, SettingsError } from '../systemd/settings.ts';
import { passedSockets } from '../systemd/sockets.ts';
import { readConfig } from './config.ts';
import { openDaemon } from './daemon.ts';

/** Exit codes: 1 could not start or broke, 2 was called wrongly. */
const BROKEN = 1;
const MISUSED = 2;

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const at = places(values.home === undefined ? null : resolve(values.home));
  if (positionals[0] === 'reload') return reload(at);
  // Threads can't change it, and what they make for the sandbox's users must be readable there. What is nobody else's
  // business lies in folders whose own modes keep others out.
  process.umask(0o022);
  const { settings } = readConfig(at);
  const { debug, fulldebug } = settings.daemon;
  const log = openLog('rackwrightd', debug || fulldebug, process.env);
  const notifier = openNotifier(process.env, text => log.warn(text));
  for (const folder of [at.lib, settings.dirs.cache, settings.dirs.run])
    mkdirSync(folder, { recursive: true });
  const open = () =>
    openDaemon({
      places: at,
      settings,
      log,
      host: { architecture: machine(), name: hostname(), release: readRelease() },
      passed: passedSockets(process.env, process.pid),
      clock: { wall: () => Date.now(), monotonic: () => performance.now() },
      newId: randomUUID,
      env: process.env,
    });
  process.on('uncaughtException', error => {
    // State that nobody has thought of: the next life recovers, this one must not go on.
    log.fatal({ err: error }, 'unforeseen');
    process.exit(BROKEN);
  });
  await runService({ open, notifier, log, signals: process });
}

/** Has the running daemon read its settings again; returns once they are in force, throws with every fault if not. */
async function reload(at: Places): Promise<void> {
  const { settings } = readConfig(at);
  const connection = connect(loadProtocol(), `unix:${join(settings.dirs.run, 'control.sock')}`);
  try {
    await connection.service('DaemonService').reloadSettings({});
  } finally {
    connection.close();
  }
}

function readArguments() {
  try {
    const read = parseArgs({ options: { home: { type: 'string' } }, allowPositionals: true });
    if (read.positionals.length > 1 || !['reload', undefined].includes(read.positionals[0])) {
      throw new TypeError(`unknown command ${read.positionals.join(' ')}`);
    }
    return read;
  } catch (error) {
    process.stderr.write(
      `rackwrightd: ${(error as Error).message}\nusage: node daemon/main.ts [--home DIR] [reload]\n`,
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
