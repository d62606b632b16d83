/** Paints an infrastructure in axonometric projection: racks as open boxes, equipment as solids in them. */
import type { Color } from '../../proto/parameters.ts';
import { placeSolids, type SolidAt } from './axonometric-places.ts';
import { legible, shade } from './color.ts';
import { checkPanes, fillRateSpace } from './infrastructure.ts';
import { type Equipment, equipmentOf, type Rack } from './inventory/model.ts';
import { boxLabel, fit, plain, textAt } from './label.ts';
import { back, type Projection, plus, projectionOf, right, up } from './projection.ts';
import {
  bounds,
  type Drawing,
  group,
  type PlacedEquipment,
  type PlacedRack,
  type PlacedRow,
  type Point,
  type Shape,
  slanted,
} from './scene.ts';
import type { Selection } from './selection.ts';
import { equipmentFacts, equipmentItem, rackFacts, rackItem, type View } from './view.ts';

/** Draws a selection in axonometric projection. */
export function drawAxonometric(view: View, selection: Selection): Drawing {
  checkPanes(selection, view.parameters);
  return new SolidPainter(view, selection).paint();
}

/** One rack's measures, px. */
interface Frame {
  readonly rack: Rack;
  /** Front left bottom corner. */
  readonly origin: Point;
  readonly width: number;
  readonly depth: number;
  readonly height: number;
  readonly pane: number;
  readonly inner: number;
  readonly unit: number;
}

/** One painting. */
class SolidPainter {
  readonly #view: View;
  readonly #selection: Selection;
  readonly #p: Projection;
  readonly #equipment: PlacedEquipment[] = [];
  readonly #racks: PlacedRack[] = [];

  constructor(view: View, selection: Selection) {
    this.#view = view;
    this.#selection = selection;
    this.#p = projectionOf(view.parameters);
  }

  paint(): Drawing {
    const { parameters, palette, style } = this.#view;
    const solids = placeSolids(this.#selection, this.#view, this.#p);
    const shapes: Shape[] = [];
    const labels: Shape[] = [];
    const rows: PlacedRow[] = [];
    for (const row of solids.rows) {
      if (parameters.row.labels)
        labels.push(
          textAt(plain(style, `row ${row.row.name}`), ...row.label, palette.text, null, palette.halo),
        );
      const sorted = [...row.racks].sort((a, b) => b.rack.slot - a.rack.slot);
      const painted: Shape[] = [];
      const outline: Point[] = [];
      for (const at of row.row.reversed ? sorted.reverse() : sorted) {
        const frame = this.#frame(at, solids.k);
        painted.push(group(this.#rack(frame), rackItem(this.#view, at.rack)));
        labels.push(...this.#rackLabels(frame, row.depth));
        outline.push(...this.#silhouette(frame));
      }
      const data = { room: row.row.room.name };
      shapes.push(group(painted, { kind: 'row', name: row.row.name, title: `row ${row.row.name}`, data }));
      const box = bounds(outline);
      rows.push({ name: row.row.name, box, polygon: outline, label: row.label });
    }
    return {
      width: solids.width,
      height: solids.height,
      background: palette.page,
      title: `Infrastructure ${this.#selection.infrastructure.name}`,
      shapes: [...shapes, ...labels],
      equipment: this.#equipment,
      racks: this.#racks,
      rows,
      warnings: [],
    };
  }

  #frame({ rack, x, y }: SolidAt, k: number): Frame {
    const { rack: settings } = this.#view.parameters;
    const width = rack.type.width * k;
    const pane = settings.pane_width * k;
    return {
      rack,
      origin: [x, y],
      width,
      depth: rack.type.depth * k,
      height: rack.type.height * k,
      pane,
      inner: width - 2 * pane,
      unit: settings.u_height * k,
    };
  }

  #silhouette({ origin, width, depth, height }: Frame): Point[] {
    const [a, b, v] = [right(this.#p, width), back(this.#p, depth), up(height)];
    return [
      origin,
      plus(origin, a),
      plus(origin, a, v),
      plus(origin, a, v, b),
      plus(origin, v, b),
      plus(origin, b),
    ];
  }

  #rackLabels(frame: Frame, rowDepth: number): Shape[] {
    const { parameters, palette, style } = this.#view;
    if (!parameters.rack.labels) return [];
    const label = fit(style, `rack ${frame.rack.name}`, frame.width, Number.POSITIVE_INFINITY);
    if (!label) return [];
    const [x, y] = frame.origin;
    const left = x - rowDepth * this.#p.cx;
    const offset = parameters.rack.label_offset + fillRateSpace(parameters.rack);
    const top = y - frame.height - rowDepth * this.#p.sx - offset;
    return [textAt(label, left, top, palette.text, this.#p.front, palette.halo)];
  }

  #rack(frame: Frame): Shape[] {
    const { rack, width, depth, height, pane, inner } = frame;
    const colors = this.#view.palette.rack(rack);
    const origin: Point = [frame.origin[0] - 0.5, frame.origin[1] - 0.5];
    const [a, b, v] = [right(this.#p, width), back(this.#p, depth), up(height)];
    const post = right(this.#p, pane);
    const face = (at: Point, one: Point, other: Point, fill: Color): Shape => ({
      kind: 'polygon',
      points: slanted(at, one, other),
      fill,
      stroke: null,
    });
    const parts = this.#selection.parts.get(rack) ?? [];
    const front = slanted(origin, a, v);
    const door = slanted(plus(origin, post), right(this.#p, inner), v);
    this.#racks.push({
      ...rackFacts(rack, parts.length > 0),
      box: bounds(this.#silhouette(frame)),
      polygon: front,
      angle: 0,
      door: parts.length > 0 ? [] : door,
    });
    return [
      face(origin, a, b, colors.bottom_side),
      face(plus(origin, a), v, b, colors.right_side),
      ...this.#contents(frame),
      face(origin, post, v, colors.pane),
      face(plus(origin, right(this.#p, width - pane)), post, v, colors.pane),
      face(origin, v, b, colors.left_side),
      face(plus(origin, v), a, b, colors.top_side),
      ...(parts.length > 0
        ? []
        : [{ kind: 'polygon', points: door, fill: colors.frame, stroke: null } as const]),
    ];
  }

  /** Equipment of all parts, from the bottom up and from right to left: what is nearer hides what is farther. */
  #contents(frame: Frame): Shape[] {
    const { ghost_unselected } = this.#view.parameters.infrastructure;
    const equipment = (this.#selection.parts.get(frame.rack) ?? [])
      .flatMap(part => [...equipmentOf(part)])
      .filter(one => ghost_unselected || this.#selection.isSelected(one.set));
    equipment.sort((a, b) => a.position.height - b.position.height || b.position.width - a.position.width);
    return equipment.map(one => this.#solid(one, frame));
  }

  #solid(equipment: Equipment, frame: Frame): Shape {
    const { set, position } = equipment;
    const share = set.type.width.p / set.type.width.q;
    const w = share * frame.inner;
    const h = set.type.height * frame.unit;
    const off = frame.pane + position.width * w;
    const x = frame.origin[0] + off * this.#p.cz;
    const y = frame.origin[1] - ((set.type.height + position.height) * frame.unit + off * this.#p.sz);
    const [a, b, down] = [right(this.#p, w), back(this.#p, frame.depth), [0, h] as Point];
    const front = slanted([x, y], a, down);
    const ghost = !this.#selection.isSelected(set);
    this.#equipment.push({ ...equipmentFacts(equipment, ghost), box: [x, y, w, h], polygon: front });
    if (ghost) {
      const color = this.#view.palette.equipment(set).ghost;
      const sides: Shape[] = [
        { kind: 'polygon', points: front, fill: color, stroke: null },
        { kind: 'polygon', points: slanted([x, y], a, b), fill: shade(color, 1.12), stroke: null },
        { kind: 'polygon', points: slanted([x, y], down, b), fill: shade(color, 0.9), stroke: null },
      ];
      return group(sides, equipmentItem(this.#view, equipment));
    }
    const look = this.#view.looks.of(equipment);
    const first = position.width === 0;
    const border = slanted(
      [x + (first ? 0.5 : -0.5), y - 0.5],
      right(this.#p, w === frame.inner ? w - 1 : w),
      down,
    );
    const shapes: Shape[] = [
      { kind: 'polygon', points: front, fill: look.background, stroke: null },
      { kind: 'polygon', points: slanted([x, y], a, b), fill: look.top, stroke: null },
      { kind: 'polygon', points: slanted([x, y], down, b), fill: look.left, stroke: null },
      { kind: 'polygon', points: border, fill: null, stroke: look.border },
    ];
    const { equipment_labels, label_color, label_align } = this.#view.parameters.infrastructure;
    if (look.mark)
      shapes.push({ kind: 'polygon', points: front, fill: null, stroke: look.mark.color, width: 2 });
    if (equipment_labels) {
      const color =
        label_color === 'border'
          ? look.border
          : label_color === 'auto'
            ? legible(look.background)
            : label_color;
      const label = boxLabel(this.#view.style, equipment.name, [x, y, w, h], {
        color,
        align: label_align,
        matrix: this.#p.front,
      });
      if (label) shapes.push(label);
    }
    return group(shapes, equipmentItem(this.#view, equipment, look.words));
  }
}
