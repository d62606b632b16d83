/** Filters of sequences and dicts, as Jinja has them (jinja2/filters.py). */
import { count, take } from './arguments.ts';
import { item } from './members.ts';
import { binary, equal, order } from './operators.ts';
import { str } from './printing.ts';
import type { Filter } from './text-filters.ts';
import {
  type Arguments,
  bounded,
  checkedCount,
  Generator,
  iterate,
  kindOf,
  lengthOf,
  Markup,
  numeric,
  points,
  Tuple,
  truth,
  Undefined,
  type Value,
  View,
} from './values.ts';

type Key = (item: Value) => Value;

/** Reads a possibly dotted attribute: `a.b.0`. */
export function attribute(path: Value | undefined, fallback: Value = null): Key {
  if (path === undefined || path === null) return value => value;
  const steps =
    typeof path === 'string'
      ? path.split('.').map(step => (/^\d+$/.test(step) ? Number(step) : step))
      : [path];
  return start =>
    steps.reduce<Value>((held, step) => {
      const found = item(held, step);
      return found instanceof Undefined && fallback !== null ? fallback : found;
    }, start);
}

function foldCase(value: Value): Value {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/** What items are compared by: an attribute, texts without case unless that is wanted. */
function keyOf(path: Value | undefined, caseSensitive: Value | undefined): Key {
  const read = attribute(path);
  return truth(caseSensitive ?? false) ? read : value => foldCase(read(value));
}

/** Sorts stably, in both directions. */
function sorted(values: Iterable<Value>, key: Key, reverse: boolean): Value[] {
  const keyed = [...values].map(value => ({ value, key: key(value) }));
  return keyed
    .sort((a, b) => (reverse ? order(b.key, a.key) : order(a.key, b.key)))
    .map(({ value }) => value);
}

function sort(value: Value, given: Arguments): Value {
  const [reverse = false, caseSensitive, path = null] = take(
    given,
    'reverse?',
    'case_sensitive?',
    'attribute?',
  );
  const keys = (typeof path === 'string' ? path.split(',') : [path]).map(one => keyOf(one, caseSensitive));
  return sorted(iterate(value), held => keys.map(key => key(held)), truth(reverse));
}

function unique(value: Value, given: Arguments): Value {
  const [caseSensitive, path] = take(given, 'case_sensitive?', 'attribute?');
  const key = keyOf(path, caseSensitive);
  const seen = new Set<string>();
  const found: Value[] = [];
  for (const held of iterate(value)) {
    const name = hash(key(held));
    if (!seen.has(name)) found.push(held);
    seen.add(name);
  }
  return new Generator(found);
}

/** The same text for what Python takes for the same in a set. */
function hash(value: Value): string {
  const number = numeric(value);
  if (number !== null) return `number ${number}`;
  if (typeof value === 'string' || value instanceof Markup) return `text ${str(value)}`;
  if (value instanceof Tuple) return JSON.stringify(value.items.map(hash));
  if (value === null || value instanceof Undefined) return kindOf(value);
  throw new Error(`can not tell ${kindOf(value)} from others`);
}

function extreme(sign: 1 | -1): Filter {
  return (value, given) => {
    const [caseSensitive, path] = take(given, 'case_sensitive?', 'attribute?');
    const key = keyOf(path, caseSensitive);
    let best: Value | undefined;
    for (const held of iterate(value)) {
      if (best === undefined || sign * order(key(held), key(best)) < 0) best = held;
    }
    return best ?? (best === null ? null : new Undefined('the smallest or largest of nothing'));
  };
}

function groupby(value: Value, given: Arguments): Value {
  const [path = null, fallback = null, caseSensitive = false] = take(
    given,
    'attribute',
    'default?',
    'case_sensitive?',
  );
  const read = attribute(path, fallback);
  const key: Key = truth(caseSensitive) ? read : held => foldCase(read(held));
  const groups: Value[][] = [];
  for (const held of sorted(iterate(value), key, false)) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && equal(key(last[0]), key(held))) last.push(held);
    else groups.push([held]);
  }
  return groups.map(group => new Tuple([read(group[0] ?? null), group], ['grouper', 'list']));
}

function dictsort(value: Value, given: Arguments): Value {
  const [caseSensitive = false, by = 'key', reverse = false] = take(
    given,
    'case_sensitive?',
    'by?',
    'reverse?',
  );
  if (!(value instanceof Map)) throw new Error(`needs a dict, not ${kindOf(value)}`);
  if (by !== 'key' && by !== 'value') throw new Error('sorts by key or by value');
  const place = by === 'key' ? 0 : 1;
  return sorted(new View('items', value), keyOf(place, caseSensitive), truth(reverse));
}

function sum(value: Value, given: Arguments): Value {
  const [path, start = 0] = take(given, 'attribute?', 'start?');
  if (typeof start === 'string') throw new Error('does not add texts: use "join"');
  return [...iterate(value)].map(attribute(path)).reduce((total, held) => binary('+', total, held), start);
}

function join(value: Value, given: Arguments): Value {
  const [between = '', path] = take(given, 'd?', 'attribute?');
  return bounded([...iterate(value)].map(held => str(attribute(path)(held))).join(str(between)));
}

function batch(value: Value, given: Arguments): Value {
  const [size, filler = null] = take(given, 'linecount', 'fill_with?');
  const [all, by] = [[...iterate(value)], count(size)];
  if (by < 1) throw new Error('needs a number above 0');
  const rows: Value[][] = [];
  for (let at = 0; at < all.length; at += by) rows.push(all.slice(at, at + by));
  const last = rows.at(-1);
  if (filler !== null && last) last.push(...new Array<Value>(checkedCount(1, by - last.length)).fill(filler));
  return new Generator(rows);
}

function slices(value: Value, given: Arguments): Value {
  const [number, filler = null] = take(given, 'slices', 'fill_with?');
  const [all, columns] = [[...iterate(value)], count(number)];
  if (columns < 1) throw new Error('needs a number above 0');
  const [size, extra] = [Math.floor(all.length / columns), all.length % columns];
  const rows = Array.from({ length: checkedCount(1, columns) }, (_, at) => {
    const start = at * size + Math.min(at, extra);
    const row = all.slice(start, start + size + (at < extra ? 1 : 0));
    return filler !== null && at >= extra ? [...row, filler] : row;
  });
  return new Generator(rows);
}

function reverse(value: Value, given: Arguments): Value {
  take(given);
  if (typeof value === 'string') return [...points(value)].reverse().join('');
  return new Generator([...iterate(value)].reverse());
}

function last(value: Value, given: Arguments): Value {
  take(given);
  if (value instanceof Generator) throw new Error('needs a list: add "| list" before it');
  const found = [...iterate(value)].at(-1);
  return found === undefined ? new Undefined('the last of nothing') : found;
}

const measure: Filter = (value, given) => {
  take(given);
  return lengthOf(value);
};

export const LIST_FILTERS: Readonly<Record<string, Filter>> = {
  ...{ sort, unique, groupby, dictsort, sum, join, batch, reverse, last },
  slice: slices,
  min: extreme(1),
  max: extreme(-1),
  length: measure,
  count: measure,
  list: (value, given) => {
    take(given);
    return [...iterate(value)];
  },
  first: (value, given) => {
    take(given);
    const [found] = iterate(value);
    return found === undefined ? new Undefined('the first of nothing') : found;
  },
  random: (value, given) => {
    take(given);
    const all = [...iterate(value)];
    return all[Math.floor(Math.random() * all.length)] ?? new Undefined('one of nothing');
  },
  items: (value, given) => {
    take(given);
    if (value instanceof Undefined) return new Generator([]);
    if (!(value instanceof Map)) throw new Error(`needs a dict, not ${kindOf(value)}`);
    return new Generator(new View('items', value));
  },
};
