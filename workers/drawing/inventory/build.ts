/** Builds the model out of items that were loaded without error. */
import { positionOf } from '../position.ts';
import type { Item, Nodeset, Value } from './load.ts';
import type {
  Database,
  Datacenter,
  Equipment,
  EquipmentKind,
  EquipmentSet,
  EquipmentType,
  Infrastructure,
  Part,
  Rack,
  RackSet,
  RackType,
  Room,
  Row,
} from './model.ts';
import { KINDS } from './model.ts';
import type { Fraction } from './values.ts';

/** A type being made, its read-only fields still open. */
type Open<T> = { -readonly [K in keyof T]: T[K] };

/** The model of a root item. */
export function build(root: Item, version: string): Database {
  return new Builder(root).database(version);
}

/** One building of the model. */
class Builder {
  readonly #root: Item;
  readonly #rackTypes = new Map<string, RackType>();
  readonly #types: Record<EquipmentKind, Map<string, EquipmentType>> = {
    nodes: new Map(),
    storage: new Map(),
    network: new Map(),
    misc: new Map(),
  };
  /** The first rack of each name in document order. */
  readonly #racks = new Map<string, Rack>();
  readonly #equipment = new Map<Rack, Equipment[]>();

  constructor(root: Item) {
    this.#root = root;
    const types = child(root, 'types');
    for (const item of children(types, 'racks')) {
      const id = str(item, 'id');
      this.#rackTypes.set(id, {
        id,
        height: num(item, 'height'),
        width: num(item, 'width'),
        depth: num(item, 'depth'),
        slots: num(item, 'slots'),
        initial: num(item, 'initial'),
        item,
      });
    }
    for (const kind of KINDS)
      for (const item of children(types, kind)) {
        const type = equipmentType(kind, item);
        this.#types[kind].set(type.id, type);
      }
  }

  database(version: string): Database {
    const datacenters = children(this.#root, 'datacenters').map(item => this.#datacenter(item));
    const infrastructures = children(this.#root, 'infrastructures').map(item => this.#infrastructure(item));
    for (const [rack, equipment] of this.#equipment) {
      const open = rack as Open<Rack>;
      open.equipment = equipment;
      open.fillrate = fillrate(equipment, rack.type.slots);
    }
    return {
      version,
      datacenters,
      infrastructures,
      rackTypes: [...this.#rackTypes.values()],
      root: this.#root,
    };
  }

  #datacenter(item: Item): Datacenter {
    const rooms: Room[] = [];
    const datacenter: Datacenter = { name: str(item, 'name'), rooms, tags: tags(item), item };
    for (const room of children(item, 'rooms')) rooms.push(this.#room(room, datacenter));
    return datacenter;
  }

  #room(item: Item, datacenter: Datacenter): Room {
    const rows: Row[] = [];
    const size = child(item, 'dimensions');
    const room: Room = {
      name: str(item, 'name'),
      datacenter,
      width: num(size, 'width'),
      depth: num(size, 'depth'),
      rows,
      item,
    };
    for (const row of children(item, 'rows')) rows.push(this.#row(row, room));
    return room;
  }

  #row(item: Item, room: Room): Row {
    const racks: Rack[] = [];
    const position = child(item, 'position');
    const row: Row = {
      name: str(item, 'name'),
      room,
      x: num(position, 'width'),
      y: num(position, 'depth'),
      rotation: num(position, 'rotation'),
      reversed: item.values.get('reversed') === true,
      racks,
      item,
    };
    for (const set of children(item, 'racks')) racks.push(...this.#rackSet(set, row));
    return row;
  }

  #rackSet(item: Item, row: Row): readonly Rack[] {
    const names = item.values.get('name') as Nodeset;
    const type = this.#rackTypes.get(str(item, 'type')) as RackType;
    const racks: Rack[] = [];
    const set: RackSet = { names, racks, item };
    for (const [index, name] of names.members.entries()) {
      const slot = num(item, 'slot') + index;
      const rack: Rack = { name, slot, type, row, tags: tags(item), fillrate: 0, equipment: [], set };
      racks.push(rack);
      if (!this.#racks.has(name)) this.#racks.set(name, rack);
    }
    return racks;
  }

  #infrastructure(item: Item): Infrastructure {
    const parts: Part[] = [];
    const infrastructure: Infrastructure = {
      name: str(item, 'name'),
      description: str(item, 'description'),
      parts,
      tags: tags(item),
      item,
    };
    for (const part of children(item, 'layout')) parts.push(this.#part(part, infrastructure));
    return infrastructure;
  }

  #part(item: Item, infrastructure: Infrastructure): Part {
    const rack = this.#racks.get(str(item, 'rack')) as Rack;
    const sets: Record<EquipmentKind, EquipmentSet[]> = { nodes: [], storage: [], network: [], misc: [] };
    const part: Part = { infrastructure, rack, tags: tags(item), sets, item };
    for (const kind of KINDS)
      for (const set of children(item, kind)) sets[kind].push(this.#equipmentSet(set, kind, part));
    return part;
  }

  #equipmentSet(item: Item, kind: EquipmentKind, part: Part): EquipmentSet {
    const names = item.values.get('name') as Nodeset;
    const type = this.#types[kind].get(str(item, 'type')) as EquipmentType;
    const members: Equipment[] = [];
    const slot = num(item, 'slot');
    const effective = [...new Set([...(part.tags ?? []), ...(tags(item) ?? [])])];
    const set: EquipmentSet = { kind, names, type, slot, tags: effective, members, part, item };
    const column = item.values.has('column') ? num(item, 'column') : 0;
    const inRack = this.#equipment.get(part.rack) ?? [];
    this.#equipment.set(part.rack, inRack);
    for (const [index, name] of names.members.entries()) {
      const position = positionOf(index, type, slot, part.rack.type.initial, column);
      const equipment: Equipment = { name, set, slot: slot + index, position };
      members.push(equipment);
      inRack.push(equipment);
    }
    return set;
  }
}

function equipmentType(kind: EquipmentKind, item: Item): EquipmentType {
  const face = item.values.get('face');
  const depth = item.values.get('depth');
  return {
    kind,
    id: str(item, 'id'),
    model: str(item, 'model'),
    height: num(item, 'height'),
    width: item.values.get('width') as Fraction,
    face: face === 'rear' || face === 'both' ? face : 'front',
    depth: typeof depth === 'number' ? depth : null,
    item,
  };
}

/** Exact sum over the common widths, so that full racks are 1, not 0.9999. */
function fillrate(equipment: readonly Equipment[], slots: number): number {
  const byDivisor = new Map<number, number>();
  for (const { set } of equipment) {
    const { p, q } = set.type.width;
    byDivisor.set(q, (byDivisor.get(q) ?? 0) + p * set.type.height);
  }
  let units = 0;
  for (const [q, sum] of byDivisor) units += sum / q;
  return slots === 0 ? 0 : units / slots;
}

function child(item: Item, property: string): Item {
  return item.values.get(property) as Item;
}

function children(item: Item, property: string): readonly Item[] {
  return (item.values.get(property) ?? []) as readonly Item[];
}

function str(item: Item, property: string): string {
  const value = item.values.get(property) as Value;
  return typeof value === 'string' ? value : (value as Nodeset).text;
}

function num(item: Item, property: string): number {
  return item.values.get(property) as number;
}

function tags(item: Item): readonly string[] | null {
  return (item.values.get('tags') as readonly string[] | undefined) ?? null;
}
