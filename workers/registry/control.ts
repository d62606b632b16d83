/** Stanzas of Debian control files: read strictly, because a lenient reader lets a package forge index entries. */
import { Fault } from '../../proto/fault.ts';

/** Fields in their order; names as written, values with their continuation lines. */
export type Stanza = ReadonlyMap<string, string>;

/** Bytes of a control file, at most. */
const MAX_CONTROL = 1024 * 1024;
/** Field names of deb822(5): printable US-ASCII but space and colon, not beginning with # or -. Values may hold what only Unicode calls a line's end. */
const FIELD = /^([!-"$-,.-9;-~][!-9;-~]*):[ \t]*(.*)$/s;

/** Reads exactly one stanza. Throws `bad-package` naming the file and the line. */
export function readStanza(bytes: Uint8Array, where: string): Stanza {
  if (bytes.length > MAX_CONTROL) throw bad(where, 0, `is larger than ${MAX_CONTROL} bytes`);
  const fields = new Map<string, string>();
  const seen = new Set<string>();
  let last = '';
  const lines = decode(bytes, where).replace(/\n+$/, '').split('\n');
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    if (line.includes('\r') || line.includes('\0')) throw bad(where, number, 'has a control character');
    if (line.trim() === '') throw bad(where, number, 'is blank: a second stanza would begin');
    if (/^[ \t]/.test(line)) {
      if (last === '') throw bad(where, number, 'continues no field');
      fields.set(last, `${fields.get(last)}\n${line}`);
      continue;
    }
    const match = FIELD.exec(line);
    if (!match) throw bad(where, number, 'is no field');
    last = match[1] ?? '';
    if (seen.has(last.toLowerCase())) throw bad(where, number, `repeats the field ${last}`);
    seen.add(last.toLowerCase());
    fields.set(last, (match[2] ?? '').trimEnd());
  }
  return fields;
}

function decode(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bad(where, 0, 'is not UTF-8');
  }
}

function bad(where: string, line: number, what: string): Fault {
  const place = line > 0 ? `${where}, line ${line}` : where;
  return new Fault('invalid', 'bad-package', `${place} ${what}`, line > 0 ? { line } : {});
}

/** The value of a field that must be there, on one line, and match. Throws `bad-package`. */
export function need(stanza: Stanza, field: string, form: RegExp, where: string): string {
  const value = get(stanza, field);
  if (value === undefined) throw bad(where, 0, `has no field ${field}`);
  if (!form.test(value))
    throw bad(where, 0, `has a ${field} that can't be: ${JSON.stringify(value.slice(0, 80))}`);
  return value;
}

/** A field's value by its name in any case. */
export function get(stanza: Stanza, field: string): string | undefined {
  const exact = stanza.get(field);
  if (exact !== undefined) return exact;
  const lower = field.toLowerCase();
  for (const [name, value] of stanza) if (name.toLowerCase() === lower) return value;
  return undefined;
}

/** A stanza as index text, with its final newline; fields given first come first, others named there are replaced. */
export function renderStanza(
  first: readonly (readonly [string, string])[],
  stanza: Stanza,
  last: readonly (readonly [string, string])[],
  without: readonly string[] = [],
): string {
  const taken = new Set([...first, ...last].map(([name]) => name.toLowerCase()));
  for (const name of without) taken.add(name.toLowerCase());
  const rest = [...stanza].filter(([name]) => !taken.has(name.toLowerCase()));
  return [...first, ...rest, ...last]
    .map(([name, value]) => `${name}:${value === '' || value.startsWith('\n') ? '' : ' '}${value}\n`)
    .join('');
}

/**
 * The first line of a field's value in a stanza as text, empty where there is none. Names may be written in any case
 * (deb822(5)), and only a line feed ends a line, whatever a description holds.
 */
export function firstLine(stanza: string, name: string): string {
  const isFirst = stanza.startsWith(`${name}:`);
  const start = isFirst ? 0 : stanza.indexOf(`\n${name}:`) + 1;
  if (isFirst || start > 0) {
    const end = stanza.indexOf('\n', start);
    return stanza.slice(start + name.length + 1, end < 0 ? stanza.length : end).trim();
  }
  // Hardly any package does, and this takes longer.
  return new RegExp(`(?:^|\\n)${name}:([^\\n]*)`, 'i').exec(stanza)?.[1]?.trim() ?? '';
}
