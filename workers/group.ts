/** The processes of one task: limited together, signalled together, and counted until none is left. */
import { readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../proto/fault.ts';
import type { TaskLimits } from './job.ts';
import { type ProcessStat, processStat } from './process-stat.ts';
import { ControlGroup, type Hierarchy, type Usage } from './sandbox/cgroup.ts';

/** Variable that marks our processes, so that those of an interrupted attempt are found again. Hidden from builds. */
export const MARK = 'RACKWRIGHT_TASK';
/** Milliseconds until killed processes must be gone. */
const GONE = 30_000;
/** Milliseconds between looks, and between those at a namespace that is ending already. */
const LOOK = 10;
const LOOK_ENDING = 2;

/**
 * All processes that a task started. Where the host gives us control groups they are the truth; elsewhere it is the
 * tree below the processes that we started, which nothing leaves: each sandbox is a process-id namespace of its own.
 */
export class TaskGroup {
  readonly cgroup: ControlGroup;
  /** Processes that we started; true for those that hold a sandbox together. */
  readonly #roots = new Map<number, boolean>();

  constructor(places: readonly Hierarchy[], task: string, limits: TaskLimits) {
    this.cgroup = new ControlGroup(places, groupName(task), limits);
  }

  /**
   * Notes a process that we started; `holder` for one that holds a sandbox together. `forget` it when it has been
   * waited for: its number may be used again.
   */
  add(pid: number, holder: boolean): void {
    if (pid > 0) this.#roots.set(pid, holder);
  }

  forget(pid: number): void {
    this.#roots.delete(pid);
  }

  processes(): number[] {
    return [...new Set([...this.cgroup.processes(), ...descendants([...this.#roots.keys()])])];
  }

  /** Asks all to end. Those that hold a sandbox together are spared: without them the kernel kills the rest at once. */
  terminate(): void {
    for (const pid of this.processes()) {
      if (this.#roots.get(pid) !== true) signal(pid, 'SIGTERM');
    }
  }

  /** Kills all and waits until none is left. Throws a Fault naming those that stay (stuck in the kernel). */
  async kill(): Promise<void> {
    const deadline = performance.now() + GONE;
    for (;;) {
      this.cgroup.killAll();
      const left = this.processes().filter(pid => !isZombie(pid));
      if (left.length === 0) return;
      for (const pid of left) signal(pid, 'SIGKILL');
      if (performance.now() > deadline) {
        throw new Fault('internal', 'internal', `processes do not end: ${left.slice(0, 10).join(', ')}`);
      }
      await sleep(LOOK);
    }
  }

  usage(): Usage | null {
    return this.cgroup.usage();
  }

  /** Removes the control groups; what is still in them is killed before. */
  async close(): Promise<void> {
    if (this.processes().some(pid => !isZombie(pid))) await this.kill();
    for (let tries = 0; !this.cgroup.remove() && tries < 100; tries++) await sleep(LOOK);
  }
}

export function groupName(task: string): string {
  return `rackwright-${task}`;
}

/** Notes a task's groups in its workspace, for the sweep after a crash. */
export function noteGroups(file: string, folders: readonly string[]): void {
  writeFileSync(file, folders.map(folder => `${folder}\n`).join(''), { mode: 0o640 });
}

/** Every process below those, themselves included. */
function descendants(roots: readonly number[]): number[] {
  if (roots.length === 0) return [];
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const parent = parentOf(pid);
    if (parent > 0) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found: number[] = [];
  const open = roots.filter(pid => parentOf(pid) >= 0);
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    found.push(pid);
    open.push(...(children.get(pid) ?? []));
  }
  return found;
}

function parentOf(pid: number): number {
  return processStat(pid)?.parent ?? -1;
}

/**
 * The end of a process-id namespace, by its first process: that is dead only when all others in it are. To be asked for
 * while it runs, since its number may be used again. The returned function waits; it throws a Fault when it takes long.
 */
export function endOfNamespace(first: number): () => Promise<void> {
  const started = processStat(first)?.started;
  return async () => {
    const deadline = performance.now() + GONE;
    for (;;) {
      const now = processStat(first);
      if (isDead(now) || now?.started !== started) return;
      if (performance.now() > deadline)
        throw new Fault('internal', 'internal', `a sandbox does not end: process ${first}`);
      await sleep(LOOK_ENDING);
    }
  };
}

/** Gone, or only waiting to be waited for. */
function isDead(stat: ProcessStat | null): boolean {
  return stat === null || stat.state === 'Z' || stat.state === 'X';
}

function isZombie(pid: number): boolean {
  return isDead(processStat(pid));
}

/** Living processes that carry the mark of one of those tasks. Processes of other users can't be looked at, nor are ours. */
export function markedProcesses(tasks: ReadonlySet<string>): number[] {
  const found: number[] = [];
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    let environment = '';
    try {
      environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    } catch {
      continue;
    }
    const mark = environment.split('\0').find(each => each.startsWith(`${MARK}=`));
    if (mark !== undefined && tasks.has(mark.slice(MARK.length + 1)) && !isZombie(pid)) found.push(pid);
  }
  return found;
}

/** Kills what is in control groups that an earlier process made, and removes those that are empty. Answers what was left. */
export function killGroups(folders: readonly string[]): number[] {
  const left = new Set<number>();
  for (const folder of folders) {
    try {
      for (const line of readFileSync(`${folder}/cgroup.procs`, 'utf8').split('\n')) {
        if (line !== '' && !isZombie(Number(line))) left.add(Number(line));
      }
      if (left.size === 0) rmdirSync(folder);
      else writeFileSync(`${folder}/cgroup.kill`, '1');
    } catch {
      // Gone, or a version without a kill of its own: the caller kills each.
    }
  }
  return [...left];
}

/** Sends a signal to a process that may have ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
