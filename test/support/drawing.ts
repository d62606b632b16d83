/** Drawing in the test's own process: databases from text, plans, and the ink's own measure. */

import { readTree } from '../../proto/document.ts';
import type { DrawingRequest } from '../../proto/renderer.ts';
import type { Finding } from '../../proto/tree.ts';
import { plan } from '../../workers/drawing/draw.ts';
import { createMeasure } from '../../workers/drawing/ink.ts';
import { compile, type Inventory } from '../../workers/drawing/inventory/database.ts';
import type { Drawing, Measure, Shape, Text } from '../../workers/drawing/scene.ts';

/** Compiles the text of a database file. */
export function compileText(text: string): { inventory: Inventory | null; findings: readonly Finding[] } {
  const { tree, findings } = readTree(text, 'db.yml', 'yaml', {
    bytes: 1 << 25,
    depth: 40,
    expansions: 1000,
  });
  return tree ? compile(tree, null) : { inventory: null, findings };
}

/** An inventory that must be good. */
export function inventoryOf(text: string): Inventory {
  const { inventory, findings } = compileText(text);
  if (!inventory)
    throw new Error(findings.map(({ path, message, line }) => `${line} ${path}: ${message}`).join('\n'));
  return inventory;
}

/** A request with defaults for what is not told. */
export function requestFor(
  entity: DrawingRequest['entity'],
  name: string,
  parameters = '',
  more: Partial<DrawingRequest> = {},
): DrawingRequest {
  return {
    entity,
    name,
    format: 'png',
    datacenter: null,
    parameters,
    syntax: 'yaml',
    source: null,
    settings: [],
    defaults: [],
    coordinates: 'json',
    fullCoordinates: false,
    date: 1_700_000_000,
    ...more,
  };
}

/** A measure that needs no fonts: every character is 0.6 of the size wide. */
export const squareMeasure: Measure = (text, { size }) => ({
  width: [...text].length * size * 0.6,
  ascent: size * 0.9,
  descent: size * 0.25,
});

/** Lays out an entity of a database's text. */
export function layOut(
  inventory: Inventory,
  entity: DrawingRequest['entity'],
  name: string,
  parameters = '',
  measure: Measure = squareMeasure,
): Drawing {
  return plan(inventory, requestFor(entity, name, parameters), measure).drawing;
}

/** Boxes of equipment by name. */
export function boxes(drawing: Drawing): Map<string, readonly number[]> {
  return new Map(drawing.equipment.filter(one => !one.ghost).map(({ name, box }) => [name, box]));
}

/** All shapes, groups opened. */
export function flatten(shapes: readonly Shape[]): Shape[] {
  return shapes.flatMap(shape => (shape.kind === 'group' ? flatten(shape.shapes) : [shape]));
}

/** All texts of a drawing. */
export function textsOf(drawing: Drawing): Text[] {
  return flatten(drawing.shapes).filter(shape => shape.kind === 'text');
}

export { createMeasure };
