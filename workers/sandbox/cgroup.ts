/** Control groups, v1 and v2: one group a task, its limits, what it used, and the certainty that nothing of it is left. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { TaskLimits } from '../job.ts';

/** The controllers that we use; v1 counts CPU time in one of its own. */
const CONTROLLERS = ['memory', 'pids', 'cpu', 'cpuacct'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** A mounted hierarchy and the group in it below which we may make ours. */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** Absolute path of the parent group. */
  readonly parent: string;
  readonly controllers: readonly Controller[];
}

export interface Usage {
  /** Bytes; 0 where nobody counts. */
  readonly peakMemory: number;
  readonly cpuSeconds: number;
}

/** Name of the leaf that the daemon moves into at its start: v2 lets only leaves hold processes. */
const DAEMON_LEAF = 'daemon';
/** Microseconds in which a share of the processors is measured out; the kernel's default. */
const PERIOD = 100_000;

/**
 * The hierarchies in which we may make groups, from the text of /proc/self/mountinfo and /proc/self/cgroup. `usable`
 * tells whether groups can be made in a folder, and prepares it.
 */
export function hierarchies(
  mountinfo: string,
  own: string,
  usable: (version: 1 | 2, parent: string) => readonly string[] | null,
): Hierarchy[] {
  const paths = new Map(
    own
      .split('\n')
      .filter(Boolean)
      .map(line => {
        const [, names = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
        return [names, path] as const;
      }),
  );
  const found: Hierarchy[] = [];
  for (const line of mountinfo.split('\n')) {
    const match = /^\d+ \d+ \S+ (\S+) (\S+) .* - (cgroup2?) \S+ (\S+)$/.exec(line);
    if (!match) continue;
    const [, root = '/', mount = '', type, options = ''] = match;
    const version = type === 'cgroup2' ? 2 : 1;
    const names = options.split(',');
    const mine =
      version === 2
        ? paths.get('')
        : [...paths].find(([key]) => key !== '' && key.split(',').every(name => names.includes(name)))?.[1];
    if (mine === undefined) continue;
    // A container may see its own group as the mount's root.
    const below = root !== '/' && mine.startsWith(root) ? mine.slice(root.length) : mine;
    for (const parent of parents(version, mount, below)) {
      const offered = usable(version, parent);
      if (offered === null) continue;
      const kinds = version === 2 ? offered : names;
      const controllers = CONTROLLERS.filter(
        name => kinds.includes(name) && !found.some(other => other.controllers.includes(name)),
      );
      if (version === 2 || controllers.length > 0) found.push({ version, parent, controllers });
      break;
    }
  }
  return found;
}

/** Where ours may lie: below our own group; under v2, if we sit in our leaf, beside it; at last below the root. */
function parents(version: 1 | 2, mount: string, own: string): string[] {
  const here = resolve(join(mount, own));
  if (version === 1) return [here];
  return basename(own) === DAEMON_LEAF ? [dirname(here)] : [...new Set([here, mount])];
}

/** Looks at a folder of the real machine: the controllers that groups in it will have, or null. Enables them. */
export function usableGroup(version: 1 | 2, parent: string): readonly string[] | null {
  if (!existsSync(parent)) return null;
  const probe = join(parent, `rackwright-probe-${process.pid}-${Math.trunc(performance.now() * 1000)}`);
  try {
    mkdirSync(probe);
    rmdirSync(probe);
    if (version === 1) return [];
    const offered = readFileSync(join(parent, 'cgroup.controllers'), 'utf8').trim().split(' ');
    const wanted = ['memory', 'pids', 'cpu'].filter(name => offered.includes(name));
    const enabled = (): string[] =>
      readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8').trim().split(' ').filter(Boolean);
    if (wanted.every(name => enabled().includes(name))) return withCpuTime(wanted);
    for (const name of wanted)
      attempt(() => writeFileSync(join(parent, 'cgroup.subtree_control'), `+${name}`));
    const given = enabled();
    // A group that holds processes beside ours gives nothing; another one may.
    if (wanted.length > 0 && !wanted.some(name => given.includes(name))) return null;
    return withCpuTime(given);
  } catch {
    return null;
  }
}

/** v2 counts CPU time in every group, also where the controller is missing. */
function withCpuTime(controllers: readonly string[]): string[] {
  return [...controllers, 'cpuacct'];
}

/** A task's group in every hierarchy that takes one. */
export class ControlGroup {
  /** Absolute paths of its folders; empty where no hierarchy takes us. */
  readonly folders: readonly string[];
  #missing: readonly string[] = [];
  readonly #of: Partial<Record<Controller, { folder: string; version: 1 | 2 }>> = {};
  readonly #version2: string | null;

  constructor(places: readonly Hierarchy[], name: string, limits: TaskLimits) {
    const folders: string[] = [];
    let version2: string | null = null;
    for (const { parent, version, controllers } of places) {
      const folder = join(parent, name);
      if (!attempt(() => existsSync(folder) || mkdirSync(folder, { mode: 0o755 }))) continue;
      // First the one with a kill of its own: it stands for the group wherever one path must do.
      if (version === 2) folders.unshift(folder);
      else folders.push(folder);
      if (version === 2) version2 = folder;
      for (const controller of controllers) this.#of[controller] = { folder, version };
    }
    this.folders = folders;
    this.#version2 = version2;
    this.limit(limits);
  }

  /** Names of limits that were asked for last and are not in force. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** Processes of the group now. */
  processes(): number[] {
    const seen = new Set<number>();
    for (const folder of this.folders) {
      for (const line of read(join(folder, 'cgroup.procs')).split('\n'))
        if (line !== '') seen.add(Number(line));
    }
    return [...seen];
  }

  /** How many processes the kernel has killed for want of memory. */
  outOfMemory(): number {
    const memory = this.#of.memory;
    if (!memory) return 0;
    return numberOf(
      read(join(memory.folder, memory.version === 2 ? 'memory.events' : 'memory.oom_control')),
      'oom_kill',
    );
  }

  usage(): Usage | null {
    if (this.folders.length === 0) return null;
    const memory = this.#of.memory;
    const cpu = this.#of.cpuacct;
    return {
      peakMemory: memory
        ? Number(
            read(join(memory.folder, memory.version === 2 ? 'memory.peak' : 'memory.max_usage_in_bytes')),
          )
        : 0,
      cpuSeconds: !cpu
        ? 0
        : cpu.version === 2
          ? numberOf(read(join(cpu.folder, 'cpu.stat')), 'usage_usec') / 1e6
          : Number(read(join(cpu.folder, 'cpuacct.usage'))) / 1e9,
    };
  }

  /** Kills all that is in the group now. Forks are stopped first where the kernel has no kill of its own. */
  killAll(): void {
    if (this.#version2 && attempt(() => writeFileSync(join(this.#version2 ?? '', 'cgroup.kill'), '1')))
      return;
    const pids = this.#of.pids;
    if (pids) attempt(() => writeFileSync(join(pids.folder, 'pids.max'), '0'));
    for (const pid of this.processes()) attempt(() => process.kill(pid, 'SIGKILL'));
  }

  /** Removes the group; false while processes are left in it. */
  remove(): boolean {
    let gone = true;
    for (const folder of this.folders) {
      if (existsSync(folder) && !attempt(() => rmdirSync(folder))) gone = false;
    }
    return gone;
  }

  /** Sets limits, also others than before; a controller that refuses a new one goes on with the old one. */
  limit(limits: TaskLimits): void {
    const missing: string[] = [];
    const set = (
      controller: Controller,
      wanted: number,
      v2: [string, string][],
      v1: [string, string][],
    ): void => {
      if (wanted === 0) return;
      const at = this.#of[controller];
      const files = at?.version === 2 ? v2 : v1;
      // The first file is the limit, the others go with it where the kernel has them.
      const done =
        at && files.map(([file, text]) => attempt(() => appendFileSync(join(at.folder, file), text)));
      if (!done?.[0]) missing.push(controller === 'cpu' ? 'cpus' : controller);
    };
    const memory = String(limits.memory);
    set(
      'memory',
      limits.memory,
      [
        ['memory.max', memory],
        ['memory.swap.max', '0'],
        ['memory.oom.group', '1'],
      ],
      [
        ['memory.limit_in_bytes', memory],
        ['memory.memsw.limit_in_bytes', memory],
      ],
    );
    set('pids', limits.pids, [['pids.max', String(limits.pids)]], [['pids.max', String(limits.pids)]]);
    const quota = String(Math.max(1000, Math.round(limits.cpus * PERIOD)));
    set(
      'cpu',
      limits.cpus,
      [['cpu.max', `${quota} ${PERIOD}`]],
      [
        ['cpu.cfs_quota_us', quota],
        ['cpu.cfs_period_us', String(PERIOD)],
      ],
    );
    this.#missing = missing;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

/** The number behind a word of a `word number` table. */
function numberOf(table: string, word: string): number {
  const match = new RegExp(`^${word} (\\d+)$`, 'm').exec(table);
  return match ? Number(match[1]) : 0;
}

/** Whether it could be done. Kernel files refuse with codes that differ by version; the answer is what counts. */
function attempt(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
