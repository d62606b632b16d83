/** A drawing as plain shapes: what layout yields, and ink, SVG and PDF put on a page. Pure data. */
import type { Color } from '../../proto/parameters.ts';

export type Point = readonly [number, number];
/** a, b, c, d of a transformation as canvas and SVG have it: x' = a·x + c·y, y' = b·x + d·y. */
export type Linear = readonly [number, number, number, number];
/** A linear part and a shift. */
export type Matrix = readonly [number, number, number, number, number, number];

export interface Font {
  readonly family: string;
  /** px. */
  readonly size: number;
  readonly bold?: boolean;
}

export interface TextSize {
  readonly width: number;
  /** px above and below the baseline; both make the line's height. */
  readonly ascent: number;
  readonly descent: number;
}

/** Measures literal text as the ink will draw it, in px. */
export type Measure = (text: string, font: Font) => TextSize;

/** What a part of the drawing shows, for readers of SVG. */
export interface Item {
  readonly kind: 'rack' | 'equipment' | 'row' | 'room';
  readonly name: string;
  /** Shown when a pointer rests on it. */
  readonly title: string;
  readonly data: Readonly<Record<string, string>>;
}

export interface Text {
  readonly kind: 'text';
  readonly text: string;
  /** Where the top left corner of the line box goes. */
  readonly x: number;
  readonly y: number;
  readonly font: Font;
  readonly size: TextSize;
  readonly color: Color;
  /** Turns or shears the text about its corner; null = upright. */
  readonly matrix: Linear | null;
  /** Outline behind the glyphs that lifts them off what is below. */
  readonly halo: Color | null;
}

export interface Group {
  readonly kind: 'group';
  readonly item: Item | null;
  readonly matrix: Matrix | null;
  readonly shapes: readonly Shape[];
}

export type Shape =
  | {
      readonly kind: 'rect';
      readonly x: number;
      readonly y: number;
      readonly w: number;
      readonly h: number;
      readonly fill: Color;
    }
  /** 1 px unless `width` tells. */
  | {
      readonly kind: 'outline';
      readonly x: number;
      readonly y: number;
      readonly w: number;
      readonly h: number;
      readonly stroke: Color;
      readonly width?: number;
    }
  | {
      readonly kind: 'polygon';
      readonly points: readonly Point[];
      readonly fill: Color | null;
      readonly stroke: Color | null;
      readonly width?: number;
    }
  | {
      readonly kind: 'line';
      readonly points: readonly Point[];
      readonly stroke: Color;
      readonly width: number;
      readonly dash?: readonly number[];
    }
  /** Diagonal lines within a polygon. */
  | {
      readonly kind: 'hatch';
      readonly points: readonly Point[];
      readonly stroke: Color;
      readonly step: number;
    }
  | Text
  | Group;

/** A rectangle: x, y, width, height. */
export type Box = readonly [number, number, number, number];

export interface PlacedEquipment {
  readonly name: string;
  readonly kind: string;
  readonly type: string;
  readonly rack: string;
  readonly infrastructure: string;
  readonly tags: readonly string[];
  readonly slot: number;
  readonly position: { readonly width: number; readonly height: number };
  readonly ghost: boolean;
  readonly box: Box;
  readonly polygon: readonly Point[];
}

export interface PlacedRack {
  readonly name: string;
  readonly row: string;
  readonly room: string;
  readonly slot: number;
  readonly type: string;
  readonly tags: readonly string[];
  readonly used: boolean;
  readonly fillrate: number;
  readonly box: Box;
  readonly polygon: readonly Point[];
  /** Degrees. */
  readonly angle: number;
  readonly door: readonly Point[];
}

export interface PlacedRow {
  readonly name: string;
  readonly box: Box;
  readonly polygon: readonly Point[];
  readonly label: Point;
}

/** A drawing that was laid out. */
export interface Drawing {
  /** px, whole. */
  readonly width: number;
  readonly height: number;
  readonly background: Color | null;
  readonly title: string;
  readonly shapes: readonly Shape[];
  readonly equipment: readonly PlacedEquipment[];
  readonly racks: readonly PlacedRack[];
  readonly rows: readonly PlacedRow[];
  readonly warnings: readonly { readonly code: string; readonly object: string; readonly message: string }[];
}

/** A group of shapes. */
export function group(
  shapes: readonly Shape[],
  item: Item | null = null,
  matrix: Matrix | null = null,
): Group {
  return { kind: 'group', item, matrix, shapes };
}

/** Corners of an upright rectangle, clockwise from its top left. */
export function corners([x, y, w, h]: Box): Point[] {
  return [
    [x, y],
    [x + w, y],
    [x + w, y + h],
    [x, y + h],
  ];
}

/** A parallelogram from a corner along two sides. */
export function slanted([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): Point[] {
  return [
    [x, y],
    [x + ax, y + ay],
    [x + ax + bx, y + ay + by],
    [x + bx, y + by],
  ];
}

/** The upright rectangle around points. */
export function bounds(points: readonly Point[]): Box {
  let [x1, y1, x2, y2] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  for (const [x, y] of points) {
    x1 = Math.min(x1, x);
    y1 = Math.min(y1, y);
    x2 = Math.max(x2, x);
    y2 = Math.max(y2, y);
  }
  return [x1, y1, x2 - x1, y2 - y1];
}
