/** Generic resources in Slurm's text form: how many GPUs, of which type. */

/** GPUs by type (`""` when the text names none), and items that could not be read. */
export interface Gpus {
  readonly total: number;
  readonly types: ReadonlyMap<string, number>;
  readonly unreadable: readonly string[];
}

/** Longest GRES text that is looked at, in characters. */
const MAX_GRES = 16_384;

/**
 * Counts the GPUs of texts such as `gpu:h100:4(S:0-1),nic:2`: split on commas outside parentheses, every `(…)` removed,
 * the type exactly `gpu` or `gres/gpu`, `=` like `:`, the last field the count, 1 where there is none.
 */
export function countGpus(gres: string): Gpus {
  const types = new Map<string, number>();
  const unreadable: string[] = [];
  let total = 0;
  for (const item of splitOutside(gres.slice(0, MAX_GRES))) {
    const fields = item
      .replace(/\([^()]*\)/g, '')
      .replaceAll('=', ':')
      .split(':')
      .map(field => field.trim());
    if (fields[0] !== 'gpu' && fields[0] !== 'gres/gpu') continue;
    const last = fields.length > 1 ? (fields.at(-1) ?? '') : '1';
    // `gpu:h100` has no count: one.
    const count = /^\d{1,9}$/.test(last)
      ? Number(last)
      : fields.length === 2 && /^[A-Za-z][\w.-]*$/.test(last)
        ? 1
        : -1;
    if (count < 0) {
      unreadable.push(item.slice(0, 128));
      continue;
    }
    const named = fields.length > 2 || !/^\d/.test(last) ? (fields[1] ?? '') : '';
    const type = named === 'no_consume' ? '' : named;
    total += count;
    types.set(type, (types.get(type) ?? 0) + count);
  }
  return { total, types, unreadable };
}

function splitOutside(textual: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < textual.length; at++) {
    const character = textual[at];
    if (character === '(') depth++;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (character === ',' && depth === 0) {
      parts.push(textual.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(textual.slice(start));
  return parts.map(part => part.trim()).filter(part => part !== '');
}
