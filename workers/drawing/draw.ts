/** Draws: from a request over an inventory to bytes, in two steps so that memory can be granted between them. */
import { createHash } from 'node:crypto';
import { Fault } from '../../proto/fault.ts';
import type { Parameters } from '../../proto/parameters.ts';
import type { DrawingRequest, Inked, Plan } from '../../proto/renderer.ts';
import { VERSION } from '../../proto/words.ts';
import { drawAxonometric } from './axonometric.ts';
import { beside, compose, type Layout } from './compose.ts';
import { writeCoordinates } from './coordinates.ts';
import { drawFlat } from './flat.ts';
import { inkPdf, inkPng, inkSvg } from './ink.ts';
import type { Inventory } from './inventory/database.ts';
import type { Database, Room } from './inventory/model.ts';
import { readParameters } from './parameters.ts';
import { pagesOf } from './pdf.ts';
import { findRack, selectRack } from './rack.ts';
import { drawRoom } from './room.ts';
import { drawRoomAxonometric } from './room-axonometric.ts';
import type { Drawing, Measure } from './scene.ts';
import { type Selection, select } from './selection.ts';
import { writeSvg } from './svg.ts';
import { type View, viewOf } from './view.ts';

/** Changes whenever pictures do, so that no old picture is taken for a new one. */
const RENDERER_VERSION = `${VERSION}-1`;
/** Pixels that a PNG may have. */
const MAX_PIXELS = 100_000_000;
/** px of a side. */
const MAX_SIDE = 20_000;

/** A drawing that was laid out. */
export interface Planned extends Plan {
  readonly request: DrawingRequest;
  readonly view: View;
  readonly drawing: Drawing;
  readonly layout: Layout;
}

const MEDIA_TYPES = {
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
  pdf: 'application/pdf',
} as const;

/** Lays a drawing out. Throws the documented faults. */
export function plan({ database }: Inventory, request: DrawingRequest, measure: Measure): Planned {
  const layout = targetOf(database, request);
  const { parameters } = readParameters(request);
  const view = viewOf(database, parameters, measure, request.format === 'svg');
  const drawing = compose(view, layout, request);
  const { width, height } = drawing;
  const pixels = width * height;
  if (width > MAX_SIDE || height > MAX_SIDE || (request.format === 'png' && pixels > MAX_PIXELS)) {
    const limit = `${MAX_SIDE} px a side and ${MAX_PIXELS / 1e6} million pixels for PNG`;
    throw new Fault(
      'invalid',
      'drawing-too-large',
      `Unable to draw ${width} x ${height} px: at most ${limit}`,
    );
  }
  return {
    request,
    view,
    drawing,
    layout,
    etag: etagOf(database, request, parameters),
    pixels: request.format === 'png' ? pixels : 0,
  };
}

/** Makes the bytes of what was planned. */
export function ink({ request, view, drawing, layout }: Planned): Inked {
  const { entity, format, coordinates, fullCoordinates, date } = request;
  const written = coordinates
    ? writeCoordinates(drawing, {
        entity,
        format: coordinates,
        full: fullCoordinates,
        database: view.database.version,
      })
    : null;
  return {
    image: inked(format, view, drawing, layout, date),
    mediaType: MEDIA_TYPES[format],
    coordinates: written === null ? null : Buffer.from(written),
  };
}

function inked(
  format: DrawingRequest['format'],
  view: View,
  drawing: Drawing,
  layout: Layout,
  date: number,
): Uint8Array {
  const { svg, pdf } = view.parameters;
  if (format === 'png') return inkPng(drawing);
  if (format === 'svg')
    return svg.text === 'paths' ? inkSvg(drawing) : Buffer.from(writeSvg(drawing, view.parameters));
  const pages = pagesOf(view, drawing, layout, date);
  return inkPdf(pages, { title: drawing.title, date }, pdf.text === 'embedded');
}

/** How the wanted entity is laid out. Throws `not_found`, or `invalid` where a room's name is not enough. */
function targetOf(database: Database, { entity, name, datacenter }: DrawingRequest): Layout {
  if (entity === 'room') {
    const room = findRoom(database, name, datacenter);
    return view =>
      view.parameters.room.axonometric ? drawRoomAxonometric(view, room) : drawRoom(view, room);
  }
  if (entity === 'rack') {
    const rack = findRack(database, name, datacenter);
    if (!rack) throw new Fault('not_found', 'not-found', `Unable to find rack ${name} in database`);
    return view => drawSelection(view, selectRack(view, rack));
  }
  const infrastructure = database.infrastructures.find(candidate => candidate.name === name);
  if (!infrastructure)
    throw new Fault('not_found', 'not-found', `Unable to find infrastructure ${name} in database`);
  return view => drawSelection(view, select(infrastructure, view.parameters));
}

function drawSelection(view: View, selection: Selection): Drawing {
  const { axonometric, infrastructure } = view.parameters;
  if (axonometric.enabled) return drawAxonometric(view, selection);
  if (infrastructure.face !== 'both') return drawFlat(view, selection, infrastructure.face);
  return beside(
    view,
    half => drawFlat(half, selection, 'front'),
    half => drawFlat(half, selection, 'rear'),
  );
}

function findRoom(database: Database, name: string, datacenter: string | null): Room {
  const rooms = database.datacenters
    .filter(candidate => datacenter === null || candidate.name === datacenter)
    .flatMap(candidate => candidate.rooms.filter(room => room.name === name));
  const [room, second] = rooms;
  if (!room) throw new Fault('not_found', 'not-found', `Unable to find room ${name} in database`);
  if (!second) return room;
  const names = rooms.map(candidate => candidate.datacenter.name).join(', ');
  throw new Fault('invalid', 'bad-input', `Room ${name} is in several datacenters, tell which: ${names}`);
}

/** Hash of all that decides the bytes. */
function etagOf(database: Database, request: DrawingRequest, parameters: Parameters): string {
  const { entity, name, format, datacenter, coordinates, fullCoordinates, date } = request;
  const { title, footer } = parameters.general;
  const dated = `${title}${footer}`.includes('{date}') || format === 'pdf' ? Math.floor(date / 86_400) : 0;
  const words = [
    RENDERER_VERSION,
    database.version,
    entity,
    name,
    format,
    datacenter,
    coordinates,
    fullCoordinates,
  ];
  const text = JSON.stringify([...words, dated, parameters], (_key, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 32)}"`;
}
