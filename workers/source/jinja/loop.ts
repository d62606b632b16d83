/** The variable `loop` of a loop. */
import { count, take } from './arguments.ts';
import { equal } from './operators.ts';
import { type Arguments, Thing, Tuple, Undefined, type Value } from './values.ts';

/** Where a loop stands: its items, the place of the current one, how deep it is within itself, and how it goes deeper. */
export interface LoopState {
  readonly items: readonly Value[];
  readonly depth: number;
  readonly recurse: ((items: Value) => Value) | null;
  at: number;
  /** What `loop.changed` was last given. */
  last: Value | null;
}

export function createLoop(state: LoopState): Thing {
  return new Thing('a loop', {
    member: name => memberOf(state, name),
    call: given => {
      if (state.recurse === null) throw new Error('"loop" is called, but the loop is not "recursive"');
      return state.recurse(take(given, 'iterable')[0] ?? null);
    },
  });
}

function memberOf(state: LoopState, name: string): Value | undefined {
  const { items, at, depth } = state;
  const near = (place: number): Value => items[place] ?? new Undefined(`"loop.${name}"`);
  switch (name) {
    case 'index':
      return at + 1;
    case 'index0':
      return at;
    case 'revindex':
      return items.length - at;
    case 'revindex0':
      return items.length - at - 1;
    case 'first':
      return at === 0;
    case 'last':
      return at === items.length - 1;
    case 'length':
      return items.length;
    case 'depth':
      return depth + 1;
    case 'depth0':
      return depth;
    case 'previtem':
      return near(at - 1);
    case 'nextitem':
      return near(at + 1);
    case 'cycle':
      return new Thing('the method "cycle"', { call: given => cycle(state, given) });
    case 'changed':
      return new Thing('the method "changed"', { call: given => changed(state, given) });
    default:
      return undefined;
  }
}

function cycle(state: LoopState, { positional }: Arguments): Value {
  if (positional.length === 0) throw new Error('"cycle" needs values');
  return positional[count(state.at) % positional.length] ?? null;
}

function changed(state: LoopState, { positional }: Arguments): boolean {
  const now = new Tuple(positional);
  const same = state.last !== null && equal(state.last, now);
  state.last = now;
  return !same;
}
