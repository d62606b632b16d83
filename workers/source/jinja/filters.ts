/** All filters, with those that take another filter or a test by its name: `map`, `select` and their like. */
import { text } from './arguments.ts';
import { attribute, LIST_FILTERS } from './list-filters.ts';
import { SIGNS, TESTS } from './tests.ts';
import { type Filter, TEXT_FILTERS } from './text-filters.ts';
import { type Arguments, Generator, iterate, truth, type Value } from './values.ts';

/** Applies a filter by its name. Throws naming it. */
export function applyFilter(name: string, value: Value, given: Arguments): Value {
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (filter === undefined) throw new Error(`there is no filter "${name}"`);
  return within(`the filter "${name}"`, () => filter(value, given));
}

/** Applies a test by its name. Throws naming it. */
export function applyTest(name: string, value: Value, given: Arguments): boolean {
  const full = SIGNS.get(name) ?? name;
  if (full === 'filter' || full === 'test')
    return Object.hasOwn(full === 'filter' ? FILTERS : TESTS, text(value));
  const test = Object.hasOwn(TESTS, full) ? TESTS[full] : undefined;
  if (test === undefined) throw new Error(`there is no test "${name}"`);
  return within(`the test "${name}"`, () => test(value, given));
}

/** Says in a fault where it happened, once. */
export function within<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const message = (error as Error).message;
    if (!/^(takes|needs|does|can|sorts|rounds) /.test(message)) throw error;
    throw new Error(`${what} ${message}`, { cause: error });
  }
}

function map(value: Value, { positional, named }: Arguments): Value {
  const [name, ...more] = positional;
  if (name !== undefined) {
    const given = { positional: more, named };
    return new Generator(lazily(value, held => applyFilter(text(name), held, given)));
  }
  const { attribute: path, default: fallback = null, ...other } = Object.fromEntries(named);
  if (path === undefined || Object.keys(other).length > 0)
    throw new Error('takes a filter’s name, or attribute=… and default=…');
  return new Generator(lazily(value, attribute(path, fallback)));
}

function* lazily(value: Value, work: (held: Value) => Value): Iterable<Value> {
  for (const held of iterate(value)) yield work(held);
}

/** Keeps the items that pass a test, or that do not; `byAttribute` where the test is of an attribute. */
function select(keep: boolean, byAttribute: boolean): Filter {
  return (value, { positional, named }) => {
    const [path, rest] = byAttribute ? [positional[0], positional.slice(1)] : [undefined, positional];
    if (byAttribute && path === undefined) throw new Error('needs the name of an attribute');
    const read = attribute(path);
    const [test, ...more] = rest;
    const passes = (held: Value): boolean =>
      test === undefined ? truth(held) : applyTest(text(test), held, { positional: more, named });
    return new Generator(
      (function* () {
        for (const held of iterate(value)) if (passes(read(held)) === keep) yield held;
      })(),
    );
  };
}

const FILTERS: Readonly<Record<string, Filter>> = {
  ...TEXT_FILTERS,
  ...LIST_FILTERS,
  map,
  select: select(true, false),
  reject: select(false, false),
  selectattr: select(true, true),
  rejectattr: select(false, true),
};

/** The names that a template may use. */
export const KNOWN = { filters: Object.keys(FILTERS), tests: [...Object.keys(TESTS), 'filter', 'test'] };
