/** Gives expressions their values. Names come from a scope; nothing outside of it can be reached. */
import { applyFilter, applyTest, within } from './filters.ts';
import { globalOf } from './globals.ts';
import { item, member, slice } from './members.ts';
import type { Call, Expression, FilterCall, Given } from './nodes.ts';
import { binary, compare, signed } from './operators.ts';
import { str } from './printing.ts';
import type { Scope } from './scope.ts';
import {
  type Arguments,
  bounded,
  iterate,
  keyOf,
  kindOf,
  Thing,
  Tuple,
  truth,
  Undefined,
  type Value,
} from './values.ts';

type Node<Type extends Expression['type']> = Extract<Expression, { type: Type }>;

export class Evaluator {
  /** The line that is being worked on, for messages. */
  line = 1;

  value(node: Expression, scope: Scope): Value {
    this.line = node.line;
    const found = this.#value(node, scope);
    this.line = node.line;
    return found;
  }

  #value(node: Expression, scope: Scope): Value {
    switch (node.type) {
      case 'constant':
        return node.value;
      case 'name':
        return this.#named(node.name, scope);
      case 'list':
        return this.#all(node.items, scope);
      case 'tuple':
        return new Tuple(this.#all(node.items, scope));
      case 'concat':
        return bounded(this.#all(node.items, scope).map(str).join(''));
      case 'dict':
        return new Map(
          node.pairs.map(([key, held]) => [keyOf(this.value(key, scope)), this.value(held, scope)]),
        );
      case 'member':
        return member(this.value(node.target, scope), node.name);
      case 'item':
        return item(this.value(node.target, scope), this.value(node.key, scope));
      case 'slice':
        return this.#slice(node, scope);
      case 'call':
        return this.call(node, scope, null);
      case 'filter':
        return this.filter(node, scope, null);
      case 'test':
        return this.#test(node, scope);
      default:
        return this.#operator(node, scope);
    }
  }

  #named(name: string, scope: Scope): Value {
    const found = scope.get(name);
    return found === undefined ? globalOf(name) : found;
  }

  #operator(
    node: Node<'not' | 'negative' | 'positive' | 'and' | 'or' | 'binary' | 'compare' | 'choice'>,
    scope: Scope,
  ): Value {
    switch (node.type) {
      case 'not':
        return !truth(this.value(node.operand, scope));
      case 'negative':
        return signed(this.value(node.operand, scope), -1);
      case 'positive':
        return signed(this.value(node.operand, scope), 1);
      case 'and':
      case 'or': {
        const left = this.value(node.left, scope);
        return truth(left) === (node.type === 'or') ? left : this.value(node.right, scope);
      }
      case 'binary': {
        const left = this.value(node.left, scope);
        const right = this.value(node.right, scope);
        this.line = node.line;
        return binary(node.operator, left, right);
      }
      case 'compare':
        return this.#compare(node, scope);
      case 'choice':
        if (truth(this.value(node.test, scope))) return this.value(node.chosen, scope);
        return node.otherwise === null
          ? new Undefined('what "if" without "else" gives')
          : this.value(node.otherwise, scope);
    }
  }

  #compare(node: Node<'compare'>, scope: Scope): boolean {
    let left = this.value(node.first, scope);
    for (const { operator, operand } of node.rest) {
      const right = this.value(operand, scope);
      this.line = node.line;
      if (!compare(operator, left, right)) return false;
      left = right;
    }
    return true;
  }

  #slice(node: Node<'slice'>, scope: Scope): Value {
    const part = (bound: Expression | null): Value => (bound === null ? null : this.value(bound, scope));
    return slice(this.value(node.target, scope), part(node.start), part(node.stop), part(node.step));
  }

  #all(nodes: readonly Expression[], scope: Scope): Value[] {
    return nodes.map(node => this.value(node, scope));
  }

  /** A call; `caller` is the block of `{% call %}`. */
  call(node: Call, scope: Scope, caller: Thing | null): Value {
    const target = this.value(node.target, scope);
    const given = this.#given(node.given, scope);
    this.line = node.line;
    if (target instanceof Undefined) throw new Error(`${target.what} is called, which is not defined`);
    if (!(target instanceof Thing) || target.call === null)
      throw new Error(`${kindOf(target)} can not be called`);
    const { call } = target;
    const all = caller === null ? given : { ...given, named: new Map([...given.named, ['caller', caller]]) };
    return within(target.kind, () => call(all));
  }

  /** A chain of filters; `block` is the text that a block gives, where one is filtered. */
  filter(node: FilterCall, scope: Scope, block: Value): Value {
    const { target } = node;
    const value =
      target === null
        ? block
        : target.type === 'filter'
          ? this.filter(target, scope, block)
          : this.value(target, scope);
    const given = this.#given(node.given, scope);
    this.line = node.line;
    return applyFilter(node.name, value, given);
  }

  #test(node: Node<'test'>, scope: Scope): boolean {
    const value = this.value(node.target, scope);
    const given = this.#given(node.given, scope);
    this.line = node.line;
    return applyTest(node.name, value, given);
  }

  #given(given: Given, scope: Scope): Arguments {
    const positional = this.#all(given.positional, scope);
    const named = new Map<string, Value>();
    const name = (key: string, value: Value): void => {
      if (named.has(key)) throw new Error(`the argument "${key}" is given twice`);
      named.set(key, value);
    };
    for (const [key, value] of given.named) name(key, this.value(value, scope));
    if (given.spread !== null) positional.push(...iterate(this.value(given.spread, scope)));
    if (given.spreadNamed !== null) {
      const more = this.value(given.spreadNamed, scope);
      if (!(more instanceof Map)) throw new Error(`"**" needs a dict, not ${kindOf(more)}`);
      for (const [key, value] of more) name(String(key), value);
    }
    return { positional, named };
  }
}
