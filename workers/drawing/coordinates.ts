/** Coordinates of what was drawn, for clients that paint over the picture. */
import { orderedMap, writeYaml } from '../../proto/document.ts';
import type { Entity } from '../../proto/renderer.ts';
import type { Box, Drawing, Point } from './scene.ts';

/** What coordinates are wanted. */
export interface Wanted {
  readonly entity: Entity;
  readonly full: boolean;
  readonly format: 'json' | 'yaml';
  readonly database: string;
}

/** The text of a drawing's coordinates. */
export function writeCoordinates(drawing: Drawing, { entity, full, format, database }: Wanted): string {
  if (full) {
    const told = fullCoordinates(drawing, database);
    return format === 'json' ? JSON.stringify(told) : writeYaml(told);
  }
  const boxes = new Map<string, Box>();
  if (entity === 'room') for (const rack of drawing.racks) boxes.set(rack.name, rack.box);
  else for (const one of drawing.equipment) if (!one.ghost) boxes.set(one.name, one.box);
  if (format === 'yaml') return writeYaml(orderedMap(null, boxes));
  // An object would put names such as 12 first, and take __proto__ for something else.
  const members = [...boxes].map(([name, box]) => `${JSON.stringify(name)}:${JSON.stringify(box)}`);
  return `{${members.join(',')}}`;
}

function fullCoordinates(drawing: Drawing, database: string): unknown {
  const { width, height } = drawing;
  const round = (points: readonly Point[]): readonly Point[] => points.map(([x, y]) => [tidy(x), tidy(y)]);
  return {
    version: 1,
    database,
    image: { width, height },
    equipment: drawing.equipment.map(one => ({ ...one, polygon: round(one.polygon) })),
    racks: drawing.racks.map(rack => ({ ...rack, polygon: round(rack.polygon), door: round(rack.door) })),
    rows: drawing.rows.map(row => ({ ...row, polygon: round(row.polygon) })),
    warnings: drawing.warnings,
  };
}

function tidy(value: number): number {
  return Math.round(value * 1000) / 1000;
}
