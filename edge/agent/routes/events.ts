/** Server-sent events of job and node state changes (HTML standard, section 9.2), for pages that show them live. */
import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Authenticate } from '../access.ts';
import type { Live } from '../live.ts';

/** Milliseconds between comment lines that keep proxies from ending a quiet stream. */
const KEEP_ALIVE = 15_000;
/** Bytes a slow viewer may be behind; then its stream is ended, and its browser comes back for the present state. */
const MAX_BEHIND = 1024 * 1024;

export function addEventRoutes(
  app: FastifyInstance,
  { live, authenticate, stopping }: { live: Live; authenticate: Authenticate; stopping: AbortSignal },
): void {
  app.get('/v:version(\\d+\\.[\\w.]+)/events', async (request, reply) => {
    const caller = await authenticate(request.raw);
    const allowed = {
      jobs: caller.permits('view-jobs') ? 'all' : caller.permits('jobs-view-own') ? 'own' : 'none',
      nodes: caller.permits('view-nodes') ? 'all' : 'none',
    };
    if (allowed.jobs === 'none') caller.require('view-nodes');
    const stream = new PassThrough();
    const send = (textual: string): void => {
      if (stream.writableLength > MAX_BEHIND) stream.end();
      else if (!stream.writableEnded) stream.write(textual);
    };
    const unwatch = live.watch((changes, trouble) => {
      if (trouble !== null) send(`event: trouble\ndata: ${JSON.stringify({ reason: trouble })}\n\n`);
      for (const { topic, id, user, state } of changes) {
        const own = user.toLowerCase() === caller.login.toLowerCase();
        if (allowed[topic] === 'none' || (allowed[topic] === 'own' && !own)) continue;
        send(`event: ${topic}\ndata: ${JSON.stringify({ id, state })}\n\n`);
      }
    });
    const timer = setInterval(() => send(':\n\n'), KEEP_ALIVE);
    const end = (): void => {
      stream.end();
    };
    stopping.addEventListener('abort', end, { once: true });
    const tidy = (): void => {
      clearInterval(timer);
      unwatch();
      stopping.removeEventListener('abort', end);
    };
    stream.once('close', tidy);
    request.raw.once('close', end);
    stream.write('retry: 5000\n\n');
    return reply
      .headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      .send(stream);
  });
}
