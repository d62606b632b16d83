/** Puts a scene on a canvas: the only file that knows node-canvas. Lives in the renderer's process, never in a thread. */
import { Canvas, type CanvasRenderingContext2D, createCanvas } from 'canvas';
import type { Color } from '../../proto/parameters.ts';
import { rgb } from './color.ts';
import type { Drawing, Font, Measure, Point, Shape, Text, TextSize } from './scene.ts';

/** Measurements that are remembered; then all are forgotten. */
const MAX_MEASURED = 50_000;
/** Compression of PNG: flat colours gain nothing from more. */
const PNG_LEVEL = 3;

/** What a document says of itself. */
export interface Facts {
  readonly title: string;
  /** Seconds since the epoch. */
  readonly date: number;
}

/** A page of a document. */
export interface Page {
  readonly width: number;
  readonly height: number;
  readonly background: Color | null;
  readonly shapes: readonly Shape[];
}

/** Measures text as this ink draws it. */
export function createMeasure(): Measure {
  const context = createCanvas(1, 1).getContext('2d');
  const known = new Map<string, TextSize>();
  let current = '';
  return (text, font) => {
    const css = cssFont(font);
    const key = `${css}\0${text}`;
    const found = known.get(key);
    if (found) return found;
    if (css !== current) context.font = css;
    current = css;
    const metrics = context.measureText(text) as TextMetrics & {
      emHeightAscent: number;
      emHeightDescent: number;
    };
    const size = { width: metrics.width, ascent: metrics.emHeightAscent, descent: metrics.emHeightDescent };
    if (known.size >= MAX_MEASURED) known.clear();
    known.set(key, size);
    return size;
  };
}

/** PNG bytes of a drawing. */
export function inkPng(drawing: Drawing): Buffer {
  const canvas = createCanvas(drawing.width, drawing.height);
  paint(canvas.getContext('2d'), drawing);
  const bytes = canvas.toBuffer('image/png', {
    compressionLevel: PNG_LEVEL,
    filters: Canvas.PNG_FILTER_NONE,
  });
  release(canvas);
  return bytes;
}

/** SVG bytes whose text is outlines of glyphs. */
export function inkSvg(drawing: Drawing): Buffer {
  const canvas = createCanvas(drawing.width, drawing.height, 'svg');
  paint(canvas.getContext('2d'), drawing);
  return canvas.toBuffer();
}

/** PDF bytes of pages; text stays text where `selectable`. */
export function inkPdf(pages: readonly Page[], facts: Facts, selectable: boolean): Buffer {
  const [first, ...more] = pages;
  if (!first) throw new TypeError('a document has a page');
  const canvas = createCanvas(first.width, first.height, 'pdf');
  const context = canvas.getContext('2d');
  context.textDrawingMode = selectable ? 'glyph' : 'path';
  paint(context, first);
  for (const page of more) {
    context.addPage(page.width, page.height);
    paint(context, page);
  }
  const date = new Date(facts.date * 1000);
  return canvas.toBuffer('application/pdf', {
    title: facts.title,
    creator: 'Rackwright',
    creationDate: date,
    modDate: date,
  });
}

/** Gives the pixels back at once: the collector does not feel their weight. */
function release(canvas: Canvas): void {
  canvas.width = 0;
  canvas.height = 0;
}

function cssFont({ family, size, bold }: Font): string {
  const name = /^[a-z-]+$/.test(family) ? family : `"${family}"`;
  return `${bold ? 'bold ' : ''}${size}px ${name}`;
}

function paint(context: CanvasRenderingContext2D, page: Page): void {
  if (page.background) {
    fill(context, page.background);
    context.fillRect(0, 0, page.width, page.height);
  }
  for (const shape of page.shapes) paintShape(context, shape);
  context.globalAlpha = 1;
}

function fill(context: CanvasRenderingContext2D, color: Color): void {
  context.globalAlpha = color[3];
  context.fillStyle = rgb(color);
}

function stroke(context: CanvasRenderingContext2D, color: Color, width: number): void {
  context.globalAlpha = color[3];
  context.strokeStyle = rgb(color);
  context.lineWidth = width;
}

function trace(context: CanvasRenderingContext2D, points: readonly Point[], close: boolean): void {
  context.beginPath();
  for (const [index, [x, y]] of points.entries()) {
    if (index === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  }
  if (close) context.closePath();
}

function paintShape(context: CanvasRenderingContext2D, shape: Shape): void {
  switch (shape.kind) {
    case 'group':
      if (shape.matrix) {
        context.save();
        context.transform(...shape.matrix);
      }
      for (const inner of shape.shapes) paintShape(context, inner);
      if (shape.matrix) context.restore();
      return;
    case 'rect':
      fill(context, shape.fill);
      context.fillRect(shape.x, shape.y, shape.w, shape.h);
      return;
    case 'outline':
      stroke(context, shape.stroke, shape.width ?? 1);
      context.strokeRect(shape.x, shape.y, shape.w, shape.h);
      return;
    case 'polygon':
      trace(context, shape.points, true);
      if (shape.fill) {
        fill(context, shape.fill);
        context.fill();
      }
      if (shape.stroke) {
        stroke(context, shape.stroke, shape.width ?? 1);
        context.stroke();
      }
      return;
    case 'line':
      stroke(context, shape.stroke, shape.width);
      context.setLineDash([...(shape.dash ?? [])]);
      trace(context, shape.points, false);
      context.stroke();
      context.setLineDash([]);
      return;
    case 'hatch':
      paintHatch(context, shape);
      return;
    case 'text':
      paintText(context, shape);
  }
}

function paintHatch(context: CanvasRenderingContext2D, shape: Shape & { kind: 'hatch' }): void {
  const xs = shape.points.map(([x]) => x);
  const ys = shape.points.map(([, y]) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  context.save();
  trace(context, shape.points, true);
  context.clip();
  stroke(context, shape.stroke, 1);
  context.beginPath();
  for (let x = left - (bottom - top); x < right; x += shape.step) {
    context.moveTo(x, bottom);
    context.lineTo(x + (bottom - top), top);
  }
  context.stroke();
  context.restore();
}

function paintText(context: CanvasRenderingContext2D, text: Text): void {
  context.font = cssFont(text.font);
  if (text.matrix) {
    context.save();
    context.transform(...text.matrix, text.x, text.y);
  }
  const [x, y] = text.matrix ? [0, text.size.ascent] : [text.x, text.y + text.size.ascent];
  if (text.halo) {
    stroke(context, text.halo, 3);
    context.lineJoin = 'round';
    context.strokeText(text.text, x, y);
    context.lineJoin = 'miter';
  }
  fill(context, text.color);
  context.fillText(text.text, x, y);
  if (text.matrix) context.restore();
}
