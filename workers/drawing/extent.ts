/** How many px a drawing's millimetres get, and how large the image becomes. */
import { Fault } from '../../proto/fault.ts';

/** What a drawing needs: millimetres that scale, and px that don't. */
export interface Needs {
  readonly width: number;
  readonly height: number;
  readonly fixedWidth: number;
  readonly fixedHeight: number;
}

export interface Extent {
  /** px per mm. */
  readonly k: number;
  /** Image size, px. */
  readonly width: number;
  readonly height: number;
}

/**
 * The largest scale at which the needs fit the dimensions. Throws a fault that names the smallest dimensions that work
 * when nothing is left to scale, or a side has no pixel.
 */
export function extentOf(
  needs: Needs,
  dimensions: { readonly width: number; readonly height: number },
): Extent {
  const { width, height, fixedWidth, fixedHeight } = needs;
  const k = Math.min((dimensions.width - fixedWidth) / width, (dimensions.height - fixedHeight) / height);
  const image = {
    k,
    width: Math.trunc(k * width + fixedWidth),
    height: Math.trunc(k * height + fixedHeight),
  };
  if (k > 0 && image.width >= 1 && image.height >= 1) return image;
  const least = Math.max(1e-9, (1 - fixedWidth) / width, (1 - fixedHeight) / height);
  const [w, h] = [atLeast(least * width + fixedWidth), atLeast(least * height + fixedHeight)];
  throw new Fault(
    'invalid',
    'bad-parameters',
    `Unable to load drawing parameters: dimensions: ${dimensions.width} x ${dimensions.height} px leave no room for the drawing, ${w} x ${h} px are the least`,
    { width: w, height: h },
  );
}

function atLeast(size: number): number {
  return Math.max(1, Math.floor(size) + 1);
}
