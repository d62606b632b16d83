/** Arguments as functions, methods and filters take them. */
import { str } from './printing.ts';
import { type Arguments, kindOf, Markup, numeric, type Value } from './values.ts';

/**
 * The arguments under their names, in that order; a name that ends with `?` may be left out. Throws where one is
 * missing, unknown or too much.
 */
export function take(given: Arguments, ...names: readonly string[]): (Value | undefined)[] {
  const { positional, named } = given;
  if (positional.length > names.length)
    throw new Error(`takes ${names.length} arguments, not ${positional.length}`);
  const plain = names.map(name => name.replace('?', ''));
  const found: (Value | undefined)[] = names.map((_, at) => positional[at]);
  for (const [name, value] of named) {
    const at = plain.indexOf(name);
    if (at < 0 || found[at] !== undefined)
      throw new Error(`takes no argument "${name}"${at < 0 ? '' : ' twice'}`);
    found[at] = value;
  }
  names.forEach((name, at) => {
    if (found[at] === undefined && !name.endsWith('?')) throw new Error(`needs the argument "${name}"`);
  });
  return found;
}

/** An argument that must be a text. */
export function text(value: Value | undefined, fallback?: string): string {
  if (value === undefined && fallback !== undefined) return fallback;
  if (typeof value === 'string' || value instanceof Markup) return str(value);
  throw new Error(`needs a text, not ${value === undefined ? 'nothing' : kindOf(value)}`);
}

/** An argument that must be a whole number. */
export function count(value: Value | undefined, fallback?: number): number {
  if (value === undefined && fallback !== undefined) return fallback;
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  throw new Error(`needs a whole number, not ${value === undefined ? 'nothing' : kindOf(value)}`);
}

/** An argument that must be a number. */
export function number(value: Value): number {
  const found = numeric(value);
  if (found === null) throw new Error(`needs a number, not ${kindOf(value)}`);
  return found;
}
