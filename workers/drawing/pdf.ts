/** Divides a drawing into pages of a document: one of its own size, or sheets of whole racks with a header. Pure. */
import type { Parameters } from '../../proto/parameters.ts';
import { BLACK } from './color.ts';
import type { Layout } from './compose.ts';
import { type Fitted, fit, lineHeight, textAt } from './label.ts';
import { type Drawing, group, type Shape } from './scene.ts';
import type { View } from './view.ts';

/** A page; px count as pt. */
export interface Sheet {
  readonly width: number;
  readonly height: number;
  readonly background: Drawing['background'];
  readonly shapes: readonly Shape[];
}

/** Portrait sizes in pt (ISO 216, ANSI/ASME Y14.1). */
const SHEETS = { a4: [595, 842], a3: [842, 1191], letter: [612, 792] } as const;
/** pt around a sheet's content, and of its header. */
const EDGE = 36;
const HEADER = 24;
/** Sheets of one document. */
const MAX_SHEETS = 500;

/** Pages of a drawing. */
export function pagesOf(view: View, drawing: Drawing, layout: Layout, date: number): Sheet[] {
  const { page } = view.parameters.pdf;
  if (page === 'image') return [drawing];
  const [width, height] = sheetOf(view.parameters, drawing);
  const within = (racks: string | null): View =>
    narrowed(view, width - 2 * EDGE, height - 2 * EDGE - HEADER, racks);
  const chunks = chunksOf(view, drawing, layout, within);
  return chunks.map((racks, index) => {
    const content = layout(within(racks));
    const x = EDGE + (width - 2 * EDGE - content.width) / 2;
    const day = new Date(date * 1000).toISOString().slice(0, 10);
    return {
      width,
      height,
      background: view.palette.page,
      shapes: [
        ...header(view, width, drawing.title, `${day}    page ${index + 1} of ${chunks.length}`),
        group(content.shapes, null, [1, 0, 0, 1, x, EDGE + HEADER]),
      ],
    };
  });
}

function sheetOf({ pdf }: Parameters, drawing: Drawing): readonly [number, number] {
  const [short, long] = SHEETS[pdf.page === 'image' ? 'a4' : pdf.page];
  const wide = pdf.orientation === 'landscape' || (pdf.orientation === 'auto' && isWide(drawing));
  return wide ? [long, short] : [short, long];
}

/** Several racks beside each other, or a drawing that is wider than high. */
function isWide({ racks, equipment, width, height }: Drawing): boolean {
  return width > height || (equipment.length > 0 && racks.length > 2);
}

/** The view within a sheet, of some racks only. */
function narrowed(view: View, width: number, height: number, racks: string | null): View {
  const { parameters } = view;
  const infrastructure =
    racks === null
      ? parameters.infrastructure
      : { ...parameters.infrastructure, racks, layout: 'compact' as const };
  const margin = { top: Math.min(4, parameters.margin.top), left: Math.min(4, parameters.margin.left) };
  return { ...view, parameters: { ...parameters, infrastructure, margin, dimensions: { width, height } } };
}

/** Nodesets of racks, a page each; null where the drawing stays whole. */
function chunksOf(
  view: View,
  drawing: Drawing,
  layout: Layout,
  within: (racks: string | null) => View,
): (string | null)[] {
  const { axonometric, pdf } = view.parameters;
  const names = drawing.racks.map(rack => rack.name);
  if (drawing.equipment.length === 0 || axonometric.enabled || names.length < 2) return [null];
  const count = pdf.racks_per_page > 0 ? pdf.racks_per_page : mostLegible(names, view, layout, within);
  const size = Math.max(count, Math.ceil(names.length / MAX_SHEETS));
  const chunks: string[] = [];
  for (let from = 0; from < names.length; from += size) chunks.push(names.slice(from, from + size).join(','));
  return chunks;
}

/** As many racks as keep every unit high enough for the smallest labels. */
function mostLegible(
  names: readonly string[],
  { style, parameters }: View,
  layout: Layout,
  within: (racks: string | null) => View,
): number {
  const line = lineHeight(style.measure('x', { family: style.family, size: (style.smallest * 4) / 3 }));
  let [good, bad] = [1, Math.min(names.length, 100) + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const { equipment } = layout(within(names.slice(0, middle).join(',')));
    const legible = equipment.every(
      ({ box: [, , w, h] }) => Math.min(w, h) > line && Math.max(w, h) > 5 * line,
    );
    if (legible || !parameters.infrastructure.equipment_labels) good = middle;
    else bad = middle;
  }
  return good;
}

function header(view: View, width: number, left: string, right: string): Shape[] {
  const color = view.palette.page ? view.palette.text : BLACK;
  const label = (text: string): Fitted | null => fit(view.style, text, (width - 2 * EDGE) / 2, HEADER);
  const [title, number] = [label(left), label(right)];
  return [
    ...(title ? [textAt(title, EDGE, EDGE, color)] : []),
    ...(number ? [textAt(number, width - EDGE - number.size.width, EDGE, color)] : []),
  ];
}
