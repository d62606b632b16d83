/** Style and script of the pages, ours or a site's own. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyPluginAsync } from 'fastify';
import { errorCode } from '../../proto/fault.ts';
import { isUnchanged } from '../http/negotiation.ts';

const OURS = fileURLToPath(new URL('static', import.meta.url));
const FILES = {
  'rackwright.css': 'text/css; charset=utf-8',
  'watch.js': 'text/javascript; charset=utf-8',
} as const;

/** `/static/…`. `folder` may hold files of the same names that replace ours; they are read once, at start. */
export function staticRoutes(folder: string | null): FastifyPluginAsync {
  return async app => {
    for (const [name, type] of Object.entries(FILES)) {
      const bytes = (folder === null ? null : read(join(folder, name))) ?? readFileSync(join(OURS, name));
      const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
      app.get(`/static/${name}`, { schema: { hide: true } }, async (request, reply) => {
        reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
        if (isUnchanged(request.headers, { etag, modified: 0, shown: 0 })) return reply.code(304).send();
        return reply.header('content-type', type).send(bytes);
      });
    }
  };
}

function read(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
