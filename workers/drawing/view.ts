/** What every layout works with: the parameters, colours, looks and label style of one drawing. */
import type { Parameters } from '../../proto/parameters.ts';
import type { Database, Equipment, Rack } from './inventory/model.ts';
import { type LabelStyle, linesOf } from './label.ts';
import { type Looks, looksOf } from './look.ts';
import { type Palette, paletteOf } from './palette.ts';
import type { Item, Measure, PlacedEquipment, PlacedRack } from './scene.ts';

export interface View {
  readonly database: Database;
  readonly parameters: Parameters;
  readonly palette: Palette;
  readonly looks: Looks;
  readonly style: LabelStyle;
  /** Whether items are told apart in the result, as SVG does. */
  readonly items: boolean;
}

export function viewOf(database: Database, parameters: Parameters, measure: Measure, items: boolean): View {
  const palette = paletteOf(parameters);
  const { font, min_font_size } = parameters.general;
  const style = {
    measure,
    family: font ?? 'sans-serif',
    smallest: min_font_size,
    lines: linesOf(measure, font ?? 'sans-serif'),
  };
  return { database, parameters, palette, looks: looksOf(palette, parameters), style, items };
}

/** What SVG tells of equipment. */
export function equipmentItem({ items }: View, equipment: Equipment, words = ''): Item | null {
  if (!items) return null;
  const { set } = equipment;
  const rack = set.part.rack.name;
  const about = `${equipment.name}: ${set.type.id}, rack ${rack}, slot ${equipment.slot}`;
  return {
    kind: 'equipment',
    name: equipment.name,
    title: words === '' ? about : `${about}, ${words}`,
    data: { type: set.type.id, kind: set.kind, rack, tags: set.tags.join(' ') },
  };
}

/** What SVG tells of a rack. */
export function rackItem({ items }: View, rack: Rack): Item | null {
  if (!items) return null;
  const use = `${Math.round(rack.fillrate * 100)} % in use`;
  return {
    kind: 'rack',
    name: rack.name,
    title: `rack ${rack.name}: ${rack.type.id}, row ${rack.row.name}, room ${rack.row.room.name}, ${use}`,
    data: { type: rack.type.id, rack: rack.name, row: rack.row.name, tags: (rack.tags ?? []).join(' ') },
  };
}

/** What coordinates tell of equipment beside its place. */
export function equipmentFacts(
  equipment: Equipment,
  ghost: boolean,
): Omit<PlacedEquipment, 'box' | 'polygon'> {
  const { set } = equipment;
  return {
    name: equipment.name,
    kind: set.kind,
    type: set.type.id,
    rack: set.part.rack.name,
    infrastructure: set.part.infrastructure.name,
    tags: set.tags,
    slot: equipment.slot,
    position: equipment.position,
    ghost,
  };
}

/** What coordinates tell of a rack beside its place. */
export function rackFacts(rack: Rack, used: boolean): Omit<PlacedRack, 'box' | 'polygon' | 'angle' | 'door'> {
  return {
    name: rack.name,
    row: rack.row.name,
    room: rack.row.room.name,
    slot: rack.slot,
    type: rack.type.id,
    tags: rack.tags ?? [],
    used,
    fillrate: rack.fillrate,
  };
}
