/** The compact arrangement: undrawn racks shrink to a break, rows stand in the columns that let them be largest. */
import { extentOf } from './extent.ts';
import {
  type Arrangement,
  fillRateSpace,
  heightOf,
  type RackAt,
  type RowAt,
  standing,
} from './infrastructure.ts';
import type { Rack } from './inventory/model.ts';
import { lineHeight, plain } from './label.ts';
import type { SelectedRow, Selection } from './selection.ts';
import type { View } from './view.ts';

/** px of a break. */
export const BREAK = 24;
/** px between columns of rows. */
const COLUMN_GAP = 36;

/** A rack, or how many are left out. */
type Place = Rack | number;

interface Strip {
  readonly selected: SelectedRow;
  readonly places: readonly Place[];
  /** mm. */
  readonly width: number;
  readonly height: number;
  /** px. */
  readonly fixed: number;
}

/** Arranges a selection compactly. */
export function arrangeCompact(selection: Selection, view: View): Arrangement {
  const { dimensions, margin, rack, row } = view.parameters;
  const line = Math.ceil(lineHeight(plain(view.style, 'x').size)) + 2;
  const rackLabel = rack.labels ? line : 0;
  const labels = (row.labels ? line : 0) + rackLabel + fillRateSpace(rack);
  const strips = selection.rows.map(selected => stripOf(selected, rack.spacing));
  const gap = rack.offset + labels;
  let best: { columns: number; k: number } | null = null;
  for (let columns = 1; columns <= strips.length; columns++) {
    const needs = needsOf(strips, columns, gap, labels, margin);
    const k = Math.min(
      (dimensions.width - needs.fixedWidth) / needs.width,
      (dimensions.height - needs.fixedHeight) / needs.height,
    );
    // A hair more is no gain: fewer columns read better.
    if (!best || k > best.k * (1 + 1e-9)) best = { columns, k };
  }
  const columns = best?.columns ?? 1;
  const { k, width, height } = extentOf(needsOf(strips, columns, gap, labels, margin), dimensions);
  const widths = columnWidths(strips, columns).map(({ mm, px }) => mm * k + px);
  const rows: RowAt[] = [];
  let top = margin.top + labels;
  for (let from = 0; from < strips.length; from += columns) {
    const line = strips.slice(from, from + columns);
    const high = Math.trunc(Math.max(...line.map(strip => strip.height)) * k);
    let left = margin.left;
    for (const [index, strip] of line.entries()) {
      rows.push(placed(strip, Math.round(left), top + high, k, rack.spacing));
      left += (widths[index] ?? 0) + COLUMN_GAP;
    }
    top += high + gap;
  }
  return { k, width, height, labels, rackLabel, rows };
}

function stripOf(selected: SelectedRow, spacing: number): Strip {
  const drawn = new Set(selected.racks);
  const places: Place[] = [];
  let missing = 0;
  let width = 0;
  for (const rack of standing(selected.row)) {
    if (!drawn.has(rack)) {
      missing++;
      continue;
    }
    if (missing > 0) places.push(missing);
    missing = 0;
    places.push(rack);
    width += rack.type.width;
  }
  const breaks = places.filter(place => typeof place === 'number').length;
  const fixed = breaks * BREAK + spacing * (places.length - 1);
  return { selected, places, width, height: heightOf(selected), fixed };
}

function columnWidths(strips: readonly Strip[], columns: number): { mm: number; px: number }[] {
  return Array.from({ length: columns }, (_, column) => {
    const own = strips.filter((_strip, index) => index % columns === column);
    return { mm: Math.max(...own.map(strip => strip.width)), px: Math.max(...own.map(strip => strip.fixed)) };
  });
}

function needsOf(
  strips: readonly Strip[],
  columns: number,
  gap: number,
  labels: number,
  margin: { readonly top: number; readonly left: number },
): { width: number; height: number; fixedWidth: number; fixedHeight: number } {
  const widths = columnWidths(strips, columns);
  let height = 0;
  const lines = Math.ceil(strips.length / columns);
  for (let line = 0; line < lines; line++)
    height += Math.max(...strips.slice(line * columns, (line + 1) * columns).map(strip => strip.height));
  return {
    width: widths.reduce((sum, { mm }) => sum + mm, 0),
    height,
    fixedWidth: 2 * margin.left + widths.reduce((sum, { px }) => sum + px, 0) + COLUMN_GAP * (columns - 1),
    fixedHeight: 2 * margin.top + labels + (lines - 1) * gap,
  };
}

function placed(strip: Strip, left: number, baseline: number, k: number, spacing: number): RowAt {
  const racks: RackAt[] = [];
  const breaks: { x: number; count: number }[] = [];
  let x = left;
  for (const place of strip.places) {
    if (typeof place === 'number') {
      breaks.push({ x, count: place });
      x += BREAK + spacing;
    } else {
      racks.push({ rack: place, x });
      x += Math.trunc(place.type.width * k) + spacing;
    }
  }
  const labelX = racks[0]?.x ?? left;
  return { row: strip.selected.row, baseline, height: Math.trunc(strip.height * k), labelX, racks, breaks };
}
