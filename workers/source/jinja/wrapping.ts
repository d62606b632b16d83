/** Lines of a limited width, as Python's textwrap makes them without expanding tabs. */
import { points } from './values.ts';

/** Pieces between which a line may be broken (`wordsep_re` of textwrap.py): blanks, words, parts of hyphenated words. */
const WORD = '[\\p{L}\\p{N}_!"\'&.,?]';
const LETTER = '[\\p{L}_]';
const BLANK = '[\\t\\n\\v\\f\\r ]';
const HYPHENED = new RegExp(
  `(${BLANK}+|(?<=${WORD})-{2,}(?=[\\p{L}\\p{N}_])|[^\\t\\n\\v\\f\\r ]+?(?:-(?:(?<=${LETTER}{2}-)|(?<=${LETTER}-${WORD}-))` +
    `(?=${LETTER}-?${LETTER})|(?=${BLANK}|$)|(?<=${WORD})(?=-{2,}[\\p{L}\\p{N}_])))`,
  'u',
);
const BLANKS = /([\t\n\v\f\r ]+)/;

/** One line of text as several. */
export function wrap(line: string, width: number, breakLong: boolean, hyphens: boolean): string[] {
  const chunks = line.split(hyphens ? HYPHENED : BLANKS).filter(chunk => chunk !== '');
  const found: string[] = [];
  while (chunks.length > 0) {
    if (found.length > 0 && isBlank(chunks[0])) chunks.shift();
    const row = takeRow(chunks, width, breakLong, hyphens);
    if (isBlank(row.at(-1))) row.pop();
    if (row.length > 0) found.push(row.join(''));
  }
  return found;
}

function isBlank(chunk: string | undefined): boolean {
  return chunk !== undefined && chunk.trim() === '';
}

/** Takes the chunks of one line off the front. */
function takeRow(chunks: string[], width: number, breakLong: boolean, hyphens: boolean): string[] {
  const row: string[] = [];
  let size = 0;
  for (let next = chunks[0]; next !== undefined && size + points(next).length <= width; next = chunks[0]) {
    row.push(next);
    size += points(next).length;
    chunks.shift();
  }
  const [next] = chunks;
  if (next === undefined || points(next).length <= width) return row;
  if (!breakLong) {
    if (row.length === 0) row.push(...chunks.splice(0, 1));
    return row;
  }
  const all = [...points(next)];
  let end = width - size;
  const hyphen = all.slice(0, end).lastIndexOf('-');
  if (hyphens && all.length > end && hyphen > 0 && all.slice(0, hyphen).some(one => one !== '-'))
    end = hyphen + 1;
  row.push(all.slice(0, end).join(''));
  chunks[0] = all.slice(end).join('');
  return row;
}
