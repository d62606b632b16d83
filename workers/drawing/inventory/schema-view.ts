/** The schema as the schema view shows it: content, objects and value types. */
import { type ObjectType, SCHEMA_VERSION, type Schema } from './schema.ts';
import { type Fraction, VALUE_TYPES } from './values.ts';

/** Plain values of the schema's document. */
export function schemaDocument(schema: Schema): unknown {
  return {
    _version: SCHEMA_VERSION,
    _content: { properties: properties(schema.content) },
    _objects: Object.fromEntries(
      Object.entries(schema.objects).map(([name, object]) => [
        name,
        {
          ...(object.description ? { description: object.description } : {}),
          properties: properties(object),
        },
      ]),
    ),
    _types: Object.fromEntries(
      Object.entries(VALUE_TYPES).map(([name, type]) => [
        name,
        { pattern: type.pattern.source, example: type.example },
      ]),
    ),
  };
}

function properties(object: ObjectType): unknown {
  return Object.fromEntries(
    Object.entries(object.properties).map(
      ([name, { type, description, key, optional, computed, default: value }]) => [
        name,
        {
          type,
          ...(description ? { description } : {}),
          ...(key ? { key } : {}),
          ...(computed ? { computed } : optional ? { optional } : {}),
          ...(value === undefined ? {} : { default: isFraction(value) ? 'full' : value }),
        },
      ],
    ),
  );
}

function isFraction(value: unknown): value is Fraction {
  return typeof value === 'object' && value !== null && 'q' in value;
}
