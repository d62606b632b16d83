/** Python's operators: arithmetic, comparing, containing. What Python refuses is refused, not guessed. */
import { percent } from './formatting.ts';
import { str } from './printing.ts';
import {
  bounded,
  checkedCount,
  Float,
  iterate,
  kindOf,
  Markup,
  numeric,
  points,
  Range,
  Tuple,
  Undefined,
  type Value,
  whole,
} from './values.ts';

/** `left operator right`. */
export function binary(operator: string, left: Value, right: Value): Value {
  if (operator === '%' && typeof left === 'string') return percent(left, right);
  const [a, b] = [numeric(left), numeric(right)];
  if (a !== null && b !== null) {
    const float = left instanceof Float || right instanceof Float;
    const found = arithmetic(operator, a, b, float);
    return float || operator === '/' ? new Float(found) : found;
  }
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') return bounded(left + right);
    if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
    if (left instanceof Tuple && right instanceof Tuple) return new Tuple([...left.items, ...right.items]);
  }
  if (operator === '*') {
    if (typeof right === 'number' || typeof right === 'boolean') return repeat(left, Number(right), right);
    if (typeof left === 'number' || typeof left === 'boolean') return repeat(right, Number(left), left);
  }
  return refuse(operator, left, right);
}

function refuse(operator: string, left: Value, right: Value): never {
  for (const side of [left, right])
    if (side instanceof Undefined) throw new Error(`${side.what} is not defined`);
  throw new Error(`"${operator}" does not take ${kindOf(left)} and ${kindOf(right)}`);
}

function arithmetic(operator: string, a: number, b: number, float: boolean): number {
  const exact = (value: number): number => (float ? value : whole(value));
  if (b === 0 && ['/', '//', '%'].includes(operator)) throw new Error('division by zero');
  switch (operator) {
    case '+':
      return exact(a + b);
    case '-':
      return exact(a - b);
    case '*':
      return exact(a * b);
    case '/':
      return a / b;
    case '//':
      return exact(Math.floor(a / b));
    case '%': {
      const rest = a % b;
      return rest !== 0 && rest < 0 !== b < 0 ? rest + b : exact(rest);
    }
    default:
      return power(a, b, float);
  }
}

function power(a: number, b: number, float: boolean): number {
  if (!float && b < 0)
    throw new Error('a whole number to a power below 0 is not supported: write it as a float');
  if (a < 0 && !Number.isInteger(b)) throw new Error('a power gives no real number');
  return float ? a ** b : whole(a ** b);
}

function repeat(value: Value, count: number, other: Value): Value {
  if (typeof value === 'string') return value.repeat(checkedCount(value.length, count));
  if (Array.isArray(value)) return again(value, count);
  if (value instanceof Tuple) return new Tuple(again(value.items, count));
  return refuse('*', value, other);
}

function again(items: readonly Value[], count: number): Value[] {
  return Array.from({ length: checkedCount(items.length, count) }, () => items).flat();
}

/** `-value` and `+value`. */
export function signed(value: Value, sign: 1 | -1): Value {
  const number = numeric(value);
  if (number === null) {
    throw new Error(
      value instanceof Undefined ? `${value.what} is not defined` : `${kindOf(value)} has no sign`,
    );
  }
  return value instanceof Float ? new Float(sign * number) : whole(sign * number);
}

/** Whether `left operator right` holds, for the operators that compare. */
export function compare(operator: string, left: Value, right: Value): boolean {
  switch (operator) {
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    case '<':
      return order(left, right) < 0;
    case '<=':
      return order(left, right) <= 0;
    case '>':
      return order(left, right) > 0;
    default:
      return order(left, right) >= 0;
  }
}

export function equal(left: Value, right: Value): boolean {
  const [a, b] = [numeric(left), numeric(right)];
  if (a !== null || b !== null) return a === b;
  if (isText(left) || isText(right)) return isText(left) && isText(right) && str(left) === str(right);
  if (left instanceof Undefined) return right instanceof Undefined;
  if (Array.isArray(left) && Array.isArray(right)) return sameItems(left, right);
  if (left instanceof Tuple && right instanceof Tuple) return sameItems(left.items, right.items);
  if (left instanceof Range && right instanceof Range) return sameItems([...left], [...right]);
  if (left instanceof Map && right instanceof Map)
    return (
      left.size === right.size &&
      [...left].every(([key, held]) => right.has(key) && equal(held, right.get(key) ?? null))
    );
  return left === right;
}

function isText(value: Value): value is string | Markup {
  return typeof value === 'string' || value instanceof Markup;
}

function sameItems(left: readonly Value[], right: readonly Value[]): boolean {
  return left.length === right.length && left.every((item, at) => equal(item, right[at] ?? null));
}

/** Below 0 where `left` comes first, 0 where neither does. Throws where Python has no order. */
export function order(left: Value, right: Value): number {
  const [a, b] = [numeric(left), numeric(right)];
  // Both below: where one is no number (NaN), neither comes first, and nothing is alike either.
  if (a !== null && b !== null) return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
  if (isText(left) && isText(right)) return orderTexts(str(left), str(right));
  if (Array.isArray(left) && Array.isArray(right)) return orderItems(left, right);
  if (left instanceof Tuple && right instanceof Tuple) return orderItems(left.items, right.items);
  for (const side of [left, right])
    if (side instanceof Undefined) throw new Error(`${side.what} is not defined`);
  throw new Error(`${kindOf(left)} and ${kindOf(right)} have no order`);
}

/** By characters, where JavaScript compares units of UTF-16. */
function orderTexts(left: string, right: string): number {
  const [a, b] = [points(left), points(right)];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const by = (a[at]?.codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? 0);
    if (by !== 0) return by;
  }
  return a.length - b.length;
}

function orderItems(left: readonly Value[], right: readonly Value[]): number {
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [a, b] = [left[at] ?? null, right[at] ?? null];
    if (!equal(a, b)) return order(a, b);
  }
  return left.length - right.length;
}

function contains(held: Value, item: Value): boolean {
  if (isText(held)) {
    if (!isText(item)) throw new Error(`a text holds texts, not ${kindOf(item)}`);
    return str(held).includes(str(item));
  }
  if (held instanceof Map && (Array.isArray(item) || item instanceof Map))
    throw new Error(`${kindOf(item)} can not be a key`);
  for (const one of iterate(held)) if (equal(one, item)) return true;
  return false;
}
