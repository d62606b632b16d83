/** `rackwright up`: daemon and edge in the foreground, as whoever calls it, with everything under one directory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { Fault } from '../../proto/fault.ts';
import { enterLeaf } from '../../systemd/leaf.ts';
import { LIFELINE } from '../../systemd/lifeline.ts';
import type { GeneralOptions } from './program.ts';
import { print, type Surroundings, say, surroundingsOf } from './surroundings.ts';

/** Milliseconds that a process may take to answer for the first time; recovery of a long queue included. */
const START_LIMIT = 60_000;
/** Milliseconds that a process may take to end, the daemon's own 30 s for running builds included. */
const STOP_LIMIT = 40_000;

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
  // In a delegated scope both parts follow there, and the groups of tasks lie beside.
  enterLeaf();
  const home = resolve(surroundings.cwd, options.home ?? defaultHome(surroundings));
  await mkdir(home, { recursive: true });
  const parts: Part[] = [];
  const stopping = Promise.withResolvers<'stop'>();
  let signals = 0;
  let ready = false;
  const release = surroundings.onStop(name => {
    if (name === 'SIGHUP' && !hasLostTerminal(surroundings)) {
      // Who starts reads all settings anyway, and may not listen to the signal yet.
      if (ready) for (const part of parts) signal(part, name);
      return;
    }
    stopping.resolve('stop');
    // Who asks twice does not want to wait for running builds.
    if (++signals > 1) for (const part of parts) signal(part, 'SIGKILL');
  });
  const died = (part: Part): Promise<string> => part.ended.then(how => `${part.name} ${how}`);
  const wait = (step: Promise<string>): Promise<string> =>
    Promise.race([step, stopping.promise, ...parts.map(part => died(part).then(fail))]);
  try {
    const daemon = start('daemon', ['daemon/main.ts', '--home', home], surroundings);
    parts.push(daemon);
    const run = await wait(listening(daemon, surroundings));
    if (run === 'stop') return await stopAll(parts);
    // Without a word of the caller's it is the setting that counts.
    const port = options.port === undefined ? [] : ['--port', String(options.port)];
    const edge = start('edge', ['edge/main.ts', '--home', home, ...port], surroundings);
    parts.push(edge);
    const address = await wait(listening(edge, surroundings).then(answering));
    if (address === 'stop') return await stopAll(parts);
    ready = true;
    if (options.json) print(surroundings, JSON.stringify({ ready: address, home }));
    else print(surroundings, `ready ${address}`);
    if (surroundings.stderr.isTTY) say(surroundings, hint(home, run));
    const why = await Promise.race([stopping.promise, ...parts.map(died)]);
    if (why === 'stop') return await stopAll(parts);
    say(surroundings, `rackwright: the ${why}; stopping`);
    await stopAll(parts);
    return 1;
  } catch (error) {
    await stopAll(parts);
    throw error;
  } finally {
    release();
  }
}

/** Whether the terminal it was started at has been closed: the hangup then means the end, else a reload. */
function hasLostTerminal({ stdin, stdout, stderr }: Surroundings): boolean {
  const streams = [stdin, stdout, stderr] as unknown as readonly { isTTY?: boolean; fd: number }[];
  return streams.some(({ isTTY, fd }) => isTTY === true && !isatty(fd));
}

/** How to talk to what was started, for people who see it; `run` is the folder of the daemon's sockets. */
function hint(home: string, run: string): string {
  return `Everything is under ${home}. In another terminal:\n  rackwright --uri ${join(run, 'control.sock')} list`;
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

/**
 * As in its unit. Node lets each thread touch 32 MiB before it looks for garbage, and every program that a build starts
 * costs a copy of the page tables of what was touched.
 */
const DAEMON_FLAGS = ['--max-semi-space-size=4'];

/** Where this program keeps its compiled code, for what it starts: they start faster, and copy less where they fork. */
function compiledCode(): { readonly NODE_COMPILE_CACHE?: string } {
  // Node answers a folder of its version below the one that it was given.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * Starts one process in a process group of its own, so that a terminal's Ctrl-C reaches it through us only. Its standard
 * input is its lifeline: should we be killed, it stops by itself, and the next start finds the home free.
 */
function start(name: string, parameters: readonly string[], surroundings: Surroundings): Part {
  const [entry = '', ...rest] = parameters;
  const flags = name === 'daemon' ? DAEMON_FLAGS : [];
  const script = fileURLToPath(new URL(`../../${entry}`, import.meta.url));
  const child = spawn(process.execPath, [...flags, script, ...rest, `--${LIFELINE}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: { ...compiledCode(), ...surroundings.env },
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
  return part;
}

/**
 * Where a part says that it listens: the daemon's folder of sockets, the edge's address. It is asked for its own word: at
 * the sockets of a home that is in use already, another daemon would answer in its place.
 */
function listening({ name, child }: Part, surroundings: Surroundings): Promise<string> {
  return new Promise((found, refuse) => {
    const timer = setTimeout(() => {
      const message = `the ${name} does not listen after ${START_LIMIT / 1000} s`;
      refuse(new Fault('unavailable', 'timeout', message));
    }, START_LIMIT);
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on('line', line => {
      const match = /^listening (\S.*)$/.exec(line);
      if (!match?.[1]) return void say(surroundings, line);
      clearTimeout(timer);
      found(match[1]);
    });
    child.once('close', () => clearTimeout(timer));
  });
}

/** The address, once the edge answers there. */
async function answering(address: string): Promise<string> {
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
