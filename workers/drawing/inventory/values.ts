/** Grammars of the inventory's own value types: dimensions, angles, rack heights and widths, sizes, rates, powers. */
import type { Scalar } from '../../../proto/tree.ts';

/** An exact share of a rack's inner width, reduced. */
export interface Fraction {
  readonly p: number;
  readonly q: number;
}

/** A value that was read; `rest` is what followed it and was passed over, empty when nothing did. */
export interface ReadValue {
  readonly value: number | string | Fraction;
  readonly rest: string;
}

/** A type of the inventory's values. `read` answers null for what it can't read. */
export interface ValueType {
  /** A pattern for people and for the schema view. */
  readonly pattern: RegExp;
  /** What a good value looks like. */
  readonly example: string;
  readonly read: (match: RegExpExecArray) => number | string | Fraction | null;
}

/** Largest number of digits that a number may have before its point. */
const DIGITS = 9;

/** A decimal number times a factor, in exact integer arithmetic, its fraction truncated: `1.005` × 1000 is 1005. */
function times(text: string, factor: number): number | null {
  const [whole = '0', fraction = ''] = text.split('.');
  if (whole.length > DIGITS || fraction.length > DIGITS) return null;
  return Number((BigInt(whole + fraction) * BigInt(factor)) / 10n ** BigInt(fraction.length));
}

/** A type of numbers with units, by factor. */
function measured(example: string, units: Readonly<Record<string, number>>): ValueType {
  return {
    pattern: new RegExp(`^(\\d+(?:\\.\\d+)?)(${Object.keys(units).join('|')})`),
    example,
    read: match => times(match[1] ?? '0', units[match[2] ?? ''] ?? 1),
  };
}

function words(...known: readonly string[]): ValueType {
  return {
    pattern: new RegExp(`^(${known.join('|')})`),
    example: known.join(', '),
    read: match => match[1] ?? null,
  };
}

const KI = 1024;

/** The value types by name. Units count by case and stand right behind the number. */
export const VALUE_TYPES: Readonly<Record<string, ValueType>> = {
  dimension: measured('600mm, 186.7cm or 2m', { mm: 1, cm: 10, m: 1000 }),
  angle: {
    pattern: /^(\d+)/,
    example: 'a whole number of degrees, 0 to 360',
    read: match => (Number(match[1]) <= 360 ? Number(match[1]) : null),
  },
  rack_height: {
    pattern: /^(\d+)u/,
    example: '2u',
    read: match => ((match[1] ?? '').length <= 4 ? Number(match[1]) : null),
  },
  rack_width: {
    pattern: /^(full|\d+\/\d+|\d+(?:\.\d+)?)/,
    example: 'full, 1/2 or 0.5, above 0 and at most 1',
    read: match => fraction(match[1] ?? ''),
  },
  bytes: measured('32GB', { MB: KI ** 2, GB: KI ** 3, TB: KI ** 4 }),
  bits: measured('10Gb', { Mb: 1e6, Gb: 1e9, Tb: 1e12 }),
  watts: measured('450W or 1.2kW', { W: 1, kW: 1e3, MW: 1e6 }),
  storage_type: words('ssd', 'disk', 'nvme'),
  netif_type: words('ethernet', 'infiniband'),
};

function fraction(text: string): Fraction | null {
  if (text === 'full') return { p: 1, q: 1 };
  const [above = '', below] = text.split(text.includes('/') ? '/' : '.');
  if (above.length > DIGITS || (below ?? '').length > DIGITS) return null;
  const q = below === undefined ? 1 : text.includes('/') ? Number(below) : 10 ** below.length;
  const p = text.includes('.') ? Number(above + (below ?? '')) : Number(above);
  if (p === 0 || q === 0 || p > q) return null;
  const shared = divisor(p, q);
  return { p: p / shared, q: q / shared };
}

/** Greatest common divisor. */
function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** Reads a scalar as a value type; null when it can't be. */
export function readValue(type: ValueType, scalar: Scalar, text: string): ReadValue | null {
  if (scalar === null || typeof scalar === 'boolean') return null;
  const match = type.pattern.exec(text);
  if (!match) return null;
  const value = type.read(match);
  return value === null ? null : { value, rest: text.slice(match[0].length) };
}
