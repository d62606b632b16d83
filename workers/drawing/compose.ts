/** Puts a drawing together with what surrounds it: both faces, title, legend, footer. */
import type { Parameters } from '../../proto/parameters.ts';
import type { DrawingRequest } from '../../proto/renderer.ts';
import { fit, LARGEST, PT, plain, textAt } from './label.ts';
import { type Legend, legendOf } from './legend.ts';
import { type Box, type Drawing, group, type Point, type Shape } from './scene.ts';
import type { View } from './view.ts';

/** px between the two faces. */
const FACES_GAP = 24;
/** px of a title's band and of a footer's. */
const BAND = 30;

/** Lays a drawing out within dimensions. */
export type Layout = (view: View) => Drawing;

/** The drawing with its title, legend and footer, all within the wanted dimensions. */
export function compose(view: View, layout: Layout, about: Pick<DrawingRequest, 'name' | 'date'>): Drawing {
  const { general, dimensions } = view.parameters;
  const filled = (text: string): string =>
    text.replace(/\{(name|date|database)\}/g, (_whole, key: string) => {
      if (key === 'name') return about.name;
      return key === 'date' ? new Date(about.date * 1000).toISOString().slice(0, 10) : view.database.version;
    });
  const head = general.title === null ? 0 : BAND;
  const foot = general.footer === null ? 0 : BAND;
  let legend: Legend = { height: 0, shapes: [] };
  let drawing = layout(within(view, dimensions.height - head - foot));
  // The legend's height follows from the drawing's width, and that from what the legend leaves: twice settles it.
  for (let round = 0; general.legend && round < 3; round++) {
    const next = legendOf(view, drawing);
    if (next.height <= legend.height) break;
    legend = next;
    drawing = layout(within(view, dimensions.height - head - foot - legend.height));
  }
  if (general.legend) legend = { ...legendOf(view, drawing), height: legend.height };
  if (head + foot + legend.height === 0) return drawing;
  const { width } = drawing;
  const line = (text: string, y: number): Shape[] => {
    const label = fit(view.style, filled(text), width - 16, BAND) ?? plain(view.style, '');
    return [textAt(label, 8, y + (BAND - LARGEST * PT * 1.2) / 2, view.palette.text)];
  };
  const below = head + drawing.height;
  return {
    ...moved(drawing, 0, head),
    height: below + legend.height + foot,
    shapes: [
      ...(general.title === null ? [] : line(general.title, 0)),
      ...moved(drawing, 0, head).shapes,
      group(legend.shapes, null, [1, 0, 0, 1, 0, below]),
      ...(general.footer === null ? [] : line(general.footer, below + legend.height)),
    ],
  };
}

/** The view with another largest height. */
function within(view: View, height: number): View {
  const { parameters } = view;
  if (height === parameters.dimensions.height) return view;
  return { ...view, parameters: { ...parameters, dimensions: { ...parameters.dimensions, height } } };
}

/** Two drawings beside each other; places of the second are not told, its items being those of the first. */
export function beside(view: View, one: (view: View) => Drawing, other: (view: View) => Drawing): Drawing {
  const { parameters } = view;
  const width = Math.max(1, Math.floor((parameters.dimensions.width - FACES_GAP) / 2));
  const half: Parameters = { ...parameters, dimensions: { ...parameters.dimensions, width } };
  const [left, right] = [one({ ...view, parameters: half }), other({ ...view, parameters: half })];
  const shift = left.width + FACES_GAP;
  return {
    ...left,
    width: shift + right.width,
    height: Math.max(left.height, right.height),
    shapes: [...left.shapes, ...moved(right, shift, 0).shapes],
  };
}

/** A drawing moved on its page, coordinates too. */
function moved(drawing: Drawing, dx: number, dy: number): Drawing {
  if (dx === 0 && dy === 0) return drawing;
  const box = ([x, y, w, h]: Box): Box => [x + dx, y + dy, w, h];
  const points = (given: readonly Point[]): Point[] => given.map(([x, y]) => [x + dx, y + dy]);
  return {
    ...drawing,
    shapes: [group(drawing.shapes, null, [1, 0, 0, 1, dx, dy])],
    equipment: drawing.equipment.map(one => ({ ...one, box: box(one.box), polygon: points(one.polygon) })),
    racks: drawing.racks.map(rack => ({
      ...rack,
      box: box(rack.box),
      polygon: points(rack.polygon),
      door: points(rack.door),
    })),
    rows: drawing.rows.map(row => ({
      ...row,
      box: box(row.box),
      polygon: points(row.polygon),
      label: [row.label[0] + dx, row.label[1] + dy],
    })),
  };
}
