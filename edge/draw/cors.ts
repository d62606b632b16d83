/** Which pages of other origins may ask for drawings. */
import type { FastifyInstance } from 'fastify';

const METHODS = 'GET, HEAD, POST, OPTIONS';
const HEADERS = 'Content-Type, Authorization, If-None-Match';

/** Adds the headers to all routes of a context. `origins` empty = off, `*` = all. */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const any = origins.includes('*');
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (!any) void reply.header('vary', 'Origin');
    if (origin === undefined || !(any || origins.includes(origin))) return;
    void reply.header('access-control-allow-origin', any ? '*' : origin);
    void reply.header('access-control-expose-headers', 'ETag, Retry-After');
    if (request.method !== 'OPTIONS') return;
    void reply.header('access-control-allow-methods', METHODS);
    void reply.header('access-control-allow-headers', HEADERS);
    void reply.header('access-control-max-age', '86400');
  });
}
