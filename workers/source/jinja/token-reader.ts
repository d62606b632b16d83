/** Goes through the tokens of a template, one at a time. */
import { failAt, type Token } from './lexer.ts';

/** Levels of parentheses and operators, so that neither parser nor machine runs out of stack. */
const MAX_DEPTH = 100;

export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  protected get current(): Token {
    return this.#tokens[this.#at] ?? failAt(0, 'the template ends too early');
  }

  protected next(): Token {
    const token = this.current;
    if (token.type !== 'eof') this.#at++;
    return token;
  }

  /** Whether a name or an operator is what comes after the next token. */
  protected ahead(text: string): boolean {
    const token = this.#tokens[this.#at + 1];
    return (token?.type === 'name' || token?.type === 'operator') && token.text === text;
  }

  /** Whether one of these names or operators is what comes. */
  protected sees(...texts: string[]): boolean {
    const { type, text } = this.current;
    return (type === 'name' || type === 'operator') && texts.includes(text);
  }

  protected skip(text: string): boolean {
    if (!this.sees(text)) return false;
    this.next();
    return true;
  }

  /** Takes a token of a kind (`name`, `end`, `output-end`), else the name or operator that is asked for. */
  protected expect(what: string): Token {
    const isKind = what === 'name' || what === 'end' || what === 'output-end';
    if (isKind ? this.current.type === what : this.sees(what)) return this.next();
    return this.unexpected(
      what === 'end' ? '"%}"' : what === 'output-end' ? '"}}"' : isKind ? 'a name' : `"${what}"`,
    );
  }

  protected unexpected(wanted: string): never {
    failAt(this.current.line, `unexpected "${this.current.text}", expected ${wanted}`);
  }

  /** Parses what may hold itself. */
  protected deeper<Result>(parse: () => Result): Result {
    if (++this.#depth > MAX_DEPTH) failAt(this.current.line, 'it is nested too deeply');
    const found = parse();
    this.#depth--;
    return found;
  }
}
