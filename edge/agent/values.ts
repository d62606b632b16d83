/** Readers of slurmrestd's values, whose spelling changes with every API version: tolerant of all known ones. */

export type Raw = Readonly<Record<string, unknown>>;

/** Slurm's optional number as the frontends expect it. */
export interface Optional {
  readonly set: boolean;
  readonly infinite: boolean;
  readonly number: number;
}

const UNSET: Optional = { set: false, infinite: false, number: 0 };
/** NO_VAL and INFINITE of slurm.h, as 32-bit numbers. */
const NO_VAL = 4_294_967_294;
const INFINITE = 4_294_967_295;
/** NO_VAL64 and INFINITE64 arrive as floats from here on. */
const FIRST_64 = 2 ** 63;

export function raw(value: unknown): Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : {};
}

export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Unset for null, absent, -2, NO_VAL, anything from 2^63 up and `set: false`; `infinite` wins over `set`. */
export function optional(value: unknown): Optional {
  if (typeof value === 'object' && value !== null) {
    const { set, infinite, number } = value as Raw;
    if (infinite === true) return { set: false, infinite: true, number: 0 };
    if (set === false) return UNSET;
    return optional(number);
  }
  const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return UNSET;
  if (number === INFINITE) return { set: false, infinite: true, number: 0 };
  if (number === -2 || number === NO_VAL || number >= FIRST_64) return UNSET;
  return { set: true, infinite: false, number };
}

/** A plain number, 0 for what is unset. */
export function number(value: unknown): number {
  return optional(value).number;
}

/** A plain whole number, 0 for what is unset. */
export function integer(value: unknown): number {
  return Math.trunc(number(value));
}

/** A text, never null: lists are joined by commas. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(text).join(',');
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** A list of texts out of a list or a comma-separated text. */
export function texts(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(text).filter(item => item !== '');
  return typeof value === 'string' ? value.split(',').filter(item => item !== '') : [];
}

/**
 * States as upper-case words: a text or a list of them, flags merged in (0.0.38 keeps a node's flags beside its
 * lower-case state).
 */
export function states(value: unknown, flags?: unknown): string[] {
  const words = [...texts(value), ...texts(flags)].map(word => word.toUpperCase());
  return words.filter((word, at) => words.indexOf(word) === at);
}

/** A member whatever the case of its name: `qos`/`QOS`, `tres`/`TRES`, `meta.slurm`/`meta.Slurm`. */
export function member(object: Raw, name: string): unknown {
  if (name in object) return object[name];
  const found = Object.keys(object).find(key => key.toLowerCase() === name);
  return found === undefined ? undefined : object[found];
}
