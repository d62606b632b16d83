/** The axonometric projection: directions of width, depth and height on the page. */
import type { Parameters } from '../../proto/parameters.ts';
import type { Linear, Point } from './scene.ts';

/** One mm to the right is (+cz, −sz), to the back (−cx, −sx), up (0, −1). */
export interface Projection {
  readonly cx: number;
  readonly sx: number;
  readonly cz: number;
  readonly sz: number;
  /** For text that lies in the plane of fronts. */
  readonly front: Linear;
}

export function projectionOf({ axonometric: { angles } }: Parameters): Projection {
  const [x, z] = [(angles.x * Math.PI) / 180, (angles.z * Math.PI) / 180];
  const [cx, sx, cz, sz] = [Math.cos(x), Math.sin(x), Math.cos(z), Math.sin(z)];
  return { cx, sx, cz, sz, front: [cz, -sz, 0, 1] };
}

/** A length to the right, to the back, up. */
export function right({ cz, sz }: Projection, length: number): Point {
  return [length * cz, -length * sz];
}

export function back({ cx, sx }: Projection, length: number): Point {
  return [-length * cx, -length * sx];
}

export function up(length: number): Point {
  return [0, -length];
}

export function plus([x, y]: Point, ...more: readonly Point[]): Point {
  let [px, py] = [x, y];
  for (const [dx, dy] of more) {
    px += dx;
    py += dy;
  }
  return [px, py];
}
