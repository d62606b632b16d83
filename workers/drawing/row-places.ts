/** Where racks stand along their row: lower slots first, empty slots as wide as the rack nearest below. */
import type { Rack, Row } from './inventory/model.ts';

/** A rack and its distance from the row's origin, in the unit of `scale`. */
export interface RackPlace {
  readonly rack: Rack;
  readonly x: number;
}

/**
 * Places of a row's racks by slot, in document order within one. `scale` turns a width in mm into the unit wanted;
 * `emptyWidth` (mm) is what an empty slot takes where no rack stands below it. Linear in racks and slots.
 */
export function rowPlaces(row: Row, emptyWidth: number, scale: (width: number) => number): RackPlace[] {
  const racks = [...row.racks].sort((a, b) => a.slot - b.slot);
  const places: RackPlace[] = [];
  let x = 0;
  let slot = 0;
  let below = emptyWidth;
  let at = 0;
  while (at < racks.length) {
    const next = racks[at]?.slot ?? 0;
    for (; slot < next; slot++) x += scale(below);
    const from = x;
    for (; at < racks.length && racks[at]?.slot === next; at++) {
      const rack = racks[at];
      if (!rack) continue;
      places.push({ rack, x: from });
      x += scale(rack.type.width);
      below = rack.type.width;
    }
    slot = next + 1;
  }
  return places;
}

/** Width in mm that an empty slot takes where no rack stands below it: that of the first rack type. */
export function emptyWidthOf(rackTypes: readonly { readonly width: number }[]): number {
  return rackTypes[0]?.width ?? 0;
}
