/** Stored files: the registries as apt, dnf and everybody else read them. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { FORMAT_NAMES, type FormatName } from '../../proto/words.ts';
import { isUnchanged, rangeOf, type Span, type Validators } from '../http/negotiation.ts';
import { Refusal } from '../http/problem.ts';
import { sendListing } from './listing.ts';
import { type Located, locate } from './locate.ts';
import { Pins, type Reader } from './pins.ts';
import { mediaTypeOf, publicSegments } from './public-path.ts';
import { type BuildDeps, instanceOf, onBehalf, permit, soleInstance } from './scope.ts';

/** Files up to so many bytes are read at once instead of streamed. */
const SMALL = 64 * 1024;
/** Milliseconds within which a file system's clock of whole seconds can't tell two states apart. */
const SAME_SECOND = 2000;

/** Routes below an instance. */
export function fileRoutes(deps: BuildDeps): FastifyPluginAsync {
  return async app => {
    const pins = new Pins(() => performance.now());
    for (const format of FORMAT_NAMES) {
      app.route({
        method: ['GET', 'HEAD'],
        url: `/${format}/*`,
        onRequest: permit(deps, 'view-registry', 'basic'),
        schema: { summary: `Stored ${format} files`, produces: ['application/octet-stream'] },
        handler: (request, reply) => serve(deps, pins, format, request, reply),
      });
    }
  };
}

async function serve(
  deps: BuildDeps,
  pins: Pins,
  format: FormatName,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? '';
  const segments = publicSegments(path, soleInstance(deps.settings) === null ? 2 : 1);
  if (!segments) throw new Refusal(404, 'there is no such file');
  const instance = instanceOf(deps, request);
  const root = { registry: deps.settings.dirs.registry, instance, format };
  const found = await locate(root, segments, readerOf(request), pins);
  if (found.stats.isDirectory()) {
    await found.handle.close();
    if (!deps.settings.edge.listing) throw new Refusal(403, 'directories are not listed');
    return sendListing(deps, reply, { instance, format, segments, path: found.path });
  }
  return sendFile(deps, request, reply, found);
}

function readerOf(request: FastifyRequest): Reader {
  const { socket } = request.raw;
  const authorization = onBehalf(request, 'basic').authorization ?? '';
  return {
    socket: request.ip === socket.remoteAddress ? socket : null,
    peer: `${request.ip}\0${authorization}`,
  };
}

async function sendFile(
  deps: BuildDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  found: Located,
): Promise<FastifyReply> {
  const size = Number(found.stats.size);
  const current = validatorsOf(found, deps.now());
  reply.headers({
    etag: current.etag,
    'last-modified': new Date(current.shown * 1000).toUTCString(),
    'accept-ranges': 'bytes',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  });
  if (isUnchanged(request.headers, current)) {
    await found.handle.close();
    return reply.code(304).send();
  }
  const range = request.method === 'GET' ? rangeOf(request.headers, size, current) : null;
  if (range === 'unsatisfiable') {
    await found.handle.close();
    return reply.code(416).header('content-range', `bytes */${size}`).send(Buffer.alloc(0));
  }
  reply.header('content-type', mediaTypeOf(found.path));
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  return sendSpan(request, reply, found, range ?? { start: 0, end: size - 1 });
}

async function sendSpan(
  request: FastifyRequest,
  reply: FastifyReply,
  found: Located,
  { start, end }: Span,
): Promise<FastifyReply> {
  const length = end - start + 1;
  reply.header('content-length', length);
  if (request.method === 'HEAD' || length <= SMALL) {
    try {
      const bytes = Buffer.alloc(request.method === 'HEAD' ? 0 : length);
      if (bytes.length > 0) await found.handle.read(bytes, 0, length, start);
      return reply.send(bytes);
    } finally {
      await found.handle.close();
    }
  }
  return reply.send(found.handle.createReadStream({ start, end, highWaterMark: 256 * 1024 }));
}

/**
 * A file that changed within the present second is dated one second back: were it replaced once more in that second,
 * a client that asks by date (apt does) would otherwise keep the first state for ever.
 */
function validatorsOf({ stats }: Located, now: number): Validators {
  const etag = `"${[stats.ino, stats.size, stats.mtimeNs].map(part => part.toString(36)).join('-')}"`;
  const second = Math.floor(Number(stats.mtimeMs) / 1000);
  return { etag, modified: second, shown: now - Number(stats.mtimeMs) < SAME_SECOND ? second - 1 : second };
}
