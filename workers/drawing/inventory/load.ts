/** Turns a database's tree into typed items by the schema, collecting every fault with its place. */
import type { Finding, Place, Tree, TreeEntry } from '../../../proto/tree.ts';
import { nearest } from '../nearest.ts';
import { expand, NodesetError } from './nodeset.ts';
import type { ObjectType, Property, Schema } from './schema.ts';
import { type Fraction, readValue, VALUE_TYPES } from './values.ts';

/** A name that unfolds. */
export interface Nodeset {
  readonly text: string;
  readonly members: readonly string[];
}

export type Value = string | number | boolean | Fraction | Nodeset | Item | readonly Value[];

/** An object of the database. */
export interface Item {
  readonly type: string;
  readonly place: Place;
  /** Dotted path from the root. */
  readonly path: string;
  /** By property, in the schema's order. */
  readonly values: ReadonlyMap<string, Value>;
  /** Places of the values that were given. */
  readonly places: ReadonlyMap<string, Place>;
}

export interface Load {
  /** The root; parts that are faulty are left out. */
  readonly root: Item;
  readonly findings: readonly Finding[];
  /** All items by type. */
  readonly items: ReadonlyMap<string, readonly Item[]>;
}

/** Objects, members of sets among them, that a database may hold. */
const MAX_OBJECTS = 500_000;
/** Findings after which the rest is only counted. */
const MAX_FINDINGS = 1000;

/** Loads a tree. Never throws for what is in the files. */
export function loadItems(tree: Tree, schema: Schema): Load {
  const loader = new Loader(schema);
  const root = loader.object(tree, '_content', schema.content, '', null);
  loader.checkReferences();
  return { root, findings: loader.findings, items: loader.items };
}

/** One loading of a tree. */
class Loader {
  readonly findings: Finding[] = [];
  readonly items = new Map<string, Item[]>();
  readonly #schema: Schema;
  readonly #references: { target: string; text: string; place: Place; path: string }[] = [];
  #objects = 0;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** An object from a mapping; `key` is the property that its name in the mapping above has given already. */
  object(tree: Tree, name: string, type: ObjectType, path: string, key: KeyGiven | null): Item {
    const values = new Map<string, Value>();
    const places = new Map<string, Place>();
    const item: Item = { type: name, place: key?.place ?? tree, path, values, places };
    if (tree.kind !== 'map') {
      this.#error('wrong-type', tree, path, 'must be a mapping');
      return item;
    }
    const given = new Map<string, TreeEntry>(tree.entries);
    if (key && !given.has(key.property)) given.set(key.property, { key: key.place, value: key.tree });
    this.#unknownKeys(given, type, path);
    for (const [property, shape] of Object.entries(type.properties)) {
      if (shape.computed) continue;
      const entry = given.get(property);
      if (!entry) {
        if (shape.default !== undefined) values.set(property, shape.default as Value);
        else if (!shape.optional) this.#error('missing-key', item.place, join(path, property), 'is missing');
        continue;
      }
      const value = this.#value(entry.value, shape.type, join(path, property), entry.key);
      places.set(property, entry.value.line > 0 ? entry.value : entry.key);
      if (value !== null) values.set(property, value);
    }
    this.#count(1, item.place, path);
    const found = this.items.get(name);
    if (found) found.push(item);
    else this.items.set(name, [item]);
    return item;
  }

  #unknownKeys(given: ReadonlyMap<string, TreeEntry>, type: ObjectType, path: string): void {
    for (const [property, entry] of given) {
      const shape = Object.hasOwn(type.properties, property) ? type.properties[property] : undefined;
      if (shape?.computed) {
        this.#error('computed-key', entry.key, join(path, property), 'is computed and cannot be given');
      } else if (!shape) {
        const known = Object.keys(type.properties).filter(name => !type.properties[name]?.computed);
        const message = `unknown key${nearest(property, known)}`;
        this.#error('unknown-key', entry.key, join(path, property), message);
      }
    }
  }

  #value(tree: Tree, type: string, path: string, above: Place): Value | null {
    const place = tree.line > 0 ? tree : above;
    const list = /^list\[(.*)\]$/.exec(type);
    if (list) return this.#list(tree, list[1] ?? '', path);
    if (type.startsWith(':')) {
      const name = type.slice(1);
      const shape = this.#schema.objects[name];
      return shape ? this.object(tree, name, shape, path, null) : null;
    }
    if (tree.kind !== 'scalar') return this.#error('wrong-type', place, path, `must be ${article(type)}`);
    if (type.startsWith('~')) return this.#measured(tree, type.slice(1), path, place);
    if (type.startsWith('$')) {
      const text = this.#text(tree, path, place);
      if (text !== null) this.#references.push({ target: type.slice(1), text, place, path });
      return text;
    }
    switch (type) {
      case 'nodeset':
        return this.#nodeset(tree, path, place);
      case 'slot':
      case 'int':
        return this.#whole(tree, path, place);
      case 'float':
        return typeof tree.value === 'number' && Number.isFinite(tree.value)
          ? tree.value
          : this.#error('wrong-type', place, path, `must be a number, not ${shown(tree)}`);
      case 'bool':
        return typeof tree.value === 'boolean'
          ? tree.value
          : this.#error('wrong-type', place, path, `must be true or false, not ${shown(tree)}`);
      default:
        return this.#text(tree, path, place);
    }
  }

  #text(tree: Tree & { kind: 'scalar' }, path: string, place: Place): string | null {
    if (typeof tree.value === 'string' && tree.value !== '') return tree.value;
    if (tree.value === '') return this.#error('wrong-type', place, path, 'must not be empty');
    const advice = tree.value === null ? '' : `: write "${tree.text}" in quotes`;
    return this.#error('wrong-type', place, path, `must be text, not ${shown(tree)}${advice}`);
  }

  #whole(tree: Tree & { kind: 'scalar' }, path: string, place: Place): number | null {
    const { value } = tree;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    return this.#error('wrong-type', place, path, `must be a whole number, not ${shown(tree)}`);
  }

  #nodeset(tree: Tree & { kind: 'scalar' }, path: string, place: Place): Nodeset | null {
    const text = this.#text(tree, path, place);
    if (text === null || this.#objects > MAX_OBJECTS) return null;
    try {
      const members = expand(text);
      if (members.length === 0) return this.#error('nodeset', place, path, `${text} has no member`);
      this.#count(members.length, place, path);
      return { text, members };
    } catch (error) {
      if (!(error instanceof NodesetError)) throw error;
      return this.#error('nodeset', place, path, error.message);
    }
  }

  #measured(tree: Tree & { kind: 'scalar' }, name: string, path: string, place: Place): Value | null {
    const type = VALUE_TYPES[name];
    const read = type ? readValue(type, tree.value, tree.text) : null;
    if (!type || !read)
      return this.#error(
        'bad-value',
        place,
        path,
        `must be like ${type?.example ?? name}, not ${shown(tree)}`,
      );
    if (read.rest !== '')
      this.#warn('trailing', place, path, `"${read.rest}" behind the value is passed over`);
    return read.value;
  }

  #list(tree: Tree, type: string, path: string): Value[] | null {
    const shape = type.startsWith(':') ? this.#schema.objects[type.slice(1)] : undefined;
    if (!shape) {
      if (tree.kind !== 'list') return this.#error('wrong-type', tree, path, 'must be a list');
      return tree.items
        .map((item, index) => this.#value(item, type, `${path}[${index}]`, tree))
        .filter(value => value !== null);
    }
    const name = type.slice(1);
    const key = Object.entries(shape.properties).find(([, property]) => property.key);
    const items: Item[] = [];
    if (tree.kind === 'list') {
      for (const [index, item] of tree.items.entries())
        items.push(this.object(item, name, shape, `${path}[${index}]`, null));
    } else if (tree.kind === 'map' && key) {
      for (const [text, entry] of tree.entries) {
        const scalar: Tree = { ...entry.key, kind: 'scalar', value: text, text };
        const given = { property: key[0], tree: scalar, place: entry.key };
        items.push(this.object(entry.value, name, shape, join(path, text), given));
      }
    } else {
      return this.#error('wrong-type', tree, path, key ? 'must be a list or a mapping' : 'must be a list');
    }
    if (key) this.#repeated(items, key);
    return items;
  }

  /** Keys must differ, but those of sets: overlapping sets are a matter of names, looked at later. */
  #repeated(items: readonly Item[], [property, shape]: readonly [string, Property]): void {
    if (shape.type === 'nodeset') return;
    const seen = new Map<Value, Item>();
    for (const item of items) {
      const value = item.values.get(property);
      if (value === undefined) continue;
      const earlier = seen.get(value);
      if (earlier) {
        const where = earlier.place.line > 0 ? `line ${earlier.place.line}` : earlier.place.file;
        this.#error('duplicate-key', item.place, item.path, `${String(value)} is there already (${where})`);
      } else seen.set(value, item);
    }
  }

  /** Checks that what is referred to is there. */
  checkReferences(): void {
    const known = new Map<string, Set<string>>();
    for (const { target, text, place, path } of this.#references) {
      let names = known.get(target);
      if (!names) {
        const [type = '', property = ''] = target.split('.');
        names = new Set(this.items.get(type)?.flatMap(item => namesOf(item.values.get(property))));
        known.set(target, names);
      }
      if (names.has(text)) continue;
      const message = `refers to ${text}, which is not there${nearest(text, [...names].slice(0, 1000))}`;
      this.#error('unknown-reference', place, path, message);
    }
  }

  /** Counts objects; false once there are too many. */
  #count(objects: number, place: Place, path: string): boolean {
    const before = this.#objects;
    this.#objects += objects;
    if (this.#objects <= MAX_OBJECTS) return true;
    if (before <= MAX_OBJECTS) this.#error('too-large', place, path, `more than ${MAX_OBJECTS} objects`);
    return false;
  }

  #warn(code: string, place: Place, path: string, message: string): void {
    if (this.findings.length < MAX_FINDINGS)
      this.findings.push(finding('warning', code, place, path, message));
  }

  #error(code: string, place: Place, path: string, message: string): null {
    if (this.findings.length < MAX_FINDINGS || !this.findings.some(found => found.level === 'error'))
      this.findings.push(finding('error', code, place, path, message));
    return null;
  }
}

interface KeyGiven {
  readonly property: string;
  readonly tree: Tree;
  readonly place: Place;
}

/** A finding at a place. */
export function finding(
  level: Finding['level'],
  code: string,
  { file, line, column }: Place,
  path: string,
  message: string,
): Finding {
  return { level, code, file, line, column, path, message };
}

function namesOf(value: Value | undefined): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && 'members' in value ? [...value.members] : [];
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function shown(tree: Tree & { kind: 'scalar' }): string {
  if (tree.value === null) return 'nothing';
  const text = tree.text.length > 40 ? `${tree.text.slice(0, 40)}…` : tree.text;
  return typeof tree.value === 'string' ? `"${text}"` : text;
}

function article(type: string): string {
  return type === 'str' || type === 'nodeset' || type.startsWith('$') ? 'text' : 'one value';
}
