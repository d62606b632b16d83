/**
 * Python's values as the templates' machine holds them: whole numbers are JavaScript's numbers, floats a class of their
 * own, none is null, a dict is a Map. Nothing here has a member that a template could reach.
 */

/** Characters that any text may have, items that any list may be multiplied to. */
export const MAX_TEXT = 4 * 1024 * 1024;

export type Value =
  | Undefined
  | null
  | boolean
  | number
  | Float
  | string
  | Markup
  | Value[]
  | Tuple
  | Range
  | Dict
  | View
  | Generator
  | Thing;

export type Dict = Map<Key, Value>;
export type Key = string | number | null;

/** A name or a member that is not there: prints as nothing, fails where it is worked with. */
export class Undefined {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** What `safe` and `escape` give. It prints as its text; what it does to texts beside it is refused. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export class Tuple {
  readonly items: readonly Value[];
  /** Names of the items, of what `groupby` gives. */
  readonly names: readonly string[];
  constructor(items: readonly Value[], names: readonly string[] = []) {
    this.items = items;
    this.names = names;
  }
}

export class Range {
  readonly start: number;
  readonly step: number;
  readonly length: number;
  readonly stop: number;
  constructor(start: number, stop: number, step: number) {
    if (step === 0) throw new Error('the step of "range" is 0');
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }
  *[Symbol.iterator](): IterableIterator<number> {
    for (let at = 0; at < this.length; at++) yield this.start + at * this.step;
  }
}

/** `keys()`, `values()` or `items()` of a dict. */
export class View {
  readonly kind: 'keys' | 'values' | 'items';
  readonly dict: Dict;
  constructor(kind: 'keys' | 'values' | 'items', dict: Dict) {
    this.kind = kind;
    this.dict = dict;
  }
  *[Symbol.iterator](): IterableIterator<Value> {
    for (const [key, value] of this.dict)
      yield this.kind === 'keys' ? key : this.kind === 'values' ? value : new Tuple([key, value]);
  }
}

/** What `map`, `select` and their like give: it can be gone through once, and neither printed nor measured. */
export class Generator {
  readonly #items: IterableIterator<Value>;
  constructor(items: Iterable<Value>) {
    this.#items = (function* () {
      yield* items;
    })();
  }
  [Symbol.iterator](): IterableIterator<Value> {
    return this.#items;
  }
}

/** Arguments of a call. */
export interface Arguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** What is no data: a macro, a function, a method, a loop, a namespace. */
export class Thing {
  /** What it is, for messages. */
  readonly kind: string;
  readonly member: (name: string) => Value | undefined;
  readonly call: ((given: Arguments) => Value) | null;
  /** What `set thing.x` writes to. */
  readonly fields: Map<string, Value> | null;
  constructor(
    kind: string,
    parts: {
      readonly member?: (name: string) => Value | undefined;
      readonly call?: (given: Arguments) => Value;
      readonly fields?: Map<string, Value>;
    },
  ) {
    this.kind = kind;
    this.fields = parts.fields ?? null;
    this.member = parts.member ?? (name => this.fields?.get(name));
    this.call = parts.call ?? null;
  }
}

/** A whole number that is exact, else an Error: Python's have no end, ours do. */
export function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error('a whole number is larger than 2^53');
  return value === 0 ? 0 : value;
}

/** Python's name of a type. */
export function kindOf(value: Value): string {
  if (value instanceof Undefined) return 'undefined';
  if (value === null) return 'none';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'int';
  if (typeof value === 'string') return 'str';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'dict';
  if (value instanceof Thing) return value.kind;
  if (value instanceof View) return `dict_${value.kind}`;
  return value.constructor.name.toLowerCase();
}

export function truth(value: Value): boolean {
  if (value instanceof Undefined) return false;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Markup) return value.text !== '';
  if (value instanceof Map) return value.size > 0;
  if (value instanceof View) return value.dict.size > 0;
  if (value instanceof Tuple) return value.items.length > 0;
  if (Array.isArray(value) || value instanceof Range) return value.length > 0;
  return Boolean(value);
}

/** Goes through a value as `for` does. */
export function iterate(value: Value): Iterable<Value> {
  if (value instanceof Undefined) return [];
  if (typeof value === 'string') return value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Tuple) return value.items;
  if (value instanceof Map) return value.keys();
  if (Array.isArray(value) || value instanceof Range || value instanceof View || value instanceof Generator)
    return value;
  throw new Error(`${kindOf(value)} can not be gone through`);
}

export function lengthOf(value: Value): number {
  if (typeof value === 'string') return points(value).length;
  if (value instanceof Markup) return points(value.text).length;
  if (value instanceof Undefined) return 0;
  if (value instanceof Map) return value.size;
  if (value instanceof View) return value.dict.size;
  if (value instanceof Tuple) return value.items.length;
  if (Array.isArray(value) || value instanceof Range) return value.length;
  throw new Error(`${kindOf(value)} has no length`);
}

/** A text by its characters, as Python counts them; most texts have no pairs of UTF-16 units. */
export function points(text: string): string | string[] {
  return /[\ud800-\udfff]/.test(text) ? [...text] : text;
}

/** The number behind a value, true and false included; `null` where it is none. */
export function numeric(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (value instanceof Float) return value.value;
  return typeof value === 'boolean' ? Number(value) : null;
}

/** A value as a key of a dict. */
export function keyOf(value: Value): Key {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  throw new Error(`${kindOf(value)} is no key here: texts, whole numbers and none are`);
}

export function bounded(text: string): string {
  if (text.length > MAX_TEXT) throw new Error(`a text is longer than ${MAX_TEXT} characters`);
  return text;
}

/** `items` times `count`, refused before it is made where it is too much. */
export function checkedCount(items: number, count: number): number {
  if (items * count > MAX_TEXT) throw new Error(`more than ${MAX_TEXT} characters or items`);
  return Math.max(0, count);
}
