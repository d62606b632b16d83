/** Labels: literal text fitted into boxes by size, then shortened, upright or turned. */
import type { Color } from '../../proto/parameters.ts';
import type { Font, Linear, Measure, Shape, Text, TextSize } from './scene.ts';

/** Largest size of labels, pt. */
export const LARGEST = 12;
/** px of a pt at 96 dpi. */
export const PT = 4 / 3;

export const CLOCKWISE: Linear = [0, 1, -1, 0];
export const ANTICLOCKWISE: Linear = [0, -1, 1, 0];

/** How labels of one drawing look. */
export interface LabelStyle {
  readonly measure: Measure;
  readonly family: string;
  /** pt. */
  readonly smallest: number;
  /** Line heights in px by pt. */
  readonly lines: readonly number[];
}

/** Line heights of a family for each size of labels. */
export function linesOf(measure: Measure, family: string): number[] {
  return Array.from({ length: LARGEST + 1 }, (_, pt) =>
    pt === 0 ? 0 : lineHeight(measure('x', { family, size: pt * PT })),
  );
}

export interface Fitted {
  readonly text: string;
  readonly font: Font;
  readonly size: TextSize;
  /** Whether text was cut. */
  readonly cut: boolean;
}

/** Height of a line, px. */
export function lineHeight(size: TextSize): number {
  return size.ascent + size.descent;
}

/**
 * The largest size from 12 pt down whose width and line height are strictly less than the box; at the smallest, text is
 * shortened with an ellipsis. Null when not two characters fit. Limits may be infinite.
 */
export function fit(style: LabelStyle, text: string, width: number, height: number): Fitted | null {
  const size = (pt: number, words: string): TextSize =>
    style.measure(words, { family: style.family, size: pt * PT });
  let pt = LARGEST;
  while (pt >= style.smallest && (style.lines[pt] ?? 0) >= height) pt--;
  if (pt < style.smallest) return null;
  const clean = text.replace(/[\x00-\x1f\x7f]+/g, ' ');
  if (clean === '') return null;
  const fitted = (words: string, at: number, cut: boolean): Fitted => ({
    text: words,
    font: { family: style.family, size: at * PT },
    size: size(at, words),
    cut,
  });
  for (; pt >= style.smallest; pt--) if (size(pt, clean).width < width) return fitted(clean, pt, false);
  const chars = [...clean];
  let [fits, fails] = [1, chars.length];
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1;
    if (size(style.smallest, `${chars.slice(0, middle).join('')}…`).width < width) fits = middle;
    else fails = middle;
  }
  return fits < 2 ? null : fitted(`${chars.slice(0, fits).join('')}…`, style.smallest, true);
}

/** Text at 12 pt without limits. */
export function plain(style: LabelStyle, text: string): Fitted {
  const clean = text.replace(/[\x00-\x1f\x7f]+/g, ' ') || ' ';
  const font = { family: style.family, size: LARGEST * PT };
  return { text: clean, font, size: style.measure(clean, font), cut: false };
}

/** The text shape of a fitted label whose line box has its corner at x, y. */
export function textAt(
  label: Fitted,
  x: number,
  y: number,
  color: Color,
  matrix: Linear | null = null,
  halo: Color | null = null,
): Text {
  return { kind: 'text', text: label.text, x, y, font: label.font, size: label.size, color, matrix, halo };
}

/** How a label sits in its box. */
export interface BoxLabel {
  readonly color: Color;
  readonly align: 'corner' | 'center';
  /** Projection of the box's plane; null = upright. */
  readonly matrix: Linear | null;
}

/**
 * A label of a box, turned 90° clockwise where the box is higher than wide. `origin` is the box's top left corner as
 * projected; width and height are those of the plane. Null when nothing fits.
 */
export function boxLabel(
  style: LabelStyle,
  text: string,
  [x, y, w, h]: readonly [number, number, number, number],
  { color, align, matrix }: BoxLabel,
): Shape | null {
  const upright = h <= w;
  const label = upright ? fit(style, text, w, h) : fit(style, text, h, w);
  if (!label) return null;
  const line = lineHeight(label.size);
  let [dx, dy] = upright ? [0, 0] : [line, 1];
  if (align === 'center') {
    dx = upright ? (w - label.size.width) / 2 : (w + line) / 2;
    dy = upright ? (h - line) / 2 : (h - label.size.width) / 2;
  }
  const turned = upright ? matrix : times(matrix, CLOCKWISE);
  const [px, py] = matrix ? [matrix[0] * dx + matrix[2] * dy, matrix[1] * dx + matrix[3] * dy] : [dx, dy];
  return textAt(label, x + px, y + py, color, turned);
}

function times(outer: Linear | null, inner: Linear): Linear {
  if (!outer) return inner;
  const [a, b, c, d] = outer;
  const [e, f, g, h] = inner;
  return [a * e + c * f, b * e + d * f, a * g + c * h, b * g + d * h];
}
