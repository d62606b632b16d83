/** Runs the `rackwright` command as its users do: a process with arguments, environment and pipes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CLI_MAIN = fileURLToPath(new URL('../../edge/cli/main.ts', import.meta.url));

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** Milliseconds. */
  readonly limit?: number;
  /** Given the process as it starts. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** A home of its own for preferences and tokens, so that no test sees those of who runs it. */
export interface CliHome {
  readonly path: string;
  /** Runs the command to its end. */
  run(parameters: readonly string[], options?: CliOptions): Promise<CliRun>;
  remove(): void;
}

/** Milliseconds that one command may take unless told; machines that test are busy. */
const LIMIT = 300_000;
/** Milliseconds for a command that builds: the first one makes key, environment and layers. */
export const BUILD_LIMIT = 600_000;

/** Makes a home. */
export function openCliHome(): CliHome {
  const path = mkdtempSync(join(tmpdir(), 'rackwright-cli-'));
  return {
    path,
    run: (parameters, options = {}) => runCli(path, parameters, options),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The environment of a command in a home. */
export function cliEnvironment(home: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, TZ: 'UTC', LANG: 'C.UTF-8', ...more };
}

function runCli(home: string, parameters: readonly string[], options: CliOptions): Promise<CliRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI_MAIN, ...parameters], {
      cwd: options.cwd ?? home,
      env: cliEnvironment(home, options.env),
      stdio: 'pipe',
      timeout: options.limit ?? LIMIT,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', chunk => {
      stdout += chunk;
    });
    child.stderr.on('data', chunk => {
      stderr += chunk;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    child.once('error', reject);
    child.once('close', code => resolve({ code, stdout, stderr }));
    options.onStart?.(child);
  });
}
