/** Kills the processes of a control group from outside, whatever its thread does. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sends SIGKILL to every process of a group, by `cgroup.kill` where the kernel has it (v2, since 5.14). */
export function killGroup(cgroup: string): void {
  try {
    writeFileSync(join(cgroup, 'cgroup.kill'), '1', { flag: 'r+' });
    return;
  } catch {
    // An older kernel, a v1 hierarchy, or a group that is gone.
  }
  for (const pid of processes(cgroup)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

/** Whether no process is left in a group; one that is gone is empty. */
export function groupIsEmpty(cgroup: string): boolean {
  return processes(cgroup).length === 0;
}

function processes(cgroup: string): number[] {
  try {
    const text = readFileSync(join(cgroup, 'cgroup.procs'), 'utf8');
    return text
      .split('\n')
      .map(Number)
      .filter(pid => pid > 1);
  } catch {
    return [];
  }
}
