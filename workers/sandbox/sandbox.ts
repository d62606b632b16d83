/** A sandbox: an overlay over prepared roots, entered by bwrap with nothing of the host but what is named. */
import { access, chmod, chown, mkdir, open, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { RunOptions, RunResult, Sandbox, SandboxOptions } from '../context.ts';
import type { Runner } from '../runner.ts';
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
/** Capabilities of who installs packages: those that dpkg, apt and maintainer scripts use. No devices, no mounts. */
const INSTALLER = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'SETGID',
  'SETUID',
  'SETFCAP',
  'SYS_CHROOT',
];
/**
 * Open files that programs are told they may have, as on any login; they can raise it. Node raises its own to the most
 * there is, and fakeroot closes every possible one each time it starts.
 */
const OPEN_FILES = 1024;
/** Names for the network, read when a run may use it. */
const NETWORK_FILES = ['/etc/resolv.conf', '/etc/hosts'];

/**
 * Mounts the overlay in the folder of the first argument with the options of the second, empties /tmp, hands the
 * exchange folder to the owner that the third names (none: leaves it), and becomes the command. Nothing runs in the
 * sandbox meanwhile, and links are not followed. Paths are relative, so that no name can be taken for an option and none
 * is too long.
 */
const MOUNT = `
set -e
umask 022
shopt -s nullglob dotglob
cd "$1"; options=$2; owner=$3; shift 3
if [[ ! -d root ]]; then mkdir upper overlay root; fi
if [[ -e overlay/work ]]; then rm -rf overlay/work; fi
mount -t overlay overlay -o "$options" root
if [[ ! -L root/tmp ]]; then
  left=(root/tmp/*)
  if (( \${#left[@]} > 0 )); then find root/tmp -mindepth 1 -delete; fi
fi
left=(build/*)
if [[ -n $owner ]] && (( \${#left[@]} > 0 )); then
  find build -xdev ! -user "$owner" -exec chown -h "$owner:$owner" {} +
fi
exec "$@"`;

export interface SandboxPlan extends RunOptions {
  readonly work: string;
  readonly roots: number;
  readonly hostname: string;
  readonly namespace: Namespace;
  readonly filtered: boolean;
  readonly processes: number;
  /** Host files for names on the network: from, to. */
  readonly names: readonly (readonly [string, string])[];
}

/** The whole command line of one run in a sandbox: descriptor 3 takes bwrap's status, 4 gives it the filter. */
export function sandboxCommand(command: readonly string[], plan: SandboxPlan): string[] {
  const lower = Array.from({ length: plan.roots }, (_, at) => `l${plan.roots - 1 - at}`).join(':');
  const marks = plan.namespace.isMapped ? 'userxattr' : 'redirect_dir=off,metacopy=off,index=off';
  const options = `lowerdir=${lower},upperdir=upper,workdir=overlay,volatile,${marks}`;
  return [
    ...plan.namespace.mounting,
    ...['bash', '-c', MOUNT, 'rackwright', plan.work, options, plan.root ? '' : String(BUILD_ID)],
    ...['bwrap', '--bind', join(plan.work, 'root'), '/', '--bind', join(plan.work, 'build'), '/build'],
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/run', '--dir', '/run/lock'],
    // Settings of the kernel belong to user 0, capabilities or not; where ids are mapped that is nobody inside.
    ...(plan.namespace.isMapped ? [] : ['--ro-bind', '/proc/sys', '/proc/sys']),
    ...plan.names.flatMap(([from, to]) => ['--ro-bind', from, to]),
    ...(plan.binds ?? []).flatMap(({ from, to, writable }) => [writable ? '--bind' : '--ro-bind', from, to]),
    ...[
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
      '--hostname',
      plan.hostname,
    ],
    ...(plan.network ? [] : ['--unshare-net']),
    ...['--die-with-parent', ...(plan.interactive ? [] : ['--new-session']), '--json-status-fd', '3'],
    ...(plan.filtered ? ['--seccomp', '4'] : []),
    ...capabilities(plan.root === true),
    '--clearenv',
    ...Object.entries(environment(plan)).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', plan.cwd ?? '/build', '--'],
    ...['prlimit', `--nofile=${OPEN_FILES}:`, '--core=0'],
    ...(plan.processes > 0 ? [`--nproc=${plan.processes}`] : []),
    '--',
    ...(plan.root ? [] : becomeBuilder()),
    ...command,
  ];
}

function capabilities(root: boolean): string[] {
  const kept = root ? INSTALLER : ['SETUID', 'SETGID', 'SETPCAP'];
  return ['--cap-drop', 'ALL', ...kept.flatMap(name => ['--cap-add', `CAP_${name}`])];
}

function becomeBuilder(): string[] {
  const ids = [`--reuid=${BUILD_ID}`, `--regid=${BUILD_ID}`, '--clear-groups'];
  return ['setpriv', ...ids, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
}

function environment(plan: SandboxPlan): Record<string, string> {
  return {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: plan.root ? '/root' : '/nonexistent',
    LANG: 'C.UTF-8',
    USER: plan.root ? 'root' : 'build',
    LOGNAME: plan.root ? 'root' : 'build',
    ...plan.env,
  };
}

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
  #closed = false;

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
    if (this.#busy || this.#closed)
      throw new Fault('internal', 'internal', 'a sandbox runs one command at a time');
    this.#busy = true;
    const filter = await this.#openFilter(options.root === true);
    try {
      const end = await this.#host.runner.run({
        command: sandboxCommand(command, {
          ...options,
          work: this.#work,
          roots: this.#roots,
          hostname: this.#hostname,
          namespace: this.#host.namespace,
          filtered: filter !== null,
          processes: this.#host.processes,
          names: options.network ? await networkNames() : [],
        }),
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
        holder: true,
        ...(filter === null ? {} : { file: filter.fd }),
        ...(options.interactive === undefined ? {} : { interactive: options.interactive }),
        ...(options.input === undefined ? {} : { input: options.input }),
        ...(options.capture === undefined ? {} : { capture: options.capture }),
      });
      return { exitCode: exitCode(command, end), stdout: end.stdout };
    } finally {
      this.#busy = false;
      await filter?.close();
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#endWatch();
    await this.#host.remove(this.#work);
  }

  /** Ends the sandbox and keeps its layer: all but `upper` is removed. */
  async keepLayer(): Promise<void> {
    this.#closed = true;
    this.#endWatch();
    for (const name of ['root', 'build', 'overlay']) await this.#host.remove(join(this.#work, name));
    for (let at = 0; at < this.#roots; at++) await rm(join(this.#work, `l${at}`));
    for (const name of ['filter', 'filter-root', SANDBOX_MARK])
      await rm(join(this.#work, name), { force: true });
  }

  async #openFilter(root: boolean): Promise<Awaited<ReturnType<typeof open>> | null> {
    const filter = this.#host.filterFor === null ? null : seccompFilter(this.#host.filterFor, root);
    if (filter === null) return null;
    const file = join(this.#work, root ? 'filter-root' : 'filter');
    await writeFile(file, filter);
    return open(file, 'r');
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
