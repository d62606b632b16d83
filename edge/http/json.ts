/** JSON as the build service writes it: one line, sorted keys, ASCII only, a final line feed. */

/** What `canonical()` takes: plain data; `undefined` members are left out. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/** Media type of our JSON; the existing client compares it whole, so it has no parameters. */
export const JSON_TYPE = 'application/json';

/** One line of JSON: keys sorted by code point at every level, non-ASCII as `\uXXXX`, ended by a line feed. */
export function canonical(value: Json): string {
  return `${write(value)}\n`;
}

/** The same without the line feed, for a part of a larger document. */
export function write(value: Json): string {
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(write).join(',')}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort(byCodePoint)) {
    const member = value[key];
    if (member !== undefined) members.push(`${quote(key)}:${write(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** An array written item by item, for lists that are too long to hold; the text is that of `canonical()`. */
export async function* canonicalList(pages: AsyncIterable<readonly Json[]>): AsyncGenerator<string> {
  let open = '[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield open + page.map(write).join(',');
    open = ',';
  }
  yield open === '[' ? '[]\n' : ']\n';
}

/** An item of a tree with the keys that lead to its list. */
export interface Leaf {
  readonly path: readonly string[];
  readonly item: Json;
}

/**
 * Lists in maps in maps, written as their items come, which are sorted by their paths, all of one depth; the text is that
 * of `canonical()`.
 */
export async function* canonicalTree(pages: AsyncIterable<readonly Leaf[]>): AsyncGenerator<string> {
  let path: readonly string[] = [];
  for await (const page of pages) {
    let text = '';
    for (const leaf of page) {
      text += turn(path, leaf.path) + write(leaf.item);
      path = leaf.path;
    }
    if (text !== '') yield text;
  }
  yield path.length === 0 ? '{}\n' : `]${'}'.repeat(path.length)}\n`;
}

/** What stands between two items: the end of the list and the maps that the next one is not in, and its own. */
function turn(path: readonly string[], next: readonly string[]): string {
  const opened = (from: number): string => `${next.slice(from).map(quote).join(':{')}:[`;
  if (path.length === 0) return `{${opened(0)}`;
  const at = next.findIndex((word, index) => word !== path[index]);
  return at < 0 ? ',' : `]${'}'.repeat(next.length - 1 - at)},${opened(at)}`;
}

// Array.isArray does not narrow readonly arrays.
function isArray(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

function quote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  const quoted = JSON.stringify(text);
  return /[^\x20-\x7e]/.test(quoted)
    ? quoted.replace(/[^\x20-\x7e]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : quoted;
}

/** Order of code points. UTF-16 order differs where a character beyond U+FFFF meets one from U+E000 on. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left === right) continue;
    const surrogates = Number(isSurrogate(left)) - Number(isSurrogate(right));
    return surrogates === 0 ? left - right : surrogates;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
