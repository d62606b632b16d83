/**
 * Reads YAML and JSON documents that come from outside: bounded while parsing, validated against a schema, each fault
 * with its line and column. The only importer of `yaml` and `ajv`.
 */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import {
  type Alias,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Pair,
  parseDocument,
  stringify,
  visit,
  YAMLMap,
} from 'yaml';
import { grow, jsonErrorAt, nestingOver, type SyntaxNode, TooMuch } from './growth.ts';
import type { Finding, Place, Tree } from './tree.ts';

export interface DocumentFault {
  /** 1-based; 0 when the fault has no place. */
  readonly line: number;
  readonly column: number;
  /** Dotted path of the faulty value, empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

export interface DocumentLimits {
  readonly bytes: number;
  readonly depth: number;
  /** Values that aliases may expand to in all. */
  readonly expansions: number;
}

export const DOCUMENT_LIMITS: DocumentLimits = { bytes: 1024 * 1024, depth: 20, expansions: 1000 };

/** How scalars are read: as YAML 1.2's core schema types them, or all as the text that was written. */
export type Scalars = 'core' | 'failsafe';

/** Steps from the document's root to a value. */
type Path = readonly (string | number)[];

/** A document that was read; `value` is undefined exactly when there are faults. */
export interface Document {
  readonly value: unknown;
  readonly faults: readonly DocumentFault[];
  /** Line and column of the value at a path, or of its nearest ancestor. */
  locate(path: Path): { line: number; column: number };
}

/**
 * Parses YAML 1.2 (of which JSON is a part). Duplicate keys, custom tags, several documents and anything over the
 * limits are faults. Objects have no prototype surprises: `__proto__` is a fault.
 */
export function parseYaml(
  text: string,
  limits: DocumentLimits = DOCUMENT_LIMITS,
  scalars: Scalars = 'core',
): Document {
  const counter = new LineCounter();
  const faults: DocumentFault[] = [];
  const place = (offset: number): { line: number; column: number } => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const failed = (): Document => ({ value: undefined, faults, locate: () => ({ line: 0, column: 0 }) });
  if (Buffer.byteLength(text) > limits.bytes) {
    faults.push({ line: 0, column: 0, path: '', message: `larger than ${limits.bytes} bytes` });
    return failed();
  }
  if (nestingOver(text, limits.depth)) {
    faults.push({ line: 0, column: 0, path: '', message: `nested deeper than ${limits.depth}` });
    return failed();
  }
  const document = parseDocument(text, {
    version: '1.2',
    schema: scalars,
    strict: true,
    uniqueKeys: true,
    lineCounter: counter,
    prettyErrors: false,
    merge: false,
  });
  const refuse = (offset: number, path: string, message: string): void => {
    faults.push({ ...place(offset), path, message });
  };
  for (const error of [...document.errors, ...document.warnings]) refuse(error.pos[0], '', error.message);
  let aliases = 0;
  visit(document, {
    Node(_key, node, ancestors) {
      const offset = node.range?.[0] ?? 0;
      const depth = ancestors.filter(isCollection).length;
      if (depth > limits.depth) {
        refuse(offset, '', `nested deeper than ${limits.depth}`);
        return visit.BREAK;
      }
      if (isAlias(node) && ++aliases > limits.expansions) {
        refuse(offset, '', `more than ${limits.expansions} aliases`);
        return visit.BREAK;
      }
      return undefined;
    },
    Pair(_key, pair) {
      const key = (pair.key as { value?: unknown; range?: [number] } | null)?.value;
      if (key === '__proto__')
        refuse((pair.key as { range?: [number] }).range?.[0] ?? 0, '', 'key __proto__');
      return undefined;
    },
  });
  if (faults.length > 0) return failed();
  try {
    const value: unknown = document.toJS({ maxAliasCount: limits.expansions });
    return { value, faults, locate: path => place(offsetOf(document.contents as Node | null, path)) };
  } catch (error) {
    refuse(0, '', error instanceof Error ? error.message : String(error));
    return failed();
  }
}

/** Offset of the value at a path; for a key that is there, of the key. */
function offsetOf(root: Node | null, path: Path): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        item => isPair(item) && String((item.key as { value?: unknown }).value) === String(step),
      );
      if (!pair) return offset;
      offset = (pair.key as { range?: [number] }).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = (node as { range?: [number] } | undefined)?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

/** Checks a parsed document; the answer is empty when it fits. */
export type Check = (document: Document) => DocumentFault[];

const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true });

/** Compiles a JSON schema (typebox gives them) into a check that tells every fault with its place. */
export function compileCheck(schema: object): Check {
  const validate = ajv.compile(schema);
  return document => {
    if (document.faults.length > 0) return [...document.faults];
    if (validate(document.value)) return [];
    const seen = new Set<string>();
    const faults: DocumentFault[] = [];
    for (const error of validate.errors ?? []) {
      if (error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === 'if') continue;
      const path = pathOf(error);
      const message = explain(error);
      if (seen.has(`${path.join('.')} ${message}`)) continue;
      seen.add(`${path.join('.')} ${message}`);
      faults.push({ ...document.locate(path), path: path.join('.'), message });
      if (faults.length >= 100) break;
    }
    if (faults.length === 0)
      faults.push({ line: 1, column: 1, path: '', message: 'does not fit its schema' });
    return faults;
  };
}

function pathOf(error: ErrorObject): (string | number)[] {
  const path: (string | number)[] = error.instancePath
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (error.keyword === 'additionalProperties') path.push(String(error.params.additionalProperty));
  if (error.keyword === 'unevaluatedProperties') path.push(String(error.params.unevaluatedProperty));
  if (error.keyword === 'propertyNames') path.push(String(error.params.propertyName));
  return path;
}

function explain(error: ErrorObject): string {
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'unknown key';
    case 'required':
      return `"${String(error.params.missingProperty)}" is missing`;
    case 'enum':
      return `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`;
    case 'type':
      return `must be ${String(error.params.type)}`;
    default:
      return error.message ?? 'is invalid';
  }
}

/** `FILE:LINE:COLUMN: path: message`. */
export function describeDocumentFault(file: string, fault: DocumentFault): string {
  const where = fault.line > 0 ? `${file}:${fault.line}:${fault.column}` : file;
  return `${where}: ${fault.path === '' ? '' : `${fault.path}: `}${fault.message}`;
}

/** A tree that was read; null exactly when a finding is an error. */
export interface TreeDocument {
  readonly tree: Tree | null;
  readonly findings: readonly Finding[];
}

/**
 * Reads YAML 1.1 (merge keys, anchors), or JSON, as a tree with places. A repeated key is a warning and the last one
 * wins, as in PyYAML; custom tags, several documents and anything over the limits are errors. Empty text is null.
 */
export function readTree(
  text: string,
  file: string,
  syntax: 'yaml' | 'json' = 'yaml',
  limits: DocumentLimits = DOCUMENT_LIMITS,
): TreeDocument {
  const counter = new LineCounter();
  const findings: Finding[] = [];
  const place = (offset: number): Place => {
    const { line, col } = counter.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const find = (level: Finding['level'], code: string, offset: number, message: string): void => {
    findings.push({ ...place(offset), level, code, path: '', message });
  };
  const done = (tree: Tree | null, ...more: readonly Finding[]): TreeDocument => {
    findings.push(...more);
    return { tree: findings.some(finding => finding.level === 'error') ? null : tree, findings };
  };
  if (Buffer.byteLength(text) > limits.bytes) find('error', 'syntax', 0, `larger than ${limits.bytes} bytes`);
  else if (nestingOver(text, limits.depth)) find('error', 'syntax', 0, `nested deeper than ${limits.depth}`);
  if (findings.length > 0) return done(null);
  try {
    if (syntax === 'json') JSON.parse(text);
    const document = parseDocument(text, {
      version: '1.1',
      schema: 'failsafe',
      uniqueKeys: false,
      lineCounter: counter,
      prettyErrors: false,
      merge: false,
    });
    for (const error of document.errors)
      find('error', 'syntax', error.pos[0], error.message.replace(/; please use .*/, ''));
    for (const warning of document.warnings) find('error', 'tag', warning.pos[0], warning.message);
    if (findings.length > 0) return done(null);
    const look = (node: unknown): SyntaxNode => lookAt(node, target => target.resolve(document));
    return done(grow(document.contents, { syntax, limits, place, find, look }));
  } catch (error) {
    if (error instanceof TooMuch) return done(null);
    const message = error instanceof Error ? error.message : String(error);
    const at = syntax === 'json' ? jsonErrorAt(text, message) : 0;
    const lines = text.slice(0, at).split('\n');
    const here = { file, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    const told = message.replace(/(?: in JSON)? at position.*$|, ".*$|, \.\.\..*$/s, '');
    return done(null, { ...here, level: 'error', code: 'syntax', path: '', message: told });
  }
}

/** A node of the parser in plain words. */
function lookAt(node: unknown, resolve: (alias: Alias) => unknown): SyntaxNode {
  const offset = (node as Node | null)?.range?.[0] ?? null;
  if (isAlias(node)) return { kind: 'alias', offset, target: resolve(node) };
  if (isSeq(node)) return { kind: 'list', offset, items: node.items };
  if (isMap(node)) return { kind: 'map', offset, pairs: node.items };
  if (isScalar(node))
    return { kind: 'scalar', offset, text: String(node.value ?? ''), plain: node.type === 'PLAIN' };
  return { kind: 'scalar', offset, text: '', plain: true };
}

/** YAML text of plain values, quoted so that YAML 1.1 readers get the same values. */
export function writeYaml(value: unknown): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
}

/** A mapping that writeYaml() writes in the order of its entries, with a tag unless that is null. */
export function orderedMap(tag: string | null, entries: Iterable<readonly [string, unknown]>): unknown {
  const items = Array.from(entries, ([key, value]) => new Pair(key, value));
  return Object.assign(new YAMLMap(), { items }, tag === null ? {} : { tag });
}
