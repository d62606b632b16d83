/**
 * Cuts a template into tokens, with the white space that Jinja takes away around its tags (jinja2/lexer.py):
 * `trim_blocks` and `lstrip_blocks` are on, the last newline is kept.
 */
import { numberOf, readText } from './literals.ts';
import type { Float } from './values.ts';

export interface Token {
  readonly type:
    | 'text'
    | 'begin'
    | 'end'
    | 'output'
    | 'output-end'
    | 'name'
    | 'constant'
    | 'operator'
    | 'eof';
  /** Of a name, an operator or a text; what an error shows of the others. */
  readonly text: string;
  /** Of a constant. */
  readonly value?: string | number | Float;
  readonly line: number;
}

const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy;
const STRING = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy;
const FLOAT = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;
const BLANK = /\s+/y;
const TAG = /\{%|\{\{|\{#/g;
const RAW = /\{%[-+]?\s*raw\s*(?:-%\}\s*|%\})/y;
const END_RAW = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\}\n?)/g;
const END_COMMENT = /\+#\}|-#\}\s*|#\}\n?/g;
const END_BLOCK = /\+%\}|-%\}\s*|%\}\n?/y;
const END_OUTPUT = /-\}\}\s*|\}\}/y;
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

/** Tokens of a template. Throws an Error that begins with its place, `[Line N]`. */
export function tokenize(template: string): Token[] {
  return new Lexer(template.replace(/\r\n?/g, '\n')).run();
}

export function failAt(line: number, what: string): never {
  throw new Error(`[Line ${line}] ${what}`);
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #at = 0;
  #line = 1;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    while (this.#at < this.#source.length) this.#text();
    this.#push('eof', 'the end of the template');
    return this.#tokens;
  }

  #push(type: Token['type'], text: string, value?: string | number | Float): void {
    this.#tokens.push({ type, text, line: this.#line, ...(value === undefined ? {} : { value }) });
  }

  /** Goes on to a place, counting the lines on the way. */
  #move(to: number): void {
    for (const character of this.#source.slice(this.#at, to)) if (character === '\n') this.#line++;
    this.#at = to;
  }

  #match(pattern: RegExp, from = this.#at): RegExpExecArray | null {
    pattern.lastIndex = from;
    return pattern.exec(this.#source);
  }

  /** The text up to the next tag, then that tag whole. */
  #text(): void {
    const tag = this.#match(TAG);
    const end = tag?.index ?? this.#source.length;
    const sign = tag === null ? '+' : this.#source.charAt(end + 2);
    const text = this.#source.slice(this.#at, end);
    this.#data(text, tag?.[0] === '{{' && sign !== '-' ? '+' : sign);
    this.#move(end);
    if (tag === null) return;
    if (tag[0] === '{#') this.#comment();
    else if (tag[0] === '{{') this.#code('output', 'output-end', END_OUTPUT);
    else if (this.#match(RAW)) this.#raw();
    else this.#code('begin', 'end', END_BLOCK);
  }

  /** A text before a tag: `-` takes all white space off its end, `+` none, otherwise the tag's indent goes. */
  #data(text: string, sign: string): void {
    let kept = text;
    if (sign === '-') kept = text.trimEnd();
    else if (sign !== '+') {
      const start = text.lastIndexOf('\n') + 1;
      const lineStart = start > 0 || this.#at === 0 || this.#source.charAt(this.#at - 1) === '\n';
      if (lineStart && text.slice(start).trim() === '') kept = text.slice(0, start);
    }
    if (kept !== '') this.#push('text', kept);
  }

  #sign(): string {
    const sign = this.#source.charAt(this.#at + 2);
    return sign === '-' || sign === '+' ? sign : '';
  }

  #comment(): void {
    const end = this.#match(END_COMMENT, this.#at + 2 + this.#sign().length);
    if (end === null) failAt(this.#line, 'a comment has no end');
    this.#move(end.index + end[0].length);
  }

  #raw(): void {
    const begin = this.#match(RAW);
    const line = this.#line;
    this.#move(this.#at + (begin?.[0].length ?? 0));
    const end = this.#match(END_RAW);
    if (end === null) failAt(line, '"raw" has no end');
    this.#data(this.#source.slice(this.#at, end.index), end[1] ?? '');
    this.#move(end.index + end[0].length);
  }

  #code(begin: 'begin' | 'output', end: 'end' | 'output-end', last: RegExp): void {
    this.#push(begin, begin === 'begin' ? '{%' : '{{');
    const line = this.#line;
    this.#move(this.#at + 2 + this.#sign().length);
    const open: string[] = [];
    while (this.#at < this.#source.length) {
      const closed = open.length === 0 ? this.#match(last) : null;
      if (closed !== null) {
        this.#push(end, end === 'end' ? '%}' : '}}');
        this.#move(this.#at + closed[0].length);
        return;
      }
      this.#piece(open);
    }
    failAt(line, 'a tag has no end');
  }

  #piece(open: string[]): void {
    const found =
      this.#match(BLANK) ??
      this.#literal(FLOAT, text => numberOf(text, true)) ??
      this.#literal(INTEGER, text => numberOf(text, false)) ??
      this.#literal(STRING, readText) ??
      this.#word(NAME, 'name') ??
      this.#word(OPERATOR, 'operator');
    if (found === null)
      failAt(this.#line, `unexpected character ${JSON.stringify(this.#source.charAt(this.#at))}`);
    const closing = CLOSING.get(found[0]);
    if (closing !== undefined) open.push(closing);
    else if (/^[)\]}]$/.test(found[0]) && open.pop() !== found[0])
      failAt(this.#line, `unexpected "${found[0]}"`);
    this.#move(this.#at + found[0].length);
  }

  #literal(pattern: RegExp, read: (text: string) => string | number | Float): RegExpExecArray | null {
    const found = this.#match(pattern);
    if (found === null) return null;
    try {
      this.#push('constant', found[0].slice(0, 40), read(found[0]));
    } catch (error) {
      failAt(this.#line, (error as Error).message);
    }
    return found;
  }

  #word(pattern: RegExp, type: 'name' | 'operator'): RegExpExecArray | null {
    const found = this.#match(pattern);
    if (found !== null) this.#push(type, found[0]);
    return found;
  }
}
