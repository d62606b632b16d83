/** Draws a room from above: its rows where they stand, turned, with racks and their doors. */
import type { Color } from '../../proto/parameters.ts';
import { hex, legible, rgb } from './color.ts';
import { type Extent, extentOf } from './extent.ts';
import type { Rack, Room, Row } from './inventory/model.ts';
import { ANTICLOCKWISE, CLOCKWISE, fit, lineHeight, plain, textAt } from './label.ts';
import { floorExtras, type RackFills, rackFills, roomExtras } from './room-extras.ts';
import { emptyWidthOf, rowPlaces } from './row-places.ts';
import {
  type Box,
  bounds,
  corners,
  type Drawing,
  group,
  type Matrix,
  type PlacedRack,
  type PlacedRow,
  type Point,
  type Shape,
} from './scene.ts';
import { rackFacts, rackItem, type View } from './view.ts';

const FRAME = hex('#333333');

/** Draws a room flat. */
export function drawRoom(view: View, room: Room): Drawing {
  return new RoomPainter(view, room).paint();
}

/** One painting. */
class RoomPainter {
  readonly #view: View;
  readonly #room: Room;
  readonly #extent: Extent;
  readonly #fills: RackFills;
  readonly #racks: PlacedRack[] = [];

  constructor(view: View, room: Room) {
    const { margin, dimensions } = view.parameters;
    this.#view = view;
    this.#room = room;
    this.#fills = rackFills(view, room);
    const fixed = { fixedWidth: 2 * margin.left, fixedHeight: 2 * margin.top };
    this.#extent = extentOf({ width: room.width, height: room.depth, ...fixed }, dimensions);
  }

  paint(): Drawing {
    const { parameters, palette, style } = this.#view;
    const { margin } = parameters;
    const { k, width, height } = this.#extent;
    const title = `Datacenter ${this.#room.datacenter.name} room ${this.#room.name}`;
    const floor: Box = [
      margin.left,
      margin.top,
      Math.trunc(this.#room.width * k),
      Math.trunc(this.#room.depth * k),
    ];
    const [x, y, w, h] = floor;
    const frame = rgb(palette.text) === '#000000' ? FRAME : palette.text;
    const shapes: Shape[] = [
      ...floorExtras(this.#view, floor, k),
      { kind: 'outline', x: x - 0.5, y: y - 0.5, w, h, stroke: frame },
      textAt(plain(style, title), x + 2, y, palette.text),
    ];
    const rows: PlacedRow[] = [];
    for (const row of this.#room.rows) rows.push(this.#row(row, shapes));
    shapes.push(...roomExtras(this.#view, this.#room, floor, k, rows));
    return {
      width,
      height,
      background: palette.page,
      title,
      shapes,
      equipment: [],
      racks: this.#racks,
      rows,
      warnings: [],
    };
  }

  #row(row: Row, shapes: Shape[]): PlacedRow {
    const { margin } = this.#view.parameters;
    const { k } = this.#extent;
    const origin: Point = [margin.left + Math.trunc(row.x * k), margin.top + Math.trunc(row.y * k)];
    const matrix = turned(origin, row.rotation);
    const places = rowPlaces(row, emptyWidthOf(this.#view.database.rackTypes), width =>
      Math.trunc(width * k),
    );
    const racks: Shape[] = [];
    const outline: Point[] = [];
    for (const { rack, x } of places) {
      const w = Math.trunc(rack.type.width * k);
      const d = Math.trunc(rack.type.depth * k);
      racks.push(group(this.#rack(rack, x, w, d), rackItem(this.#view, rack)));
      const polygon = corners([x, 0, w, d]).map(point => moved(matrix, point));
      outline.push(...polygon);
      const door = corners(this.#door(rack, x, w, d)).map(point => moved(matrix, point));
      const used = rack.equipment.length > 0;
      this.#racks.push({
        ...rackFacts(rack, used),
        box: bounds(polygon),
        polygon,
        angle: row.rotation,
        door,
      });
    }
    const data = { room: this.#room.name };
    shapes.push(group(racks, { kind: 'row', name: row.name, title: `row ${row.name}`, data }, matrix));
    const box: Box = outline.length > 0 ? bounds(outline) : [...origin, 0, 0];
    return { name: row.name, box, polygon: outline, label: origin };
  }

  #door(rack: Rack, x: number, w: number, d: number): Box {
    const depth = Math.min(this.#view.parameters.rack.door_depth * this.#extent.k, d);
    return [x, rack.row.reversed ? 0 : d - depth, w, depth];
  }

  #rack(rack: Rack, x: number, w: number, d: number): Shape[] {
    const { parameters, palette } = this.#view;
    const { frame } = palette.rack(rack);
    const fill = this.#fills.of(rack);
    const [, doorY, , doorDepth] = this.#door(rack, x, w, d);
    const shapes: Shape[] = [];
    if (fill) shapes.push({ kind: 'rect', x, y: 0, w, h: d, fill });
    shapes.push(
      { kind: 'outline', x: x - 0.5, y: -0.5, w: w + 1, h: d + 1, stroke: frame },
      { kind: 'rect', x, y: doorY, w, h: doorDepth, fill: frame },
    );
    if (parameters.room.racks_labels) {
      const label = this.#label(rack, x, w, d, doorDepth, fill);
      if (label) shapes.push(label);
    }
    return shapes;
  }

  /** The rack's name along its longer side, clear of the door. */
  #label(rack: Rack, x: number, w: number, d: number, door: number, fill: Color | null): Shape | null {
    const { palette, style } = this.#view;
    const color = fill ? legible(fill) : palette.text;
    const { rotation, reversed } = rack.row;
    const top = reversed ? door : 0;
    const bottom = reversed ? 0 : door;
    if (d <= w) {
      const label = fit(style, rack.name, w, d - door);
      return label ? textAt(label, x, top, color) : null;
    }
    const label = fit(style, rack.name, d - door - 2, w);
    if (!label) return null;
    if (rotation > 0 && rotation < 180) return textAt(label, x, d - 2 - bottom, color, ANTICLOCKWISE);
    return textAt(label, x + lineHeight(label.size), 2 + top, color, CLOCKWISE);
  }
}

/** Turns clockwise about a point and moves there; right angles are exact, so that their rectangles stay whole. */
function turned([x, y]: Point, degrees: number): Matrix {
  const quarter = degrees % 90 === 0 ? (degrees / 90) % 4 : null;
  const angle = (degrees * Math.PI) / 180;
  const cos = quarter === null ? Math.cos(angle) : ([1, 0, -1, 0][quarter] ?? 1);
  const sin = quarter === null ? Math.sin(angle) : ([0, 1, 0, -1][quarter] ?? 0);
  return [cos, sin, -sin, cos, x, y];
}

function moved([a, b, c, d, e, f]: Matrix, [x, y]: Point): Point {
  return [a * x + c * y + e, b * x + d * y + f];
}
