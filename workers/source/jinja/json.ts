/** JSON as `tojson` writes it (Python's blanks, sorted keys, ASCII only, harmless within HTML), and JSON as a line. */
import { printFloat } from './printing.ts';
import { checkedCount, Float, kindOf, Markup, Tuple, type Value } from './values.ts';

/** A value as JSON, on one line or indented by so many blanks. */
export function json(value: Value, indent: number | null): string {
  return write(value, indent, 0).replace(
    /[<>&']|[^\x00-\x7f]/g,
    one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function write(value: Value, indent: number | null, depth: number): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Markup) return JSON.stringify(value.text);
  if (value instanceof Float) {
    if (!Number.isFinite(value.value)) throw new Error('this number has no JSON');
    return printFloat(value.value);
  }
  const items = Array.isArray(value) ? value : value instanceof Tuple ? value.items : null;
  if (items !== null) {
    return block(
      '[',
      ']',
      items.map(item => write(item, indent, depth + 1)),
      indent,
      depth,
    );
  }
  if (value instanceof Map) {
    const keys = [...value.keys()];
    if (new Set(keys.map(key => typeof key)).size > 1) throw new Error('keys of several types have no order');
    const sorted = [...value].sort(([a], [b]) => ((a ?? 0) < (b ?? 0) ? -1 : 1));
    const pairs = sorted.map(
      ([key, held]) => `${JSON.stringify(String(key))}: ${write(held, indent, depth + 1)}`,
    );
    return block('{', '}', pairs, indent, depth);
  }
  throw new Error(`${kindOf(value)} has no JSON`);
}

function block(open: string, close: string, parts: string[], indent: number | null, depth: number): string {
  if (parts.length === 0) return open + close;
  if (indent === null) return `${open}${parts.join(', ')}${close}`;
  const line = (by: number): string => `\n${' '.repeat(checkedCount(indent, by) * indent)}`;
  return `${open}${line(depth + 1)}${parts.join(`,${line(depth + 1)}`)}${line(depth)}${close}`;
}

/** A message as a line of its own. Readers of lines take U+2028 and U+2029, which JSON lets stand, for their ends. */
export function toLine(message: object): string {
  const escaped = JSON.stringify(message).replace(
    /[\u2028\u2029]/g,
    one => `\\u${one.charCodeAt(0).toString(16)}`,
  );
  return `${escaped}\n`;
}
