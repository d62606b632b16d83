/** Paints a flat infrastructure drawing: rows, racks, and the equipment in them. */

import { blockLabels } from './block-labels.ts';
import { legible, shade } from './color.ts';
import { arrangeCompact, BREAK } from './compact.ts';
import { emptyUnits, fillRate, hatches, markOf, unitNumbers } from './extras.ts';
import {
  type Arrangement,
  arrange,
  checkPanes,
  fillRateSpace,
  type RackAt,
  type RowAt,
} from './infrastructure.ts';
import { type Equipment, KINDS, type Rack } from './inventory/model.ts';
import { boxLabel, fit, plain, textAt } from './label.ts';
import type { Look } from './look.ts';
import {
  type Box,
  corners,
  type Drawing,
  group,
  type PlacedEquipment,
  type PlacedRack,
  type PlacedRow,
  type Shape,
} from './scene.ts';
import type { Selection } from './selection.ts';
import { equipmentFacts, equipmentItem, rackFacts, rackItem, type View } from './view.ts';

/** A rack's measures in px. */
interface Cell {
  readonly x: number;
  /** Top of the rack. */
  readonly y: number;
  readonly baseline: number;
  readonly width: number;
  readonly height: number;
  readonly unit: number;
  readonly pane: number;
  readonly inner: number;
  /** px from the top edge of the label to the rack. */
  readonly label: number;
}

/** Draws a selection flat, seen from the front or from the rear. */
export function drawFlat(view: View, selection: Selection, face: 'front' | 'rear'): Drawing {
  checkPanes(selection, view.parameters);
  const compact = view.parameters.infrastructure.layout === 'compact';
  const found = compact ? arrangeCompact(selection, view) : arrange(selection, view.parameters);
  return new FlatPainter(view, selection, face).paint(face === 'rear' ? mirrored(found) : found);
}

/** The arrangement as seen from behind. */
function mirrored(arrangement: Arrangement): Arrangement {
  const { k, width } = arrangement;
  const rows = arrangement.rows.map((row): RowAt => {
    const racks = row.racks.map(({ rack, x }) => ({ rack, x: width - x - Math.trunc(rack.type.width * k) }));
    const breaks = row.breaks.map(({ x, count }) => ({ x: width - x - BREAK, count }));
    return { ...row, racks, breaks, labelX: Math.min(...racks.map(({ x }) => x)) };
  });
  return { ...arrangement, rows };
}

/** One painting. */
class FlatPainter {
  readonly #view: View;
  readonly #selection: Selection;
  readonly #face: 'front' | 'rear';
  readonly #equipment: PlacedEquipment[] = [];
  readonly #racks: PlacedRack[] = [];
  readonly #rows: PlacedRow[] = [];

  constructor(view: View, selection: Selection, face: 'front' | 'rear') {
    this.#view = view;
    this.#selection = selection;
    this.#face = face;
  }

  paint(arrangement: Arrangement): Drawing {
    const shapes = arrangement.rows.map(row => this.#row(row, arrangement));
    return {
      width: arrangement.width,
      height: arrangement.height,
      background: this.#view.palette.page,
      title: `Infrastructure ${this.#selection.infrastructure.name}`,
      shapes,
      equipment: this.#equipment,
      racks: this.#racks,
      rows: this.#rows,
      warnings: [],
    };
  }

  #row(at: RowAt, { k, labels, rackLabel }: Arrangement): Shape {
    const { parameters, palette, style } = this.#view;
    const shapes: Shape[] = [];
    const corner = [at.labelX, at.baseline - at.height - labels] as const;
    if (parameters.row.labels)
      shapes.push(textAt(plain(style, `row ${at.row.name}`), ...corner, palette.text));
    for (const { x, count } of at.breaks) shapes.push(...this.#break(x, at, count));
    let right = at.labelX;
    for (const rack of at.racks) {
      const cell = this.#cell(rack, at.baseline, k, rackLabel);
      right = Math.max(right, cell.x + cell.width);
      shapes.push(group(this.#rack(rack.rack, cell), rackItem(this.#view, rack.rack)));
    }
    const box: Box = [at.labelX, at.baseline - at.height, right - at.labelX, at.height];
    this.#rows.push({ name: at.row.name, box, polygon: corners(box), label: corner });
    const data = { room: at.row.room.name };
    return group(shapes, { kind: 'row', name: at.row.name, title: `row ${at.row.name}`, data });
  }

  #break(x: number, at: RowAt, count: number): Shape[] {
    const { palette, style } = this.#view;
    const y = at.baseline - at.height;
    const middle = x + BREAK / 2;
    const points = Array.from(
      { length: 9 },
      (_, i) => [middle + (i % 2 === 0 ? -3 : 3), y + (at.height * i) / 8] as const,
    );
    const label = fit(style, `${count}`, BREAK, at.height);
    const lines: Shape[] = [{ kind: 'line', points, stroke: palette.text, width: 1, dash: [3, 3] }];
    if (label) lines.push(textAt(label, middle - label.size.width / 2, y - 14, palette.text));
    return lines;
  }

  #cell({ rack, x }: RackAt, baseline: number, k: number, label: number): Cell {
    const { general, rack: settings } = this.#view.parameters;
    const perfect = general.pixel_perfect ? Math.floor : (value: number): number => value;
    const width = perfect(rack.type.width * k);
    const unit = perfect(settings.u_height * k);
    const pane = perfect(settings.pane_width * k);
    const height = general.pixel_perfect ? rack.type.slots * unit : rack.type.height * k;
    return { x, y: baseline - height, baseline, width, height, unit, pane, inner: width - 2 * pane, label };
  }

  #rack(rack: Rack, cell: Cell): Shape[] {
    const { parameters, palette, style } = this.#view;
    const { frame, pane } = palette.rack(rack);
    const { x, y, width, height, inner } = cell;
    const parts = this.#selection.parts.get(rack) ?? [];
    const box: Box = [x, y, width, height];
    const shapes: Shape[] = [];
    if (parameters.rack.labels) {
      const label = fit(style, `rack ${rack.name}`, width, Number.POSITIVE_INFINITY);
      const top = y - cell.label - fillRateSpace(parameters.rack);
      if (label) shapes.push(textAt(label, x, top, palette.text));
    }
    if (parameters.rack.fill_rate) shapes.push(...fillRate(this.#view, rack, x, y, width));
    shapes.push(
      { kind: 'outline', x: x - 0.5, y: y - 0.5, w: width + 1, h: height, stroke: frame },
      { kind: 'rect', x, y, w: cell.pane, h: height - 1, fill: pane },
      { kind: 'rect', x: x + width - cell.pane, y, w: cell.pane, h: height - 1, fill: pane },
    );
    const door: Box = [x + cell.pane, y, inner, height - 1];
    this.#racks.push({
      ...rackFacts(rack, parts.length > 0),
      box,
      polygon: corners(box),
      angle: 0,
      door: parts.length > 0 ? [] : corners(door),
    });
    if (parts.length === 0) {
      shapes.push({ kind: 'rect', x: door[0], y, w: inner, h: height - 1, fill: frame });
      return shapes;
    }
    if (parameters.infrastructure.empty_units) shapes.push(...emptyUnits(this.#view, rack, cell));
    for (const part of parts)
      for (const kind of KINDS)
        for (const set of part.sets[kind]) shapes.push(...this.#set(set.members, cell));
    shapes.push(...unitNumbers(this.#view, rack, cell));
    if (parameters.infrastructure.diagnostics)
      shapes.push(...hatches(rack, equipment => this.#box(equipment, cell), box));
    return shapes;
  }

  #set(members: readonly Equipment[], cell: Cell): Shape[] {
    const { parameters, palette, looks } = this.#view;
    const set = members[0]?.set;
    if (!set) return [];
    const selected = this.#selection.isSelected(set);
    if (!selected && !parameters.infrastructure.ghost_unselected) return [];
    const folded =
      selected && parameters.infrastructure.label_fold && parameters.infrastructure.equipment_labels
        ? blockLabels(this.#view, members, equipment => this.#box(equipment, cell))
        : null;
    const shapes: Shape[] = [];
    for (const equipment of members) {
      const box = this.#box(equipment, cell);
      this.#equipment.push({ ...equipmentFacts(equipment, !selected), box, polygon: corners(box) });
      if (!selected) {
        const [x, y, w, h] = box;
        const ghost: Shape = { kind: 'rect', x, y, w, h, fill: palette.equipment(set).ghost };
        shapes.push(group([ghost], equipmentItem(this.#view, equipment)));
        continue;
      }
      const look = looks.of(equipment);
      const label = parameters.infrastructure.equipment_labels && !folded;
      shapes.push(
        group(this.#one(equipment, box, cell, look, label), equipmentItem(this.#view, equipment, look.words)),
      );
    }
    return folded ? [...shapes, ...folded] : shapes;
  }

  #one(equipment: Equipment, [x, y, w, h]: Box, cell: Cell, look: Look, labelled: boolean): Shape[] {
    const { parameters, style } = this.#view;
    const first = equipment.position.width === 0;
    // Seen from behind, what stands leftmost is the last of its level.
    const leftmost = this.#face === 'rear' ? x < cell.x + cell.pane + 1 : first;
    const shapes: Shape[] = [];
    if (first) shapes.push({ kind: 'rect', x: cell.x + cell.pane, y, w: cell.inner, h, fill: look.chassis });
    const away = equipment.set.type.face !== 'both' && equipment.set.type.face !== this.#face;
    const fill = away && look.words === '' ? shade(look.background, 0.7) : look.background;
    shapes.push(
      { kind: 'rect', x, y, w, h, fill },
      {
        kind: 'outline',
        x: x + (leftmost ? 0.5 : -0.5),
        y: y - 0.5,
        w: w === cell.inner ? w - 1 : w,
        h,
        stroke: look.border,
      },
    );
    if (look.mark) shapes.push(...markOf(style, [x, y, w, h], look.mark));
    if (labelled) {
      const { label_color, label_align } = parameters.infrastructure;
      const color =
        label_color === 'border' ? look.border : label_color === 'auto' ? legible(fill) : label_color;
      const label = boxLabel(style, equipment.name, [x, y, w, h], {
        color,
        align: label_align,
        matrix: null,
      });
      if (label) shapes.push(label);
    }
    return shapes;
  }

  #box(equipment: Equipment, cell: Cell): Box {
    const { type } = equipment.set;
    const share = type.width.p / type.width.q;
    const { position } = equipment;
    const perfect = this.#view.parameters.general.pixel_perfect;
    const w = perfect ? Math.floor(share * cell.inner) : share * cell.inner;
    const h = type.height * cell.unit;
    const shift = perfect ? Math.floor((cell.inner - w / share) / 2) + (position.width > 0 ? 1 : 0) : 0;
    const left = cell.x + cell.pane;
    const x = left + position.width * w + shift;
    const y = cell.baseline - (type.height + position.height) * cell.unit;
    return [this.#face === 'rear' ? 2 * left + cell.inner - x - w : x, y, w, h];
  }
}
