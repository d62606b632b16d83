/** Routes to the clusters: their list, and a streaming proxy to each one's agent. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { Fault } from '../../../proto/fault.ts';
import { readBearer } from '../../auth/bearer.ts';
import type { Verified } from '../../auth/token.ts';
import { goneSignal } from '../../http/gone.ts';
import { Refusal } from '../../http/problem.ts';
import { type Agent, describeTrouble, isLate } from '../agents.ts';
import type { Clusters } from '../clusters.ts';

export interface ClusterRouteParts {
  readonly clusters: Clusters;
  readonly authenticate: (request: FastifyRequest) => Promise<Verified>;
  /** Seconds until an agent must have begun to answer. */
  readonly timeout: number;
}

/** The one query whose answer goes on as long as somebody looks. */
const EVENTS = 'events';

/** What the agents offer below `/v{V}/`, by a pattern for each path segment. */
const QUERIES: readonly (readonly [method: 'GET' | 'POST', path: string, what: RegExp])[] = [
  ['GET', 'ping', /^ping$/],
  ['GET', 'stats', /^stats$/],
  ['GET', 'jobs', /^jobs$/],
  ['GET', 'past jobs', /^jobs\/past$/],
  ['GET', 'job', /^job\/\d{1,15}$/],
  ['GET', 'nodes', /^nodes$/],
  ['GET', 'node', /^node\/[\w.-]{1,255}$/],
  ['GET', 'partitions', /^partitions$/],
  ['GET', 'qos', /^qos$/],
  ['GET', 'reservations', /^reservations$/],
  ['GET', 'accounts', /^accounts$/],
  ['GET', 'associations', /^associations$/],
  ['GET', 'metrics', /^metrics\/[a-z_]{1,32}$/],
  ['GET', EVENTS, /^events$/],
  ['GET', 'cache statistics', /^cache\/stats$/],
  ['POST', 'cache reset', /^cache\/reset$/],
];
/** Headers of an agent's answer that reach the browser; cookies and the rest stay behind. */
const PASSED = [
  'x-accel-buffering',
  'content-type',
  'content-encoding',
  'content-length',
  'last-modified',
  'vary',
  'retry-after',
];
/** Bytes of a request's body that are passed on. */
const MAX_BODY = 1024 * 1024;

export function addClusterRoutes(app: FastifyInstance, parts: ClusterRouteParts): void {
  const { clusters, authenticate } = parts;
  app.get('/api/clusters', async (request, reply) => {
    const user = await authenticate(request);
    const list = await clusters.list(user, readBearer(request.raw.rawHeaders) ?? '');
    return reply.header('cache-control', 'no-store').send(list);
  });

  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    await authenticate(request);
    const { cluster = '', '*': rest = '' } = request.params as Record<string, string>;
    // The path as it came: what the client encoded stays encoded.
    const [path = '', query] = split(request.url, '?');
    const raw = path.split('/').slice(4).join('/');
    const racksdb = raw.startsWith('racksdb/');
    const what = racksdb ? 'racksdb' : checkQuery(request.method, rest);
    if (racksdb) checkRacksdb(rest);
    const agent = clusters.find(cluster);
    if (!agent?.info) {
      throw new Fault(
        'not_found',
        'not-found',
        `Unable to retrieve ${what} from cluster ${cluster}, cluster not found`,
      );
    }
    const { version, racksdb: drawings } = agent.info;
    const target = racksdb
      ? `/racksdb/v${drawings.version}/${raw.slice('racksdb/'.length)}`
      : `/v${version}/${raw}`;
    const suffix = query === undefined ? '' : `?${query}`;
    const expected = racksdb ? /^/ : what === EVENTS ? /^text\/event-stream\b/i : null;
    const pool = what === EVENTS ? agent.streams : agent.pool;
    return forward(
      request,
      reply,
      { agent, pool, path: agent.base + target + suffix, expected },
      parts.timeout,
    );
  };
  app.get('/api/agents/:cluster/*', handle);
  // The body is passed on as it comes, so nothing may read it before.
  app.register((inner, _options, registered) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
    inner.post('/api/agents/:cluster/*', { bodyLimit: MAX_BODY }, handle);
    registered();
  });
}

function checkQuery(method: string, rest: string): string {
  const known = QUERIES.filter(([, , pattern]) => pattern.test(rest));
  const first = known[0];
  if (!first) throw new Fault('not_found', 'not-found', `nothing is at ${rest.slice(0, 100)}`);
  const wanted = method === 'HEAD' ? 'GET' : method;
  if (first[0] !== wanted) {
    throw new Refusal(405, `${method} is not possible here, but ${first[0]}`, {
      allow: `${first[0]}, OPTIONS`,
    });
  }
  return first[1];
}

function checkRacksdb(rest: string): void {
  const bad = rest.split('/').some(part => part === '.' || part === '..') || /[\p{Cc}\\]/u.test(rest);
  if (bad) throw new Refusal(400, 'the path is not valid');
}

interface Target {
  readonly agent: Agent;
  readonly pool: Agent['pool'];
  readonly path: string;
  /** Media types of the answer beside JSON. */
  readonly expected: RegExp | null;
}

async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  { agent, pool, path, expected }: Target,
  timeout: number,
): Promise<FastifyReply> {
  const { authorization, accept, 'accept-encoding': encoding, 'content-type': sent } = request.headers;
  const length = request.headers['content-length'];
  if (length !== undefined && Number(length) > MAX_BODY) throw new Refusal(413, 'the body is too large');
  const gone = goneSignal(reply);
  let answer: Dispatcher.ResponseData;
  try {
    answer = await pool.request({
      method: request.method as Dispatcher.HttpMethod,
      path,
      headers: {
        authorization,
        ...(accept === undefined ? {} : { accept }),
        ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
        ...(sent === undefined ? {} : { 'content-type': sent }),
        ...(length === undefined ? {} : { 'content-length': length }),
      },
      body: request.method === 'POST' ? request.raw : null,
      signal: gone,
    });
  } catch (error) {
    const reason = describeTrouble(error, timeout);
    if (isLate(error)) throw new Refusal(504, `The agent of cluster ${agent.name} gave ${reason}`);
    throw new Refusal(502, `The agent of cluster ${agent.name} can't be reached: ${reason}`);
  }
  const { statusCode: status, headers, body } = answer;
  const type = String(headers['content-type'] ?? '');
  const isFit = /^application\/(json|problem\+json)\b/i.test(type) || expected?.test(type);
  if (status === 401 || status === 407 || (status >= 300 && status < 400) || !isFit) {
    await body.dump();
    throw new Refusal(502, describeAnswer(agent.name, status));
  }
  for (const name of PASSED) {
    const value = headers[name];
    if (value !== undefined) void reply.header(name, value);
  }
  return reply.code(status).header('cache-control', 'no-store').send(body);
}

function describeAnswer(cluster: string, status: number): string {
  if (status === 401) {
    return `The agent of cluster ${cluster} refused a valid token: its JWT key or audience is another one, or its scheduler refused it`;
  }
  return `The agent of cluster ${cluster} answered ${status} with something that is not JSON`;
}

function split(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}
