/** Methods of texts, under their Python names. */
import { count, take, text } from './arguments.ts';
import { format } from './formatting.ts';
import {
  type Arguments,
  bounded,
  checkedCount,
  iterate,
  points,
  Tuple,
  truth,
  type Value,
} from './values.ts';

const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/** Those of Python that are not here. */
export const UNKNOWN_TEXT_METHODS: readonly string[] = [
  ...['encode', 'expandtabs', 'format_map', 'isascii', 'isidentifier'],
  ...['isprintable', 'maketrans', 'translate'],
];

function strip(self: string, characters: Value | undefined, start: boolean, end: boolean): string {
  const set = characters === undefined || characters === null ? null : text(characters);
  const out = (character: string): boolean =>
    set === null ? character.trim() === '' : set.includes(character);
  let [from, to] = [0, self.length];
  while (start && from < to && out(self.charAt(from))) from++;
  while (end && to > from && out(self.charAt(to - 1))) to--;
  return self.slice(from, to);
}

function split(self: string, given: Arguments, right: boolean): string[] {
  const [separator = null, most] = take(given, 'sep?', 'maxsplit?');
  const limit = count(most, -1);
  if (separator === null) return splitBlank(self, limit, right);
  const mark = text(separator);
  if (mark === '') throw new Error('a text can not be split at nothing');
  const parts = self.split(mark);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  const rest = parts.length - limit;
  return right
    ? [parts.slice(0, rest).join(mark), ...parts.slice(rest)]
    : [...parts.slice(0, limit), parts.slice(limit).join(mark)];
}

/** At white space; what is left over keeps its own. */
function splitBlank(self: string, limit: number, right: boolean): string[] {
  const words = [...self.matchAll(/\S+/g)];
  if (limit < 0 || words.length <= limit + 1) return words.map(([word]) => word);
  const texts = words.map(([word]) => word);
  if (right) {
    const last = words[words.length - limit - 1];
    const end = (last?.index ?? 0) + (last?.[0].length ?? 0);
    return [self.slice(0, end), ...texts.slice(texts.length - limit)];
  }
  return [...texts.slice(0, limit), self.slice(words[limit]?.index)];
}

export function replace(self: string, from: string, to: string, most: number): string {
  const all = from === '' ? ['', ...points(self), ''] : self.split(from);
  const places = most < 0 ? all.length - 1 : Math.min(most, all.length - 1);
  checkedCount(1, self.length + places * to.length);
  return (
    all.slice(0, places + 1).join(to) +
    all
      .slice(places)
      .slice(1)
      .map(part => from + part)
      .join('')
  );
}

function partition(self: string, mark: string, right: boolean): Tuple {
  if (mark === '') throw new Error('a text can not be split at nothing');
  const at = right ? self.lastIndexOf(mark) : self.indexOf(mark);
  if (at < 0) return new Tuple(right ? ['', '', self] : [self, '', '']);
  return new Tuple([self.slice(0, at), mark, self.slice(at + mark.length)]);
}

/** The lines of a text, Python's many line ends included. */
export function lines(self: string, keep = false): string[] {
  const found: string[] = [];
  let at = 0;
  for (const end of self.matchAll(LINE_END)) {
    found.push(self.slice(at, keep ? end.index + end[0].length : end.index));
    at = end.index + end[0].length;
  }
  if (at < self.length) found.push(self.slice(at));
  return found;
}

export function capitalize(self: string): string {
  const [first = ''] = points(self);
  return first.toUpperCase() + self.slice(first.length).toLowerCase();
}

const title = (self: string): string => self.replace(/[\p{Lu}\p{Ll}\p{Lt}]+/gu, capitalize);

/** As Python does it: the odd blank goes left where the width is odd. */
export function center(self: string, width: number, fill = ' '): string {
  const missing = checkedCount(1, width - points(self).length);
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + self + fill.repeat(missing - left);
}

function justify(self: string, given: Arguments, where: 'left' | 'right' | 'center'): string {
  const [width, filler] = take(given, 'width', 'fillchar?');
  const fill = text(filler, ' ');
  if (points(fill).length !== 1) throw new Error('needs one character to fill up with');
  if (where === 'center') return center(self, count(width), fill);
  const rest = fill.repeat(checkedCount(1, count(width) - points(self).length));
  return where === 'left' ? self + rest : rest + self;
}

/** Whether one of several texts, or the one, passes. */
function some(self: string, given: Arguments, passes: (self: string, part: string) => boolean): boolean {
  const [wanted, start, end] = take(given, 'text', 'start?', 'end?');
  const part = [...points(self)].slice(count(start, 0), end === undefined ? undefined : count(end)).join('');
  return (wanted instanceof Tuple ? wanted.items : [wanted]).some(one => passes(part, text(one)));
}

function find(self: string, given: Arguments, last: boolean): number {
  const [wanted, start, end] = take(given, 'text', 'start?', 'end?');
  const all = [...points(self)];
  const from = count(start, 0);
  const begin = from < 0 ? Math.max(0, from + all.length) : from;
  const part = all.slice(begin, end === undefined ? undefined : count(end)).join('');
  const at = last ? part.lastIndexOf(text(wanted)) : part.indexOf(text(wanted));
  return at < 0 || begin > all.length ? -1 : begin + points(part.slice(0, at)).length;
}

function need(at: number): number {
  if (at < 0) throw new Error('the text is not found');
  return at;
}

const matches =
  (pattern: RegExp) =>
  (self: string): boolean =>
    pattern.test(self);

/** Whether a text has letters with case, and all of them are as `cased` makes them. */
const isCased = (self: string, cased: string): boolean =>
  /[\p{Lu}\p{Ll}\p{Lt}]/u.test(self) && self === cased;

export const isLower = (self: string): boolean => isCased(self, self.toLowerCase());
export const isUpper = (self: string): boolean => isCased(self, self.toUpperCase());

export const TEXT_METHODS: Readonly<Record<string, (self: string, given: Arguments) => Value>> = {
  split: (self, given) => split(self, given, false),
  rsplit: (self, given) => split(self, given, true),
  splitlines: (self, given) => lines(self, truth(take(given, 'keepends?')[0] ?? false)),
  partition: (self, given) => partition(self, text(take(given, 'sep')[0]), false),
  rpartition: (self, given) => partition(self, text(take(given, 'sep')[0]), true),
  replace: (self, given) => {
    const [from, to, most] = take(given, 'old', 'new', 'count?');
    return replace(self, text(from), text(to), count(most, -1));
  },
  startswith: (self, given) => some(self, given, (part, one) => part.startsWith(one)),
  endswith: (self, given) => some(self, given, (part, one) => part.endsWith(one)),
  strip: (self, given) => strip(self, take(given, 'chars?')[0], true, true),
  lstrip: (self, given) => strip(self, take(given, 'chars?')[0], true, false),
  rstrip: (self, given) => strip(self, take(given, 'chars?')[0], false, true),
  removeprefix: (self, given) => {
    const start = text(take(given, 'prefix')[0]);
    return self.startsWith(start) ? self.slice(start.length) : self;
  },
  removesuffix: (self, given) => {
    const end = text(take(given, 'suffix')[0]);
    return end !== '' && self.endsWith(end) ? self.slice(0, -end.length) : self;
  },
  lower: self => self.toLowerCase(),
  casefold: self => self.toLowerCase().replaceAll('ß', 'ss'),
  upper: self => self.toUpperCase(),
  capitalize,
  title,
  swapcase: self =>
    self.replace(/\p{L}/gu, one => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())),
  zfill: (self, given) => {
    const missing = checkedCount(1, count(take(given, 'width')[0]) - points(self).length);
    const sign = /^[+-]/.exec(self)?.[0] ?? '';
    return sign + '0'.repeat(missing) + self.slice(sign.length);
  },
  ljust: (self, given) => justify(self, given, 'left'),
  rjust: (self, given) => justify(self, given, 'right'),
  center: (self, given) => justify(self, given, 'center'),
  join: (self, given) =>
    bounded([...iterate(take(given, 'iterable')[0] ?? null)].map(one => text(one)).join(self)),
  format: (self, given) => format(self, given),
  find: (self, given) => find(self, given, false),
  rfind: (self, given) => find(self, given, true),
  index: (self, given) => need(find(self, given, false)),
  rindex: (self, given) => need(find(self, given, true)),
  count: (self, given) => {
    const part = text(take(given, 'text')[0]);
    return part === '' ? points(self).length + 1 : self.split(part).length - 1;
  },
  isdigit: matches(/^\p{Nd}+$/u),
  isdecimal: matches(/^\p{Nd}+$/u),
  isnumeric: matches(/^\p{N}+$/u),
  isalpha: matches(/^\p{L}+$/u),
  isalnum: matches(/^[\p{L}\p{N}]+$/u),
  isspace: matches(/^\s+$/),
  islower: isLower,
  isupper: isUpper,
  istitle: self => isCased(self, title(self)),
};
