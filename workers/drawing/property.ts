/** Reads one drawing parameter of a simple type, and says what is wrong with it. */
import { MAX_NAMES, MAX_TAGS, type Property, readColor } from '../../proto/parameters.ts';
import { type Place, plainScalar, type Tree } from '../../proto/tree.ts';
import { expand, NodesetError } from './inventory/nodeset.ts';

type Simple = Exclude<Property, { readonly type: 'rules' | 'optional' }>;
type Scalar = Tree & { readonly kind: 'scalar' };

interface PropertyFault {
  readonly place: Place;
  readonly path: string;
  readonly message: string;
}

/** What was read; `value` counts only when there is no fault. */
export interface ReadProperty {
  readonly value: unknown;
  readonly faults: readonly PropertyFault[];
}

/** Reads a property of a simple type. */
export function readProperty(tree: Tree, property: Simple, path: string): ReadProperty {
  const faults: PropertyFault[] = [];
  const fault = (place: Place, message: string, at = path): null => {
    faults.push({ place, path: at, message });
    return null;
  };
  return { value: readSimple(tree, property, fault, path), faults };
}

type Tell = (place: Place, message: string, path?: string) => null;

function readSimple(tree: Tree, property: Simple, fault: Tell, path: string): unknown {
  if (property.type === 'tags') return tags(tree, fault, path);
  if (property.type === 'states') return names(tree, fault, path, (value, at) => states(value, fault, at));
  if (property.type === 'numbers') return names(tree, fault, path, (value, at) => number(value, fault, at));
  if (tree.kind !== 'scalar') return fault(tree, `must be ${wanted(property)}, not a ${kindWord(tree)}`);
  const value = tree.loose ? loosened(tree, property) : tree.value;
  switch (property.type) {
    case 'bool':
      return typeof value === 'boolean' ? value : fault(tree, `must be true or false, not ${shown(tree)}`);
    case 'int':
    case 'float': {
      const { type, min, max } = property;
      if (
        typeof value !== 'number' ||
        !Number.isFinite(value) ||
        (type === 'int' && !Number.isInteger(value))
      )
        return fault(tree, `must be ${wanted(property)}, not ${shown(tree)}`);
      return value < min || value > max
        ? fault(tree, `must be between ${min} and ${max}, not ${value}`)
        : value;
    }
    case 'choice':
      if (property.values.includes('metre') && typeof value === 'boolean') return value ? 'metre' : 'none';
      return typeof value === 'string' && property.values.includes(value)
        ? value
        : fault(tree, `must be ${property.values.join(', ')}, not ${shown(tree)}`);
    case 'color':
      if (typeof value === 'string' && property.words?.includes(value)) return value;
      return typeof value === 'string'
        ? (readColor(value) ?? colorFault(tree, fault))
        : colorFault(tree, fault);
    case 'str': {
      if (typeof value !== 'string')
        return fault(tree, `must be text, not ${shown(tree)}: write it in quotes`);
      if (value.length > property.longest)
        return fault(tree, `is longer than ${property.longest} characters`);
      return !property.pattern || property.pattern.test(value)
        ? value
        : fault(tree, `can't be ${shown(tree)}`);
    }
  }
}

function colorFault(tree: Scalar, fault: Tell): null {
  if (tree.value === null)
    return fault(
      tree,
      'must be a colour such as "#336699"; YAML reads an unquoted one as a comment: put it in quotes',
    );
  return fault(tree, `must be a colour #RRGGBB or #RRGGBBAA, not ${shown(tree)}`);
}

/** A query's text as the property's type wants it. */
function loosened(tree: Scalar, property: Simple): Scalar['value'] {
  if (property.type === 'str' || property.type === 'color') return tree.text;
  if (property.type === 'float' || property.type === 'int')
    return /^[-+]?\d{1,15}(?:\.\d{1,15})?$/.test(tree.text) ? Number(tree.text) : tree.text;
  if (property.type === 'bool' && /^[01]$/.test(tree.text)) return tree.text === '1';
  return property.type === 'choice' && property.values.includes(tree.text)
    ? tree.text
    : plainScalar(tree.text);
}

function tags(tree: Tree, fault: Tell, path: string): readonly string[] | null {
  if (tree.kind === 'scalar' && tree.loose) return tree.text === '' ? [] : tree.text.split(',');
  if (tree.kind !== 'list') return fault(tree, 'must be a list of texts');
  if (tree.items.length > MAX_TAGS) return fault(tree, `has more than ${MAX_TAGS} tags`);
  const found: string[] = [];
  for (const [index, item] of tree.items.entries()) {
    if (item.kind === 'scalar' && typeof item.value === 'string') found.push(item.value);
    else fault(item, 'must be text: write it in quotes', `${path}[${index}]`);
  }
  return found;
}

/** A mapping from nodesets; its names are checked, and unfolded when it is used. */
function names<T>(
  tree: Tree,
  fault: Tell,
  path: string,
  read: (value: Tree, path: string) => T | null,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  if (tree.kind === 'scalar' && tree.value === null) return found;
  if (tree.kind !== 'map') fault(tree, 'must be a mapping from nodesets');
  else if (tree.entries.size > MAX_NAMES) fault(tree, `has more than ${MAX_NAMES} names`);
  else
    for (const [text, entry] of tree.entries) {
      try {
        expand(text);
      } catch (error) {
        if (!(error instanceof NodesetError)) throw error;
        fault(entry.key, error.message, `${path}.${text}`);
      }
      const value = read(entry.value, `${path}.${text}`);
      if (value !== null) found.set(text, value);
    }
  return found;
}

function states(tree: Tree, fault: Tell, path: string): readonly string[] | null {
  const items = tree.kind === 'list' ? tree.items : [tree];
  const found: string[] = [];
  for (const item of items) {
    if (item.kind !== 'scalar' || typeof item.value !== 'string' || item.text.length > 200)
      return fault(item, 'must be a state or a list of states', path);
    found.push(...item.text.split(/[+,]/).map(word => word.trim()));
  }
  return found;
}

function number(tree: Tree, fault: Tell, path: string): number | null {
  const value = tree.kind === 'scalar' ? (tree.loose ? plainScalar(tree.text) : tree.value) : null;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return fault(tree, 'must be a number', path);
}

function wanted(property: Simple): string {
  switch (property.type) {
    case 'bool':
      return 'true or false';
    case 'int':
      return 'a whole number';
    case 'float':
      return 'a number';
    case 'choice':
      return property.values.join(', ');
    case 'color':
      return 'a colour';
    default:
      return 'text';
  }
}

function kindWord(tree: Tree): string {
  return tree.kind === 'map' ? 'mapping' : 'list';
}

function shown(tree: Scalar): string {
  if (tree.value === null) return 'nothing';
  const text = tree.text.length > 40 ? `${tree.text.slice(0, 40)}…` : tree.text;
  return typeof tree.value === 'string' ? `"${text}"` : text;
}
