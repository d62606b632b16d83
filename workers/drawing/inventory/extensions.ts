/** Adds a site's own objects and properties, from an extensions file, to the built-in schema. */
import type { Finding, Tree } from '../../../proto/tree.ts';
import { plainValue } from '../../../proto/tree.ts';
import { finding } from './load.ts';
import type { ObjectType, Property, Schema } from './schema.ts';
import { VALUE_TYPES } from './values.ts';

const SCALARS = ['str', 'int', 'float', 'bool', 'nodeset', 'slot', 'expandable', 'rangeid', 'sequence'];
/** Names of RacksDB for what the schema calls nodeset and slot. */
const ALIASES: Readonly<Record<string, string>> = {
  expandable: 'nodeset',
  rangeid: 'slot',
  sequence: 'slot',
};
const PROPERTY_KEYS = ['type', 'description', 'key', 'optional', 'default', 'computed', 'example'];

/** The schema with an extensions tree laid over it. Faults are found, not thrown. */
export function extend(schema: Schema, tree: Tree): { schema: Schema; findings: Finding[] } {
  const findings: Finding[] = [];
  if (tree.kind === 'scalar' && tree.value === null) return { schema, findings };
  if (tree.kind !== 'map') {
    findings.push(finding('error', 'extensions', tree, '', 'must be a mapping'));
    return { schema, findings };
  }
  let content = schema.content;
  const objects: Record<string, ObjectType> = { ...schema.objects };
  for (const [section, entry] of tree.entries) {
    if (section === '_content') content = overlay(content, entry.value, '_content', findings);
    else if (section === '_objects' && entry.value.kind === 'map') {
      for (const [name, object] of entry.value.entries) {
        const earlier = Object.hasOwn(objects, name) ? objects[name] : undefined;
        objects[name] = overlay(earlier ?? { properties: {} }, object.value, `_objects.${name}`, findings);
      }
    } else if (section !== '_version') {
      findings.push(finding('error', 'extensions', entry.key, section, 'must be _content or _objects'));
    }
  }
  const extended = { content, objects };
  checkTypes(extended, tree, findings);
  return { schema: extended, findings };
}

function overlay(object: ObjectType, tree: Tree, path: string, findings: Finding[]): ObjectType {
  const fault = (at: Tree, where: string, message: string): void => {
    findings.push(finding('error', 'extensions', at, where, message));
  };
  if (tree.kind !== 'map') {
    fault(tree, path, 'must be a mapping');
    return object;
  }
  const properties: Record<string, Property> = { ...object.properties };
  const list = tree.entries.get('properties')?.value;
  if (list?.kind !== 'map') {
    fault(tree, path, 'must have properties');
    return object;
  }
  for (const [name, entry] of list.entries) {
    const where = `${path}.properties.${name}`;
    const shape = plainValue(entry.value) as Record<string, unknown> | null;
    if (entry.value.kind !== 'map' || typeof shape?.type !== 'string') {
      fault(entry.value, where, 'must have a type');
      continue;
    }
    const unknown = Object.keys(shape).find(key => !PROPERTY_KEYS.includes(key));
    if (unknown !== undefined) fault(entry.value, where, `${unknown}: unknown key`);
    properties[name] = property(shape);
  }
  return { ...object, properties };
}

function property(shape: Record<string, unknown>): Property {
  const type = String(shape.type);
  return {
    type: ALIASES[type] ?? type,
    ...(typeof shape.description === 'string' ? { description: shape.description } : {}),
    ...(shape.key === true ? { key: true } : {}),
    ...(shape.optional === true ? { optional: true } : {}),
    ...(shape.computed === true ? { computed: true } : {}),
    ...('default' in shape && shape.default !== null ? { default: shape.default } : {}),
  };
}

function checkTypes(schema: Schema, tree: Tree, findings: Finding[]): void {
  for (const [name, object] of [['_content', schema.content] as const, ...Object.entries(schema.objects)]) {
    for (const [key, shape] of Object.entries(object.properties)) {
      const type = shape.type.replace(/^list\[(.*)\]$/, '$1');
      if (isType(type, schema)) continue;
      findings.push(finding('error', 'extensions', tree, `${name}.${key}`, `unknown type ${shape.type}`));
    }
  }
}

function isType(type: string, schema: Schema): boolean {
  if (type.startsWith('~')) return Object.hasOwn(VALUE_TYPES, type.slice(1));
  if (type.startsWith(':') || type.startsWith('^')) return Object.hasOwn(schema.objects, type.slice(1));
  if (type.startsWith('$')) {
    const [object = '', key = ''] = type.slice(1).split('.');
    return Object.hasOwn(schema.objects[object]?.properties ?? {}, key);
  }
  return SCALARS.includes(type);
}
