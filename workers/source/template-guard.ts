/** Refuses, before anything runs, templates that name what is not part of the template language. */
import type { Expression, Statement } from './jinja/nodes.ts';

export interface Known {
  readonly filters: readonly string[];
  readonly tests: readonly string[];
}

/**
 * Ways to code in JavaScript that no member, variable or keyword may be named after. The machine reaches none of them:
 * this holds even where it should have a fault.
 */
export const FORBIDDEN: ReadonlySet<string> = new Set(['constructor', 'prototype', '__proto__']);
/** Nodes of the tree are nested at most so deep, so that no recursion overflows. */
const MAX_DEPTH = 200;

/** Throws an Error that begins with the place, `[Line N]`, and says what is refused. */
export function guard(body: readonly Statement[], known: Known): void {
  for (const statement of body) walk(statement, known, 0);
}

type Node = Expression | Statement | { readonly type?: undefined; readonly line?: undefined };

function walk(node: Node, known: Known, depth: number): void {
  if (depth > MAX_DEPTH) refuse(node, 'it is nested too deeply');
  if (node.type === 'filter') oneOf(node.name, known.filters, 'filter', node);
  else if (node.type === 'test') oneOf(node.name, known.tests, 'test', node);
  for (const [field, value] of Object.entries(node)) {
    if ((field === 'name' || field === 'attribute') && FORBIDDEN.has(value))
      refuse(node, `"${value}" may not be named`);
    if (field !== 'value' || node.type !== 'constant') inside(value, node, known, depth);
  }
}

/** Nodes within a field: one, a list, or lists of them. */
function inside(value: unknown, at: Node, known: Known, depth: number): void {
  if (typeof value === 'string') {
    if (at.type !== 'text' && FORBIDDEN.has(value)) refuse(at, `"${value}" may not be named`);
  } else if (Array.isArray(value)) for (const one of value) inside(one, at, known, depth);
  else if (typeof value === 'object' && value !== null && !(value instanceof Set)) {
    walk({ line: at.line, ...value } as Node, known, depth + 1);
  }
}

function oneOf(name: string, allowed: readonly string[], what: string, at: Node): void {
  if (!allowed.includes(name)) refuse(at, `there is no ${what} "${name.slice(0, 40)}"`);
}

function refuse(node: Node, why: string): never {
  throw new Error(`[Line ${node.line ?? 1}] ${why}`);
}
