/** Server-sent events of job and node state changes (HTML standard, section 9.2), for pages that show them live. */
import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Authenticate, Caller } from '../access.ts';
import type { Change, Live } from '../live.ts';
import { requireVersion, VERSIONED } from '../version.ts';

/** Milliseconds between comment lines that keep proxies from ending a quiet stream. */
const KEEP_ALIVE = 15_000;
/** Longest life of a stream, in milliseconds: what a timer of Node can wait. */
const MAX_LIFE = 2 ** 31 - 1;
/** Bytes a slow viewer may be behind; then its stream is ended, and its browser comes back for the present state. */
const MAX_BEHIND = 1024 * 1024;

export interface EventParts {
  readonly live: Live;
  readonly authenticate: Authenticate;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Aborts when the edge stops: streams end. */
  readonly stopping: AbortSignal;
}

export function addEventRoutes(app: FastifyInstance, parts: EventParts): void {
  app.get(`${VERSIONED}/events`, async (request, reply) => {
    requireVersion(request);
    const caller = await parts.authenticate(request.raw);
    requireAny(caller);
    // Of HEAD nobody would read the stream, and nobody end it.
    const isHead = request.method === 'HEAD';
    return reply
      .headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      .send(isHead ? '' : openStream(caller, parts));
  });
}

/** The events that a caller may see, until the stream is closed. Throws `exhausted` for too many. */
function openStream(caller: Caller, { live, now, stopping }: EventParts): PassThrough {
  const stream = new PassThrough();
  const send = (textual: string): void => {
    // Closed at once, whatever was not sent: a viewer that does not read would hold it for ever.
    if (stream.writableLength > MAX_BEHIND) stream.destroy();
    else if (!stream.writableEnded) stream.write(textual);
  };
  const unwatch = live.watch((changes, trouble) => {
    // A reload may have brought another policy since: a stream of days must not outlive a right.
    const shown = shownTo(caller);
    if (shown === null) return end();
    if (trouble !== null) send(`event: trouble\ndata: ${JSON.stringify({ reason: trouble })}\n\n`);
    const seen = changes.filter(shown).map(({ topic, id, state }) => {
      return `event: ${topic}\ndata: ${JSON.stringify({ id, state })}\n\n`;
    });
    if (seen.length > 0) send(seen.join(''));
  });
  const timer = setInterval(() => send(':\n\n'), KEEP_ALIVE);
  const end = (): void => {
    if (stream.writableLength > 0) stream.destroy();
    else stream.end();
  };
  stopping.addEventListener('abort', end, { once: true });
  // Who comes back needs a token that holds.
  const expiry = setTimeout(end, Math.min(caller.expires * 1000 - now(), MAX_LIFE));
  // Fastify destroys what it sends when the connection goes.
  stream.once('close', () => {
    clearInterval(timer);
    clearTimeout(expiry);
    unwatch();
    stopping.removeEventListener('abort', end);
  });
  stream.write('retry: 5000\n\n');
  return stream;
}

/** Throws `forbidden` for who may see no change. */
function requireAny(caller: Caller): void {
  if (shownTo(caller) === null) caller.require('view-nodes');
}

/** Which changes the caller may see by the policy in force; null for none. */
function shownTo(caller: Caller): ((change: Change) => boolean) | null {
  const nodes = caller.permits('view-nodes');
  const jobs = caller.permits('view-jobs');
  const own = caller.permits('jobs-view-own');
  if (!nodes && !jobs && !own) return null;
  const login = caller.login.toLowerCase();
  return ({ topic, user }) => (topic === 'nodes' ? nodes : jobs || (own && user.toLowerCase() === login));
}
