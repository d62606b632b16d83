/** How Python prints values: `str` and `repr`. */
import {
  Float,
  Generator,
  kindOf,
  Markup,
  Range,
  Thing,
  Tuple,
  Undefined,
  type Value,
  View,
} from './values.ts';

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** A value as a template prints it. Throws for what has no text that could be meant. */
export function str(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined) return '';
  if (value instanceof Markup) return value.text;
  return repr(value);
}

/** A value as it stands inside of a printed list. */
export function repr(value: Value): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Float) return printFloat(value.value);
  if (value instanceof Markup) return `Markup(${quote(value.text)})`;
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (value instanceof Tuple) return printTuple(value.items);
  if (value instanceof Map)
    return `{${[...value].map(([key, held]) => `${repr(key)}: ${repr(held)}`).join(', ')}}`;
  if (value instanceof Range)
    return `range(${value.start}, ${value.stop}${value.step === 1 ? '' : `, ${value.step}`})`;
  if (value instanceof View) return `dict_${value.kind}([${[...value].map(repr).join(', ')}])`;
  if (value instanceof Generator)
    throw new Error('a sequence that is made as it is read is printed: add "| list"');
  if (value instanceof Thing) throw new Error(`${value.kind} is printed, which has no text`);
  throw new Error(`${kindOf(value)} has no text`);
}

function printTuple(items: readonly Value[]): string {
  return `(${items.map(repr).join(', ')}${items.length === 1 ? ',' : ''})`;
}

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/[\\'\p{C}\p{Z}]/gu, character => {
    if (character === ' ') return ' ';
    if (character === "'") return mark === "'" ? "\\'" : "'";
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return (
      NAMED[character] ??
      (code < 0x100
        ? `\\x${hex.padStart(2, '0')}`
        : code < 0x10000
          ? `\\u${hex.padStart(4, '0')}`
          : `\\U${hex.padStart(8, '0')}`)
    );
  });
  return mark + inner + mark;
}

/** Python's shortest form of a float: an exponent below 1e-4 and from 1e16 on, else always a point. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16)
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  const plain =
    exponent < 0 ? value.toFixed(digits.replace(/[-.]/g, '').length - 1 - exponent) : String(value);
  return plain.includes('.') ? plain : `${plain}.0`;
}
