/** Where the members of a set stand in their rack. */
import type { Fraction } from './inventory/values.ts';

/** Columns from the left in widths of the type, and units above the rack's bottom. */
export interface Position {
  readonly width: number;
  readonly height: number;
}

/**
 * Position of member `index` (from 0) of a set that fills left to right, then upwards, from `slot`; exact fractions, so
 * that a level of 2/3 wide members holds one. `column` is where the set begins on its first level.
 */
export function positionOf(
  index: number,
  type: { readonly height: number; readonly width: Fraction },
  slot: number,
  initial: number,
  column = 0,
): Position {
  const level = Math.floor(type.width.q / type.width.p);
  const place = index + column;
  return {
    width: place % level,
    height: slot - initial + Math.floor(place / level) * type.height,
  };
}
