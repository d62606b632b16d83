/** What a room's drawing may show besides: a grid, sizes, a scale bar, names of rows, racks filled by what they hold. */
import type { Color } from '../../proto/parameters.ts';
import { hex } from './color.ts';
import type { Rack, Room } from './inventory/model.ts';
import { CLOCKWISE, type Fitted, fit, lineHeight, textAt } from './label.ts';
import { scaleColor } from './look.ts';
import type { Box, PlacedRow, Shape } from './scene.ts';
import type { View } from './view.ts';

/** Colours of infrastructures and tags, in order of appearance (Okabe and Ito, told apart by the colour-blind). */
const CATEGORIES: readonly Color[] = [
  '#56B4E9',
  '#E69F00',
  '#009E73',
  '#CC79A7',
  '#F0E442',
  '#0072B2',
  '#D55E00',
  '#B8B8B8',
].map(hex);

/** Lines of a grid below which it would be grey paint. */
const MAX_LINES = 400;

/** What lies below the racks. */
export function floorExtras({ parameters, palette }: View, [x, y, w, h]: Box, k: number): Shape[] {
  const { grid } = parameters.room;
  if (grid === 'none') return [];
  const step = (grid === 'tiles' ? 600 : 1000) * k;
  if (w / step + h / step > MAX_LINES) return [];
  const [r, g, b] = palette.text;
  const stroke: Color = [r, g, b, 0.15];
  const shapes: Shape[] = [];
  for (let at = x + step; at < x + w; at += step)
    shapes.push({
      kind: 'line',
      points: [
        [at, y],
        [at, y + h],
      ],
      stroke,
      width: 1,
    });
  for (let at = y + step; at < y + h; at += step)
    shapes.push({
      kind: 'line',
      points: [
        [x, at],
        [x + w, at],
      ],
      stroke,
      width: 1,
    });
  return shapes;
}

/** What fills racks, and the words behind the colours. */
export interface RackFills {
  of(rack: Rack): Color | null;
  /** In order of appearance, with their colours; empty where numbers or nothing fill racks. */
  readonly words: readonly { readonly text: string; readonly color: Color }[];
}

/** How a room's racks are filled. */
export function rackFills({ parameters }: View, room: Room): RackFills {
  const by = parameters.room.color_by;
  if (by === 'none') return { of: () => null, words: [] };
  if (by === 'fillrate') return { of: rack => scaleColor(rack.fillrate), words: [] };
  const colors = new Map<string, Color>();
  for (const row of room.rows)
    for (const rack of row.racks) {
      const word = categoryOf(rack, by);
      const color = CATEGORIES[colors.size % CATEGORIES.length];
      if (word !== null && color && !colors.has(word)) colors.set(word, color);
    }
  return {
    of: rack => colors.get(categoryOf(rack, by) ?? '') ?? null,
    words: [...colors].map(([text, color]) => ({ text, color })),
  };
}

function categoryOf(rack: Rack, by: 'infrastructure' | 'tag'): string | null {
  if (by === 'tag') return rack.tags?.[0] ?? null;
  return rack.equipment[0]?.set.part.infrastructure.name ?? null;
}

/** What lies over the racks: names of rows, the scale bar, the room's sizes. */
export function roomExtras(
  view: View,
  room: Room,
  floor: Box,
  k: number,
  rows: readonly PlacedRow[],
): Shape[] {
  const { room: wanted } = view.parameters;
  return [
    ...(wanted.row_labels ? rows.flatMap(row => rowLabel(view, row, floor)) : []),
    ...(wanted.dimensions ? sizes(view, room, floor) : []),
    ...(wanted.scale_bar ? scaleBar(view, floor, k) : []),
  ];
}

/** A row's name above its racks, or below where there is no room above. */
function rowLabel({ palette, style }: View, { name, box: [x, y, , h] }: PlacedRow, floor: Box): Shape[] {
  const label = fit(style, `row ${name}`, floor[2], 24);
  if (!label) return [];
  const line = lineHeight(label.size);
  const above = y - line - 2;
  const left = Math.max(floor[0] + 2, Math.min(x, floor[0] + floor[2] - label.size.width - 2));
  return [textAt(label, left, above > floor[1] + line ? above : y + h + 2, palette.text, null, palette.halo)];
}

/** `12.5 m` below and right of the floor, as far as the margins have room. */
function sizes({ palette, style, parameters }: View, room: Room, [x, y, w, h]: Box): Shape[] {
  const across = fit(style, metres(room.width), w, parameters.margin.top);
  const down = fit(style, metres(room.depth), h, parameters.margin.left);
  return [
    ...(across ? [textAt(across, x + (w - across.size.width) / 2, y + h + 2, palette.text)] : []),
    ...(down
      ? [
          textAt(
            down,
            x + w + 2 + lineHeight(down.size),
            y + (h - down.size.width) / 2,
            palette.text,
            CLOCKWISE,
          ),
        ]
      : []),
  ];
}

/** A bar of a round length in the bottom left corner of the floor. */
function scaleBar({ palette, style }: View, [x, y, w, h]: Box, k: number): Shape[] {
  const lengths = [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];
  const length = lengths.findLast(mm => mm * k <= w / 4) ?? 100;
  const long = length * k;
  const label: Fitted | null = fit(style, metres(length), w, 30);
  const [left, base] = [x + 10, y + h - 10];
  const line = (points: readonly (readonly [number, number])[]): Shape => ({
    kind: 'line',
    points,
    stroke: palette.text,
    width: 2,
  });
  return [
    line([
      [left, base - 5],
      [left, base],
      [left + long, base],
      [left + long, base - 5],
    ]),
    ...(label
      ? [textAt(label, left + long + 6, base - lineHeight(label.size) + 3, palette.text, null, palette.halo)]
      : []),
  ];
}

function metres(mm: number): string {
  return `${Number((mm / 1000).toFixed(2))} m`;
}
