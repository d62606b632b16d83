/** Tests, the words after `is`, as Jinja has them (jinja2/tests.py). */
import { take } from './arguments.ts';
import { binary, compare, equal } from './operators.ts';
import { str } from './printing.ts';
import { isLower, isUpper } from './text-methods.ts';
import {
  type Arguments,
  Float,
  Generator,
  kindOf,
  Markup,
  numeric,
  Range,
  Thing,
  Tuple,
  Undefined,
  type Value,
  View,
} from './values.ts';

export type Test = (value: Value, given: Arguments) => boolean;

const plain =
  (holds: (value: Value) => boolean): Test =>
  (value, given) => {
    take(given);
    return holds(value);
  };

const comparing =
  (operator: string): Test =>
  (value, given) =>
    compare(operator, value, take(given, 'other')[0] ?? null);

const rest = (value: Value, by: Value): Value => binary('%', typeof value === 'string' ? null : value, by);

const isSequence = (value: Value): boolean =>
  typeof value === 'string' ||
  Array.isArray(value) ||
  [Markup, Tuple, Range, Map, Undefined].some(one => value instanceof one);

/** The same thing, not merely an equal one; texts and numbers have no more than their value here. */
function same(value: Value, other: Value): boolean {
  const simple = typeof value !== 'object' || value === null;
  if (value instanceof Float || other instanceof Float || typeof value === 'string')
    throw new Error('"sameas" is not supported for texts and floats: use "=="');
  return simple ? kindOf(value) === kindOf(other) && equal(value, other) : value === other;
}

export const TESTS: Readonly<Record<string, Test>> = {
  defined: plain(value => !(value instanceof Undefined)),
  undefined: plain(value => value instanceof Undefined),
  none: plain(value => value === null),
  boolean: plain(value => typeof value === 'boolean'),
  true: plain(value => value === true),
  false: plain(value => value === false),
  integer: plain(value => typeof value === 'number'),
  float: plain(value => value instanceof Float),
  number: plain(value => numeric(value) !== null),
  string: plain(value => typeof value === 'string' || value instanceof Markup),
  mapping: plain(value => value instanceof Map),
  sequence: plain(isSequence),
  iterable: plain(value => isSequence(value) || value instanceof View || value instanceof Generator),
  callable: plain(value => value instanceof Undefined || (value instanceof Thing && value.call !== null)),
  escaped: plain(value => value instanceof Markup),
  lower: plain(value => isLower(str(value))),
  upper: plain(value => isUpper(str(value))),
  odd: plain(value => equal(rest(value, 2), 1)),
  even: plain(value => equal(rest(value, 2), 0)),
  divisibleby: (value, given) => equal(rest(value, take(given, 'num')[0] ?? null), 0),
  sameas: (value, given) => same(value, take(given, 'other')[0] ?? null),
  in: comparing('in'),
  eq: comparing('=='),
  equalto: comparing('=='),
  ne: comparing('!='),
  lt: comparing('<'),
  lessthan: comparing('<'),
  le: comparing('<='),
  gt: comparing('>'),
  greaterthan: comparing('>'),
  ge: comparing('>='),
};

/** Names of tests that only `select` and its like may give, as texts. */
export const SIGNS: ReadonlyMap<string, string> = new Map([
  ['==', 'eq'],
  ['!=', 'ne'],
  ['<', 'lt'],
  ['<=', 'le'],
  ['>', 'gt'],
  ['>=', 'ge'],
]);
