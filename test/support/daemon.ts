/** Starts the real daemon in a home of its own, with the shipped threads or with quick ones. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Connection, connect } from '../../proto/rpc.ts';
import { type Client, loadProtocol, type ServiceName } from '../../proto/services.ts';
import { healthOf } from './health.ts';

const PROTOCOL = loadProtocol();
const MAIN = fileURLToPath(new URL('../../daemon/main.ts', import.meta.url));
const QUICK = fileURLToPath(new URL('daemon-main.ts', import.meta.url));
/** Milliseconds until it must answer, on a busy machine. */
const START_LIMIT = 120_000;

export interface Home {
  readonly path: string;
  /** Writes a file below `etc`. */
  configure(name: string, text: string): void;
  remove(): void;
}

/** An empty home below a folder. */
export function makeHome(parent = tmpdir()): Home {
  const path = mkdtempSync(join(parent, 'rackwright-home-'));
  return {
    path,
    configure: (name, text) => write(join(path, 'etc', name), text),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Makes a home look as if keyring, image and environment had been made. */
export function pretendReady(home: Home, instance = 'default'): void {
  const keys = JSON.stringify({ master: { expires: 0 }, subkey: { expires: 0 } });
  write(join(home.path, 'lib/keyring', instance, 'keyring.json'), keys);
  write(join(home.path, 'lib/images', instance, 'deb.img/image.json'), '{}');
  write(join(home.path, 'lib/images', instance, 'deb.img/rackwright-bookworm-amd64/environment.json'), '{}');
}

export interface RunningDaemon {
  readonly child: ChildProcess;
  /** Clients over the control socket; over the edge's with `edge`. */
  service<S extends ServiceName>(name: S, door?: 'control' | 'edge'): Client<S>;
  log(): string;
  /** Sends a signal and waits for the end: exit code, or the signal's name. */
  stop(signal?: NodeJS.Signals): Promise<number | string>;
  readonly ended: Promise<number | string>;
  /** Milliseconds from the start until it answered. */
  readonly startup: number;
}

/** Starts a daemon and waits until all of its doors are open and it says that it serves. Rejects with what it said when it ends before. */
export async function startDaemon(
  home: Home,
  options: { quick?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<RunningDaemon> {
  const words = options.quick ? [QUICK, home.path] : [MAIN, '--home', home.path];
  const began = performance.now();
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: options.env ?? process.env,
  });
  let said = '';
  const hear = (chunk: Buffer): void => {
    said = (said + chunk).slice(-200_000);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = new Promise<number | string>(resolve => {
    child.on('exit', (code, signal) => resolve(code ?? signal ?? 'lost'));
  });
  const connections: { close(): void }[] = [];
  const open = (door: string): Connection => {
    const connection = connect(PROTOCOL, `unix:${join(home.path, 'run', `${door}.sock`)}`);
    connections.push(connection);
    return connection;
  };
  const control = open('control');
  const edge = open('edge');
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> => {
    child.kill(signal);
    const how = await ended;
    for (const connection of connections) connection.close();
    return how;
  };
  const running = new AbortController();
  void ended.then(() => running.abort());
  const health = healthOf(join(home.path, 'run/control.sock'));
  connections.push(health);
  for (;;) {
    if (running.signal.aborted) {
      for (const connection of connections) connection.close();
      throw new Error(`the daemon ended with ${await ended}: ${said}`);
    }
    try {
      // The first door answers before the last is open.
      if ((await health.check()) !== 'SERVING') throw new Error('it does not serve yet');
      // gRPC keeps an address that did not answer for a while: of a daemon before this one, by calls as it was killed.
      for (const door of [control, edge]) await door.service('InstanceService').listInstances({});
      break;
    } catch {
      if (performance.now() - began > START_LIMIT) {
        await stop('SIGKILL');
        throw new Error(`the daemon does not answer: ${said}`);
      }
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }
  const startup = performance.now() - began;
  return {
    child,
    service: (name, door = 'control') => (door === 'control' ? control : edge).service(name),
    log: () => said,
    stop,
    ended,
    startup,
  };
}

/** Starts a daemon that must not get ready: how it ended, and what it said. */
export async function failDaemon(home: Home): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [MAIN, '--home', home.path], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', chunk => {
    said += chunk;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT);
  const code = await new Promise<number | null>(resolve => child.on('close', resolve));
  clearTimeout(timer);
  return { code, said };
}

/** A submission whose files lie in the home's spool. */
export function spoolBuild(home: Home, artifact: string, more: object = {}) {
  const definition = spool(home, 'definition.tar', Buffer.from(`definition of ${artifact}`));
  return { ...wishFor(artifact, definition), ...more };
}

/** Copies a file into the home's spool, to name it in a submission. */
export function spoolFile(home: Home, file: string) {
  return spool(home, basename(file), readFileSync(file));
}

function spool(home: Home, filename: string, bytes: Buffer) {
  const name = `${randomUUID()}-0`;
  writeFileSync(join(home.path, 'lib/spool', name), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { spool: name, filename, size: bytes.length, sha256 };
}

/** What a client wishes to have built of that definition. */
export function wishFor<Definition>(artifact: string, definition: Definition) {
  return {
    instance: 'default',
    format: 'deb',
    distribution: 'bookworm',
    derivative: 'main',
    architectures: ['x86_64'],
    artifact,
    author: 'Jane Roe',
    email: 'jane@example.org',
    message: 'Try',
    definition,
    sources: [],
  };
}
