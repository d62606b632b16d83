/** Functions that every template has: `range`, `dict`, `namespace`, `cycler`, `joiner`. */
import { count, take, text } from './arguments.ts';
import { toDict } from './methods.ts';
import { type Arguments, Range, Thing, Undefined, type Value } from './values.ts';

const func = (name: string, call: (given: Arguments) => Value): [string, Thing] => [
  name,
  new Thing(`the function "${name}"`, { call }),
];

function range(given: Arguments): Range {
  const [first, second, step] = take(given, 'start', 'stop?', 'step?');
  return second === undefined
    ? new Range(0, count(first), 1)
    : new Range(count(first), count(second), count(step, 1));
}

function namespace({ positional, named }: Arguments): Thing {
  const fields = new Map<string, Value>();
  for (const [key, value] of toDict(positional, named)) fields.set(text(key), value);
  return new Thing('a namespace', { fields });
}

/** Gives its values in turn. */
function cycler({ positional }: Arguments): Thing {
  if (positional.length === 0) throw new Error('needs values');
  let at = 0;
  const current = (): Value => positional[at] ?? null;
  const next = new Thing('the method "next"', {
    call: () => {
      const value = current();
      at = (at + 1) % positional.length;
      return value;
    },
  });
  const reset = new Thing('the method "reset"', {
    call: () => {
      at = 0;
      return null;
    },
  });
  return new Thing('a cycler', {
    member: name =>
      name === 'current' ? current() : name === 'next' ? next : name === 'reset' ? reset : undefined,
  });
}

/** Gives nothing the first time, its text from then on. */
function joiner(given: Arguments): Thing {
  const [between = ', '] = take(given, 'sep?');
  let used = false;
  return new Thing('a joiner', {
    call: () => {
      const value = used ? between : '';
      used = true;
      return value;
    },
  });
}

const GLOBALS: ReadonlyMap<string, Value> = new Map([
  func('range', range),
  func('dict', ({ positional, named }) => toDict(positional, named)),
  func('namespace', namespace),
  func('cycler', cycler),
  func('joiner', joiner),
  func('lipsum', () => {
    throw new Error('"lipsum" is not supported');
  }),
]);

/** What a name is that nobody has set. */
export function globalOf(name: string): Value {
  if (name === 'self') throw new Error('"self" is not supported, as there are no blocks');
  return GLOBALS.get(name) ?? new Undefined(`"${name}"`);
}
