/** Runs a trusted tool of the host with bounds on time and output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Fault } from '../proto/fault.ts';
import type { ToolOptions, ToolResult } from './context.ts';
import { jail } from './jail.ts';

const MAX_OUTPUT = 16 * 1024 * 1024;
/** Bytes of standard error that are kept: the last ones. */
const MAX_ERRORS = 64 * 1024;
const TIMEOUT = 60_000;
/** Milliseconds between asking a tool to end and killing it. */
const GRACE = 2000;
/** Milliseconds to wait for pipes that a grandchild holds open. */
const PIPES = 1000;
/** What strerror(3) says of ENOSPC and EDQUOT in the locale of all tools. */
const DISK_FULL = /No space left on device|Disk quota exceeded/;

/** All that tools of the host see of the environment. */
export const TOOL_ENV = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
} as const;

/**
 * Runs the script that follows. Bash takes a standard input that is a socket, as Node's pipes are, for a remote shell's and
 * would read the user's ~/.bashrc before.
 */
export const BASH = ['bash', '--norc', '-c'] as const;

export interface ToolSetting {
  readonly signal: AbortSignal;
  /** Environment of every tool: nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Told of the process when it starts and when it has ended. */
  readonly onStart?: (pid: number) => void;
  readonly onExit?: (pid: number) => void;
}

/**
 * Runs a command without a shell. Throws `timeout`, `too-large`, the reason of the signal, `disk-full` where it failed
 * for want of space, or `internal` naming the tool, its exit code and its last words when it fails with a code that is
 * not accepted.
 */
export async function runTool(
  command: readonly string[],
  options: ToolOptions,
  setting: ToolSetting,
): Promise<ToolResult> {
  setting.signal.throwIfAborted();
  const [tool = ''] = command;
  const [file = '', ...args] = options.jail ? [...jail(options.jail), ...command] : command;
  const child = spawn(file, args, {
    env: { ...setting.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid ?? 0;
  setting.onStart?.(pid);
  try {
    return await follow(child, tool, options, setting.signal);
  } finally {
    setting.onExit?.(pid);
  }
}

/** Runs a command that must come to its end whatever becomes of a task: what tidies up. Throws as `runTool`. */
export function runAnyway(command: readonly string[], options: ToolOptions): Promise<ToolResult> {
  return runTool(command, options, { signal: new AbortController().signal, env: TOOL_ENV });
}

async function follow(
  child: ChildProcess,
  file: string,
  options: ToolOptions,
  signal: AbortSignal,
): Promise<ToolResult> {
  const limit = options.maxOutput ?? MAX_OUTPUT;
  const stdout: Buffer[] = [];
  let size = 0;
  let stderr = Buffer.alloc(0);
  let fault: unknown = null;
  const stop = (why: unknown): void => {
    if (fault !== null) return;
    fault = why;
    end(child, 'SIGTERM');
    const timer = setTimeout(() => end(child, 'SIGKILL'), GRACE);
    child.once('exit', () => clearTimeout(timer));
  };
  child.stdout?.on('data', (bytes: Buffer) => {
    size += bytes.length;
    if (size > limit)
      stop(new Fault('exhausted', 'too-large', `${file} wrote more than ${limit} bytes`, { limit }));
    else stdout.push(bytes);
  });
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr = Buffer.concat([stderr, bytes]).subarray(-MAX_ERRORS);
  });
  child.stdin?.on('error', () => undefined);
  const time = options.timeout ?? TIMEOUT;
  let timer: NodeJS.Timeout | undefined;
  const begin = (input: Uint8Array | string): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.stdin?.end(input);
    timer = setTimeout(
      () => stop(new Fault('unavailable', 'timeout', `${file} did not end within ${time / 1000} s`)),
      time,
    );
  };
  if (options.input instanceof Promise) options.input.then(begin, stop);
  else begin(options.input ?? '');
  const onAbort = (): void => stop(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const exit = await ending(child, file).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  });
  if (fault !== null) throw fault;
  const errors = stderr.toString('utf8');
  const full = exit.code === 0 ? undefined : DISK_FULL.exec(errors)?.[0];
  if (full !== undefined) {
    throw new Fault('unavailable', 'disk-full', `${file} could not write: ${full}`, { tool: file });
  }
  if (exit.signal !== null || !(options.accept ?? [0]).includes(exit.code)) {
    const how = exit.signal === null ? `ended with code ${exit.code}` : `was ended by ${exit.signal}`;
    const words = errors.trim() || Buffer.concat(stdout).subarray(-4096).toString('utf8').trim();
    throw new Fault(
      'internal',
      exit.signal === null ? 'internal' : 'killed',
      `${file} ${how}${words ? `: ${words}` : ''}`,
      exit.signal === null ? { tool: file, code: exit.code } : { tool: file, signal: exit.signal },
    );
  }
  return { exitCode: exit.code, stdout: Buffer.concat(stdout), stderr: errors };
}

/** Waits for the exit and the pipes; pipes that somebody else still holds are given a second. */
async function ending(child: ChildProcess, file: string): Promise<{ code: number; signal: string | null }> {
  return new Promise((resolve, reject) => {
    let exit: { code: number; signal: string | null } | null = null;
    child.once('error', error =>
      reject(
        new Fault('internal', 'internal', `${file} could not be started: ${error.message}`, { tool: file }),
      ),
    );
    child.once('exit', (code, signal) => {
      exit = { code: code ?? 128, signal };
      setTimeout(() => resolve(exit ?? { code: 128, signal }), PIPES).unref();
    });
    child.once('close', (code, signal) => resolve({ code: code ?? 128, signal }));
  });
}

/** Signals the tool with its children: it leads a group of its own. */
function end(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name);
  } catch {
    // Ended meanwhile.
  }
}
