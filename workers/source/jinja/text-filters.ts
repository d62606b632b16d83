/** Filters of texts and numbers, as Jinja has them (jinja2/filters.py). */
import { count, number, take, text } from './arguments.ts';
import { fixed } from './format-spec.ts';
import { percent } from './formatting.ts';
import { json } from './json.ts';
import { parseFloating, parseWhole } from './literals.ts';
import { str } from './printing.ts';
import { capitalize, center, lines, replace } from './text-methods.ts';
import {
  type Arguments,
  bounded,
  checkedCount,
  Float,
  iterate,
  Markup,
  numeric,
  points,
  Tuple,
  truth,
  Undefined,
  type Value,
  whole,
} from './values.ts';
import { wrap } from './wrapping.ts';

export type Filter = (value: Value, given: Arguments) => Value;

const ESCAPED: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  ...{ "'": '&#39;', '"': '&#34;' },
};

const markup = (value: Value): Markup =>
  value instanceof Markup
    ? value
    : new Markup(bounded(str(value).replace(/[&<>'"]/g, one => ESCAPED[one] ?? one)));

/** Every word's first letter large, the rest small; words end at blanks, hyphens and opening brackets. */
const title = (value: string): string =>
  value
    .split(/([-\s({[<]+)/)
    .map(capitalize)
    .join('');

function indent(value: Value, given: Arguments): string {
  const [width = 4, first = false, blank = false] = take(given, 'width?', 'first?', 'blank?');
  const indent = typeof width === 'string' ? width : ' '.repeat(checkedCount(1, count(width)));
  const all = lines(`${text(value)}\n`);
  checkedCount(all.length, indent.length);
  const rest = all.map((line, at) => (at > 0 && (truth(blank) || line !== '') ? indent + line : line));
  return bounded((truth(first) ? indent : '') + rest.join('\n'));
}

function truncate(value: Value, given: Arguments): string {
  const [length, killwords = false, ending, leeway] = take(given, 'length?', 'killwords?', 'end?', 'leeway?');
  const [all, end, size] = [[...points(text(value))], text(ending, '...'), count(length, 255)];
  if (size < points(end).length) throw new Error(`needs a length of at least ${points(end).length}`);
  if (all.length <= size + count(leeway, 5)) return all.join('');
  const kept = all.slice(0, size - points(end).length).join('');
  if (truth(killwords)) return kept + end;
  const at = kept.lastIndexOf(' ');
  return (at < 0 ? kept : kept.slice(0, at)) + end;
}

function toWhole(value: Value, given: Arguments): Value {
  const [fallback = 0, base] = take(given, 'default?', 'base?');
  if (value instanceof Undefined) throw new Error(`${value.what} is not defined`);
  if (typeof value === 'string') {
    const found = parseWhole(value, count(base, 10)) ?? Math.trunc(parseFloating(value) ?? Number.NaN);
    return Number.isFinite(found) ? whole(found) : fallback;
  }
  const found = numeric(value);
  return found === null || !Number.isFinite(found) ? fallback : whole(Math.trunc(found));
}

function toFloat(value: Value, given: Arguments): Value {
  const [fallback = new Float(0)] = take(given, 'default?');
  if (value instanceof Undefined) throw new Error(`${value.what} is not defined`);
  const found = typeof value === 'string' ? parseFloating(value) : numeric(value);
  return found === null ? fallback : new Float(found);
}

function round(value: Value, given: Arguments): Value {
  const [precision, how = 'common'] = take(given, 'precision?', 'method?');
  const [size, digits] = [number(value), count(precision, 0)];
  if (digits < 0 || digits > 30) throw new Error('rounds to 0 to 30 digits behind the point here');
  if (how === 'ceil' || how === 'floor') {
    return new Float(Math[how](size * 10 ** digits) / 10 ** digits);
  }
  if (how !== 'common') throw new Error('the method must be common, ceil or floor');
  if (!(value instanceof Float)) return size;
  const sign = size < 0 ? -1 : 1;
  return new Float(Number.isFinite(size) ? sign * Number(fixed(Math.abs(size), digits)) : size);
}

/** Percent-encoding as Python's `quote` does it: `/` stays but in the parts of a query. */
function quote(value: Value, query: boolean): string {
  const encoded = encodeURIComponent(str(value)).replace(
    /[!'()*]/g,
    one => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return query ? encoded.replaceAll('%20', '+') : encoded.replaceAll('%2F', '/');
}

function urlencode(value: Value): string {
  if (typeof value === 'string' || value instanceof Markup || numeric(value) !== null || value === null)
    return quote(value, false);
  const pairs = value instanceof Map ? [...value] : [...iterate(value)].map(pair => [...iterate(pair)]);
  if (pairs.some(pair => pair.length !== 2)) throw new Error('needs a text, a dict or pairs');
  return pairs.map(([key = null, held = null]) => `${quote(key, true)}=${quote(held, true)}`).join('&');
}

function wordwrap(value: Value, given: Arguments): string {
  const [width, long = true, between, hyphens = true] = take(
    given,
    ...['width?', 'break_long_words?', 'wrapstring?', 'break_on_hyphens?'],
  );
  const size = count(width, 79);
  if (size <= 0) throw new Error('needs a width above 0');
  const end = between === undefined || between === null ? '\n' : text(between);
  const wrapped = lines(text(value)).map(line => wrap(line, size, truth(long), truth(hyphens)).join(end));
  return bounded(wrapped.join(end));
}

/** UTC parts of seconds since the epoch. */
function time(seconds: Value): Date {
  const date = new Date(Number(str(seconds)) * 1000);
  if (Number.isNaN(date.getTime())) throw new Error(`"${str(seconds)}" is no timestamp`);
  return date;
}

/** A filter without arguments. */
const plain =
  (made: (value: Value) => Value): Filter =>
  (value, given) => {
    take(given);
    return made(value);
  };

export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  gittag: plain(value => str(value).replaceAll('~', '-')),
  rpm_version: plain(value => str(value).replaceAll('-', '~')),
  timestamp_rpmdate: plain(value => {
    const [day, date, month, year] = time(value).toUTCString().replace(',', '').split(' ');
    return `${day} ${month} ${date} ${year}`;
  }),
  timestamp_iso: plain(value => time(value).toISOString().slice(0, 19).replace('T', ' ')),
  capitalize: plain(value => capitalize(str(value))),
  lower: plain(value => str(value).toLowerCase()),
  upper: plain(value => str(value).toUpperCase()),
  title: plain(value => title(str(value))),
  string: plain(value => (value instanceof Markup ? value : str(value))),
  escape: plain(markup),
  e: plain(markup),
  forceescape: plain(value => markup(str(value))),
  safe: plain(value => new Markup(str(value))),
  urlencode: plain(urlencode),
  wordcount: plain(value => [...str(value).matchAll(/[\p{L}\p{N}_]+/gu)].length),
  trim: (value, given) => {
    const [characters = null] = take(given, 'chars?');
    if (characters === null) return str(value).trim();
    const set = text(characters);
    const kept = [...str(value)];
    while (kept.length > 0 && set.includes(kept[0] ?? '')) kept.shift();
    while (kept.length > 0 && set.includes(kept.at(-1) ?? '')) kept.pop();
    return kept.join('');
  },
  center: (value, given) => center(str(value), count(take(given, 'width?')[0], 80)),
  replace: (value, given) => {
    const [from = null, to = null, most = null] = take(given, 'old', 'new', 'count?');
    return replace(str(value), str(from), str(to), most === null ? -1 : count(most));
  },
  format: (value, { positional, named }) => {
    if (positional.length > 0 && named.size > 0) throw new Error('takes either plain or named arguments');
    return percent(str(value), named.size > 0 ? new Map(named) : new Tuple(positional));
  },
  indent,
  truncate,
  wordwrap,
  int: toWhole,
  float: toFloat,
  round,
  abs: plain(value => {
    const size = Math.abs(number(value));
    return value instanceof Float ? new Float(size) : size;
  }),
  default: fallback,
  d: fallback,
  tojson: (value, given) => {
    const [space = null] = take(given, 'indent?');
    return new Markup(bounded(json(value, space === null ? null : count(space))));
  },
};

function fallback(value: Value, given: Arguments): Value {
  const [other = '', also = false] = take(given, 'default_value?', 'boolean?');
  return value instanceof Undefined || (truth(also) && !truth(value)) ? other : value;
}
