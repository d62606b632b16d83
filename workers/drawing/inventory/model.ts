/** The inventory as drawings and views see it: racks in rows, equipment in racks, every set unfolded. */
import type { Item, Nodeset, Value } from './load.ts';
import type { Fraction } from './values.ts';

export const KINDS = ['nodes', 'storage', 'network', 'misc'] as const;
export type EquipmentKind = (typeof KINDS)[number];

export interface RackType {
  readonly id: string;
  /** mm. */
  readonly height: number;
  readonly width: number;
  readonly depth: number;
  /** Units. */
  readonly slots: number;
  /** Number of the lowest unit. */
  readonly initial: number;
  readonly item: Item;
}

export interface EquipmentType {
  readonly kind: EquipmentKind;
  readonly id: string;
  readonly model: string;
  /** Units. */
  readonly height: number;
  readonly width: Fraction;
  readonly face: 'front' | 'rear' | 'both';
  /** mm; null = the rack's. */
  readonly depth: number | null;
  readonly item: Item;
}

export interface Datacenter {
  readonly name: string;
  readonly rooms: readonly Room[];
  readonly tags: readonly string[] | null;
  readonly item: Item;
}

export interface Room {
  readonly name: string;
  readonly datacenter: Datacenter;
  /** mm. */
  readonly width: number;
  readonly depth: number;
  readonly rows: readonly Row[];
  readonly item: Item;
}

export interface Row {
  readonly name: string;
  readonly room: Room;
  /** mm from the room's left and top. */
  readonly x: number;
  readonly y: number;
  /** Degrees clockwise. */
  readonly rotation: number;
  readonly reversed: boolean;
  /** In document order, sets unfolded. */
  readonly racks: readonly Rack[];
  readonly item: Item;
}

export interface Rack {
  readonly name: string;
  readonly slot: number;
  readonly type: RackType;
  readonly row: Row;
  readonly tags: readonly string[] | null;
  /** Share of its units in use by equipment of all infrastructures; above 1 where it overlaps. */
  readonly fillrate: number;
  /** Equipment of all infrastructures in document order. */
  readonly equipment: readonly Equipment[];
  /** The set that it was unfolded from. */
  readonly set: RackSet;
}

export interface RackSet {
  readonly names: Nodeset;
  readonly racks: readonly Rack[];
  readonly item: Item;
}

export interface Infrastructure {
  readonly name: string;
  readonly description: string;
  readonly parts: readonly Part[];
  readonly tags: readonly string[] | null;
  readonly item: Item;
}

export interface Part {
  readonly infrastructure: Infrastructure;
  readonly rack: Rack;
  readonly tags: readonly string[] | null;
  readonly sets: Readonly<Record<EquipmentKind, readonly EquipmentSet[]>>;
  readonly item: Item;
}

export interface EquipmentSet {
  readonly kind: EquipmentKind;
  readonly names: Nodeset;
  readonly type: EquipmentType;
  readonly slot: number;
  /** Effective: the part's, then its own. */
  readonly tags: readonly string[];
  readonly members: readonly Equipment[];
  readonly part: Part;
  readonly item: Item;
}

export interface Equipment {
  readonly name: string;
  readonly set: EquipmentSet;
  /** slot of the set + index, as shown; not the real unit. */
  readonly slot: number;
  /** Columns from the left of the type's width, units above the rack's bottom. */
  readonly position: { readonly width: number; readonly height: number };
}

export interface Database {
  /** Hash of the content. */
  readonly version: string;
  readonly datacenters: readonly Datacenter[];
  readonly infrastructures: readonly Infrastructure[];
  readonly rackTypes: readonly RackType[];
  readonly root: Item;
}

export function isFraction(value: Value): value is Fraction {
  return typeof value === 'object' && 'q' in value;
}

export function isNodeset(value: Value): value is Nodeset {
  return typeof value === 'object' && 'members' in value;
}

export function isItem(value: Value): value is Item {
  return typeof value === 'object' && 'values' in value && value.values instanceof Map;
}

/** All equipment of a part, kinds in their drawing order. */
export function* equipmentOf(part: Part): Generator<Equipment> {
  for (const kind of KINDS) for (const set of part.sets[kind]) yield* set.members;
}
