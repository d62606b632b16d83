/** The draw routes: images of infrastructures, rooms and racks, with or without coordinates. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toFault } from '../../proto/fault.ts';
import { goneSignal } from '../http/gone.ts';
import { Refusal } from '../http/problem.ts';
import { type DrawDeps, queryOf } from './deps.ts';
import { syntaxOf } from './document.ts';
import { writeForm } from './multipart.ts';
import { drawSchema } from './schemas.ts';
import { withNotFoundStatus } from './speak.ts';

/** Milliseconds the daemon gets; its own deadline comes first. */
const TIMEOUT = 40_000;
/** Parameters in a query string. */
const MAX_SETTINGS = 2000;
const PREFIX = 'parameters.';

/** Adds the routes. `hidden` leaves them out of the interface's description. */
export function addDrawings(app: FastifyInstance, deps: DrawDeps, hidden: boolean): void {
  const schema = (method: 'get' | 'post'): object => (hidden ? { hide: true } : drawSchema(method));
  app.get('/draw/:entity/:file', { schema: schema('get') }, (request, reply) => draw(request, reply, deps));
  app.post('/draw/:entity/:file', { schema: schema('post') }, (request, reply) => draw(request, reply, deps));
}

interface Whole {
  readonly etag: string;
  readonly unchanged: boolean;
  readonly mediaType: string;
  readonly image: Buffer;
  readonly coordinates: Buffer;
}

async function draw(request: FastifyRequest, reply: FastifyReply, deps: DrawDeps): Promise<FastifyReply> {
  const { entity = '', file = '' } = request.params as { entity?: string; file?: string };
  const at = file.lastIndexOf('.');
  const [name, format] = at < 0 ? [file, ''] : [file.slice(0, at), file.slice(at + 1)];
  const query = queryOf(request.raw.url ?? '');
  const isPost = request.method === 'POST';
  const body = isPost && Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const syntax = isPost ? syntaxOf(request.headers, body.length) : 'yaml';
  const wanted = coordinatesOf(query);
  const settings = isPost ? [] : settingsOf(query);
  const held = isPost ? [] : tagsOf(request.headers['if-none-match']);
  const gone = goneSignal(reply);
  const whole = await collect(
    deps.drawings.draw(
      {
        drawing: {
          entity,
          name,
          format,
          datacenter: query.get('datacenter') ?? '',
          parameters: body,
          syntax,
          settings,
          defaults: Buffer.from(deps.defaults ?? ''),
          coordinates: wanted?.format ?? '',
          fullCoordinates: wanted?.full ?? false,
        },
        etag: held[0] ?? '',
      },
      { signal: gone, timeout: TIMEOUT },
    ),
    deps,
  );
  void reply
    .header('etag', whole.etag)
    .header('cache-control', 'no-cache')
    .header('x-content-type-options', 'nosniff');
  // Pictures hold links of the site's making at most: a page that shows one by itself runs nothing.
  void reply.header(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-popups allow-top-navigation-by-user-activation",
  );
  if (whole.unchanged || held.includes(whole.etag) || held.includes('*')) return reply.code(304).send();
  if (!wanted) return reply.header('content-type', whole.mediaType).send(whole.image);
  const yaml = wanted.format === 'yaml';
  const form = writeForm([
    { name: 'image', filename: file, mediaType: whole.mediaType, bytes: whole.image },
    {
      name: 'coordinates',
      filename: yaml ? 'coordinates.yaml' : 'coordinates.json',
      mediaType: yaml ? 'application/x-yaml' : 'application/json',
      bytes: whole.coordinates,
    },
  ]);
  return reply.header('content-type', form.contentType).send(form.body);
}

async function collect(pieces: ReturnType<DrawDeps['drawings']['draw']>, deps: DrawDeps): Promise<Whole> {
  const image: Buffer[] = [];
  const coordinates: Buffer[] = [];
  let head: { etag: string; unchanged: boolean; mediaType: string } | null = null;
  try {
    for await (const piece of pieces) {
      head ??= { etag: piece.etag, unchanged: piece.unchanged, mediaType: piece.mediaType };
      if (piece.image.length > 0) image.push(Buffer.from(piece.image));
      if (piece.coordinates.length > 0) coordinates.push(Buffer.from(piece.coordinates));
    }
  } catch (error) {
    throw withNotFoundStatus(toFault(error), deps.notFoundStatus);
  }
  if (!head) throw new Error('a drawing without a first piece');
  return { ...head, image: Buffer.concat(image), coordinates: Buffer.concat(coordinates) };
}

/** What coordinates are wanted: any value of `coordinates` means them, `full` means all of them. */
function coordinatesOf(query: URLSearchParams): { format: 'json' | 'yaml'; full: boolean } | null {
  const format = query.get('coordinates_format') ?? 'json';
  if (format !== 'json' && format !== 'yaml') throw new Refusal(400, 'Unsupported coordinates format');
  return query.has('coordinates') ? { format, full: query.get('coordinates') === 'full' } : null;
}

function settingsOf(query: URLSearchParams): { path: string; value: string }[] {
  const settings: { path: string; value: string }[] = [];
  for (const [path, value] of query) {
    if (!path.startsWith(PREFIX)) continue;
    settings.push({ path: path.slice(PREFIX.length), value });
    if (settings.length > MAX_SETTINGS)
      throw new Refusal(400, `Unable to load drawing parameters: more than ${MAX_SETTINGS} in the query`);
  }
  return settings;
}

/** Entity tags of If-None-Match; weak ones compare as strong ones (RFC 9110, 13.1.2). */
function tagsOf(header: string | undefined): string[] {
  return header?.match(/\*|"[^"]*"/g) ?? [];
}
