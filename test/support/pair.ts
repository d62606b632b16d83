/** Starts the pair of processes, daemon and edge, as a user does: `rackwright up` over a home. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../edge/cli/main.ts', import.meta.url));
/** Milliseconds until both must answer; making the tables of an empty home included. */
const START_LIMIT = 300_000;

export interface Pair {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Absolute path of the daemon's control socket. */
  readonly controlSocket: string;
  /** The host's distribution, which the default instance builds for. */
  readonly distribution: string;
  readonly child: ChildProcess;
  /** What both processes have logged so far. */
  log(): string;
  /** The build environment's root of the default instance; throws when none was made yet. */
  environmentRoot(): string;
  /** SIGTERM, then waits for the end; the exit code. */
  stop(): Promise<number | null>;
}

/** Starts both over an existing home, on a free port. Rejects with what they logged when they don't get ready. */
export async function startPair(options: { home: string; env?: NodeJS.ProcessEnv }): Promise<Pair> {
  const child = spawn(process.execPath, [CLI, 'up', '--home', options.home, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: options.env ?? process.env,
  });
  let logged = '';
  const ended = new Promise<number | null>(resolve => child.on('close', code => resolve(code)));
  child.stderr.on('data', chunk => {
    logged = (logged + chunk).slice(-1_000_000);
  });
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`not ready after ${START_LIMIT} ms\n${logged}`));
    }, START_LIMIT);
    createInterface({ input: child.stdout }).on('line', line => {
      logged += `${line}\n`;
      const ready = /^ready (http:\S+)$/.exec(line);
      if (!ready?.[1]) return;
      clearTimeout(timer);
      resolve(ready[1]);
    });
    void ended.then(code => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code} before it was ready\n${logged}`));
    });
  });
  return {
    url,
    controlSocket: join(options.home, 'run/control.sock'),
    distribution: hostDistribution(),
    child,
    log: () => logged,
    environmentRoot: () => {
      const image = join(options.home, 'lib/images/default/deb.img');
      const found = existsSync(image)
        ? readdirSync(image).find(name => name.startsWith(`rackwright-${hostDistribution()}-`))
        : undefined;
      if (!found) throw new Error(`no environment below ${image}`);
      return join(image, found, 'root');
    },
    stop: async () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Debian's code name of this host, `bookworm`. */
export function hostDistribution(): string {
  const codename = /^VERSION_CODENAME=(\S+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  if (!codename) throw new Error('os-release names no VERSION_CODENAME');
  return codename;
}
