/** Nodesets: names folded with bracketed ranges and joined by set operators, and their expansion in sorted order. */

/** Members that one set may have. */
const MAX_MEMBERS = 100_000;

/** What is wrong with a nodeset, and where in its text (0-based). */
export class NodesetError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(`${message} (position ${at + 1})`);
    this.name = 'NodesetError';
    this.at = at;
  }
}

const OPERATORS = ',!&^';

/**
 * Members of a nodeset, sorted by name with numbers as `%s`, then number by number (digit count, then value), without
 * repeats. Throws NodesetError.
 */
export function expand(text: string): string[] {
  let members = new Set<string>();
  for (const { operator, operand, at } of operands(text)) {
    const names = expandName(operand, at);
    if (operator === '&') members = new Set(names.filter(name => members.has(name)));
    else if (operator === '!') for (const name of names) members.delete(name);
    else if (operator === '^') for (const name of new Set(names)) toggle(members, name);
    else for (const name of names) members.add(name);
    if (members.size > MAX_MEMBERS) throw new NodesetError(`more than ${MAX_MEMBERS} members`, at);
  }
  return sortNames(members);
}

function toggle(members: Set<string>, name: string): void {
  if (!members.delete(name)) members.add(name);
}

/** The operands with the operator before each (`,` before the first), split outside brackets. */
function operands(text: string): { operator: string; operand: string; at: number }[] {
  const found: { operator: string; operand: string; at: number }[] = [];
  let operator = ',';
  let start = 0;
  let inside = false;
  const take = (end: number): void => {
    const raw = text.slice(start, end);
    const operand = raw.trim();
    const at = start + (raw.length - raw.trimStart().length);
    if (operand === '') throw new NodesetError(text.trim() === '' ? 'empty name' : 'empty operand', start);
    const bad = /[@*?\x00-\x1f]/.exec(operand);
    if (bad) throw new NodesetError(`"${bad[0]}" can't stand in a name`, at + bad.index);
    found.push({ operator, operand, at });
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '[') {
      if (inside) throw new NodesetError('"[" within brackets', at);
      inside = true;
    } else if (char === ']') {
      if (!inside) throw new NodesetError('"]" without "["', at);
      inside = false;
    } else if (!inside && OPERATORS.includes(char)) {
      take(at);
      operator = char;
      start = at + 1;
    }
  }
  if (inside) throw new NodesetError('"[" is not closed', text.lastIndexOf('['));
  take(text.length);
  return found;
}

function expandName(name: string, at: number): string[] {
  let heads = [''];
  let rest = 0;
  for (const match of name.matchAll(/\[([^\]]*)\]/g)) {
    const between = name.slice(rest, match.index);
    const numbers = expandRanges(match[1] ?? '', at + match.index + 1);
    if (heads.length * numbers.length > MAX_MEMBERS)
      throw new NodesetError(`more than ${MAX_MEMBERS} members`, at);
    heads = heads.flatMap(head => numbers.map(number => head + between + number));
    rest = match.index + match[0].length;
  }
  const tail = name.slice(rest);
  return tail === '' ? heads : heads.map(head => head + tail);
}

function expandRanges(text: string, at: number): string[] {
  const found: string[] = [];
  let start = at;
  for (const part of text.split(',')) {
    found.push(...expandRange(part.trim(), start));
    if (found.length > MAX_MEMBERS) throw new NodesetError(`more than ${MAX_MEMBERS} members`, start);
    start += part.length + 1;
  }
  return found;
}

function expandRange(text: string, at: number): string[] {
  if (text === '') throw new NodesetError('empty range', at);
  const match = /^(\d{1,15})(?:-(\d{1,15})(?:\/(\d{1,15}))?)?$/.exec(text);
  if (!match) throw new NodesetError(`"${text}" is not a range`, at);
  const [, from = '', to, by] = match;
  if (to === undefined) return [from];
  const padded = (from.startsWith('0') && from.length > 1) || (to.startsWith('0') && to.length > 1);
  if (padded && from.length !== to.length)
    throw new NodesetError(`ends of ${text} are padded to unequal lengths`, at);
  const step = Number(by ?? 1);
  if (step === 0) throw new NodesetError(`the step of ${text} is 0`, at);
  const [first, last] = [Number(from), Number(to)];
  if (first > last) throw new NodesetError(`${text} runs backwards`, at);
  if ((last - first) / step >= MAX_MEMBERS) throw new NodesetError(`more than ${MAX_MEMBERS} members`, at);
  const numbers: string[] = [];
  for (let number = first; number <= last; number += step)
    numbers.push(padded ? String(number).padStart(from.length, '0') : String(number));
  return numbers;
}

/** A name taken apart: text with each number replaced by `%s`, and the numbers as digits. */
interface Parts {
  readonly name: string;
  readonly pattern: string;
  readonly numbers: readonly string[];
}

function takeApart(name: string): Parts {
  const numbers: string[] = [];
  const pattern = name.replace(/\d+/g, digits => {
    numbers.push(digits);
    return '%s';
  });
  return { name, pattern, numbers };
}

function compareParts(a: Parts, b: Parts): number {
  if (a.pattern !== b.pattern) return compareText(a.pattern, b.pattern);
  for (const [index, digits] of a.numbers.entries()) {
    const other = b.numbers[index] ?? '';
    if (digits.length !== other.length) return digits.length - other.length;
    if (digits !== other) return digits < other ? -1 : 1;
  }
  return 0;
}

/** Order by code points, not by UTF-16 units. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [[...a], [...b]];
  for (const [index, char] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (char !== other) return (char.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
  }
  return -1;
}

/** Names in a nodeset's order, without repeats. */
export function sortNames(names: Iterable<string>): string[] {
  const parts = [...new Set(names)].map(takeApart);
  return parts.sort(compareParts).map(part => part.name);
}

/** Names in natural order (`R2` before `R10`), for entries of folders. */
export function compareNatural(a: string, b: string): number {
  const [left, right] = [a.split(/(\d+)/), b.split(/(\d+)/)];
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    if (index % 2 === 0) return compareText(part, other);
    const difference = BigInt(part) - BigInt(other);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
    return part.length - other.length;
  }
  return left.length - right.length;
}

/** One nodeset text for the names: the inverse of expand(). Folds the last number of a name only. */
export function fold(names: Iterable<string>): string {
  const groups = new Map<string, { head: string; tail: string; numbers: string[] }>();
  for (const name of sortNames(names)) {
    const match = /^(.*?)(\d+)(\D*)$/s.exec(name);
    const [head, digits, tail] = match ? [match[1] ?? '', match[2] ?? '', match[3] ?? ''] : [name, '', ''];
    const key = JSON.stringify([head, tail, match !== null]);
    const group = groups.get(key) ?? { head, tail, numbers: [] };
    if (match) group.numbers.push(digits);
    groups.set(key, group);
  }
  return [...groups.values()]
    .map(({ head, tail, numbers }) => (numbers.length === 0 ? head : head + bracket(numbers) + tail))
    .join(',');
}

function bracket(numbers: readonly string[]): string {
  if (numbers.length === 1) return numbers[0] ?? '';
  const runs: string[] = [];
  let from = 0;
  for (let at = 1; at <= numbers.length; at++) {
    const [before, here] = [numbers[at - 1] ?? '', numbers[at]];
    const next = String(Number(before) + 1).padStart(before.length, '0');
    // A longer number continues an unpadded run only: [9-10], but [099],[0100] are two paddings.
    if (here === next && (here.length === before.length || !before.startsWith('0'))) {
      const first = numbers[from] ?? '';
      if (here.length === first.length || !(first.startsWith('0') && first.length > 1)) continue;
    }
    const [first, last] = [numbers[from] ?? '', before];
    runs.push(first === last ? first : `${first}-${last}`);
    from = at;
  }
  return `[${runs.join(',')}]`;
}
