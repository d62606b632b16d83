/** Members, methods and filters that templates may use: plain data, own properties, Python's names for methods. */
import { FORBIDDEN } from './template-guard.ts';

type Method = (self: never, ...given: never[]) => unknown;

/** Longest text that a method may make, in characters. */
const MAX_TEXT = 4 * 1024 * 1024;

const strip = (text: string, characters: string | undefined, start: boolean, end: boolean): string => {
  const out = (character: string): boolean =>
    typeof characters === 'string' ? characters.includes(character) : character.trim() === '';
  let [from, to] = [0, text.length];
  while (start && from < to && out(text.charAt(from))) from++;
  while (end && to > from && out(text.charAt(to - 1))) to--;
  return text.slice(from, to);
};

const split = (text: string, separator: string | null | undefined, most: number): string[] => {
  const blank = separator === undefined || separator === null;
  const parts = blank ? text.trim().split(/\s+/) : text.split(String(separator));
  if (blank && parts.length === 1 && parts[0] === '') return [];
  if (most < 0 || parts.length <= most + 1) return parts;
  return [...parts.slice(0, most), parts.slice(most).join(blank ? ' ' : separator)];
};

const rsplit = (text: string, separator: string | null | undefined, most: number): string[] => {
  const parts = split(text, separator, -1);
  if (most < 0 || parts.length <= most + 1) return parts;
  const rest = parts.length - most;
  return [parts.slice(0, rest).join(separator ?? ' '), ...parts.slice(rest)];
};

const replaceAll = (text: string, from: string, to: string, count: number): string => {
  const parts = split(text, String(from), count ?? -1);
  if (text.length + parts.length * String(to).length > MAX_TEXT) throw new Error('a text too long');
  return parts.join(String(to));
};

const anyOf = (value: string | readonly string[]): readonly string[] =>
  Array.isArray(value) ? value : [String(value)];

const STRING: Readonly<Record<string, Method>> = {
  split: (self: string, separator?: string, most = -1) => split(self, separator, most),
  rsplit: (self: string, separator?: string, most = -1) => rsplit(self, separator, most),
  replace: (self: string, from: string, to: string, count = -1) => replaceAll(self, from, to, count),
  startswith: (self: string, start: string) => anyOf(start).some(text => self.startsWith(text)),
  endswith: (self: string, end: string) => anyOf(end).some(text => self.endsWith(text)),
  strip: (self: string, characters?: string) => strip(self, characters, true, true),
  lstrip: (self: string, characters?: string) => strip(self, characters, true, false),
  rstrip: (self: string, characters?: string) => strip(self, characters, false, true),
  removeprefix: (self: string, text: string) =>
    self.startsWith(text) ? self.slice(String(text).length) : self,
  removesuffix: (self: string, text: string) =>
    text !== '' && self.endsWith(text) ? self.slice(0, -String(text).length) : self,
  lower: (self: string) => self.toLowerCase(),
  upper: (self: string) => self.toUpperCase(),
  capitalize: (self: string) => self.charAt(0).toUpperCase() + self.slice(1).toLowerCase(),
  join: (self: string, items: readonly unknown[]) => [...items].join(self),
  find: (self: string, text: string) => self.indexOf(text),
  count: (self: string, text: string) => self.split(String(text)).length - 1,
  isdigit: (self: string) => /^\d+$/.test(self),
};

const LIST: Readonly<Record<string, Method>> = {
  index: (self: unknown[], item: unknown) => self.indexOf(item),
  count: (self: unknown[], item: unknown) => self.filter(held => held === item).length,
  append: (self: unknown[], item: unknown) => void self.push(item),
  join: (self: unknown[], separator: string) => self.join(separator),
};

const DICT: Readonly<Record<string, Method>> = {
  get: (self: object, key: string, fallback: unknown = null) => own(self, key) ?? fallback,
  items: (self: object) => Object.entries(self),
  keys: (self: object) => Object.keys(self),
  values: (self: object) => Object.values(self),
};

function own(target: object, key: unknown): unknown {
  const name = String(key);
  return !FORBIDDEN.has(name) && Object.hasOwn(target, name)
    ? (target as Record<string, unknown>)[name]
    : undefined;
}

/** What `target.key` or `target[key]` is in a template. Throws an Error for members of what is not there. */
export function lookup(target: unknown, key: unknown): unknown {
  if (target === undefined || target === null)
    throw new Error(`"${String(key)}" is looked up on what is not defined`);
  const text = target instanceof String ? target.toString() : target;
  if (typeof text === 'string') {
    if (typeof key === 'number') return text.at(key);
    return bind(STRING, key, text);
  }
  if (typeof text === 'function' || typeof text !== 'object') return undefined;
  if (Array.isArray(text)) return typeof key === 'number' ? text.at(key) : bind(LIST, key, text);
  return own(text as object, key) ?? bind(DICT, key, text as object);
}

function bind(methods: Readonly<Record<string, Method>>, key: unknown, self: unknown): unknown {
  const name = String(key);
  if (!Object.hasOwn(methods, name)) return undefined;
  const method = methods[name] as ((...given: unknown[]) => unknown) | undefined;
  return method && ((...given: unknown[]) => method(self, ...given));
}

/** `target[start:stop:step]` as Python has it, of texts and lists. */
export function slice(target: unknown, start: unknown, stop: unknown, step: unknown): unknown {
  const items = Array.isArray(target) ? target : [...String(target ?? '')];
  const by = typeof step === 'number' && Number.isInteger(step) && step !== 0 ? step : 1;
  const at = (value: unknown, fallback: number): number => {
    if (typeof value !== 'number') return fallback;
    const index = value < 0 ? value + items.length : value;
    return Math.min(Math.max(index, by < 0 ? -1 : 0), by < 0 ? items.length - 1 : items.length);
  };
  const found: unknown[] = [];
  const [from, to] =
    by > 0 ? [at(start, 0), at(stop, items.length)] : [at(start, items.length - 1), at(stop, -1)];
  for (let index = from; by > 0 ? index < to : index > to; index += by) found.push(items[index]);
  return Array.isArray(target) ? found : found.join('');
}

/** Splits off the keyword arguments, which the engine passes as one marked object behind the others. */
function named(given: unknown[], ...names: string[]): Record<string, unknown> {
  const last = given.at(-1);
  const marked = typeof last === 'object' && last !== null && Object.hasOwn(last, '__keywords');
  const found: Record<string, unknown> = Object.create(null);
  (marked ? given.slice(0, -1) : given).forEach((value, at) => {
    const name = names[at];
    if (name !== undefined) found[name] = value;
  });
  return marked ? Object.assign(found, last) : found;
}

/** A possibly dotted attribute of an item. */
function attribute(item: unknown, path: unknown): unknown {
  if (path === undefined || path === null) return item;
  return String(path)
    .split('.')
    .reduce((held, step) => lookup(held, /^\d+$/.test(step) ? Number(step) : step), item);
}

function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

function order(a: unknown, b: unknown): number {
  const [x, y] = [a, b] as [string | number, string | number];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** UTC parts of seconds since the epoch. */
function time(seconds: unknown): Date {
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) throw new Error(`"${String(seconds)}" is no timestamp`);
  return date;
}

/** Filters beside the engine's plain ones. */
export const FILTERS: Readonly<Record<string, (value: unknown, ...given: unknown[]) => unknown>> = {
  gittag: value => String(value).replaceAll('~', '-'),
  rpm_version: value => String(value).replaceAll('-', '~'),
  timestamp_rpmdate: value => {
    const [day, date, month, year] = time(value).toUTCString().replace(',', '').split(' ');
    return `${day} ${month} ${date} ${year}`;
  },
  timestamp_iso: value => time(value).toISOString().slice(0, 19).replace('T', ' '),
  join: (value, ...given) => {
    const { d = '', attribute: path } = named(given, 'd', 'attribute');
    return list(value)
      .map(item => attribute(item, path))
      .join(String(d));
  },
  map: (value, ...given) => {
    const { attribute: path } = named(given);
    if (path === undefined) throw new Error('"map" takes attribute=…');
    return list(value).map(item => attribute(item, path));
  },
  sort: (value, ...given) => {
    const { reverse, attribute: path } = named(given, 'reverse', 'case_sensitive', 'attribute');
    const sorted = [...list(value)].sort((a, b) => order(attribute(a, path), attribute(b, path)));
    return reverse === true ? sorted.reverse() : sorted;
  },
  unique: value => [...new Set(list(value))],
  sum: (value, ...given) => {
    const { attribute: path, start = 0 } = named(given, 'attribute', 'start');
    return list(value).reduce((total: number, item) => total + Number(attribute(item, path)), Number(start));
  },
  selectattr: (value, path) => list(value).filter(item => Boolean(attribute(item, path))),
  rejectattr: (value, path) => list(value).filter(item => !attribute(item, path)),
  select: value => list(value).filter(Boolean),
  reject: value => list(value).filter(item => !item),
  items: value => (typeof value === 'object' && value !== null ? Object.entries(value) : []),
  dictsort: value => Object.entries(value as object).sort((a, b) => order(a[0], b[0])),
  tojson: value => JSON.stringify(value) ?? 'null',
};
