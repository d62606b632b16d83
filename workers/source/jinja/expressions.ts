/** Parses expressions as Jinja does (jinja2/parser.py), with its precedence. */
import { failAt, type Token } from './lexer.ts';
import type { Call, Expression, FilterCall, Given } from './nodes.ts';
import { TokenReader } from './token-reader.ts';

const COMPARING: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
const ARGUMENT: ReadonlySet<string> = new Set(['name', 'constant']);
export class ExpressionParser extends TokenReader {
  /** Called with every name that is read, for the macro that it stands in. */
  protected onName: (name: string) => void = () => undefined;

  /** One or several expressions, divided by commas; several are a tuple. */
  protected tuple(
    options: { readonly choice?: boolean; readonly before?: string; readonly empty?: boolean } = {},
  ): Expression {
    const { line } = this.current;
    const items: Expression[] = [];
    let several = false;
    for (;;) {
      if (items.length > 0) this.expect(',');
      const { type } = this.current;
      if (
        type === 'end' ||
        type === 'output-end' ||
        this.sees(')', ...(options.before ? [options.before] : []))
      )
        break;
      items.push(options.choice === false ? this.#or() : this.expression());
      if (!this.sees(',')) break;
      several = true;
    }
    const [first] = items;
    if (several || (first === undefined && options.empty === true)) return { type: 'tuple', items, line };
    return first ?? this.unexpected('an expression');
  }

  protected expression(): Expression {
    return this.deeper(() => {
      let left = this.#or();
      while (this.sees('if')) {
        const { line } = this.next();
        const test = this.#or();
        const otherwise = this.skip('else') ? this.expression() : null;
        left = { type: 'choice', test, chosen: left, otherwise, line };
      }
      return left;
    });
  }

  #or(): Expression {
    let left = this.#and();
    while (this.sees('or')) left = { line: this.next().line, type: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.sees('and')) left = { line: this.next().line, type: 'and', left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    const lines: number[] = [];
    while (this.sees('not')) lines.push(this.next().line);
    return lines.reduceRight<Expression>(
      (operand, line) => ({ type: 'not', operand, line }),
      this.#compare(),
    );
  }

  #compare(): Expression {
    const { line } = this.current;
    const first = this.#sum();
    const rest: { operator: string; operand: Expression }[] = [];
    for (;;) {
      let operator = '';
      if (this.current.type === 'operator' && COMPARING.has(this.current.text)) operator = this.next().text;
      else if (this.skip('in')) operator = 'in';
      else if (this.sees('not') && this.ahead('in')) {
        this.next();
        this.next();
        operator = 'not in';
      } else break;
      rest.push({ operator, operand: this.#sum() });
    }
    return rest.length === 0 ? first : { type: 'compare', first, rest, line };
  }

  #sum(): Expression {
    return this.#binary(['+', '-'], () => this.#concat());
  }

  #concat(): Expression {
    const { line } = this.current;
    const first = this.#product();
    const items = [first];
    while (this.skip('~')) items.push(this.#product());
    return items.length === 1 ? first : { type: 'concat', items, line };
  }

  #product(): Expression {
    return this.#binary(['*', '/', '//', '%'], () => this.#binary(['**'], () => this.#unary(true)));
  }

  #binary(operators: readonly string[], side: () => Expression): Expression {
    let left = side();
    while (this.sees(...operators)) {
      const { text: operator, line } = this.next();
      left = { type: 'binary', operator, left, right: side(), line };
    }
    return left;
  }

  #unary(filters: boolean): Expression {
    const node = this.#postfix(this.deeper(() => this.#signed()));
    return filters ? this.#filters(node) : node;
  }

  #signed(): Expression {
    if (!this.sees('-', '+')) return this.primary();
    const { text, line } = this.next();
    return { type: text === '-' ? 'negative' : 'positive', operand: this.#unary(false), line };
  }

  protected primary(): Expression {
    const token = this.current;
    if (token.type === 'name') {
      this.next();
      return this.#named(token);
    }
    if (token.type === 'constant') {
      let value = this.next().value ?? null;
      // Texts side by side are one.
      while (typeof value === 'string' && typeof this.current.value === 'string') value += this.next().value;
      return { type: 'constant', value, line: token.line };
    }
    if (this.skip('(')) {
      const inner = this.tuple({ empty: true });
      this.expect(')');
      return inner;
    }
    if (this.sees('['))
      return { type: 'list', items: this.#items('[', ']', () => this.expression()), line: token.line };
    if (this.sees('{'))
      return { type: 'dict', pairs: this.#items('{', '}', () => this.#pair()), line: token.line };
    return this.unexpected('a value');
  }

  #named({ text, line }: Token): Expression {
    if (/^(true|True)$/.test(text)) return { type: 'constant', value: true, line };
    if (/^(false|False)$/.test(text)) return { type: 'constant', value: false, line };
    if (/^(none|None)$/.test(text)) return { type: 'constant', value: null, line };
    this.onName(text);
    return { type: 'name', name: text, line };
  }

  #pair(): [Expression, Expression] {
    const key = this.expression();
    this.expect(':');
    return [key, this.expression()];
  }

  #items<Item>(open: string, close: string, item: () => Item): Item[] {
    this.expect(open);
    const found: Item[] = [];
    while (!this.sees(close)) {
      if (found.length > 0) this.expect(',');
      if (this.sees(close)) break;
      found.push(item());
    }
    this.expect(close);
    return found;
  }

  #postfix(start: Expression): Expression {
    let node = start;
    for (;;) {
      if (this.sees('.', '[')) node = this.#subscript(node);
      else if (this.sees('(')) node = this.call(node);
      else return node;
    }
  }

  #filters(start: Expression): Expression {
    let node = start;
    for (;;) {
      if (this.sees('|')) node = this.filter(node, false);
      else if (this.sees('is')) node = this.#test(node);
      else if (this.sees('(')) node = this.call(node);
      else return node;
    }
  }

  #subscript(target: Expression): Expression {
    const { text, line } = this.next();
    if (text === '.') {
      const token = this.next();
      if (token.type === 'name') return { type: 'member', target, name: token.text, line };
      if (typeof token.value !== 'number') failAt(token.line, `unexpected "${token.text}", expected a name`);
      return { type: 'item', target, key: { type: 'constant', value: token.value, line }, line };
    }
    const start = this.sees(':') ? null : this.expression();
    if (!this.skip(':')) {
      if (start === null) this.unexpected('a key');
      this.expect(']');
      return { type: 'item', target, key: start, line };
    }
    const part = (): Expression | null => (this.sees(':', ']') ? null : this.expression());
    const stop = part();
    const step = this.skip(':') ? part() : null;
    this.expect(']');
    return { type: 'slice', target, start, stop, step, line };
  }

  protected call(target: Expression): Call {
    return { type: 'call', line: this.current.line, target, given: this.#given() };
  }

  /** One filter; `bare` where no `|` stands before it. */
  protected filter(target: Expression | null, bare: boolean): FilterCall {
    if (!bare) this.expect('|');
    const { text: name, line } = this.expect('name');
    return { type: 'filter', target, name, given: this.sees('(') ? this.#given() : NONE, line };
  }

  #test(target: Expression): Expression {
    this.next();
    const negated = this.skip('not');
    const { text: name, line } = this.expect('name');
    let given = NONE;
    if (this.sees('(')) given = this.#given();
    else if ((ARGUMENT.has(this.current.type) || this.sees('[', '{')) && !this.sees('else', 'or', 'and')) {
      if (this.sees('is')) failAt(line, 'tests with "is" can not be chained');
      given = { ...NONE, positional: [this.#postfix(this.primary())] };
    }
    const node: Expression = { type: 'test', target, name, given, line };
    return negated ? { type: 'not', operand: node, line } : node;
  }

  #given(): Given {
    const { line } = this.expect('(');
    const positional: Expression[] = [];
    const named: [string, Expression][] = [];
    let spread: Expression | null = null;
    let spreadNamed: Expression | null = null;
    const ensure = (right: boolean): void => {
      if (!right) failAt(line, 'arguments stand in a wrong order');
    };
    for (let first = true; !this.sees(')'); first = false) {
      if (!first) this.expect(',');
      if (this.sees(')')) break;
      if (this.skip('*')) {
        ensure(spread === null && spreadNamed === null);
        spread = this.expression();
      } else if (this.skip('**')) {
        ensure(spreadNamed === null);
        spreadNamed = this.expression();
      } else if (this.current.type === 'name' && this.ahead('=')) {
        ensure(spreadNamed === null);
        const key = this.next().text;
        this.next();
        named.push([key, this.expression()]);
      } else {
        ensure(spread === null && spreadNamed === null && named.length === 0);
        positional.push(this.expression());
      }
    }
    this.expect(')');
    return { positional, named, spread, spreadNamed };
  }
}

const NONE: Given = { positional: [], named: [], spread: null, spreadNamed: null };
