/** Runs the system's gpg on a home of its own whose agent ends with it; private keys never enter this process. */
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import type { TaskContext, ToolOptions } from '../context.ts';

/** Bytes a Unix socket's path may have (sun_path, 108 with its end). */
const MAX_SOCKET_PATH = 107;
/** The longest name that the agent gives a socket in its home. */
const LONGEST_SOCKET = '/S.gpg-agent.browser';
/** Milliseconds; making an RSA key waits for luck with primes. */
const TIMEOUT = 300_000;
/** Characters of what gpg said that a message repeats. */
const MAX_WORDS = 500;

/** The agent's settings. The passphrase is random and long: stretching it would only cost 100 ms a signature. */
export const AGENT_SETTINGS = 's2k-count 65536\nmax-cache-ttl 3600\ndisable-scdaemon\n';

export interface GnupgHome {
  /** Short path of the home; fit for sockets. */
  readonly path: string;
  close(): void;
}

/** A short name for a home that lies wherever: what is behind it is written through the link. */
export function linkHome(context: TaskContext, target: string): GnupgHome {
  const folder = shortFolder(context);
  const path = join(folder, 'h');
  return filled(path, folder, () => symlinkSync(target, path));
}

/** A home that only signs with the keys of another: the agent is its own, so homes don't disturb each other. */
export function signingHome(context: TaskContext, keyring: string): GnupgHome {
  const path = shortFolder(context);
  return filled(path, path, () => {
    for (const name of ['pubring.kbx', 'private-keys-v1.d', 'gpg-agent.conf']) {
      symlinkSync(join(keyring, name), join(path, name));
    }
  });
}

/** A home whose folder goes when it is closed, or can't be filled. The agent watches it and ends with it. */
function filled(path: string, folder: string, fill: () => void): GnupgHome {
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    fill();
  } catch (error) {
    close();
    throw error;
  }
  return { path, close };
}

function shortFolder(context: TaskContext): string {
  const { run, tmp } = context.job.settings.dirs;
  const room = MAX_SOCKET_PATH - LONGEST_SOCKET.length - '/k-4194304-XXXXXX/h'.length;
  const base = [run, tmp].find(folder => Buffer.byteLength(folder) <= room);
  if (base === undefined) {
    throw new Fault(
      'invalid',
      'bad-settings',
      `neither ${run} nor ${tmp} is short enough for the sockets of gpg: choose a "run" or "tmp" of up to ${room} bytes`,
      { room },
    );
  }
  sweepHomes(base);
  return mkdtempSync(join(base, `k-${process.pid}-`));
}

/** Removes homes of processes that are gone: their agents end with them. `base` is one of the folders that they lie in. */
export function sweepHomes(base: string): void {
  for (const name of readdirSync(base)) {
    const owner = /^k-(\d+)-\w{6}$/.exec(name)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) sweepHome(join(base, name));
  }
}

function sweepHome(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    // A gpg that outlives its task by a moment still writes there: the next sweep takes it.
    if (errorCode(error) !== 'ENOTEMPTY') throw error;
  }
}

export interface GpgAnswer {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** The last of what it said, in one line: why it failed often stands above its last line. */
  readonly words: string;
}

export type GpgOptions = { readonly passphrase?: string } & Pick<ToolOptions, 'input'>;

/** Runs gpg in batch mode. Its exit code is for the caller to judge; a signal that ended it throws `killed`. */
export async function runGpg(
  context: TaskContext,
  home: string,
  args: readonly string[],
  options: GpgOptions = {},
): Promise<GpgAnswer> {
  const secret =
    options.passphrase === undefined
      ? []
      : ['--pinentry-mode', 'loopback', '--passphrase-file', options.passphrase];
  const fixed = ['--homedir', home, '--batch', '--no-tty', '--no-options', '--no-auto-check-trustdb'];
  const answer = await context.runTool(
    ['gpg', ...fixed, '--trust-model', 'always', '--quiet', ...secret, ...args],
    {
      ...(options.input === undefined ? {} : { input: options.input }),
      timeout: TIMEOUT,
      accept: [0, 1, 2],
    },
  );
  const words = answer.stderr.trim().split('\n').join('; ').slice(-MAX_WORDS);
  return { exitCode: answer.exitCode, stdout: answer.stdout, words };
}

/** Gives work that fails for gpg's sake, or whose gpg or agent was killed, one more chance; throws `signing-failed` then. */
export async function onceMore<T>(context: TaskContext, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof Fault) || !['signing-failed', 'killed'].includes(error.reason)) throw error;
      if (attempt === 2) throw new Fault('internal', 'signing-failed', `${error.message}, twice`);
      context.console.log('warning', `${error.message}, trying once more`);
    }
  }
}
