/** Joins the gateway: settings become parts, parts become routes of one area of the edge. */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { Fault } from '../../proto/fault.ts';
import { readBearer } from '../auth/bearer.ts';
import { issueToken, type TokenOptions, type Verified, verifyToken } from '../auth/token.ts';
import { withoutFinalSlash } from '../http/final-slash.ts';
import { type AreaLog, flaggedLog } from '../http/log-flags.ts';
import { type KnownRoute, knownRoute } from '../http/methods.ts';
import { clientAddress } from '../http/networks.ts';
import { Refusal, type Speaker } from '../http/problem.ts';
import { speakCluster } from '../http/speak-cluster.ts';
import { Clusters } from './clusters.ts';
import { Counters } from './counters.ts';
import { Directory } from './directory.ts';
import { Handoffs } from './handoff.ts';
import { Provider } from './oidc.ts';
import { openStore } from './open-store.ts';
import { addClusterRoutes } from './routes/clusters.ts';
import { addLoginRoutes } from './routes/login.ts';
import { addOidcRoutes, type OidcRouteParts } from './routes/oidc.ts';
import { addPageRoutes } from './routes/pages.ts';
import { addSessionRoutes } from './routes/sessions.ts';
import type { LOG_FLAGS } from './schema.ts';
import { fingerprint, makeSeal } from './seal.ts';
import { Sessions } from './sessions.ts';
import type { Gateway } from './settings.ts';
import { SignIn, type SignInParts } from './sign-in.ts';
import type { SessionStore } from './store.ts';
import { publicPrefix } from './target.ts';
import { Throttle } from './throttle.ts';

export interface GatewayOptions {
  readonly gateway: Gateway;
  /** Folder of the built browser pages. */
  readonly pages: string;
  /** HTTPS_PROXY, NO_PROXY and the like. */
  readonly proxies: Readonly<Record<string, string>>;
  readonly now: () => number;
  readonly log: AreaLog;
  /** Hears of each sign-in that ended. */
  readonly counted?: (method: string, result: string) => void;
}

/** The area as the edge joins it with others. */
export interface GatewayArea {
  readonly name: 'gateway';
  readonly host: string;
  readonly port: number;
  /** `alone`: no other area shares the server. */
  routes(alone: boolean): FastifyPluginAsync;
  readonly speakers: readonly { readonly prefix: string; readonly speak: Speaker }[];
  /** Takes the public prefix, where a proxy keeps it, off a URL. */
  rewrite(url: string): string;
}

/** Milliseconds between sweeps of the session store. */
const SWEEP_EVERY = 300_000;
/** The note about the session key outlives any pause between two starts, in seconds. */
const NOTE_LIFE = 400 * 86_400;

/** The gateway with its parts; nothing runs before its routes are registered, all ends with the server. */
export function gatewayArea(options: GatewayOptions): GatewayArea {
  const { settings } = options.gateway;
  const prefix = publicPrefix(settings);
  return {
    name: 'gateway',
    host: settings.service.interface,
    port: settings.service.port,
    routes: alone => app => addRoutes(app, options, alone),
    speakers: [{ prefix: '/api', speak: speakCluster }],
    rewrite: url => stripPrefix(url, prefix),
  };
}

async function addRoutes(app: FastifyInstance, given: GatewayOptions, alone: boolean): Promise<void> {
  const { gateway, now } = given;
  const { settings } = gateway;
  const log = flaggedLog<(typeof LOG_FLAGS)[number]>(given.log, settings.service);
  const options = { ...given, log };
  for (const sentence of gateway.warnings) log.warn({}, sentence);
  const store = openStore(settings.service.session_store, now);
  // A store that does not answer yet is no reason not to serve all the rest.
  await noteSessionKey(store, gateway, log).catch(error =>
    log.warn(
      { err: error },
      'the session store does not answer: nobody can sign in by OpenID Connect until it does',
    ),
  );
  const sweeper = setInterval(() => {
    store.sweep().catch(error => log.warn({ err: error }, 'the session store could not be swept'));
  }, SWEEP_EVERY);
  sweeper.unref();
  const secret = gateway.sessionKey ?? keyBytes(gateway);
  const sessions = new Sessions(store, makeSeal(secret, 'sessions'), now);
  const tokens: TokenOptions = {
    algorithm: settings.jwt.algorithm,
    audience: settings.jwt.audience,
    keys: gateway.keys,
    now,
  };
  const authenticate = makeAuthenticate(verifyToken(tokens), sessions);
  const issue = issueToken(tokens, settings.jwt.duration);
  const counters = new Counters((method, result) => {
    log.trace('slurmweb', `a sign-in by ${method} ended: ${result}`);
    options.counted?.(method, result);
  });
  const clusters = new Clusters(settings.agents, settings.ui.hide_denied);
  const known: KnownRoute[] = [];
  app.addHook('onRoute', route => {
    known.push(knownRoute(route.url, route.method));
  });
  addParsers(app);
  addCors(app, gateway);
  const shared = { settings, store, sessions, counters, authenticate, issue, now, log };
  if (gateway.sessionKey === null) addDisabledOidc(app);
  else addOidc(app, options, gateway.sessionKey, shared);
  const ldap = settings.authentication.enabled && settings.authentication.method === 'ldap';
  addLoginRoutes(app, {
    settings,
    directory: ldap ? new Directory(settings.ldap, gateway.bindPassword, log.trace) : null,
    sessions,
    throttle: new Throttle(now),
    counters,
    issue,
    authenticate,
    address: request => clientAddress(request.raw, settings.service.trusted_proxies),
    now,
    log,
  });
  addSessionRoutes(app, { sessions, counters, authenticate });
  addClusterRoutes(app, { clusters, authenticate, timeout: settings.agents.timeout });
  addPageRoutes(app, { settings, pages: options.pages, alone, known });
  clusters.open();
  // The server would wait for them.
  app.addHook('preClose', () => clusters.endStreams());
  app.addHook('onClose', async () => {
    clearInterval(sweeper);
    await clusters.close();
    store.close();
  });
}

type Shared = Omit<SignInParts, 'provider' | 'handoffs'> &
  Pick<OidcRouteParts, 'counters' | 'authenticate' | 'log'>;

function addOidc(app: FastifyInstance, options: GatewayOptions, secret: Buffer, shared: Shared): void {
  const { gateway, proxies, now, log } = options;
  const provider = new Provider({
    settings: gateway.settings.oidc,
    clientSecret: gateway.clientSecret,
    ...{ proxies, now, log },
  });
  const handoffs = new Handoffs(shared.store, makeSeal(secret, 'handoff'));
  const signIn = new SignIn({ ...shared, provider, handoffs });
  addOidcRoutes(app, { ...shared, provider, signIn, handoffs, cookieSeal: makeSeal(secret, 'cookie') });
  provider.open();
  app.addHook('onClose', () => provider.close());
}

function makeAuthenticate(verify: (token: string) => Promise<Verified>, sessions: Sessions) {
  return async (request: FastifyRequest): Promise<Verified> => {
    const token = readBearer(request.raw.rawHeaders);
    if (token === null) {
      throw new Fault('unauthenticated', 'token-invalid', 'Not authenticated: the request has no token');
    }
    const verified = await verify(token);
    if (await sessions.isRevoked(verified.jti)) {
      throw new Fault('unauthenticated', 'token-revoked', 'Token is revoked: this session has been ended');
    }
    return verified;
  };
}

/** Forms, as the provider's back channel sends them; a name that stands twice has no single value. */
function addParsers(app: FastifyInstance): void {
  const options = { parseAs: 'string' as const };
  app.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body, done) => {
    const form = new Map<string, string>();
    const repeated = new Set<string>();
    for (const [name, value] of new URLSearchParams(String(body))) {
      if (form.has(name)) repeated.add(name);
      form.set(name, value);
    }
    for (const name of repeated) form.delete(name);
    done(null, Object.fromEntries(form));
  });
  // Frontends send `application/json` with an empty body, which is no body.
  app.addContentTypeParser('application/json', options, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : JSON.parse(String(body)));
    } catch {
      done(new Refusal(400, 'the body is not valid JSON'));
    }
  });
}

/** Only the origin of our own pages, and only when it is asked for. */
function addCors(app: FastifyInstance, { settings }: Gateway): void {
  if (!settings.service.cors || settings.ui.host === null) return;
  const { origin } = new URL(settings.ui.host);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('vary', 'Origin');
    if (request.headers.origin !== origin) return;
    void reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
    });
  });
  const preflight = {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-max-age': '600',
  };
  for (const path of ['/api/*', '/config.json']) {
    app.options(path, async (request, reply) =>
      reply
        .code(204)
        .headers(request.headers.origin === origin ? preflight : {})
        .send(),
    );
  }
}

function addDisabledOidc(app: FastifyInstance): void {
  app.all('/api/oidc/*', async () => {
    throw new Refusal(501, 'OIDC authentication is not enabled');
  });
}

/** Says once that the key is another than at the last start: sign-ins under way will end as `invalid_state`. */
async function noteSessionKey(store: SessionStore, { sessionKey }: Gateway, log: AreaLog): Promise<void> {
  if (sessionKey === null) return;
  const key = { kind: 'note', id: 'session-key' } as const;
  const mark = Buffer.from(fingerprint(sessionKey));
  const earlier = await store.read(key);
  if (earlier && !earlier.equals(mark)) {
    log.warn(
      {},
      '[service]>session_key is another one than at the last start, or than that of another gateway on the same ' +
        'session_store: sign-ins under way end with invalid_state',
    );
  }
  await store.put(key, mark, NOTE_LIFE);
}

/** Without a session key (no OpenID Connect) the records are sealed under the key that signs tokens. */
function keyBytes({ keys }: Gateway): Buffer {
  const key = keys[0]?.sign;
  if (!key) throw new TypeError('a gateway has a signing key');
  return key.type === 'secret' ? key.export() : key.export({ type: 'pkcs8', format: 'der' });
}

/** Takes the prefix, and below /api one trailing slash, off a URL. */
export function stripPrefix(url: string, prefix: string): string {
  const at = url.indexOf('?');
  const query = at < 0 ? '' : url.slice(at);
  let path = at < 0 ? url : url.slice(0, at);
  if (prefix !== '' && (path === prefix || path.startsWith(`${prefix}/`)))
    path = path.slice(prefix.length) || '/';
  return withoutFinalSlash(path + query, '/api/');
}
