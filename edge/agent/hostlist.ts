/** Slurm's host lists, `cn[01-04,7],gpu1`: whether a name is in one, without expanding it. */

/** Longest host list that is looked at, in characters. */
const MAX_HOSTLIST = 1024 * 1024;

export function inHostlist(list: string, name: string): boolean {
  if (list.length > MAX_HOSTLIST) return false;
  return splitTop(list).some(item => matches(item.trim(), name));
}

/** Splits on commas outside brackets. */
function splitTop(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < list.length; at++) {
    const character = list[at];
    if (character === '[') depth++;
    else if (character === ']') depth = Math.max(0, depth - 1);
    else if (character === ',' && depth === 0) {
      parts.push(list.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(list.slice(start));
  return parts;
}

/** Matches one item, whose brackets may be several: `rack[1-2]n[01-18]`. */
function matches(item: string, name: string): boolean {
  const open = item.indexOf('[');
  if (open < 0) return item === name;
  const close = item.indexOf(']', open);
  if (close < 0 || !name.startsWith(item.slice(0, open))) return false;
  const rest = name.slice(open);
  const after = item.slice(close + 1);
  return item
    .slice(open + 1, close)
    .split(',')
    .some(range => rangeLengths(range.trim(), rest).some(length => matches(after, rest.slice(length))));
}

/** How many characters of the text the range may take: digits that lie in it, as wide as its first bound. */
function rangeLengths(range: string, textual: string): number[] {
  const match = /^(\d{1,18})(?:-(\d{1,18}))?$/.exec(range);
  if (!match) return textual.startsWith(range) && range !== '' ? [range.length] : [];
  const first = match[1] ?? '';
  const low = Number(first);
  const high = Number(match[2] ?? first);
  const digits = /^\d*/.exec(textual)?.[0].length ?? 0;
  const lengths: number[] = [];
  for (let length = 1; length <= digits; length++) {
    const candidate = textual.slice(0, length);
    const value = Number(candidate);
    // `[8-12]` holds 8 and 12; `[08-12]` holds 08 and 12, but not 8.
    const width = Math.max(first.length, String(value).length);
    if (value >= low && value <= high && length === width) lengths.push(length);
  }
  return lengths;
}
