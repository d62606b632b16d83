/** Where racks of an axonometric infrastructure drawing stand, by the documented formulas. */
import { type Extent, extentOf } from './extent.ts';
import { heightOf, labelSpace, standing, widthOf } from './infrastructure.ts';
import type { Rack, Row } from './inventory/model.ts';
import type { Projection } from './projection.ts';
import type { Selection } from './selection.ts';
import type { View } from './view.ts';

/** A rack's front left bottom corner, px. */
export interface SolidAt {
  readonly rack: Rack;
  readonly x: number;
  readonly y: number;
}

interface SolidRow {
  readonly row: Row;
  /** Corner of the row's label, px. */
  readonly label: readonly [number, number];
  /** Depth of its deepest drawn rack, px. */
  readonly depth: number;
  readonly racks: readonly SolidAt[];
}

export interface Solids extends Extent {
  readonly rows: readonly SolidRow[];
}

/** A drawn rack in mm: along its row, and projected. */
interface Spot {
  readonly rack: Rack;
  readonly row: number;
  /** Drawn racks before it in its row. */
  readonly before: number;
  readonly xr: number;
  readonly yr: number;
}

/** Places all drawn racks. Linear in racks: sums over racks before one another are carried along. */
export function placeSolids(selection: Selection, view: View, projection: Projection): Solids {
  const { dimensions, margin, rack: settings } = view.parameters;
  const { cz, sx, sz } = projection;
  const { rows } = selection;
  const depths = rows.map(({ racks }) => racks.reduce((depth, rack) => Math.max(depth, rack.type.depth), 0));
  const heights = rows.map(heightOf);
  const Y = rowHeights(heights, depths, rows[0] ? widthOf(rows[0]) : 0, sx, sz);
  const spots = spotsOfAll(selection, depths, Y, projection);
  const labels = labelSpace(view.parameters);
  const gap = settings.offset + labels;
  const counts = rows.map(({ racks }) => racks.length);
  const measureUp = (
    spotsNow: readonly Spot[],
    wide: Spot,
    high: Spot,
    reqW: number,
  ): Extent & { ts: number } => {
    const ts = settings.spacing * ((counts[high.row] ?? 1) - 1) * sz;
    const reqH = spotsNow.reduce((most, { yr }) => Math.max(most, yr), Number.NEGATIVE_INFINITY);
    const needs = {
      width: reqW,
      height: reqH,
      fixedWidth: 2 * margin.left + settings.spacing * ((counts[wide.row] ?? 1) - 1) * cz,
      fixedHeight: 2 * margin.top + labels + (rows.length - 1) * gap + ts,
    };
    return { ...extentOf(needs, dimensions), ts };
  };
  const [first] = spots;
  if (!first) throw new TypeError('a selection has a rack');
  const widest = spots.reduce((best, spot) => (spot.xr > best.xr ? spot : best), first);
  const top = spots.reduce((best, spot) => (spot.yr < first.yr ? spot : best), first);
  let shown: readonly Spot[] = spots;
  let extent = measureUp(spots, widest, top, widest.xr + widest.rack.type.width * cz);
  const corner = ({ xr, yr, row, before }: Spot, { k, ts }: Extent & { ts: number }): [number, number] => [
    xr * k + margin.left + before * settings.spacing * cz,
    yr * k + margin.top + labels + ts + row * gap - before * settings.spacing * sz,
  ];
  if (spots.some(spot => leaves(corner(spot, extent), spot.rack, extent, projection))) {
    // The documented choice of `top` and `right` decides sizes; only where it would clip is the drawing grown.
    const reach = ({ rack: { type }, yr }: Spot): number =>
      yr - type.height - type.depth * sx - type.width * sz;
    const lift = -spots.reduce((least, spot) => Math.min(least, reach(spot)), Number.POSITIVE_INFINITY);
    shown = spots.map(spot => ({ ...spot, yr: spot.yr + lift }));
    const far = ({ xr, rack }: Spot): number => xr + rack.type.width * cz;
    const fullest = shown.reduce((best, spot) =>
      (counts[spot.row] ?? 0) > (counts[best.row] ?? 0) ? spot : best,
    );
    extent = measureUp(
      shown,
      fullest,
      fullest,
      shown.reduce((most, spot) => Math.max(most, far(spot)), 0),
    );
  }
  const byRow = Map.groupBy(shown, spot => spot.row);
  const lifted = (shown[0]?.yr ?? 0) - first.yr;
  const placed = rows.map(({ row }, index): SolidRow => {
    const y = ((Y[index] ?? 0) + lifted) * extent.k + margin.top + labels + extent.ts + index * gap;
    const depth = (depths[index] ?? 0) * extent.k;
    const racks = (byRow.get(index) ?? []).map(spot => solidAt(spot.rack, corner(spot, extent)));
    return {
      row,
      depth,
      racks,
      label: [margin.left, y - (heights[index] ?? 0) * extent.k - depth * sx - labels],
    };
  });
  return { k: extent.k, width: extent.width, height: extent.height, rows: placed };
}

/** The drawn racks of all rows, each by its row's depth and Y. */
function spotsOfAll(
  { rows }: Selection,
  depths: readonly number[],
  Y: readonly number[],
  { cx, cz, sz }: Projection,
): Spot[] {
  return rows.flatMap(({ row, racks }, index) => {
    const [x, y] = [(depths[index] ?? 0) * cx, Y[index] ?? 0];
    return spotsOf(row, new Set(racks), index, off => [x + off * cz, y - off * sz]);
  });
}

function solidAt(rack: Rack, [x, y]: readonly [number, number]): SolidAt {
  return { rack, x, y };
}

/** Y of each row in mm: the height, depth and slant of it and of those before. */
function rowHeights(
  heights: readonly number[],
  depths: readonly number[],
  firstWidth: number,
  sx: number,
  sz: number,
): number[] {
  let y = 0;
  return heights.map((height, index) => {
    const depth = depths[index] ?? 0;
    y += height + depth * sx + (index === 0 ? firstWidth : depth) * sz;
    return y;
  });
}

function spotsOf(
  row: Row,
  drawn: ReadonlySet<Rack>,
  index: number,
  project: (off: number) => [number, number],
): Spot[] {
  const at = new Map<Rack, Spot>();
  let off = 0;
  let before = 0;
  let slot: number | null = null;
  let [slotOff, slotBefore] = [0, 0];
  for (const rack of standing(row)) {
    if (rack.slot !== slot) [slotOff, slotBefore] = [off, before];
    slot = rack.slot;
    if (drawn.has(rack)) {
      const [xr, yr] = project(slotOff);
      at.set(rack, { rack, row: index, before: slotBefore, xr, yr });
      before++;
    }
    off += rack.type.width;
  }
  // In document order, as the racks are drawn and named elsewhere.
  return row.racks.flatMap(rack => at.get(rack) ?? []);
}

/** Whether a corner of a rack lies outside the image by more than half a pixel. */
function leaves(
  [x, y]: readonly [number, number],
  { type }: Rack,
  { k, width, height }: Extent,
  p: Projection,
): boolean {
  const [rw, rd, rh] = [type.width * k, type.depth * k, type.height * k];
  return (
    x - rd * p.cx < -0.5 ||
    x + rw * p.cz > width + 0.5 ||
    y > height + 0.5 ||
    y - rh - rd * p.sx - rw * p.sz < -0.5
  );
}
