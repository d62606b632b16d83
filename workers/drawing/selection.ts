/** Which rows, racks and equipment of an infrastructure a drawing shows. */
import { Fault } from '../../proto/fault.ts';
import type { Parameters } from '../../proto/parameters.ts';
import {
  type EquipmentSet,
  equipmentOf,
  type Infrastructure,
  type Part,
  type Rack,
  type Row,
} from './inventory/model.ts';
import { expand, NodesetError } from './inventory/nodeset.ts';

/** A row with the racks of it that are drawn, in document order. */
export interface SelectedRow {
  readonly row: Row;
  readonly racks: readonly Rack[];
}

export interface Selection {
  readonly infrastructure: Infrastructure;
  readonly rows: readonly SelectedRow[];
  /** The infrastructure's parts by rack. */
  readonly parts: ReadonlyMap<Rack, readonly Part[]>;
  isSelected(set: EquipmentSet): boolean;
}

const NO_RACKS = 'Unable to find racks to draw with filters provided in drawing parameters';

/** Selects by the parameters. Throws the documented fault when no rack is left. */
export function select(infrastructure: Infrastructure, { infrastructure: wanted }: Parameters): Selection {
  const tags = wanted.equipment_tags === null ? null : new Set(wanted.equipment_tags);
  const isSelected = (set: EquipmentSet): boolean => tags === null || set.tags.some(tag => tags.has(tag));
  const only = wanted.racks === null ? null : names(wanted.racks);
  const parts = new Map<Rack, Part[]>();
  const holding = new Set<Rack>();
  for (const part of infrastructure.parts) {
    const known = parts.get(part.rack);
    if (known) known.push(part);
    else parts.set(part.rack, [part]);
    for (const equipment of equipmentOf(part)) {
      if (!isSelected(equipment.set)) continue;
      holding.add(part.rack);
      break;
    }
  }
  const isDrawn = (rack: Rack): boolean =>
    (only === null || only.has(rack.name)) &&
    (wanted.other_racks || (parts.has(rack) && (!wanted.discard_empty_racks || holding.has(rack))));
  const rows = new Map<Row, SelectedRow>();
  for (const part of infrastructure.parts) {
    const { rack } = part;
    if (wanted.discard_empty_racks && !holding.has(rack)) continue;
    if (rows.has(rack.row)) continue;
    const racks = rack.row.racks.filter(isDrawn);
    if (racks.length > 0) rows.set(rack.row, { row: rack.row, racks });
  }
  if (rows.size === 0) throw new Fault('invalid', 'bad-input', NO_RACKS);
  return { infrastructure, rows: [...rows.values()], parts, isSelected };
}

function names(nodeset: string): ReadonlySet<string> {
  try {
    return new Set(expand(nodeset));
  } catch (error) {
    if (!(error instanceof NodesetError)) throw error;
    const message = `Unable to load drawing parameters: infrastructure.racks: ${error.message}`;
    throw new Fault('invalid', 'bad-parameters', message);
  }
}
