/** Drawings over gRPC. */
import { Fault } from '../../proto/fault.ts';
import type { DrawingRequest, Entity, ImageFormat, Inked } from '../../proto/renderer.ts';
import type { Handlers } from '../../proto/services.ts';

/** Who draws. */
export interface Drawings {
  /** `inked` is null when `etag` is still good. Throws faults of the request, or `unavailable`. */
  draw(
    request: DrawingRequest,
    etag: string,
    signal: AbortSignal,
  ): Promise<{ readonly etag: string; readonly inked: Inked | null }>;
}

/** Bytes of one message of the answer; far below what gRPC takes. */
const PIECE = 1024 * 1024;
/** Bytes of a parameters document. */
const MAX_DOCUMENT = 1024 * 1024;
/** Query settings of one request. */
const MAX_SETTINGS = 2000;

const ENTITIES: readonly string[] = ['infrastructure', 'room', 'rack'] satisfies Entity[];
const FORMATS: readonly string[] = ['png', 'svg', 'pdf'] satisfies ImageFormat[];

/** `now` is in milliseconds. */
export function drawingService(drawings: Drawings, now: () => number): Handlers<'DrawingService'> {
  return {
    async *draw({ drawing, etag }, { signal }) {
      if (!drawing) throw new Fault('invalid', 'bad-input', 'Unable to draw nothing');
      const { entity, name, format, coordinates } = drawing;
      if (!ENTITIES.includes(entity))
        throw new Fault('invalid', 'bad-input', `Unable to draw entity ${entity}`);
      if (!FORMATS.includes(format))
        throw new Fault('invalid', 'bad-input', `Unsupported image format ${format}`);
      if (!['', 'json', 'yaml'].includes(coordinates))
        throw new Fault('invalid', 'bad-input', 'Unsupported coordinates format');
      if (drawing.parameters.length > MAX_DOCUMENT || drawing.settings.length > MAX_SETTINGS)
        throw new Fault('invalid', 'too-large', `Drawing parameters are larger than ${MAX_DOCUMENT} bytes`);
      const drawn = await drawings.draw(
        {
          entity: entity as Entity,
          name,
          format: format as ImageFormat,
          datacenter: drawing.datacenter === '' ? null : drawing.datacenter,
          parameters: decode(drawing.parameters),
          syntax: drawing.syntax === 'json' ? 'json' : 'yaml',
          source: null,
          settings: drawing.settings.map(({ path, value }) => [path, value]),
          defaults:
            drawing.defaults.length === 0
              ? []
              : [{ source: 'defaults of the service', text: decode(drawing.defaults) }],
          coordinates: coordinates === '' ? null : (coordinates as 'json' | 'yaml'),
          fullCoordinates: drawing.fullCoordinates,
          date: Math.floor(now() / 1000),
        },
        etag,
        signal,
      );
      yield* pieces(drawn.etag, drawn.inked);
    },
  };
}

const NOTHING = new Uint8Array(0);

function* pieces(etag: string, inked: Inked | null) {
  const image = inked?.image ?? NOTHING;
  const coordinates = inked?.coordinates ?? NOTHING;
  yield {
    mediaType: inked?.mediaType ?? '',
    etag,
    unchanged: inked === null,
    image: asBuffer(image, 0),
    coordinates: NOTHING_SENT,
  };
  for (let at = PIECE; at < image.length; at += PIECE)
    yield {
      mediaType: '',
      etag: '',
      unchanged: false,
      image: asBuffer(image, at),
      coordinates: NOTHING_SENT,
    };
  for (let at = 0; at < coordinates.length; at += PIECE)
    yield {
      mediaType: '',
      etag: '',
      unchanged: false,
      image: NOTHING_SENT,
      coordinates: asBuffer(coordinates, at),
    };
}

const NOTHING_SENT = Buffer.alloc(0);

function asBuffer(bytes: Uint8Array, at: number): Buffer {
  const end = Math.min(bytes.length, at + PIECE);
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.max(0, end - at));
}

/** Text of UTF-8; a byte order mark is dropped. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Fault('invalid', 'bad-parameters', 'Unable to load drawing parameters: not valid UTF-8');
  }
}
