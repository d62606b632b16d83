/**
 * Refuses every template that uses more than a small language, on its syntax tree: the engine pastes names into the
 * code it generates, so a name that is no plain word would become code.
 */

/** A node of nunjucks' syntax tree. */
export interface Node {
  readonly typename: string;
  readonly fields: readonly string[];
  readonly children?: readonly Node[];
  readonly value?: unknown;
  readonly lineno: number;
}

export interface Known {
  readonly filters: readonly string[];
  readonly tests: readonly string[];
}

const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Ways to code that no member, variable or keyword may be named after. */
export const FORBIDDEN: ReadonlySet<string> = new Set(['constructor', 'prototype', '__proto__']);
const ALLOWED: ReadonlySet<string> = new Set([
  ...[
    'Root',
    'NodeList',
    'Output',
    'TemplateData',
    'Literal',
    'Symbol',
    'Group',
    'Array',
    'Pair',
    'Dict',
    'Slice',
  ],
  ...[
    'LookupVal',
    'If',
    'InlineIf',
    'For',
    'Macro',
    'Caller',
    'FunCall',
    'Filter',
    'KeywordArgs',
    'Set',
    'Capture',
  ],
  ...[
    'In',
    'Is',
    'Or',
    'And',
    'Not',
    'Add',
    'Concat',
    'Sub',
    'Mul',
    'Div',
    'FloorDiv',
    'Mod',
    'Pow',
    'Neg',
    'Pos',
  ],
  ...['Compare', 'CompareOperand'],
]);
/** Nodes of the engine's tree are nested at most so deep, so that no recursion overflows. */
const MAX_DEPTH = 200;

/** Throws an Error saying what is refused, and on which line. */
export function guard(root: Node, known: Known): void {
  walk(root, known, 0);
}

function walk(node: Node, known: Known, depth: number): void {
  if (depth > MAX_DEPTH) refuse(node, 'it is nested too deeply');
  if (!ALLOWED.has(node.typename))
    refuse(node, `"${node.typename.toLowerCase()}" is not part of the template language`);
  names(node, known);
  for (const child of children(node)) walk(child, known, depth + 1);
}

function children(node: Node): Node[] {
  const found = [...(node.children ?? [])];
  for (const field of node.fields) {
    const value = member(node, field);
    if (isNode(value)) found.push(value);
    else if (Array.isArray(value)) found.push(...value.filter(isNode));
  }
  return found;
}

function member(node: Node, field: string): unknown {
  return (node as unknown as Record<string, unknown>)[field];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'typename' in value;
}

/** Every place whose text the engine writes into code. */
function names(node: Node, known: Known): void {
  switch (node.typename) {
    case 'Symbol':
      word(node);
      return;
    case 'Literal':
      if (node.value instanceof RegExp)
        refuse(node, 'regular expressions are not part of the template language');
      return;
    case 'LookupVal': {
      const key = member(node, 'val');
      if (isNode(key) && typeof key.value === 'string' && FORBIDDEN.has(key.value)) {
        refuse(node, `"${key.value}" may not be looked up`);
      }
      return;
    }
    case 'Caller':
      signature(node);
      return;
    case 'Filter':
      oneOf(member(node, 'name'), known.filters, 'filter', node);
      return;
    case 'Is': {
      const right = member(node, 'right');
      const test = isNode(right) && right.typename === 'FunCall' ? member(right, 'name') : right;
      if (isNode(test) && test.typename === 'Literal' && test.value === null) return;
      oneOf(test, known.tests, 'test', node);
      return;
    }
    case 'Macro':
      symbol(member(node, 'name'), node);
      signature(node);
      return;
    case 'For':
    case 'Set':
      targets(node);
      return;
    default:
  }
}

function word(node: Node): void {
  const name = String(node.value);
  if (!WORD.test(name)) refuse(node, `"${name.slice(0, 40)}" is no name`);
  if (FORBIDDEN.has(name)) refuse(node, `"${name}" may not be named`);
}

function symbol(value: unknown, at: Node): void {
  if (!isNode(value) || value.typename !== 'Symbol') refuse(at, 'a name is expected');
  else word(value);
}

function oneOf(value: unknown, allowed: readonly string[], what: string, at: Node): void {
  const name = isNode(value) ? value.value : undefined;
  if (!isNode(value) || value.typename !== 'Symbol' || !allowed.includes(String(name))) {
    refuse(at, `there is no ${what} "${String(name).slice(0, 40)}"`);
  }
}

/** Arguments of a macro become JavaScript variables. */
function signature(node: Node): void {
  const list = member(node, 'args');
  for (const argument of isNode(list) ? (list.children ?? []) : []) {
    if (argument.typename !== 'KeywordArgs') symbol(argument, node);
    else for (const pair of argument.children ?? []) symbol(member(pair, 'key'), node);
  }
}

function targets(node: Node): void {
  const target = member(node, node.typename === 'Set' ? 'targets' : 'name');
  const list = Array.isArray(target)
    ? target
    : isNode(target) && target.typename === 'Array'
      ? target.children
      : [target];
  for (const name of list ?? []) symbol(name, node);
}

function refuse(node: Node, why: string): void {
  throw new Error(`[Line ${node.lineno + 1}, Column 1]\n${why}`);
}
