/** Nodes, partitions and accounting objects as Slurm-web's frontends expect them. */
import { asNumber, asOptional, asText, asTexts, type Shape, shape } from './shape.ts';
import { idleCpus } from './tally.ts';
import { integer, optional, raw, states, text, texts } from './values.ts';

const NODE_ROW: Shape = {
  name: asText,
  cpus: asNumber,
  sockets: asNumber,
  cores: asNumber,
  gres: asText,
  gres_used: asText,
  real_memory: asNumber,
  state: object => states(object.state, object.state_flags),
  reason: asText,
  partitions: asTexts,
  alloc_cpus: asNumber,
  alloc_idle_cpus: object => idleCpus(object),
};

const NODE_DETAIL: Shape = {
  ...NODE_ROW,
  architecture: asText,
  operating_system: asText,
  boot_time: asOptional,
  last_busy: asOptional,
  threads: asNumber,
  alloc_memory: asNumber,
};

export function nodeRow(value: unknown): Record<string, unknown> {
  return shape(raw(value), NODE_ROW);
}

export function nodeDetail(value: unknown): Record<string, unknown> {
  return shape(raw(value), NODE_DETAIL);
}

export function partitionRow(value: unknown): Record<string, unknown> {
  const object = raw(value);
  const nodes = raw(object.nodes);
  return { name: text(object.name), node_sets: text(object.node_sets ?? nodes.configured ?? object.nodes) };
}

export function reservationRow(value: unknown): Record<string, unknown> {
  return shape(raw(value), {
    name: asText,
    users: asText,
    accounts: asText,
    node_list: asText,
    node_count: asNumber,
    start_time: asOptional,
    end_time: asOptional,
    flags: object => states(object.flags),
  });
}

export function accountRow(value: unknown): Record<string, unknown> {
  return { name: text(raw(value).name) };
}

export function qosRow(value: unknown): Record<string, unknown> {
  return shape(raw(value), {
    name: asText,
    description: asText,
    priority: asOptional,
    flags: object => states(object.flags),
    limits: object => limits(object.limits),
  });
}

export function associationRow(value: unknown): Record<string, unknown> {
  return shape(raw(value), {
    account: asText,
    max: object => limits(object.max),
    parent_account: asText,
    qos: object => texts(object.qos),
    user: asText,
  });
}

/** Deepest nesting of limits that any version has, with room. */
const MAX_DEPTH = 8;

/** Limits as they are nested upstream: TRES lists stay lists, `grace_time` a number, every other number an object. */
function limits(value: unknown, name = '', depth = 0): unknown {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value;
  if (name === 'grace_time') return integer(value);
  if (typeof value === 'object' && value !== null) {
    if ('number' in value && 'infinite' in value) return optional(value);
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, limits(inner, key, depth + 1)]),
    );
  }
  return typeof value === 'string' ? value : optional(value);
}
