/** Draws one rack with the equipment of all infrastructures in it: a selection made of that rack alone. */
import type { Database, EquipmentSet, Infrastructure, Part, Rack } from './inventory/model.ts';
import type { Selection } from './selection.ts';
import type { View } from './view.ts';

/** The rack of a name; null when there is none. `datacenter` narrows the search. */
export function findRack(database: Database, name: string, datacenter: string | null): Rack | null {
  for (const center of database.datacenters) {
    if (datacenter !== null && center.name !== datacenter) continue;
    for (const room of center.rooms)
      for (const row of room.rows) for (const rack of row.racks) if (rack.name === name) return rack;
  }
  return null;
}

/** A selection of one rack, with the parts of every infrastructure in it. */
export function selectRack(view: View, rack: Rack): Selection {
  const tags = view.parameters.infrastructure.equipment_tags;
  const wanted = tags === null ? null : new Set(tags);
  const parts: Part[] = view.database.infrastructures.flatMap(infrastructure =>
    infrastructure.parts.filter(part => part.rack === rack),
  );
  // A row of its own: neighbours neither take place nor count for spacing.
  const alone: Rack = { ...rack, slot: 0, row: { ...rack.row, racks: [] } };
  (alone.row.racks as Rack[]).push(alone);
  const infrastructure: Infrastructure = {
    name: rack.name,
    description: '',
    parts: [],
    tags: null,
    item: rack.set.item,
  };
  return {
    infrastructure,
    rows: [{ row: alone.row, racks: [alone] }],
    parts: new Map([[alone, parts]]),
    isSelected: (set: EquipmentSet) => wanted === null || set.tags.some(tag => wanted.has(tag)),
  };
}
