/** Runs a template's statements. It interprets the tree; no code is made of a template. */
import { Evaluator } from './evaluate.ts';
import { createLoop, type LoopState } from './loop.ts';
import type { Expression, For, Macro, Statement, Target } from './nodes.ts';
import { str } from './printing.ts';
import { Output, Scope } from './scope.ts';
import { type Arguments, iterate, kindOf, Thing, Tuple, truth, Undefined, type Value } from './values.ts';

export class Machine {
  readonly #evaluator = new Evaluator();

  /** The line that is, or was last, worked on. */
  get line(): number {
    return this.#evaluator.line;
  }

  /** The text of a template. Throws an Error, and more than `limit` characters are one. */
  run(body: readonly Statement[], context: ReadonlyMap<string, Value>, limit: number): string {
    const outer = new Scope(null);
    for (const [name, value] of context) outer.set(name, value);
    const output = new Output(limit);
    this.#all(body, new Scope(outer), output);
    return output.toString();
  }

  #all(body: readonly Statement[], scope: Scope, output: Output): void {
    for (const statement of body) {
      this.#evaluator.line = statement.line;
      this.#one(statement, scope, output);
    }
  }

  #one(node: Statement, scope: Scope, output: Output): void {
    const evaluator = this.#evaluator;
    switch (node.type) {
      case 'text':
        output.write(node.text);
        break;
      case 'output':
        output.write(str(evaluator.value(node.value, scope)));
        break;
      case 'for':
        this.#for(node, evaluator.value(node.items, scope), scope, output, 0);
        break;
      case 'if':
        this.#if(node, scope, output);
        break;
      case 'set':
        this.#assign(node.target, evaluator.value(node.value, scope), scope);
        break;
      case 'capture': {
        const text = this.#text(node.body, new Scope(scope));
        this.#assign(
          node.target,
          node.filter === null ? text : evaluator.filter(node.filter, scope, text),
          scope,
        );
        break;
      }
      case 'macro':
        scope.set(node.name, this.#macro(node, scope));
        break;
      case 'call-block':
        output.write(str(evaluator.call(node.call, scope, this.#macro(node.caller, scope))));
        break;
      case 'filter-block':
        output.write(str(evaluator.filter(node.filter, scope, this.#text(node.body, new Scope(scope)))));
        break;
      case 'with':
        this.#with(node, scope, output);
    }
  }

  #with(node: Extract<Statement, { type: 'with' }>, scope: Scope, output: Output): void {
    const inner = new Scope(scope);
    const values = node.pairs.map(([, value]) => this.#evaluator.value(value, scope));
    for (const [at, [target]] of node.pairs.entries()) this.#assign(target, values[at] ?? null, inner);
    this.#all(node.body, inner, output);
  }

  #text(body: readonly Statement[], scope: Scope): string {
    const output = new Output();
    this.#all(body, scope, output);
    return output.toString();
  }

  #if(node: Extract<Statement, { type: 'if' }>, scope: Scope, output: Output): void {
    const branch = node.branches.find(([test]) => truth(this.#evaluator.value(test, scope)));
    this.#all(branch?.[1] ?? node.otherwise, scope, output);
  }

  #for(node: For, items: Value, scope: Scope, output: Output, depth: number): void {
    const kept: Value[] = [];
    for (const value of iterate(items)) {
      if (node.condition === null || this.#passes(node, node.condition, value, scope)) kept.push(value);
    }
    const recurse = (more: Value): Value => {
      const inner = new Output();
      this.#for(node, more, scope, inner, depth + 1);
      return inner.toString();
    };
    const state: LoopState = {
      items: kept,
      depth,
      recurse: node.recursive ? recurse : null,
      at: 0,
      last: null,
    };
    const loop = createLoop(state);
    for (const value of kept) {
      const inner = new Scope(scope);
      inner.set('loop', loop);
      this.#assign(node.target, value, inner);
      this.#all(node.body, inner, output);
      state.at++;
    }
    if (kept.length === 0) this.#all(node.otherwise, new Scope(scope), output);
  }

  #passes(node: For, condition: Expression, value: Value, scope: Scope): boolean {
    const inner = new Scope(scope);
    this.#assign(node.target, value, inner);
    return truth(this.#evaluator.value(condition, inner));
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    this.#evaluator.line = target.line;
    if (target.type === 'name') scope.set(target.name, value);
    else if (target.type === 'attribute') {
      const thing = scope.get(target.name);
      if (!(thing instanceof Thing) || thing.fields === null)
        throw new Error(`"${target.name}" is no namespace, so "${target.attribute}" can not be set in it`);
      thing.fields.set(target.attribute, value);
    } else {
      const values = [...iterate(value)];
      if (values.length !== target.items.length)
        throw new Error(`${kindOf(value)} has ${values.length} items for ${target.items.length} names`);
      for (const [at, one] of target.items.entries()) this.#assign(one, values[at] ?? null, scope);
    }
  }

  #macro(node: Macro, scope: Scope): Thing {
    return new Thing(`the macro "${node.name}"`, {
      member: name => {
        throw new Error(`"${name}" is looked up on the macro "${node.name}"`);
      },
      call: given => {
        const { line } = this.#evaluator;
        const text = this.#text(node.body, this.#bind(node, given, scope));
        this.#evaluator.line = line;
        return text;
      },
    });
  }

  /** The scope of a macro's body, with what it was called with. */
  #bind(node: Macro, given: Arguments, outer: Scope): Scope {
    const scope = new Scope(outer);
    const named = new Map(given.named);
    node.parameters.forEach(({ name, fallback }, at) => {
      let value = given.positional[at];
      if (value === undefined) {
        value = named.get(name);
        named.delete(name);
      } else if (named.has(name)) throw new Error(`takes the argument "${name}" once`);
      if (value === undefined && fallback !== null) value = this.#evaluator.value(fallback, scope);
      scope.set(name, value ?? (value === null ? null : new Undefined(`"${name}"`)));
    });
    const more = given.positional.slice(node.parameters.length);
    this.#bindRest(node, more, named, scope);
    return scope;
  }

  /** `caller`, `varargs` and `kwargs`, which a macro takes where its body names them. */
  #bindRest(node: Macro, more: readonly Value[], named: Map<string, Value>, scope: Scope): void {
    const isParameter = node.parameters.some(({ name }) => name === 'caller');
    if (node.takes.has('caller') && !isParameter) {
      scope.set('caller', named.get('caller') ?? new Undefined('"caller"'));
      named.delete('caller');
    }
    if (node.takes.has('varargs')) scope.set('varargs', new Tuple(more));
    else if (more.length > 0) throw new Error(`takes ${node.parameters.length} arguments`);
    if (node.takes.has('kwargs')) scope.set('kwargs', new Map(named));
    for (const name of node.takes.has('kwargs') ? [] : named.keys())
      throw new Error(`takes no argument "${name}"`);
  }
}
