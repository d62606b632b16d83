/** Parses a template into its syntax tree, as Jinja does (jinja2/parser.py). */
import { ExpressionParser } from './expressions.ts';
import { failAt, tokenize } from './lexer.ts';
import type { Expression, FilterCall, Macro, Parameter, Statement, Target } from './nodes.ts';

/** Tags inside of each other, so that neither parser nor machine runs out of stack. */
const MAX_DEPTH = 50;
const REFUSED: ReadonlySet<string> = new Set(['include', 'import', 'from', 'extends', 'block', 'autoescape']);
/** Names that a macro takes arguments for by using them. */
const IMPLICIT: ReadonlySet<string> = new Set(['varargs', 'kwargs', 'caller']);

/** The statements of a template. Throws an Error that begins with its place, `[Line N]`. */
export function parse(template: string): Statement[] {
  return new Parser(tokenize(template)).template();
}

class Parser extends ExpressionParser {
  #depth = 0;

  template(): Statement[] {
    return this.#statements([], 0);
  }

  /** Statements up to one of the tags `ends`, whose name is then what comes. */
  #statements(ends: readonly string[], since: number): Statement[] {
    if (++this.#depth > MAX_DEPTH) failAt(since, 'it is nested too deeply');
    const found: Statement[] = [];
    for (;;) {
      const token = this.next();
      if (token.type === 'eof') {
        if (ends.length > 0) failAt(since, `"${ends.at(-1)}" is missing`);
        break;
      }
      if (token.type === 'text') found.push({ type: 'text', text: token.text, line: token.line });
      else if (token.type === 'output') {
        found.push({ type: 'output', value: this.tuple(), line: token.line });
        this.expect('output-end');
      } else {
        if (this.sees(...ends)) break;
        found.push(...this.#statement());
        this.expect('end');
      }
    }
    this.#depth--;
    return found;
  }

  #statement(): Statement[] {
    const { text: tag, line } = this.expect('name');
    switch (tag) {
      case 'for':
        return [this.#for(line)];
      case 'if':
        return [this.#if(line)];
      case 'set':
        return [this.#set(line)];
      case 'macro': {
        const { text: name } = this.expect('name');
        return [this.#macro(name, 'endmacro', line, this.#parameters())];
      }
      case 'call':
        return [this.#callBlock(line)];
      case 'filter': {
        const filter = this.#chain(this.filter(null, true));
        return [{ type: 'filter-block', filter, body: this.#body('endfilter', line), line }];
      }
      case 'with':
        return [this.#with(line)];
      case 'print':
        return this.#print(line);
      default:
        return failAt(
          line,
          REFUSED.has(tag) ? `"${tag}" is not part of the template language` : `there is no tag "${tag}"`,
        );
    }
  }

  /** The rest of a tag, its body and the name of its end. */
  #body(end: string, line: number): Statement[] {
    this.#open();
    const body = this.#statements([end], line);
    this.next();
    return body;
  }

  /** The end of an opening tag; a colon before it is let pass, for people who come from Python. */
  #open(): void {
    this.skip(':');
    this.expect('end');
  }

  #chain(first: FilterCall): FilterCall {
    let filter = first;
    while (this.sees('|')) filter = this.filter(filter, false);
    return filter;
  }

  #for(line: number): Statement {
    const target = this.#target('in');
    this.expect('in');
    const items = this.tuple({ choice: false, before: 'recursive' });
    const condition = this.skip('if') ? this.expression() : null;
    const recursive = this.skip('recursive');
    this.#open();
    const body = this.#statements(['else', 'endfor'], line);
    const otherwise = this.next().text === 'else' ? this.#body('endfor', line) : [];
    return { type: 'for', target, items, condition, recursive, body, otherwise, line };
  }

  #if(line: number): Statement {
    const branches: [Expression, Statement[]][] = [];
    let otherwise: Statement[] = [];
    for (let word = 'elif'; word === 'elif'; ) {
      const test = this.tuple({ choice: false });
      this.#open();
      branches.push([test, this.#statements(['elif', 'else', 'endif'], line)]);
      word = this.next().text;
      if (word === 'else') otherwise = this.#body('endif', line);
    }
    return { type: 'if', branches, otherwise, line };
  }

  #set(line: number): Statement {
    const target = this.#target('=', true);
    if (this.skip('=')) return { type: 'set', target, value: this.tuple(), line };
    const filter = this.sees('|') ? this.#chain(this.filter(null, false)) : null;
    return { type: 'capture', target, filter, body: this.#body('endset', line), line };
  }

  #macro(name: string, end: string, line: number, parameters: readonly Parameter[]): Macro {
    const takes = new Set<string>();
    const outer = this.onName;
    this.onName = used => {
      if (IMPLICIT.has(used)) takes.add(used);
      outer(used);
    };
    const body = this.#body(end, line);
    this.onName = outer;
    return { type: 'macro', name, parameters, body, takes, line };
  }

  #parameters(): Parameter[] {
    this.expect('(');
    const found: Parameter[] = [];
    while (!this.sees(')')) {
      if (found.length > 0) this.expect(',');
      const { text: name, line } = this.expect('name');
      const fallback = this.skip('=') ? this.expression() : null;
      if (fallback === null && found.at(-1)?.fallback)
        failAt(line, `"${name}" needs a default, as the one before it has one`);
      found.push({ name, fallback });
    }
    this.expect(')');
    return found;
  }

  #callBlock(line: number): Statement {
    const parameters = this.sees('(') ? this.#parameters() : [];
    const call = this.expression();
    if (call.type !== 'call') failAt(line, '"call" needs the call of a macro');
    return { type: 'call-block', call, caller: this.#macro('caller', 'endcall', line, parameters), line };
  }

  #with(line: number): Statement {
    const pairs: [Target, Expression][] = [];
    while (this.current.type !== 'end') {
      if (pairs.length > 0) this.expect(',');
      const target = this.#target('=');
      this.expect('=');
      pairs.push([target, this.expression()]);
    }
    return { type: 'with', pairs, body: this.#body('endwith', line), line };
  }

  #print(line: number): Statement[] {
    const found: Statement[] = [];
    while (this.current.type !== 'end') {
      if (found.length > 0) this.expect(',');
      found.push({ type: 'output', value: this.expression(), line });
    }
    return found;
  }

  /** One name or several, before the word or sign `before`. */
  #target(before: string, attributes = false): Target {
    const { line } = this.current;
    const items: Target[] = [];
    let several = false;
    while (this.current.type !== 'end' && !this.sees(before, ')')) {
      items.push(this.#oneTarget(before, attributes));
      if (!this.skip(',')) break;
      several = true;
    }
    const [first] = items;
    if (first === undefined) this.unexpected('a name');
    return several ? { type: 'targets', items, line } : first;
  }

  #oneTarget(before: string, attributes: boolean): Target {
    if (this.skip('(')) {
      const inner = this.#target(before, attributes);
      this.expect(')');
      return inner;
    }
    const { text: name, line } = this.expect('name');
    if (/^(true|false|none)$/i.test(name)) failAt(line, `"${name}" can not be set`);
    if (!attributes || !this.skip('.')) return { type: 'name', name, line };
    return { type: 'attribute', name, attribute: this.expect('name').text, line };
  }
}
