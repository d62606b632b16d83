/** The legend below a drawing: what its colours mean. */
import type { Color, EquipmentRule } from '../../proto/parameters.ts';
import { fit, lineHeight, textAt } from './label.ts';
import { scaleColor, scaleEnds } from './look.ts';
import { rackFills } from './room-extras.ts';
import type { Drawing, Shape } from './scene.ts';
import type { View } from './view.ts';

export interface Legend {
  /** px. */
  readonly height: number;
  readonly shapes: readonly Shape[];
}

interface Entry {
  readonly text: string;
  readonly color: Color;
  readonly letter?: string;
}

const LINE = 22;
const BOX = 14;
const GAP = 18;
const EDGE = 12;

/** The legend of a drawing that was painted with the view, as wide as the drawing. */
export function legendOf(view: View, drawing: Drawing): Legend {
  const entries = [...equipmentEntries(view, drawing), ...stateEntries(view), ...roomEntries(view, drawing)];
  const shapes: Shape[] = [];
  let [x, y] = [EDGE, 4];
  for (const { text, color, letter } of entries) {
    const label = fit(view.style, text, drawing.width - 2 * EDGE - BOX, LINE);
    if (!label) continue;
    const wide = BOX + 6 + label.size.width;
    if (x > EDGE && x + wide > drawing.width - EDGE) [x, y] = [EDGE, y + LINE];
    shapes.push(
      { kind: 'rect', x, y: y + 4, w: BOX, h: BOX, fill: color },
      { kind: 'outline', x: x + 0.5, y: y + 4.5, w: BOX - 1, h: BOX - 1, stroke: view.palette.text },
      textAt(label, x + BOX + 6, y + 4 + (BOX - lineHeight(label.size)) / 2, view.palette.text),
    );
    const sign = letter === undefined ? null : fit(view.style, letter, BOX, BOX);
    if (sign)
      shapes.push(
        textAt(
          sign,
          x + (BOX - sign.size.width) / 2,
          y + 4 + (BOX - lineHeight(sign.size)) / 2,
          [0, 0, 0, 1],
        ),
      );
    x += wide + GAP;
  }
  const lines = entries.length === 0 ? 0 : y + LINE;
  const scale = scaleKey(view, drawing, lines);
  return { height: lines + scale.height, shapes: [...shapes, ...scale.shapes] };
}

/** The rules in use, then the default where something falls under none, then ghosts. */
function equipmentEntries({ parameters, palette, database }: View, drawing: Drawing): Entry[] {
  if (drawing.equipment.length === 0) return [];
  const used = new Map<number, Color>();
  const drawn = new Set(drawing.equipment.filter(one => !one.ghost).map(one => one.name));
  let ghost: Color | null = null;
  for (const infrastructure of database.infrastructures)
    for (const part of infrastructure.parts)
      for (const sets of Object.values(part.sets))
        for (const set of sets) {
          if (set.members.some(member => drawn.has(member.name)))
            used.set(palette.ruleOf(set), palette.equipment(set).background);
          else if (parameters.infrastructure.ghost_unselected) ghost ??= palette.equipment(set).ghost;
        }
  const rules: readonly EquipmentRule[] = parameters.colors.equipments;
  const entries: Entry[] = [...used]
    .sort(([a], [b]) => (a < 0 ? 1 : b < 0 ? -1 : a - b))
    .map(([index, color]) => ({ text: ruleText(rules[index]), color }));
  if (ghost && drawing.equipment.some(one => one.ghost)) entries.push({ text: 'not selected', color: ghost });
  return entries;
}

function ruleText(rule: EquipmentRule | undefined): string {
  if (!rule) return 'equipment';
  const words = [rule.type ?? '', ...(rule.tags ?? [])].filter(word => word !== '');
  return words.length === 0 ? 'equipment' : words.join(', ');
}

function stateEntries({ parameters, looks }: View): Entry[] {
  const states = [...looks.met].map(name => ({ text: name, color: parameters.overlay.colors[name] }));
  const marks = [...looks.marks.values()].map(({ letter, color }) => ({
    text: MARKS[letter] ?? letter,
    color,
    letter,
  }));
  return [...states, ...marks];
}

const MARKS: Readonly<Record<string, string>> = {
  X: 'marked down',
  F: 'marked failed',
  D: 'marked drain',
  M: 'marked maint',
  R: 'marked reserved',
};

function roomEntries(view: View, drawing: Drawing): Entry[] {
  const first = drawing.racks[0];
  if (drawing.equipment.length > 0 || !first) return [];
  const room = view.database.datacenters
    .flatMap(datacenter => datacenter.rooms)
    .find(candidate => candidate.name === first.room);
  return room ? [...rackFills(view, room).words] : [];
}

/** The key of a scale: the metric's, or fill rates in rooms. */
function scaleKey(view: View, drawing: Drawing, top: number): Legend {
  const { parameters, palette, style } = view;
  const { metric } = parameters.overlay;
  const rates = drawing.equipment.length === 0 && parameters.room.color_by === 'fillrate';
  if (!rates && (!metric || drawing.equipment.length === 0)) return { height: 0, shapes: [] };
  const [least, most] = metric && !rates ? scaleEnds(metric) : [0, 100];
  const unit = rates ? '%' : (metric?.unit ?? '');
  const wide = Math.min(200, drawing.width - 2 * EDGE - 100);
  if (wide < 20) return { height: 0, shapes: [] };
  const steps = 40;
  const shapes: Shape[] = [];
  for (let i = 0; i < steps; i++)
    shapes.push({
      kind: 'rect',
      x: EDGE + (wide * i) / steps,
      y: top + 4,
      w: wide / steps + 0.5,
      h: BOX,
      fill: scaleColor(i / (steps - 1)),
    });
  const words = `${rates ? 'in use' : (metric?.label ?? '')} ${least} – ${most} ${unit}`.trim();
  const label = fit(style, words, drawing.width - 2 * EDGE - wide - 8, LINE);
  if (label)
    shapes.push(textAt(label, EDGE + wide + 8, top + 4 + (BOX - lineHeight(label.size)) / 2, palette.text));
  return { height: LINE + 4, shapes };
}
