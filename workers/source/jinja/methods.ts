/** Methods of lists, tuples and dicts, and the way to those of texts. */
import { count, take } from './arguments.ts';
import { equal, order } from './operators.ts';
import { TEXT_METHODS, UNKNOWN_TEXT_METHODS } from './text-methods.ts';
import {
  type Arguments,
  type Dict,
  Float,
  Generator,
  iterate,
  keyOf,
  kindOf,
  Thing,
  Tuple,
  truth,
  type Value,
  View,
} from './values.ts';

type Method<Self> = (self: Self, given: Arguments) => Value;

const SEQUENCE: Readonly<Record<string, Method<readonly Value[]>>> = {
  count: (self, given) => self.filter(held => equal(held, take(given, 'value')[0] ?? null)).length,
  index: (self, given) => {
    const [wanted = null, start] = take(given, 'value', 'start?');
    const from = count(start, 0);
    const at = self.findIndex((held, place) => place >= from && equal(held, wanted));
    if (at < 0) throw new Error('"index" finds no such item');
    return at;
  },
};

const LIST: Readonly<Record<string, Method<Value[]>>> = {
  append: (self, given) => {
    self.push(take(given, 'value')[0] ?? null);
    return null;
  },
  extend: (self, given) => {
    for (const one of [...iterate(take(given, 'values')[0] ?? null)]) self.push(one);
    return null;
  },
  insert: (self, given) => {
    const [at, value = null] = take(given, 'at', 'value');
    self.splice(count(at), 0, value);
    return null;
  },
  pop: (self, given) => {
    const at = count(take(given, 'at?')[0], -1);
    const [held] = self.splice(at < 0 ? at + self.length : at, self.length === 0 ? 0 : 1);
    if (held === undefined || at < -self.length - 1) throw new Error('"pop" finds no item there');
    return held;
  },
  remove: (self, given) => {
    const at = self.findIndex(held => equal(held, take(given, 'value')[0] ?? null));
    if (at < 0) throw new Error('"remove" finds no such item');
    self.splice(at, 1);
    return null;
  },
  reverse: self => {
    self.reverse();
    return null;
  },
  sort: (self, given) => {
    const sign = truth(take({ positional: [], named: given.named }, 'reverse?')[0] ?? false) ? -1 : 1;
    self.sort((a, b) => sign * order(a, b));
    return null;
  },
  copy: self => [...self],
  clear: self => {
    self.length = 0;
    return null;
  },
};

const DICT: Readonly<Record<string, Method<Dict>>> = {
  get: (self, given) => {
    const [key = null, fallback = null] = take(given, 'key', 'default?');
    return self.get(keyOf(key)) ?? (self.has(keyOf(key)) ? null : fallback);
  },
  items: self => new View('items', self),
  keys: self => new View('keys', self),
  values: self => new View('values', self),
  copy: self => new Map(self),
  update: (self, { positional, named }) => {
    for (const [key, value] of toDict(positional, named)) self.set(key, value);
    return null;
  },
  setdefault: (self, given) => {
    const [key = null, value = null] = take(given, 'key', 'default?');
    if (!self.has(keyOf(key))) self.set(keyOf(key), value);
    return self.get(keyOf(key)) ?? null;
  },
  pop: (self, given) => {
    const [key = null, fallback] = take(given, 'key', 'default?');
    const held = self.has(keyOf(key)) ? (self.get(keyOf(key)) ?? null) : fallback;
    if (held === undefined) throw new Error('"pop" finds no such key');
    self.delete(keyOf(key));
    return held;
  },
  clear: self => {
    self.clear();
    return null;
  },
};

/** Methods that Python has and we have not: they are refused, where any other name is merely not defined. */
const UNKNOWN: Readonly<Record<string, readonly string[]>> = {
  dict: ['popitem', 'fromkeys'],
  int: [
    'as_integer_ratio',
    'bit_count',
    'bit_length',
    'conjugate',
    'denominator',
    'from_bytes',
    'imag',
    'numerator',
    'real',
    'to_bytes',
    'is_integer',
  ],
  float: ['as_integer_ratio', 'conjugate', 'fromhex', 'hex', 'imag', 'is_integer', 'real'],
  range: ['start', 'stop', 'step', 'count', 'index'],
  dict_keys: ['isdisjoint', 'mapping'],
  dict_values: ['mapping'],
  dict_items: ['isdisjoint', 'mapping'],
  generator: ['close', 'send', 'throw'],
  str: UNKNOWN_TEXT_METHODS,
};

/** A dict of what `dict()` and `update()` take: a dict or pairs, and named values. */
export function toDict(positional: readonly Value[], named: ReadonlyMap<string, Value>): Dict {
  const [first, more] = positional;
  if (more !== undefined) throw new Error('takes one argument, and named ones');
  const dict: Dict = new Map(first instanceof Map ? first : []);
  if (first !== undefined && !(first instanceof Map)) {
    for (const pair of iterate(first)) {
      const [key, value, rest] = iterate(pair);
      if (key === undefined || value === undefined || rest !== undefined)
        throw new Error('a dict is made of pairs');
      dict.set(keyOf(key), value);
    }
  }
  for (const [key, value] of named) dict.set(key, value);
  return dict;
}

function find(target: Value, name: string): ((given: Arguments) => Value) | null {
  const of = <Self>(table: Readonly<Record<string, Method<Self>>>, self: Self) => {
    const found = Object.hasOwn(table, name) ? table[name] : undefined;
    return found === undefined ? null : (given: Arguments) => found(self, given);
  };
  if (typeof target === 'string') return of(TEXT_METHODS, target);
  if (target instanceof Map) return of(DICT, target);
  if (target instanceof Tuple) return of(SEQUENCE, target.items);
  return Array.isArray(target) ? (of(LIST, target) ?? of(SEQUENCE, target)) : null;
}

export function isMethod(target: Value, name: string): boolean {
  const kind =
    typeof target === 'boolean'
      ? 'int'
      : target instanceof Float
        ? 'float'
        : target instanceof Generator
          ? 'generator'
          : kindOf(target);
  if (Object.hasOwn(UNKNOWN, kind) && UNKNOWN[kind]?.includes(name)) {
    throw new Error(`"${name}" of ${kind} is not supported`);
  }
  return find(target, name) !== null;
}

/** A method of a value, bound to it. */
export function method(target: Value, name: string): Thing {
  const call = find(target, name);
  if (call === null) throw new Error(`${kindOf(target)} has no method "${name}"`);
  return new Thing(`the method "${name}"`, { call });
}
