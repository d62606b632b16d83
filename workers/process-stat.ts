/** What the kernel tells of a process in /proc/PID/stat (proc(5)). */
import { readFileSync } from 'node:fs';

export interface ProcessStat {
  /** One letter; Z and X are dead. */
  readonly state: string;
  readonly parent: number;
  /** When it began, in clock ticks since the boot: with the process id, what no other process has. */
  readonly started: string;
  /** Processor time that it has used itself, in clock ticks of 10 ms. */
  readonly ticks: number;
}

/** Null when there is none of that id, or it is not to be seen. */
export function processStat(pid: number): ProcessStat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Behind the name, the second field, which may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (number: number): string => fields[number - 3] ?? '';
    return {
      state: field(3),
      parent: Number(field(4)),
      started: field(22),
      ticks: Number(field(14)) + Number(field(15)),
    };
  } catch {
    return null;
  }
}
