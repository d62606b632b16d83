/** A sandbox: an overlay over prepared roots, entered by bwrap with nothing of the host but what is named. */
import { access, chmod, chown, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { RunOptions, RunResult, Sandbox, SandboxOptions } from '../context.ts';
import type { RunEnd, Runner } from '../runner.ts';
import { ENTRANCE_ENV, type SandboxPlan, sandboxCommand, sandboxWords } from './command.ts';
import type { Entrance } from './entrance.ts';
import { BUILD_ID, type Namespace } from './namespace.ts';
import { seccompFilter } from './seccomp.ts';

/** What a sandbox needs of its task. */
export interface SandboxHost {
  readonly runner: Runner;
  readonly namespace: Namespace;
  /** As Node names it; null runs without a filter. */
  readonly filterFor: string | null;
  /** Most processes, where no control group counts them; 0 = none. */
  readonly processes: number;
  /** Removes a folder with files of ids that only exist inside. */
  remove(folder: string): Promise<void>;
  /** A way in that has been prepared, once; null where there is none. */
  takeEntrance(): Promise<Entrance | null>;
  /** Watches how much disk a folder takes; the returned function ends it. */
  watchDisk(folder: string): () => void;
}

/** File in a sandbox's folder by which the sweep after a crash knows it. */
export const SANDBOX_MARK = '.rackwright-sandbox';
/** Layers of one sandbox; the kernel takes 500, mount options are short. */
const MAX_ROOTS = 16;
/** bwrap and the shell add this to a signal's number. */
const SIGNALLED = 128;
const SIGNAL_NAMES: Readonly<Record<number, string>> = {
  2: 'SIGINT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
};
/** Names for the network, read when a run may use it. */
const NETWORK_FILES = ['/etc/resolv.conf', '/etc/hosts'];

/** The sandbox of one task over some roots. */
export class OverlaySandbox implements Sandbox {
  readonly exchange: string;
  readonly layer: string;
  readonly #host: SandboxHost;
  readonly #work: string;
  readonly #roots: number;
  readonly #hostname: string;
  readonly #endWatch: () => void;
  #busy = false;
  #closing: Promise<void> | null = null;

  private constructor(host: SandboxHost, work: string, options: SandboxOptions) {
    this.#host = host;
    this.#work = work;
    this.#roots = options.roots.length;
    this.#hostname = options.hostname ?? 'build';
    this.exchange = join(work, 'build');
    this.layer = join(work, 'upper');
    this.#endWatch = host.watchDisk(work);
  }

  /** Makes the folders of a sandbox; `work` may exist when it is empty. Throws a Fault for a root that is not there. */
  static async open(host: SandboxHost, options: SandboxOptions): Promise<OverlaySandbox> {
    if (options.roots.length === 0 || options.roots.length > MAX_ROOTS) {
      throw new Fault('internal', 'internal', `a sandbox over ${options.roots.length} layers`);
    }
    for (const root of options.roots) {
      await access(root).catch(() => {
        throw new Fault('refused', 'no-environment', `the root ${root} is not there`, { root });
      });
    }
    await mkdir(options.work, { recursive: true, mode: 0o755 });
    const work = await realpath(options.work);
    await writeFile(join(work, SANDBOX_MARK), '');
    for (const [at, root] of options.roots.entries())
      await symlink(await realpath(root), join(work, `l${at}`));
    const sandbox = new OverlaySandbox(host, work, options);
    await mkdir(sandbox.exchange, { mode: 0o755 });
    await chmod(sandbox.exchange, 0o755);
    // Where ids are mapped, the build user inside is who runs us.
    if (!host.namespace.isMapped) await chown(sandbox.exchange, BUILD_ID, BUILD_ID);
    return sandbox;
  }

  async run(command: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    if (this.#busy || this.#closing !== null)
      throw new Fault('internal', 'internal', 'a sandbox runs one command at a time');
    this.#busy = true;
    try {
      const plan: SandboxPlan = {
        ...options,
        work: this.#work,
        roots: this.#roots,
        hostname: this.#hostname,
        namespace: this.#host.namespace,
        filter: await this.#writeFilter(options.root === true),
        processes: this.#host.processes,
        names: options.network ? await networkNames() : [],
      };
      const end = (await this.#enterPrepared(command, plan)) ?? (await this.#enter(command, plan));
      return { exitCode: exitCode(command, end), stdout: end.stdout };
    } finally {
      this.#busy = false;
    }
  }

  /** By the prepared way, which has pipes for input and output; null where there is none, or they are not wanted. */
  async #enterPrepared(command: readonly string[], plan: SandboxPlan): Promise<RunEnd | null> {
    const { input, onStdout } = plan;
    if (typeof input !== 'object' || onStdout === undefined) return null;
    const entrance = await this.#host.takeEntrance();
    return entrance?.enter(sandboxWords(command, plan), { input, onStdout }) ?? null;
  }

  #enter(command: readonly string[], plan: SandboxPlan): Promise<RunEnd> {
    return this.#host.runner.run({
      command: sandboxCommand(command, plan),
      env: ENTRANCE_ENV,
      holder: true,
      ...(plan.interactive === undefined ? {} : { interactive: plan.interactive }),
      ...(plan.input === undefined ? {} : { input: plan.input }),
      ...(plan.capture === undefined ? {} : { capture: plan.capture }),
      ...(plan.onStdout === undefined ? {} : { onStdout: plan.onStdout }),
    });
  }

  close(): Promise<void> {
    if (this.#closing === null) {
      this.#endWatch();
      this.#closing = this.#host.remove(this.#work);
      // Who does not wait learns of a failure when the task ends.
      this.#closing.catch(() => undefined);
    }
    return this.#closing;
  }

  async #writeFilter(root: boolean): Promise<string | null> {
    const filter = this.#host.filterFor === null ? null : seccompFilter(this.#host.filterFor, root);
    if (filter === null) return null;
    const file = join(this.#work, root ? 'filter-root' : 'filter');
    await writeFile(file, filter);
    return file;
  }
}

/** Files that name hosts, where they really are: resolv.conf is often a link into /run. */
async function networkNames(): Promise<[string, string][]> {
  const names: [string, string][] = [];
  for (const file of NETWORK_FILES) {
    const real = await realpath(file).catch(() => null);
    if (real !== null) names.push([real, file]);
  }
  return names;
}

/** What the command itself ended with. Throws `killed` for a signal, and a Fault when it never began. */
function exitCode(
  command: readonly string[],
  end: { code: number | null; signal: string | null; status: string },
): number {
  const name = command[0] ?? '';
  if (end.signal !== null) {
    throw new Fault('internal', 'killed', `${name} was ended by ${end.signal}`, { signal: end.signal });
  }
  const reported = /"exit-code"\s*:\s*(\d+)/.exec(end.status)?.[1];
  if (reported === undefined) {
    throw new Fault(
      'internal',
      'internal',
      `the sandbox could not be set up (code ${end.code}); the journal says why`,
    );
  }
  const code = Number(reported);
  const signal = SIGNAL_NAMES[code - SIGNALLED];
  if (signal !== undefined)
    throw new Fault('internal', 'killed', `${name} was ended by ${signal}`, { signal });
  return code;
}
