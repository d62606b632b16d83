/** `target.name`, `target[key]` and `target[start:stop:step]`: plain data, own members, Python's names for methods. */
import { FORBIDDEN } from '../template-guard.ts';
import { isMethod, method } from './methods.ts';
import { kindOf, Markup, points, Range, Thing, Tuple, Undefined, type Value } from './values.ts';

/** `target.name`: a method, else a key of that name. Throws for members of what is not there. */
export function member(target: Value, name: string): Value {
  check(target, name);
  if (target instanceof Thing) return target.member(name) ?? new Undefined(`"${name}"`);
  if (target instanceof Tuple && target.names.includes(name))
    return target.items[target.names.indexOf(name)] ?? null;
  if (isMethod(target, name)) return method(target, name);
  const held = target instanceof Map ? target.get(name) : undefined;
  return held === undefined ? new Undefined(`"${name}"`) : held;
}

/** `target[key]`: a key or a place, else a member of that name. */
export function item(target: Value, key: Value): Value {
  const name = typeof key === 'string' ? key : null;
  check(target, name ?? String(key));
  if (target instanceof Map) {
    const held =
      typeof key === 'string' || typeof key === 'number' || key === null ? target.get(key) : undefined;
    if (held !== undefined) return held;
  } else if (typeof key === 'number' || typeof key === 'boolean') {
    const items = sequence(target);
    const at = Number(key);
    const held = items?.[at < 0 ? at + items.length : at];
    if (held !== undefined) return held;
  }
  return name === null ? new Undefined(`"[${String(key)}]"`) : member(target, name);
}

function check(target: Value, name: string): void {
  if (FORBIDDEN.has(name) || name.startsWith('__')) throw new Error(`"${name}" may not be looked up`);
  if (target instanceof Undefined) throw new Error(`"${name}" is looked up on what is not defined`);
  if (target instanceof Markup) throw new Error(`"${name}" is looked up on what "safe" or "escape" made`);
}

function sequence(target: Value): ArrayLike<Value> | null {
  if (typeof target === 'string') return points(target);
  if (Array.isArray(target)) return target;
  if (target instanceof Tuple) return target.items;
  return target instanceof Range ? [...target] : null;
}

/** `target[start:stop:step]` as Python has it, of texts, lists, tuples and ranges. */
export function slice(target: Value, start: Value, stop: Value, step: Value): Value {
  const items = sequence(target);
  if (items === null) throw new Error(`${kindOf(target)} can not be sliced`);
  const by = bound(step) ?? 1;
  if (by === 0) throw new Error('the step of a slice is 0');
  const place = (value: number | null, fallback: number): number => {
    if (value === null) return fallback;
    const index = value < 0 ? value + items.length : value;
    return Math.min(Math.max(index, by < 0 ? -1 : 0), by < 0 ? items.length - 1 : items.length);
  };
  const from = place(bound(start), by > 0 ? 0 : items.length - 1);
  const to = place(bound(stop), by > 0 ? items.length : -1);
  if (target instanceof Range) {
    const at = (place: number): number => target.start + place * target.step;
    return new Range(at(from), at(to), target.step * by);
  }
  const found: Value[] = [];
  for (let at = from; by > 0 ? at < to : at > to; at += by) found.push(items[at] ?? null);
  if (typeof target === 'string') return found.join('');
  return target instanceof Tuple ? new Tuple(found) : found;
}

function bound(value: Value): number | null {
  if (value === null) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  throw new Error(`a slice needs whole numbers, not ${kindOf(value)}`);
}
