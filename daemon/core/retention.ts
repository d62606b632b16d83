/** Which archived tasks a purge removes. Pure. */
import type { Task } from './task.ts';

/** A purge policy that was read. */
export type Purge =
  /** Seconds. */
  | { readonly rule: 'older'; readonly than: number }
  | { readonly rule: 'last' | 'each'; readonly keep: number }
  /** Bytes. */
  | { readonly rule: 'size'; readonly limit: number };

const HOUR = 3600;
const SPANS: Readonly<Record<string, number>> = {
  h: HOUR,
  d: 24 * HOUR,
  m: 30 * 24 * HOUR,
  y: 365 * 24 * HOUR,
};
const POWERS: Readonly<Record<string, number>> = { M: 2, G: 3, T: 4 };

/** Reads `older:30d`, `last:100`, `each:3`, `size:1.5GB` (B = bytes, binary; b = bits, decimal); null for all else. */
export function parsePurge(text: string): Purge | null {
  const older = /^older:(\d{1,9})([hdmy])$/.exec(text);
  if (older) return { rule: 'older', than: Number(older[1]) * (SPANS[older[2] ?? ''] ?? 0) };
  const counted = /^(last|each):(\d{1,9})$/.exec(text);
  if (counted) return { rule: counted[1] as 'last' | 'each', keep: Number(counted[2]) };
  const size = /^size:(\d{1,9}(?:\.\d{1,9})?)([MGT])([bB])$/.exec(text);
  if (!size) return null;
  const power = POWERS[size[2] ?? ''] ?? 0;
  const unit = size[3] === 'B' ? 1024 ** power : 1000 ** power / 8;
  return { rule: 'size', limit: Number(size[1]) * unit };
}

/**
 * Archived tasks to remove. `tasks` come newest first; `sizeOf` tells the bytes of a task's folder and is asked only by
 * a size policy; `now` is seconds since the epoch.
 */
export function choosePurged(
  policy: Purge,
  tasks: Iterable<Task>,
  now: number,
  sizeOf: (task: Task) => number,
): Task[] {
  const purged: Task[] = [];
  const seen = new Map<string, number>();
  let bytes = 0;
  for (const task of tasks) {
    const kind = policy.rule === 'each' ? kindOf(task) : '';
    const nth = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, nth);
    if (policy.rule === 'size') bytes += sizeOf(task);
    const gone =
      policy.rule === 'older'
        ? now - task.submission > policy.than
        : policy.rule === 'size'
          ? bytes >= policy.limit
          : nth > policy.keep;
    if (gone) purged.push(task);
  }
  return purged;
}

/** Tasks that count as of one kind. */
function kindOf({ name, spec }: Task): string {
  if (spec.type !== 'build') return name;
  return [name, spec.format, spec.distribution, spec.derivative, spec.artifact].join('\n');
}
