/** Colours: hexadecimal text, lightness, mixing, contrast. */
import { type Color, readColor } from '../../proto/parameters.ts';

export const BLACK: Color = [0, 0, 0, 1];
const WHITE: Color = [1, 1, 1, 1];

/** A colour of our own, written down. */
export function hex(text: string): Color {
  const color = readColor(text);
  if (!color) throw new TypeError(`${text} is no colour`);
  return color;
}

/** `#rrggbb` for SVG and canvas; opacity is told apart. */
export function rgb([r, g, b]: Color): string {
  const two = (share: number): string =>
    Math.round(Math.min(1, Math.max(0, share)) * 255)
      .toString(16)
      .padStart(2, '0');
  return `#${two(r)}${two(g)}${two(b)}`;
}

/** Lightness times a factor: towards black below 1, each channel up to white above. */
export function shade([r, g, b, a]: Color, factor: number): Color {
  const by = (share: number): number => Math.min(1, share * factor);
  return [by(r), by(g), by(b), a];
}

/** A share of `over` laid on `under`. */
export function mix(under: Color, over: Color, share: number): Color {
  const by = (i: 0 | 1 | 2 | 3): number => under[i] * (1 - share) + over[i] * share;
  return [by(0), by(1), by(2), by(3)];
}

/** Relative luminance (WCAG 2.2). */
function luminance([r, g, b]: Color): number {
  const linear = (share: number): number =>
    share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
function contrast(a: Color, b: Color): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** Black or white, whichever is told apart better on a colour: at least 4.5:1 on any opaque one. */
export function legible(on: Color): Color {
  return contrast(on, BLACK) >= contrast(on, WHITE) ? BLACK : WHITE;
}
