/** The command line of a run in a sandbox, which decides what a build can reach. */
import { join } from 'node:path';
import type { RunOptions } from '../context.ts';
import { BASH } from '../tool.ts';
import { BUILD_ID, type Namespace } from './namespace.ts';

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
/**
 * Mounts the overlay in the folder of the first argument with the options of the second, empties /tmp, hands the
 * exchange folder to the owner that the third names (none: leaves it), opens the filter that the fourth names (none: no
 * filter), and becomes the command. Nothing runs in the sandbox meanwhile, and links are not followed. Paths are
 * relative, so that no name can be taken for an option and none is too long. Without arguments it waits for them on
 * descriptor 5; none there is an end as well.
 */
const MOUNT = `
if (( $# == 0 )); then
  mapfile -d '' -t words <&5
  exec 5<&-
  set -- "\${words[@]}"
  if (( $# == 0 )); then exit; fi
fi
set -e
umask 022
shopt -s nullglob dotglob
cd "$1"; options=$2; owner=$3; filter=$4; shift 4
if [[ -n $filter ]]; then exec 4<"$filter"; fi
ulimit -S -n ${OPEN_FILES}
ulimit -c 0
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

/** What the entering programs see; builds see what the plan sets. */
export const ENTRANCE_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

export interface SandboxPlan extends RunOptions {
  readonly work: string;
  readonly roots: number;
  readonly hostname: string;
  readonly namespace: Namespace;
  /** Absolute path of the filter of system calls; null for none. */
  readonly filter: string | null;
  readonly processes: number;
  /** Host files for names on the network: from, to. */
  readonly names: readonly (readonly [string, string])[];
}

/** The beginning of that command line, which can wait for the rest on descriptor 5. */
export function entranceCommand(namespace: Namespace): string[] {
  return [...namespace.mounting, ...BASH, MOUNT, 'rackwright'];
}

/** The whole command line of one run in a sandbox: descriptor 3 takes bwrap's status. */
export function sandboxCommand(command: readonly string[], plan: SandboxPlan): string[] {
  return [...entranceCommand(plan.namespace), ...sandboxWords(command, plan)];
}

/** What follows the beginning. */
export function sandboxWords(command: readonly string[], plan: SandboxPlan): string[] {
  const lower = Array.from({ length: plan.roots }, (_, at) => `l${plan.roots - 1 - at}`).join(':');
  const marks = plan.namespace.isMapped ? 'userxattr' : 'redirect_dir=off,metacopy=off,index=off';
  const options = `lowerdir=${lower},upperdir=upper,workdir=overlay,volatile,${marks}`;
  return [
    ...[plan.work, options, plan.root ? '' : String(BUILD_ID), plan.filter ?? ''],
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
    ...(plan.filter === null ? [] : ['--seccomp', '4']),
    ...capabilities(plan.root === true),
    '--clearenv',
    ...Object.entries(environment(plan)).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', plan.cwd ?? '/build', '--'],
    ...(plan.processes > 0 ? ['prlimit', `--nproc=${plan.processes}`, '--'] : []),
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
