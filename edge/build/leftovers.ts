/** What killed edges leave in the spool: its files say whose they are, so that a later edge can remove them. */
import { readFileSync } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../proto/fault.ts';

/** Names of an edge's spool files begin so: its process id, and when it began in clock ticks since the boot. */
const OWNED = /^edge-(\d+)-(\d+)-/;

/** When a process began, as proc(5) has it; null when there is none. A process id comes again, the two together don't. */
function beginningOf(pid: string): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Field 22; the second one is a name in brackets, which may hold blanks.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** What the names of a process's spool files begin with. */
export function spoolPrefix(pid: number): string {
  return `edge-${pid}-${beginningOf(String(pid)) ?? 0}-`;
}

export interface SpoolOptions {
  /** Absolute path of the spool. */
  readonly folder: string;
  /** Milliseconds for which the daemon may be taking a submission over after its edge has died. */
  readonly wait: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

/**
 * Removes the uploads of edges that have ended: those that were written to a moment ago once the daemon can't be at them
 * any more, the others at once. Uploads of edges that live, and of others than edges, are left alone.
 */
export async function removeLeftovers({ folder, wait, now, report }: SpoolOptions): Promise<void> {
  const uploads = Map.groupBy(await leftoversIn(folder), name => name.replace(/-\d+$/, ''));
  for (const names of uploads.values()) {
    const files = names.map(name => join(folder, name));
    const written = Math.max(...(await Promise.all(files.map(lastWrite))));
    const left = Math.min(Math.max(written + wait - now(), 0), wait);
    setTimeout(() => Promise.all(files.map(remove)).catch(report), left).unref();
  }
}

/** Names of spool files whose edge has ended. A folder that is not there has none. */
async function leftoversIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(error => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter(name => {
    const [, pid = '', began] = OWNED.exec(name) ?? [];
    return pid !== '' && beginningOf(pid) !== began;
  });
}

/** Milliseconds since the epoch; 0 for a file that is gone. */
async function lastWrite(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0;
}

/** The daemon may have taken it over meanwhile. */
async function remove(path: string): Promise<void> {
  await unlink(path).catch(error => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
