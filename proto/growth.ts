/** Grows a tree with places out of a parser's nodes: aliases expanded within limits, merge keys merged, scalars typed. */
import { type Finding, type Place, plainScalar, type Scalar, type Tree, type TreeEntry } from './tree.ts';

/** A parser's node in plain words; `offset` is null where there is no text. */
export type SyntaxNode = { readonly offset: number | null } & (
  | { readonly kind: 'alias'; readonly target: unknown }
  | { readonly kind: 'list'; readonly items: readonly unknown[] }
  | { readonly kind: 'map'; readonly pairs: readonly { readonly key: unknown; readonly value: unknown }[] }
  | { readonly kind: 'scalar'; readonly text: string; readonly plain: boolean }
);

export interface Growth {
  readonly syntax: 'yaml' | 'json';
  readonly limits: { readonly depth: number; readonly expansions: number };
  readonly place: (offset: number) => Place;
  readonly find: (level: Finding['level'], code: string, offset: number, message: string) => void;
  readonly look: (node: unknown) => SyntaxNode;
}

/** Thrown after the finding that says which limit was passed. */
export class TooMuch extends Error {}

/** Values that one document may hold, aliases expanded. */
const MAX_VALUES = 2_000_000;

/** The tree of a document's root node. Throws TooMuch. */
export function grow(root: unknown, growth: Growth): Tree {
  const { limits, place, find, look, syntax } = growth;
  let expansions = 0;
  let values = 0;
  const stop = (offset: number, message: string): never => {
    find('error', 'syntax', offset, message);
    throw new TooMuch(message);
  };
  const tree = (given: unknown, depth: number, above: number): Tree => {
    let node = look(given);
    const offset = node.offset ?? above;
    if (node.kind === 'alias') {
      if (++expansions > limits.expansions) stop(offset, `more than ${limits.expansions} aliases`);
      node = look(node.target ?? stop(offset, 'unknown anchor'));
    }
    if (depth > limits.depth) stop(offset, `nested deeper than ${limits.depth}, or an anchor within itself`);
    if (++values > MAX_VALUES) stop(offset, `more than ${MAX_VALUES} values`);
    const at = place(offset);
    if (node.kind === 'list')
      return { ...at, kind: 'list', items: node.items.map(item => tree(item, depth + 1, offset)) };
    if (node.kind === 'map') return { ...at, kind: 'map', entries: grown(node.pairs, depth, offset) };
    if (node.kind === 'alias') return stop(offset, 'an alias of an alias');
    return { ...at, kind: 'scalar', text: node.text, value: typed(node, syntax) };
  };
  const grown = (
    pairs: readonly { readonly key: unknown; readonly value: unknown }[],
    depth: number,
    above: number,
  ): ReadonlyMap<string, TreeEntry> => {
    const entries = new Map<string, TreeEntry>();
    const merged = new Map<string, TreeEntry>();
    for (const pair of pairs) {
      const key = look(pair.key);
      const from = key.offset ?? above;
      if (key.kind !== 'scalar') return stop(from, 'a key must be a word');
      const value = tree(pair.value, depth + 1, from);
      if (key.text === '<<' && key.plain && syntax === 'yaml') {
        for (const source of value.kind === 'list' ? value.items : [value]) {
          if (source.kind !== 'map') return stop(from, '<< takes a mapping or a list of mappings');
          for (const [name, entry] of source.entries) if (!merged.has(name)) merged.set(name, entry);
        }
        continue;
      }
      if (entries.has(key.text))
        find('warning', 'repeated-key', from, `repeated key ${key.text}, the last one counts`);
      entries.set(key.text, { key: place(from), value });
    }
    for (const [name, entry] of merged) if (!entries.has(name)) entries.set(name, entry);
    return entries;
  };
  return tree(root, 1, 0);
}

function typed(node: { readonly text: string; readonly plain: boolean }, syntax: 'yaml' | 'json'): Scalar {
  if (!node.plain) return node.text;
  return syntax === 'json' && node.text !== '' ? (JSON.parse(node.text) as Scalar) : plainScalar(node.text);
}

/** A cheap look before the recursive parser runs: flow brackets, and block indentation of sequences in sequences. */
export function nestingOver(text: string, depth: number): boolean {
  let open = 0;
  let dashes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) open++;
    else if (code === 0x5d || code === 0x7d) open = Math.max(0, open - 1);
    if (code === 0x0a) dashes = 0;
    else if (code === 0x2d && (text.charCodeAt(at + 1) === 0x20 || text.charCodeAt(at + 1) === 0x0a))
      dashes++;
    // Brackets inside strings count too; ten times the depth leaves room for honest text.
    if (open > depth * 10 || dashes > depth * 10) return true;
  }
  return false;
}

/** Where JSON goes wrong: told by the message, else the end of the longest beginning that more text could complete. */
export function jsonErrorAt(text: string, message: string): number {
  const told = /at position (\d+)/.exec(message)?.[1];
  if (told !== undefined) return Number(told);
  const isOpen = (length: number): boolean => {
    try {
      JSON.parse(text.slice(0, length));
      return true;
    } catch (error) {
      return /end of JSON|Unterminated|Expected .* after|double-quoted property/.test(String(error));
    }
  };
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isOpen(middle)) good = middle;
    else bad = middle;
  }
  return isOpen(bad) ? bad : good;
}
