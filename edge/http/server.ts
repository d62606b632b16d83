/**
 * The HTTP server that all areas of the edge share: limits, one translation of errors, HEAD, OPTIONS and 405, repeated
 * slashes, proxies, and an orderly end.
 */
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Fault, toFault } from '../../proto/fault.ts';
import { drain, hasBody, watchOrdinaryBody } from './body.ts';
import { valuesOf } from './headers.ts';
import { allowedMethods, type KnownRoute, knownRoute } from './methods.ts';
import type { Networks } from './networks.ts';
import { type Answer, Refusal, type Speaker, speakPage } from './problem.ts';
import { parseQuery } from './query.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How this route answers faults; the area's way unless told. */
    speak?: Speaker;
    /** The route reads its body itself and may take long over it; at most so many bytes are drained on a refusal. */
    upload?: () => number;
  }
}

/** Where the server tells what it could not tell the client. */
export interface HttpLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Limits are looked up whenever they count: a getter may answer other ones later. */
export interface HttpOptions {
  readonly log: HttpLog;
  /** Proxies whose `X-Forwarded-*` headers count. */
  readonly trustedProxies: Networks;
  /** Connections that one peer may hold; proxies are not counted. 0 = no limit. */
  readonly connectionsPerPeer: number;
  /** Changes a URL, slashes collapsed already, before it is routed: a public prefix goes here. */
  readonly rewrite?: ((url: string) => string) | undefined;
  /** How faults are answered below a path prefix such as `/api`; the longest prefix wins. */
  readonly speakers: readonly { readonly prefix: string; readonly speak: Speaker }[];
  /** How they are answered elsewhere. */
  readonly speak: Speaker;
}

/** Milliseconds for a request's head. */
const HEADERS_TIMEOUT = 15_000;
/** Milliseconds an idle connection is kept; apt and dnf reuse theirs over a whole run. */
const KEEP_ALIVE = 80_000;
/** Bytes of a request's head, its URL included; more is 431. */
const MAX_HEAD = 64 * 1024;
/** Bytes of a body that an ordinary route may take. */
const MAX_BODY = 1024 * 1024;
/** Characters of one path parameter. */
const MAX_PARAMETER = 1024;
/** Bytes of a body read off before a refusal is sent, where a route does not say more. */
const MAX_DRAIN = MAX_BODY;

/** An empty server. Areas are added with `register`; then `ready()` and `listen()`. */
export function openHttp(options: HttpOptions): FastifyInstance {
  const app = Fastify({
    http: {
      maxHeaderSize: MAX_HEAD,
      headersTimeout: HEADERS_TIMEOUT,
      connectionsCheckingInterval: 2000,
    },
    // Uploads may take hours as long as they flow; other bodies have their own watch.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE,
    bodyLimit: MAX_BODY,
    routerOptions: { maxParamLength: MAX_PARAMETER, querystringParser: parseQuery },
    trustProxy: address => options.trustedProxies.has(address),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    rewriteUrl: request => {
      const url = collapseSlashes(request.url ?? '/');
      return options.rewrite?.(url) ?? url;
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => {
      // Only paths that can't be decoded come here; nothing is there.
      void answer(reply, speakerOf(options, request)(new Refusal(404, 'the path is not valid')));
    },
  });
  const routes: KnownRoute[] = [];
  app.addHook('onRoute', route => {
    routes.push(knownRoute(route.url, route.method));
  });
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    // Whoever stands in front of us may go by the other one.
    if (valuesOf(request.raw, 'host').length > 1) {
      throw new Refusal(400, 'there is more than one Host header', { connection: 'close' });
    }
    if (closing) throw new Refusal(503, 'the service is stopping', { connection: 'close' });
    if (request.is404) return answerUnknown(request, reply, routes, options);
    if (hasBody(request.raw) && request.routeOptions.config.upload === undefined)
      watchOrdinaryBody(request.raw, reply.raw);
  });
  app.setErrorHandler(async (error, request, reply) => {
    const fault = toProblem(error);
    if (reply.raw.headersSent) return reply.hijack();
    if (fault.kind === 'internal') {
      options.log.error(
        { err: fault.cause ?? error, method: request.method, route: request.routeOptions.url },
        'bug',
      );
    }
    // A full disk, too many open files: the client is told to come again, the administrator why.
    if (fault.kind === 'unavailable' && fault.details.code !== undefined)
      options.log.warn({ route: request.routeOptions.url }, fault.message);
    if (!(await drain(request.raw, request.routeOptions.config.upload?.() ?? MAX_DRAIN))) {
      void reply.header('connection', 'close');
    }
    return answer(reply, speakerOf(options, request)(fault));
  });
  // Bodies of a type that nobody reads are no reason to refuse: routes look at what they read.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  limitConnections(app, options);
  closeUnused(app);
  return app;
}

/** Sends a whole answer. Bytes, so that no charset is added to its content type. */
function answer(reply: FastifyReply, made: Answer): FastifyReply {
  return reply.code(made.status).headers(made.headers).send(Buffer.from(made.body, 'utf8'));
}

/** Collapses repeated slashes of a URL's path. */
function collapseSlashes(url: string): string {
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') + (at < 0 ? '' : url.slice(at)) : url;
}

function speakerOf(options: HttpOptions, request: FastifyRequest): Speaker {
  const own = request.routeOptions.config?.speak;
  if (own) return own;
  const path = request.url;
  let best: { prefix: string; speak: Speaker } | null = null;
  for (const known of options.speakers) {
    const below =
      path === known.prefix || path.startsWith(`${known.prefix}/`) || path.startsWith(`${known.prefix}?`);
    if (below && known.prefix.length >= (best?.prefix.length ?? 0)) best = known;
  }
  return best?.speak ?? options.speak;
}

/** No route: OPTIONS of a path that others have, a wrong method, or nothing there. */
async function answerUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  routes: readonly KnownRoute[],
  options: HttpOptions,
): Promise<FastifyReply> {
  const path = request.url.split('?', 1)[0] ?? '/';
  const allowed = allowedMethods(routes, path);
  const allow = allowed.join(', ');
  if (!(await drain(request.raw, MAX_DRAIN))) void reply.header('connection', 'close');
  // Where the router does not take a line break or the like for part of a name, nothing is there either.
  if (allowed.length === 0 || (allowed.includes(request.method) && request.method !== 'OPTIONS')) {
    return answer(
      reply,
      speakerOf(options, request)(new Refusal(404, `nothing is at ${path.slice(0, 200)}`)),
    );
  }
  if (request.method === 'OPTIONS') return reply.code(200).header('allow', allow).send('');
  const fault = new Refusal(405, `${request.method} is not possible here, but ${allow}`, { allow });
  return answer(reply, speakerOf(options, request)(fault));
}

/** A fault of whatever was thrown: faults as they are, fastify's own refusals by their status, the rest is a bug. */
function toProblem(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const known = error as { statusCode?: unknown; validation?: unknown; message?: unknown };
  const status = typeof known.statusCode === 'number' ? known.statusCode : 500;
  if (known.validation !== undefined) return new Refusal(400, String(known.message));
  if (status >= 400 && status < 500) return new Refusal(status, String(known.message));
  return toFault(error);
}

/** Requests that never became one: answered on the bare socket, then closed. */
function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const words = {
    400: 'the request is not valid HTTP',
    408: 'the request came too slowly',
    431: 'the head is too large',
  };
  const made = speakPage(new Refusal(status, words[status]));
  const names = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' };
  if (socket.writable) {
    const body = Buffer.from(made.body, 'utf8');
    const head = Object.entries(made.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `HTTP/1.1 ${status} ${names[status]}\r\nconnection: close\r\n${head.join('')}content-length: ${body.length}\r\n\r\n`,
    );
    socket.end(body);
  }
  // A peer that goes on sending must not keep the socket.
  setTimeout(() => socket.destroy(), 1000).unref();
}

/** Browsers connect ahead of need; Node counts what never asked as busy, and would wait for it when closing. */
function closeUnused(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
}

function limitConnections(app: FastifyInstance, options: HttpOptions): void {
  const held = new Map<string, number>();
  app.server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? '';
    if (peer === '' || options.trustedProxies.has(peer)) return;
    const count = (held.get(peer) ?? 0) + 1;
    if (options.connectionsPerPeer > 0 && count > options.connectionsPerPeer) {
      socket.destroy();
      return;
    }
    held.set(peer, count);
    socket.once('close', () => {
      const left = (held.get(peer) ?? 1) - 1;
      if (left === 0) held.delete(peer);
      else held.set(peer, left);
    });
  });
}
