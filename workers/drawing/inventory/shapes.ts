/** Shapes of the views: keys in the documented order, sets unfolded or folded. */
import { orderedMap } from '../../../proto/document.ts';
import type { Item, Value } from './load.ts';
import {
  type Datacenter,
  type Equipment,
  type EquipmentSet,
  type Infrastructure,
  isFraction,
  isItem,
  isNodeset,
  KINDS,
  type Part,
  type Rack,
  type Row,
} from './model.ts';

/** Properties with the name of their object's type, which YAML may show. */
export class Tagged {
  readonly type: string;
  readonly values: Readonly<Record<string, unknown>>;

  constructor(type: string, values: Readonly<Record<string, unknown>>) {
    this.type = type;
    this.values = values;
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return this.values;
  }
}

/** Plain values for YAML, with or without the types' tags. */
export function typed(value: unknown, tags: boolean): unknown {
  if (Array.isArray(value)) return value.map(item => typed(item, tags));
  const values = value instanceof Tagged ? value.values : value;
  if (typeof values !== 'object' || values === null) return value;
  const entries = Object.entries(values).map(([key, inner]) => [key, typed(inner, tags)] as const);
  const plain = Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
  return tags && value instanceof Tagged ? orderedMap(value.type, Object.entries(plain)) : plain;
}

/** All properties of an item that were given or have a default. */
function all(item: Item, leaveOut: readonly string[] = []): Tagged {
  const values: Record<string, unknown> = {};
  for (const [key, value] of item.values) if (!leaveOut.includes(key)) values[key] = shown(value);
  return new Tagged(item.type, values);
}

function shown(value: Value): unknown {
  if (Array.isArray(value)) return value.map(inner => shown(inner as Value));
  if (typeof value !== 'object') return value;
  if (isFraction(value as Value)) return (value as { p: number; q: number }).p / (value as { q: number }).q;
  if (isNodeset(value as Value)) return (value as { text: string }).text;
  return isItem(value as Value) ? all(value as Item) : value;
}

/** Properties that an extension added to an object. */
function extras(item: Item, known: readonly string[]): Readonly<Record<string, unknown>> {
  return all(item, [...known, ...KINDS]).values;
}

function position({ position: { height, width } }: Equipment): Tagged {
  return new Tagged('RacksDBPosition', { height, width });
}

const SET_KEYS = ['name', 'type', 'slot', 'tags', 'column'];

/** Nodes with all that is known of their place; equal sets once where they are folded. */
export function nodeViews(nodes: readonly Equipment[], fold: boolean): Tagged[] {
  return grouped(nodes, fold, node => node.set).map(([node, name]) => {
    const { set } = node;
    const { rack, infrastructure } = set.part;
    return new Tagged('RacksDBNode', {
      name,
      infrastructure: infrastructure.name,
      rack: new Tagged('RacksDBRack', {
        name: rack.name,
        slot: rack.slot,
        type: all(rack.type.item),
        datacenter: rack.row.room.datacenter.name,
        room: rack.row.room.name,
        row: rack.row.name,
        tags: rack.tags ?? undefined,
        fillrate: rack.fillrate,
      }),
      type: all(set.type.item),
      slot: node.slot,
      tags: set.tags,
      position: fold ? undefined : position(node),
      ...extras(set.item, SET_KEYS),
    });
  });
}

/** One entry a member, or one a set under its folded name. */
function grouped<T, S>(members: readonly T[], fold: boolean, setOf: (member: T) => S): [T, string][] {
  const name = (one: T): string => (one as { readonly name: string }).name;
  if (!fold) return members.map(one => [one, name(one)]);
  const sets = new Map<S, T>();
  for (const one of members) if (!sets.has(setOf(one))) sets.set(setOf(one), one);
  return [...sets].map(([set, one]) => {
    const { names } = set as { readonly names: { readonly text: string } };
    return [one, names.text];
  });
}

const RACK_KEYS = ['name', 'slot', 'type', 'tags'];

/** Racks with the nodes in them. */
export function rackViews(racks: readonly Rack[], fold: boolean, inRow = false): Tagged[] {
  return grouped(racks, fold, rack => rack.set).map(([rack, name]) => {
    const rates = fold ? rack.set.racks.map(one => one.fillrate) : [rack.fillrate];
    const nodes = (fold ? rack.set.racks : [rack]).flatMap(one =>
      one.equipment.filter(equipment => equipment.set.kind === 'nodes'),
    );
    return new Tagged('RacksDBRack', {
      name,
      slot: rack.slot,
      type: all(rack.type.item),
      ...(inRow ? {} : { datacenter: rack.row.room.datacenter.name }),
      room: rack.row.room.name,
      row: rack.row.name,
      tags: rack.tags ?? undefined,
      ...(inRow
        ? {}
        : {
            nodes: grouped(nodes, fold, node => node.set).map(([node, node_name]) =>
              rackNode(node, node_name, fold),
            ),
          }),
      fillrate: rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
      ...extras(rack.set.item, RACK_KEYS),
    });
  });
}

function rackNode(node: Equipment, name: string, fold: boolean): Tagged {
  return new Tagged('RacksDBNode', {
    name,
    infrastructure: node.set.part.infrastructure.name,
    type: node.set.type.id,
    slot: node.slot,
    tags: node.set.tags,
    position: fold ? undefined : position(node),
  });
}

function rowView(row: Row, fold: boolean): Tagged {
  const { x, y, rotation } = row;
  return new Tagged('RacksDBRow', {
    name: row.name,
    position: new Tagged('RacksDBRowPosition', { width: x, depth: y, rotation }),
    racks: rackViews(row.racks, fold, true),
    nbracks: row.racks.length,
    reversed: row.reversed,
    ...extras(row.item, ['name', 'position', 'racks', 'reversed']),
  });
}

export function datacenterView(datacenter: Datacenter, fold: boolean): Tagged {
  const location = datacenter.item.values.get('location');
  return new Tagged('RacksDBDatacenter', {
    name: datacenter.name,
    rooms: datacenter.rooms.map(
      room =>
        new Tagged('RacksDBRoom', {
          name: room.name,
          dimensions: new Tagged('RacksDBRoomDimensions', { width: room.width, depth: room.depth }),
          rows: room.rows.map(row => rowView(row, fold)),
          ...extras(room.item, ['name', 'dimensions', 'rows']),
        }),
    ),
    tags: datacenter.tags ?? undefined,
    location: location === undefined ? undefined : shown(location),
    ...extras(datacenter.item, ['name', 'rooms', 'tags', 'location']),
  });
}

export function infrastructureView(infrastructure: Infrastructure, fold: boolean): Tagged {
  return new Tagged('RacksDBInfrastructure', {
    name: infrastructure.name,
    description: infrastructure.description,
    layout: infrastructure.parts.map(part => partView(part, fold)),
    tags: infrastructure.tags ?? undefined,
    ...extras(infrastructure.item, ['name', 'description', 'layout', 'tags']),
  });
}

function partView(part: Part, fold: boolean): Tagged {
  const sets = (found: readonly EquipmentSet[]): Tagged[] =>
    grouped(
      found.flatMap(set => set.members),
      fold,
      one => one.set,
    ).map(
      ([one, name]) =>
        new Tagged(one.set.item.type, {
          name,
          rack: part.rack.name,
          type: all(one.set.type.item),
          slot: one.slot,
          tags: one.set.tags,
          position: fold ? undefined : position(one),
          ...extras(one.set.item, SET_KEYS),
        }),
    );
  return new Tagged('RacksDBPart', {
    rack: part.rack.name,
    nodes: sets(part.sets.nodes),
    storage: sets(part.sets.storage),
    network: sets(part.sets.network),
    misc: sets(part.sets.misc),
    tags: part.tags ?? undefined,
    ...extras(part.item, ['rack', 'tags', ...KINDS]),
  });
}
