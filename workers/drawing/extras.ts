/** What racks of a flat drawing may show besides: unit numbers, free units, fill rate, marks of states, doubtful places. */
import { hex, legible } from './color.ts';
import type { Equipment, Rack } from './inventory/model.ts';
import { outside, overlapsOf } from './inventory/overlaps.ts';
import { fit, type LabelStyle, lineHeight, textAt } from './label.ts';
import type { Mark } from './look.ts';
import { type Box, corners, type Shape } from './scene.ts';
import type { View } from './view.ts';

const DOUBTFUL = hex('#E5261F');

/** A rack's measures in px, as flat drawings have them. */
interface Cell {
  readonly x: number;
  readonly baseline: number;
  readonly width: number;
  readonly unit: number;
  readonly pane: number;
  readonly inner: number;
}

/** Unit numbers on the posts; only every second, fifth or tenth where units are low. */
export function unitNumbers({ parameters, palette, style }: View, rack: Rack, cell: Cell): Shape[] {
  const side = parameters.rack.u_numbers;
  if (side === 'none') return [];
  const lowest = lineHeight(style.measure('0', { family: style.family, size: (style.smallest * 4) / 3 }));
  const step = [1, 2, 5, 10, 20].find(units => units * cell.unit > lowest) ?? 50;
  const color = legible(palette.rack(rack).pane);
  const shapes: Shape[] = [];
  for (let unit = 0; unit < rack.type.slots; unit++) {
    const number = rack.type.initial + unit;
    if (step > 1 && number % step !== 0 && unit > 0) continue;
    const label = fit({ ...style }, String(number), cell.pane, Math.max(cell.unit, lowest + 0.1));
    if (!label || label.cut) continue;
    const y = cell.baseline - (unit + 0.5) * cell.unit - lineHeight(label.size) / 2;
    const inset = (cell.pane - label.size.width) / 2;
    if (side !== 'right') shapes.push(textAt(label, cell.x + inset, y, color));
    if (side !== 'left') shapes.push(textAt(label, cell.x + cell.width - cell.pane + inset, y, color));
  }
  return shapes;
}

/** Units of a rack that nothing of any infrastructure takes, as runs from the bottom. */
function freeUnits(rack: Rack): { from: number; count: number }[] {
  const taken = new Uint8Array(rack.type.slots);
  for (const { position, set } of rack.equipment) {
    const from = Math.max(0, position.height);
    taken.fill(1, from, Math.max(from, position.height + set.type.height));
  }
  const runs: { from: number; count: number }[] = [];
  for (let unit = 0; unit < taken.length; unit++) {
    if (taken[unit] === 1) continue;
    const last = runs.at(-1);
    if (last && last.from + last.count === unit) last.count++;
    else runs.push({ from: unit, count: 1 });
  }
  return runs;
}

/** Free units as shaded runs, each with its count. */
export function emptyUnits({ palette, style }: View, rack: Rack, cell: Cell): Shape[] {
  const [r, g, b] = palette.text;
  const shapes: Shape[] = [];
  for (const { from, count } of freeUnits(rack)) {
    const [x, h] = [cell.x + cell.pane, count * cell.unit];
    const y = cell.baseline - (from + count) * cell.unit;
    shapes.push({
      kind: 'rect',
      x: x + 1,
      y: y + 1,
      w: cell.inner - 2,
      h: Math.max(0.5, h - 2),
      fill: [r, g, b, 0.08],
    });
    const label = fit(style, `${count} U free`, cell.inner, h);
    if (!label || label.cut) continue;
    const [dx, dy] = [(cell.inner - label.size.width) / 2, (h - lineHeight(label.size)) / 2];
    shapes.push(textAt(label, x + dx, y + dy, [r, g, b, 0.55]));
  }
  return shapes;
}

/** `37 % · 26 U free` between a rack and its name. */
export function fillRate(
  { palette, style }: View,
  rack: Rack,
  x: number,
  top: number,
  width: number,
): Shape[] {
  const free = freeUnits(rack).reduce((sum, { count }) => sum + count, 0);
  const share = `${Math.round(rack.fillrate * 100)} %`;
  const whole = fit(style, `${share} · ${free} U free`, width, 16);
  const label = whole && !whole.cut ? whole : fit(style, share, width, 16);
  return label && !label.cut ? [textAt(label, x, top - 16, palette.text)] : [];
}

/** A state's outline and letter inside a box. */
export function markOf(style: LabelStyle, [x, y, w, h]: Box, { letter, color }: Mark): Shape[] {
  const shapes: Shape[] = [];
  if (w > 6 && h > 6)
    shapes.push({ kind: 'outline', x: x + 1.5, y: y + 1, w: w - 3, h: h - 3, stroke: color, width: 2 });
  const label = fit(style, letter, w / 2, h);
  if (label && !label.cut) {
    const side = Math.min(h, lineHeight(label.size));
    const [px, py] = [x + w - side, y + (h - side) / 2];
    shapes.push(
      { kind: 'rect', x: px, y: py, w: side, h: side, fill: color },
      textAt(
        label,
        px + (side - label.size.width) / 2,
        py + (side - lineHeight(label.size)) / 2,
        legible(color),
      ),
    );
  }
  return shapes;
}

/** Hatching over equipment that overlaps other or leaves its rack. */
export function hatches(rack: Rack, boxOf: (equipment: Equipment) => Box, frame: Box): Shape[] {
  const doubtful = new Set(rack.equipment.filter(equipment => outside(rack, equipment) !== null));
  for (const [one] of overlapsOf(rack)) doubtful.add(one);
  const shapes: Shape[] = [];
  for (const equipment of doubtful) {
    const box = boxOf(equipment);
    shapes.push({ kind: 'hatch', points: corners(box), stroke: DOUBTFUL, step: 6 });
    shapes.push({ kind: 'outline', x: box[0], y: box[1], w: box[2], h: box[3], stroke: DOUBTFUL });
  }
  if (doubtful.size > 0)
    shapes.push({
      kind: 'outline',
      x: frame[0] - 1.5,
      y: frame[1] - 1.5,
      w: frame[2] + 3,
      h: frame[3] + 3,
      stroke: DOUBTFUL,
    });
  return shapes;
}
