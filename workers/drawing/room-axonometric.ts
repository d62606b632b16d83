/** Draws a room in axonometric projection: its floor, and racks as closed boxes with their doors. */
import { mix, shade } from './color.ts';
import { extentOf } from './extent.ts';
import type { Rack, Room } from './inventory/model.ts';
import { fit, lineHeight, plain, textAt } from './label.ts';
import { type Projection, projectionOf } from './projection.ts';
import { rackFills } from './room-extras.ts';
import { emptyWidthOf, rowPlaces } from './row-places.ts';
import { bounds, corners, type Drawing, group, type PlacedRack, type Point, type Shape } from './scene.ts';
import { rackFacts, rackItem, type View } from './view.ts';

/** A rack's footprint in mm, clockwise from its back left corner. */
interface Standing {
  readonly rack: Rack;
  readonly feet: readonly Point[];
}

/** Draws a room in three dimensions. */
export function drawRoomAxonometric(view: View, room: Room): Drawing {
  const { margin, dimensions } = view.parameters;
  const p = projectionOf(view.parameters);
  const racks = standingIn(view, room);
  const highest = racks.reduce((most, { rack }) => Math.max(most, rack.type.height), 0);
  const title = `Datacenter ${room.datacenter.name} room ${room.name}`;
  const line = lineHeight(plain(view.style, title).size);
  const needs = {
    width: room.width * p.cz + room.depth * p.cx,
    height: room.width * p.sz + room.depth * p.sx + highest,
    fixedWidth: 2 * margin.left,
    fixedHeight: 2 * margin.top + line,
  };
  const { k, width, height } = extentOf(needs, dimensions);
  // The floor's back left corner: the front right one then lies at the bottom right of the page.
  const origin: Point = [margin.left, margin.top + line + (highest + room.width * p.sz) * k];
  const project = project3d(p, k, origin);
  const fills = rackFills(view, room);
  const floor = corners([0, 0, room.width, room.depth]).map(point => project(point, 0));
  const { palette } = view;
  const shapes: Shape[] = [
    {
      kind: 'polygon',
      points: floor,
      fill: [...palette.text.slice(0, 3), 0.06] as unknown as typeof palette.text,
      stroke: palette.text,
    },
    textAt(plain(view.style, title), margin.left + 2, margin.top, palette.text),
  ];
  const placed: PlacedRack[] = [];
  const depthOf = ({ feet }: Standing): number => feet.reduce((sum, point) => sum + project(point, 0)[1], 0);
  for (const standing of racks.sort((a, b) => depthOf(a) - depthOf(b))) {
    const { rack, feet } = standing;
    const base = fills.of(rack);
    const top = feet.map(point => project(point, rack.type.height));
    const bottom = feet.map(point => project(point, 0));
    shapes.push(
      group([...box(view, rack, top, bottom, base), ...name(view, rack, top)], rackItem(view, rack)),
    );
    const polygon = top;
    const used = rack.equipment.length > 0;
    placed.push({
      ...rackFacts(rack, used),
      box: bounds([...top, ...bottom]),
      polygon,
      angle: rack.row.rotation,
      door: door(rack, top, bottom),
    });
  }
  const rows = room.rows.map(row => {
    const own = placed.filter(rack => rack.row === row.name).flatMap(rack => corners(rack.box));
    return { name: row.name, box: bounds(own), polygon: own, label: project([row.x, row.y], 0) };
  });
  return {
    width,
    height,
    background: palette.page,
    title,
    shapes,
    equipment: [],
    racks: placed,
    rows,
    warnings: [],
  };
}

function project3d({ cx, sx, cz, sz }: Projection, k: number, [ox, oy]: Point) {
  // Depth runs to the front here, so that it is taken away from where the back lies.
  return ([x, y]: Point, up: number): Point => [ox + (x * cz + y * cx) * k, oy + (-x * sz + y * sx - up) * k];
}

function standingIn({ database }: View, room: Room): Standing[] {
  return room.rows.flatMap(row => {
    const angle = (row.rotation * Math.PI) / 180;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return rowPlaces(row, emptyWidthOf(database.rackTypes), mm => mm).map(({ rack, x }) => ({
      rack,
      feet: corners([x, 0, rack.type.width, rack.type.depth]).map(
        ([px, py]): Point => [row.x + px * cos - py * sin, row.y + px * sin + py * cos],
      ),
    }));
  });
}

/** Walls that face the viewer, then the lid. */
function box(
  view: View,
  rack: Rack,
  top: readonly Point[],
  bottom: readonly Point[],
  base: ReturnType<ReturnType<typeof rackFills>['of']>,
): Shape[] {
  const colors = view.palette.rack(rack);
  const walls: Shape[] = [];
  for (let side = 0; side < 4; side++) {
    const next = (side + 1) % 4;
    const [a, b, c, d] = [bottom[side], bottom[next], top[next], top[side]];
    if (!a || !b || !c || !d || b[0] >= a[0]) continue;
    const isDoor = side === (rack.row.reversed ? 0 : 2);
    const wall = base ? shade(base, isDoor ? 0.7 : 0.85) : isDoor ? colors.frame : colors.left_side;
    walls.push({ kind: 'polygon', points: [a, b, c, d], fill: wall, stroke: mix(wall, [0, 0, 0, 1], 0.4) });
  }
  const lid = base ?? colors.top_side;
  return [...walls, { kind: 'polygon', points: top, fill: lid, stroke: mix(lid, [0, 0, 0, 1], 0.4) }];
}

function door(rack: Rack, top: readonly Point[], bottom: readonly Point[]): Point[] {
  const side = rack.row.reversed ? 0 : 2;
  const found = [bottom[side], bottom[side + 1], top[side + 1], top[side]];
  return found.filter(point => point !== undefined);
}

function name({ parameters, palette, style }: View, rack: Rack, top: readonly Point[]): Shape[] {
  if (!parameters.room.racks_labels) return [];
  const [x, y, w, h] = bounds(top);
  const label = fit(style, rack.name, w * 0.8, h);
  if (!label || label.cut) return [];
  const at: Point = [x + (w - label.size.width) / 2, y + (h - lineHeight(label.size)) / 2];
  return [textAt(label, ...at, palette.text, null, palette.halo)];
}
