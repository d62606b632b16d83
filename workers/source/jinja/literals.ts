/** What texts and numbers mean as they are written in a template: Python's literals. */
import { Float, whole } from './values.ts';

const SIMPLE: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07' },
  ...{ '\\': '\\', "'": "'", '"': '"', '\n': '' },
};

/** Reads a quoted text, as Python reads its own. */
export function readText(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(
      /\\(x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|[0-7]{1,3}|.)/gis,
      (all: string, code: string): string => {
        if (/^[xuU]./.test(code) && code.length > 1) return character(Number.parseInt(code.slice(1), 16));
        if (/^[0-7]/.test(code)) return character(Number.parseInt(code, 8));
        if (/^[xuUN]$/.test(code)) throw new Error(`"${all}" is no whole escape`);
        // An unknown escape stands for itself, backslash included.
        return SIMPLE[code] ?? all;
      },
    );
}

function character(code: number): string {
  if (code > 0x10ffff) throw new Error('an escape names no character');
  return String.fromCodePoint(code);
}

/** Reads a number, `1_000` and `0x1f` included. */
export function numberOf(text: string, float: boolean): number | Float {
  const plain = text.replaceAll('_', '');
  return float ? new Float(Number(plain)) : whole(Number(plain));
}

/** What `int(text, base)` gives, `null` where it refuses. Base 0 is not known here. */
export function parseWhole(text: string, base = 10): number | null {
  if (!Number.isInteger(base) || base < 2 || base > 36)
    throw new Error(`"${base}" is no base of numbers here`);
  const found = /^\s*([+-]?)(0[xob]_?)?([\da-z]+(?:_[\da-z]+)*)\s*$/i.exec(text);
  if (found === null) return null;
  const [, sign = '', prefix = '', body = ''] = found;
  const prefixes: Readonly<Record<number, string>> = { 16: '0x', 8: '0o', 2: '0b' };
  const known = prefix === '' || prefixes[base] === prefix.slice(0, 2).toLowerCase();
  const digits = ((known ? '' : prefix) + body).replaceAll('_', '').toLowerCase();
  let total = 0;
  for (const digit of digits) {
    const value = Number.parseInt(digit, 36);
    if (value >= base) return null;
    total = total * base + value;
  }
  return whole(sign === '-' ? -total : total);
}

/** What `float(text)` gives, `null` where it refuses. */
export function parseFloating(text: string): number | null {
  const plain = text.trim().toLowerCase();
  const special = /^([+-]?)(inf(?:inity)?|nan)$/.exec(plain);
  if (special) return special[2] === 'nan' ? Number.NaN : special[1] === '-' ? -Infinity : Infinity;
  if (!/^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/.test(plain))
    return null;
  return Number(plain.replaceAll('_', ''));
}
