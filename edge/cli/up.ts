/** `rackwright up`: daemon and edge in the foreground, as whoever calls it, with everything under one directory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { Fault } from '../../proto/fault.ts';
import { connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';
import { places } from '../../systemd/settings.ts';
import type { GeneralOptions } from './program.ts';
import { print, type Surroundings, say, surroundingsOf } from './surroundings.ts';

/** Milliseconds that a process may take to answer for the first time; recovery of a long queue included. */
const START_LIMIT = 60_000;
/** Milliseconds that a process may take to end, the daemon's own 30 s for running builds included. */
const STOP_LIMIT = 40_000;
const POLL = 50;

interface UpOptions extends GeneralOptions {
  readonly home?: string;
  readonly port?: number;
}

/** Adds the verb. */
export function addUpCommand(program: Command): void {
  program
    .command('up')
    .summary('run daemon and edge in the foreground')
    .description(
      'Runs the daemon and the HTTP edge until it is interrupted, on 127.0.0.1, with everything they keep under one\n' +
        'directory. Settings under DIR/etc are used; without any, the defaults are, with an instance "default".',
    )
    .option('--home <dir>', 'directory of all state (default: $XDG_DATA_HOME/rackwright)')
    .option('--port <n>', 'port, 0 for a free one (default: the setting)', readPort)
    .addHelpText(
      'after',
      '\nExample:\n  rackwright up --home ./site --port 0\n  rackwright --uri ./site/run/control.sock list',
    )
    .action(async (_options: unknown, command: Command) => {
      const surroundings = surroundingsOf(command);
      surroundings.exit.code = await runPair(command.optsWithGlobals<UpOptions>(), surroundings);
    });
}

/** One of the two processes. */
interface Part {
  readonly name: string;
  readonly child: ChildProcess;
  /** How it ended, in words. */
  readonly ended: Promise<string>;
  code: number | null;
}

async function runPair(options: UpOptions, surroundings: Surroundings): Promise<number> {
  const home = resolve(surroundings.cwd, options.home ?? defaultHome(surroundings));
  await mkdir(home, { recursive: true });
  const parts: Part[] = [];
  const over = new AbortController();
  const stopping = Promise.withResolvers<'stop'>();
  let signals = 0;
  const release = surroundings.onStop(() => {
    stopping.resolve('stop');
    // Who asks twice does not want to wait for running builds.
    if (++signals > 1) for (const part of parts) signal(part, 'SIGKILL');
  });
  const died = (part: Part): Promise<string> => part.ended.then(how => `${part.name} ${how}`);
  const wait = (ready: Promise<string>): Promise<string> =>
    Promise.race([ready, stopping.promise, ...parts.map(part => died(part).then(fail))]);
  try {
    parts.push(start('daemon', ['daemon/main.ts', '--home', home], surroundings));
    if ((await wait(answering(home, surroundings, over.signal))) === 'stop') return await stopAll(parts);
    const edge = start(
      'edge',
      ['edge/main.ts', '--home', home, '--port', String(options.port)],
      surroundings,
    );
    parts.push(edge);
    const address = await wait(listening(edge, surroundings));
    if (address === 'stop') return await stopAll(parts);
    if (options.json) print(surroundings, JSON.stringify({ ready: address, home }));
    else print(surroundings, `ready ${address}`);
    if (surroundings.stderr.isTTY) say(surroundings, hint(home));
    const why = await Promise.race([stopping.promise, ...parts.map(died)]);
    if (why === 'stop') return await stopAll(parts);
    say(surroundings, `rackwright: the ${why}; stopping`);
    await stopAll(parts);
    return 1;
  } catch (error) {
    await stopAll(parts);
    throw error;
  } finally {
    over.abort();
    release();
  }
}

/** How to talk to what was started, for people who see it. */
function hint(home: string): string {
  return `Everything is under ${home}. In another terminal:\n  rackwright --uri ${join(places(home).run, 'control.sock')} list`;
}

function fail(what: string): never {
  throw new Fault('unavailable', 'unreachable', `the ${what} before it was ready; its own words are above`);
}

function defaultHome(surroundings: Surroundings): string {
  return join(surroundings.env.XDG_DATA_HOME ?? join(surroundings.home, '.local/share'), 'rackwright');
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Not a port.');
  return Number(text);
}

/** Starts one process in a process group of its own, so that a terminal's Ctrl-C reaches it through us only. */
function start(name: string, parameters: readonly string[], surroundings: Surroundings): Part {
  const [entry = '', ...rest] = parameters;
  const script = fileURLToPath(new URL(`../../${entry}`, import.meta.url));
  const child = spawn(process.execPath, [script, ...rest], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...surroundings.env },
  });
  child.stderr?.on('data', (chunk: Buffer) => surroundings.stderr.write(chunk));
  const ended = new Promise<string>(done => {
    child.once('error', error => done(`could not be started: ${error.message}`));
    child.once('close', (code, killer) => {
      part.code = code;
      done(killer ? `was killed by ${killer}` : `ended with ${code}`);
    });
  });
  const part: Part = { name, child, ended, code: null };
  if (name !== 'edge') child.stdout?.on('data', (chunk: Buffer) => surroundings.stderr.write(chunk));
  return part;
}

/** Resolves when the daemon answers on both of its sockets. */
async function answering(home: string, surroundings: Surroundings, over: AbortSignal): Promise<string> {
  const protocol = loadProtocol();
  const deadline = surroundings.now() + START_LIMIT;
  for (const socket of ['control.sock', 'edge.sock']) {
    const connection = connect(protocol, `unix:${join(places(home).run, socket)}`);
    try {
      const instances = connection.service('InstanceService');
      for (;;) {
        const last: unknown = await instances.listInstances({}, { timeout: 2000 }).then(
          () => null,
          error => error,
        );
        if (last === null || over.aborted) break;
        if (surroundings.now() > deadline) {
          const message = `the daemon does not answer on ${socket} after ${START_LIMIT / 1000} s`;
          throw new Fault('unavailable', 'timeout', message, {}, { cause: last });
        }
        await new Promise(done => setTimeout(done, POLL));
      }
    } finally {
      connection.close();
    }
  }
  return 'answers';
}

/** The address that the edge says it listens on, once it answers there. */
async function listening(edge: Part, surroundings: Surroundings): Promise<string> {
  const address = await new Promise<string>((found, refuse) => {
    const timer = setTimeout(
      () =>
        refuse(new Fault('unavailable', 'timeout', `the edge does not listen after ${START_LIMIT / 1000} s`)),
      START_LIMIT,
    );
    if (!edge.child.stdout) return;
    createInterface({ input: edge.child.stdout }).on('line', line => {
      const match = /^listening (http:\/\/\S+)$/.exec(line);
      if (!match?.[1]) return void say(surroundings, line);
      clearTimeout(timer);
      found(match[1]);
    });
    edge.child.once('close', () => clearTimeout(timer));
  });
  const answer = await fetch(`${address}/version`, { signal: AbortSignal.timeout(START_LIMIT) });
  await answer.body?.cancel();
  return address;
}

/** Ends the edge, then the daemon, so that no request meets a stopped daemon. 0 when all ended by themselves with 0. */
async function stopAll(parts: readonly Part[]): Promise<number> {
  let code = 0;
  for (const part of [...parts].reverse()) {
    signal(part, 'SIGTERM');
    const timer = setTimeout(() => signal(part, 'SIGKILL'), STOP_LIMIT);
    await part.ended;
    clearTimeout(timer);
    if (part.code !== 0) code = 1;
  }
  return code;
}

function signal(part: Part, name: NodeJS.Signals): void {
  if (part.child.exitCode === null && part.child.signalCode === null) part.child.kill(name);
}
