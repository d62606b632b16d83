/** One folded label over neighbours of a set that are too small for labels of their own. */
import { legible } from './color.ts';
import type { Equipment } from './inventory/model.ts';
import { fold } from './inventory/nodeset.ts';
import { boxLabel, fit } from './label.ts';
import { type Box, bounds, corners, type Shape } from './scene.ts';
import type { View } from './view.ts';

/** Folded labels of a set's members, whole levels together; null when each member can carry its own name. */
export function blockLabels(
  view: View,
  members: readonly Equipment[],
  boxOf: (equipment: Equipment) => Box,
): Shape[] | null {
  const { style, looks, parameters } = view;
  const ownNames = members.every(equipment => {
    const [, , w, h] = boxOf(equipment);
    const label = fit(style, equipment.name, Math.max(w, h), Math.min(w, h));
    return label !== null && !label.cut;
  });
  if (ownNames) return null;
  const { label_color, label_align } = parameters.infrastructure;
  const shapes: Shape[] = [];
  for (const block of blocksOf(members)) {
    const first = block[0];
    if (!first) continue;
    const box = bounds(block.flatMap(equipment => corners(boxOf(equipment))));
    const look = looks.of(first);
    const color =
      label_color === 'border'
        ? look.border
        : label_color === 'auto'
          ? legible(look.background)
          : label_color;
    const label = boxLabel(style, fold(block.map(equipment => equipment.name)), box, {
      color,
      align: label_align,
      matrix: null,
    });
    if (label) shapes.push(label);
  }
  return shapes;
}

/** Members in rectangles: runs of levels that hold equally many. */
function blocksOf(members: readonly Equipment[]): Equipment[][] {
  const levels = new Map<number, Equipment[]>();
  for (const equipment of members) {
    const level = levels.get(equipment.position.height);
    if (level) level.push(equipment);
    else levels.set(equipment.position.height, [equipment]);
  }
  const blocks: Equipment[][] = [];
  let before = 0;
  for (const level of levels.values()) {
    if (level.length === before) blocks.at(-1)?.push(...level);
    else blocks.push([...level]);
    before = level.length;
  }
  return blocks;
}
