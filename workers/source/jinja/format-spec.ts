/** Numbers and texts in a width, with signs, digits and groups: Python's format specification. */
import { printFloat } from './printing.ts';
import { checkedCount, points } from './values.ts';

export interface Spec {
  readonly fill: string;
  /** `=` pads between sign and digits. */
  readonly align: '<' | '>' | '^' | '=';
  readonly sign: '-' | '+' | ' ';
  readonly alternate: boolean;
  readonly width: number;
  readonly group: '' | ',' | '_';
  readonly precision: number | null;
  readonly type: string;
}

export const PLAIN: Spec = {
  ...{ fill: ' ', align: '>', sign: '-', alternate: false },
  ...{ width: 0, group: '', precision: null, type: '' },
};
/** Digits behind the point that JavaScript can give. */
const MAX_DIGITS = 100;

/** Reads `[[fill]align][sign][#][0][width][group][.precision][type]`. */
export function parseSpec(text: string, align: '<' | '>'): Spec {
  const found = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su.exec(text);
  if (found === null) throw new Error(`"${text}" is no format`);
  const [, fill, side, sign, alternate, zero, width, group, precision, type] = found;
  return {
    fill: fill ?? (zero ? '0' : ' '),
    align: (side ?? (zero && align === '>' ? '=' : align)) as Spec['align'],
    sign: (sign ?? '-') as Spec['sign'],
    alternate: alternate !== undefined,
    width: Number(width ?? 0),
    group: (group ?? '') as Spec['group'],
    precision: precision === undefined ? null : Number(precision),
    type: type ?? '',
  };
}

export function formatText(text: string, spec: Spec): string {
  if ((spec.type !== '' && spec.type !== 's') || spec.align === '=' || spec.group !== '')
    throw new Error('a text can not be formatted as a number');
  const kept = spec.precision === null ? text : [...points(text)].slice(0, spec.precision).join('');
  return pad(kept, '', spec);
}

/** A number by its type: d b o x X for whole ones, e f g and % for all. */
export function formatNumber(value: number, float: boolean, spec: Spec): string {
  const negative = value < 0 || Object.is(value, -0);
  const sign = negative ? '-' : spec.sign === '-' ? '' : spec.sign;
  const size = Math.abs(value);
  const { type } = spec;
  if (!float && /^[dboxX]?$/.test(type)) return pad(...wholeDigits(size, sign, spec), spec);
  if (type === '' && spec.precision === null) return pad(grouped(printFloat(size), spec), sign, spec);
  if (!/^[eEfFgG%]$/.test(type) || spec.alternate)
    throw new Error(`the format "${spec.alternate ? '#' : ''}${type}" is not supported for this number`);
  if (!Number.isFinite(size)) return pad(printFloat(size), sign, { ...spec, fill: ' ' });
  const precision = spec.precision ?? 6;
  if (precision > MAX_DIGITS) throw new Error(`a number has at most ${MAX_DIGITS} digits behind its point`);
  const digits =
    type === '%' ? `${fixed(size * 100, precision)}%` : floatDigits(size, precision, type.toLowerCase());
  const cased = type === 'E' || type === 'G' ? digits.toUpperCase() : digits;
  return pad(grouped(cased, spec), sign, spec);
}

function wholeDigits(size: number, sign: string, spec: Spec): [digits: string, sign: string] {
  const base = { b: 2, o: 8, x: 16, X: 16 }[spec.type] ?? 10;
  const prefix = spec.alternate && base !== 10 ? `0${spec.type}` : '';
  const text = size.toString(base).padStart(checkedCount(1, spec.precision ?? 0), '0');
  return [grouped(spec.type === 'X' ? text.toUpperCase() : text, spec), sign + prefix];
}

function grouped(digits: string, spec: Spec): string {
  if (spec.group === '') return digits;
  if (spec.fill === '0' && spec.align === '=')
    throw new Error('groups of digits filled up with 0 are not supported');
  const size = /^[boxX]$/.test(spec.type) ? 4 : 3;
  const [, front = '', rest = ''] = /^([\da-fA-F]*)(.*)$/s.exec(digits) ?? [];
  return front.replace(new RegExp(`(?<=.)(?=(?:.{${size}})+$)`, 'g'), spec.group) + rest;
}

function floatDigits(size: number, precision: number, type: string): string {
  if (type === 'f') return fixed(size, precision);
  if (type === 'e') return exponential(size, precision);
  const digits = Math.max(1, precision);
  const exponent = size === 0 ? 0 : Number(exponential(size, digits - 1).split('e')[1]);
  const scientific = exponent < -4 || exponent >= digits;
  const [body = '', power] = (
    scientific ? exponential(size, digits - 1) : fixed(size, digits - 1 - exponent)
  ).split('e');
  const short = body.includes('.') ? body.replace(/\.?0+$/, '') : body;
  return power === undefined ? short : `${short}e${power}`;
}

function exponential(size: number, precision: number): string {
  const [digits = '', power = ''] = size.toExponential(precision).split('e');
  return `${digits}e${power.charAt(0)}${power.slice(1).padStart(2, '0')}`;
}

/** `toFixed`, but exact halves go to the even digit, as everywhere in Python. */
export function fixed(size: number, precision: number): string {
  if (size >= 1e21) return BigInt(size).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '');
  const up = size.toFixed(precision);
  if (precision + 30 > MAX_DIGITS) return up;
  const exact = size.toFixed(precision + 30);
  const half = /^50*$/.test(exact.slice(exact.length - 30));
  if (!half || /[02468]$/.test(up)) return up;
  const cut = exact.slice(0, exact.length - 30);
  return cut.endsWith('.') ? cut.slice(0, -1) : cut;
}

function pad(digits: string, sign: string, spec: Spec): string {
  const missing = checkedCount(1, spec.width - points(digits).length - sign.length);
  if (missing === 0) return sign + digits;
  if (spec.align === '=') return sign + spec.fill.repeat(missing) + digits;
  const left = spec.align === '<' ? 0 : spec.align === '^' ? Math.floor(missing / 2) : missing;
  return spec.fill.repeat(left) + sign + digits + spec.fill.repeat(missing - left);
}
