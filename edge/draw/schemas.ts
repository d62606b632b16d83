/** What the interface's description says of drawings and views. */
import { PARAMETERS, type Property, type Section } from '../../proto/parameters.ts';

type Json = Readonly<Record<string, unknown>>;

const COLOR: Json = { type: 'string', pattern: '^#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$' };

/** JSON schema of the parameters document. */
function parametersSchema(): Json {
  return schemaOf(PARAMETERS);
}

function schemaOf(field: Property | Section): Json {
  if (field.type === 'section') {
    const properties = Object.fromEntries(
      Object.entries(field.fields).map(([name, inner]) => [name, schemaOf(inner)]),
    );
    return { type: 'object', description: field.about, additionalProperties: false, properties };
  }
  return { description: field.about, ...typeOf(field) };
}

function typeOf(field: Property): Json {
  switch (field.type) {
    case 'bool':
      return { type: 'boolean', default: field.fallback };
    case 'int':
    case 'float': {
      const known = Number.isNaN(field.fallback) ? {} : { default: field.fallback };
      return {
        type: field.type === 'int' ? 'integer' : 'number',
        minimum: field.min,
        maximum: field.max,
        ...known,
      };
    }
    case 'choice':
      return { type: 'string', enum: field.values, default: field.fallback };
    case 'color':
      return field.words ? { anyOf: [{ type: 'string', enum: field.words }, COLOR] } : COLOR;
    case 'str':
      return { type: 'string', maxLength: field.longest };
    case 'tags':
      return { type: 'array', items: { type: 'string' } };
    case 'rules':
      return { type: 'array', items: schemaOf(field.rule) };
    case 'states':
      return {
        type: 'object',
        additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      };
    case 'numbers':
      return { type: 'object', additionalProperties: { type: 'number' } };
    case 'optional':
      return schemaOf(field.section);
  }
}

const ERROR: Json = {
  type: 'object',
  required: ['code', 'name', 'description'],
  properties: {
    code: { type: 'integer' },
    name: { type: 'string' },
    description: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          line: { type: 'integer' },
          column: { type: 'integer' },
          message: { type: 'string' },
        },
      },
    },
  },
};

function failures(...statuses: readonly number[]): Json {
  return Object.fromEntries(
    statuses.map(status => [
      status,
      { description: 'what was wrong', content: { 'application/json': { schema: ERROR } } },
    ]),
  );
}

function query(names: Readonly<Record<string, string>>): Json {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(names).map(([name, description]) => [name, { type: 'string', description }]),
    ),
  };
}

const BINARY: Json = { type: 'string', format: 'binary' };

/** Description of a draw route. */
export function drawSchema(method: 'get' | 'post'): Json {
  return {
    tags: ['drawings'],
    summary: 'Draw an infrastructure, a room or a rack',
    description:
      'The file is the name of the entity with .png, .svg or .pdf. A GET may set any parameter by its path, as in parameters.rack.u_height=44.5.',
    params: {
      type: 'object',
      required: ['entity', 'file'],
      properties: {
        entity: { type: 'string', enum: ['infrastructure', 'room', 'rack'] },
        file: { type: 'string', description: 'NAME.png, NAME.svg or NAME.pdf' },
      },
    },
    querystring: query({
      coordinates: 'also answer coordinates, as multipart/form-data; "full" for all that is known',
      coordinates_format: 'json or yaml',
      datacenter: 'which one, where two have a room or rack of that name',
    }),
    ...(method === 'post'
      ? {
          body: {
            content: {
              'application/json': { schema: parametersSchema() },
              'application/x-yaml': { schema: parametersSchema() },
            },
          },
        }
      : {}),
    response: {
      200: {
        description: 'the picture, or a form of image and coordinates',
        content: {
          'image/png': { schema: BINARY },
          'image/svg+xml': { schema: { type: 'string' } },
          'application/pdf': { schema: BINARY },
          'multipart/form-data': {
            schema: { type: 'object', properties: { image: BINARY, coordinates: { type: 'string' } } },
          },
        },
      },
      ...failures(...(method === 'post' ? [400, 404, 413, 415, 503] : [400, 404, 503])),
    },
  };
}

const FILTERS = {
  name: 'only the one of this name',
  tags: 'only those that have all of these tags, a,b',
  list: 'names only, by its presence',
  fold: 'sets folded, by its presence',
  with_objects_types: 'types of objects as YAML tags, by its presence',
  format: 'json or yaml',
};

const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  datacenters: FILTERS,
  infrastructures: FILTERS,
  racks: FILTERS,
  nodes: { ...FILTERS, infrastructure: 'only nodes of this infrastructure' },
  tags: {
    node: 'tags of this node',
    infrastructure: 'tags of this infrastructure',
    on_nodes: 'those of its nodes, by its presence',
    datacenter: 'tags of this datacenter',
    on_racks: 'those of its racks, by its presence',
    format: 'json or yaml',
  },
  diagnostics: { format: 'json or yaml' },
};

/** Description of a view's route. */
export function viewSchema(view: string): Json {
  const yaml = { 'application/x-yaml': { schema: { type: 'string' } } };
  const json = { 'application/json': { schema: { type: 'array' } } };
  const only = view === 'schema' || view === 'dump';
  return {
    tags: ['inventory'],
    summary: `The inventory: ${view}`,
    querystring: query(OWN[view] ?? {}),
    response: {
      200: { description: 'the view', content: only ? yaml : { ...json, ...yaml } },
      ...failures(...(view === 'tags' ? [400, 404, 503] : [400, 503])),
    },
  };
}
