/** Where rows and racks of a flat infrastructure drawing stand. */
import { Fault } from '../../proto/fault.ts';
import type { Parameters } from '../../proto/parameters.ts';
import { extentOf } from './extent.ts';
import type { Rack, Row } from './inventory/model.ts';
import type { SelectedRow, Selection } from './selection.ts';

/** A rack and its left edge, px. */
export interface RackAt {
  readonly rack: Rack;
  readonly x: number;
}

/** Racks left out between those that are drawn: a break of some px. */
interface Break {
  readonly x: number;
  readonly count: number;
}

export interface RowAt {
  readonly row: Row;
  /** px. */
  readonly baseline: number;
  /** Height of its highest drawn rack, whole px. */
  readonly height: number;
  readonly labelX: number;
  readonly racks: readonly RackAt[];
  readonly breaks: readonly Break[];
}

/** A flat drawing's skeleton. */
export interface Arrangement {
  readonly k: number;
  /** Image, px. */
  readonly width: number;
  readonly height: number;
  /** px above a row's racks that its labels take. */
  readonly labels: number;
  /** px from the top edge of a rack's label to the rack. */
  readonly rackLabel: number;
  readonly rows: readonly RowAt[];
}

/** px that labels above a row's racks take. */
export function labelSpace({ row, rack }: Parameters): number {
  return (row.labels ? row.label_offset : 0) + (rack.labels ? rack.label_offset : 0) + fillRateSpace(rack);
}

/** px that the line with the fill rate takes. */
export function fillRateSpace(rack: Parameters['rack']): number {
  return rack.fill_rate ? 16 : 0;
}

/** Racks of a row in the order in which they stand before one another: from the left as drawn. */
export function standing(row: Row): readonly Rack[] {
  const racks = [...row.racks].sort((a, b) => a.slot - b.slot);
  return row.reversed ? racks.reverse() : racks;
}

/** Width in mm up to the last drawn rack: those between keep their place. */
export function widthOf({ row, racks }: SelectedRow): number {
  const slots = racks.map(rack => rack.slot);
  const last = row.reversed ? Math.min(...slots) : Math.max(...slots);
  let width = 0;
  for (const rack of row.racks)
    if (row.reversed ? rack.slot >= last : rack.slot <= last) width += rack.type.width;
  return width;
}

export function heightOf({ racks }: SelectedRow): number {
  return racks.reduce((height, rack) => Math.max(height, rack.type.height), 0);
}

/** Refuses posts that leave nothing between them. */
export function checkPanes(selection: Selection, { rack: { pane_width } }: Parameters): void {
  for (const { racks } of selection.rows)
    for (const rack of racks) {
      if (2 * pane_width < rack.type.width) continue;
      throw new Fault(
        'invalid',
        'bad-parameters',
        `Unable to load drawing parameters: rack.pane_width: two posts of ${pane_width} mm leave no room in rack ${rack.name}, which is ${rack.type.width} mm wide`,
      );
    }
}

/** The documented arrangement: rows below each other, undrawn racks keeping their place. */
export function arrange(selection: Selection, parameters: Parameters): Arrangement {
  const { dimensions, margin, rack: settings } = parameters;
  const { rows } = selection;
  const labels = labelSpace(parameters);
  const gap = settings.offset + labels;
  const fullest = Math.max(...rows.map(({ row }) => row.racks.length));
  const heights = rows.map(heightOf);
  const { k, width, height } = extentOf(
    {
      width: Math.max(...rows.map(widthOf)),
      height: heights.reduce((sum, h) => sum + h, 0),
      fixedWidth: 2 * margin.left + settings.spacing * (fullest - 1),
      fixedHeight: 2 * margin.top + labels + (rows.length - 1) * gap,
    },
    dimensions,
  );
  let top = margin.top + labels;
  const placed = rows.map((selected, index): RowAt => {
    const high = Math.trunc((heights[index] ?? 0) * k);
    const baseline = top + high;
    top += high + gap;
    const racks = racksAt(selected, margin.left, k, settings.spacing);
    return { row: selected.row, baseline, height: high, labelX: margin.left, racks, breaks: [] };
  });
  return { k, width, height, labels, rackLabel: settings.label_offset, rows: placed };
}

/** Racks on one slot stand on one place. */
function racksAt({ row, racks }: SelectedRow, left: number, k: number, spacing: number): RackAt[] {
  const drawn = new Set(racks);
  const at = new Map<Rack, number>();
  let x = left;
  let before = left;
  let slot: number | null = null;
  for (const rack of standing(row)) {
    if (rack.slot !== slot) before = x;
    slot = rack.slot;
    if (drawn.has(rack)) at.set(rack, before);
    x += Math.trunc(rack.type.width * k) + spacing;
  }
  return racks.map(rack => ({ rack, x: at.get(rack) ?? left }));
}
