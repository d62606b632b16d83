/** Routes of sign-in with OpenID Connect: login, callback, session, sign-out, device flow. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../../proto/fault.ts';
import type { Verified } from '../../auth/token.ts';
import { Refusal } from '../../http/problem.ts';
import {
  clearCookie,
  newSession,
  readCookie,
  type Session,
  type Transaction,
  writeCookie,
} from '../cookie.ts';
import type { Counters } from '../counters.ts';
import { classify, errorText } from '../errors.ts';
import { FAILURES, SignInFailure } from '../failure.ts';
import { type Handoffs, signedInAnswer } from '../handoff.ts';
import { checkLogoutToken } from '../id-token.ts';
import type { Provider } from '../oidc.ts';
import type { GatewaySettings } from '../schema.ts';
import type { Seal } from '../seal.ts';
import { hash, type Sessions } from '../sessions.ts';
import type { SignIn } from '../sign-in.ts';
import type { SessionStore } from '../store.ts';
import { isSecure, publicPrefix, safeTarget } from '../target.ts';

export interface OidcRouteParts {
  readonly settings: GatewaySettings;
  readonly provider: Provider;
  readonly signIn: SignIn;
  readonly handoffs: Handoffs;
  readonly sessions: Sessions;
  readonly store: SessionStore;
  readonly cookieSeal: Seal;
  readonly counters: Counters;
  /** The verified token of a request; throws the documented 401. */
  readonly authenticate: (request: FastifyRequest) => Promise<Verified>;
  readonly now: () => number;
  readonly log: {
    warn(fields: object, sentence: string): void;
    error(fields: object, sentence: string): void;
  };
}

/** Longest logout token, in characters. */
const MAX_LOGOUT_TOKEN = 16_384;
/** A logout token is remembered this long, in seconds, so that it can't be sent twice. */
const LOGOUT_MEMORY = 3600;

const TOKEN_HEADERS = { 'cache-control': 'no-store', pragma: 'no-cache', 'referrer-policy': 'no-referrer' };

export function addOidcRoutes(app: FastifyInstance, parts: OidcRouteParts): void {
  const browser = new Browser(parts);
  app.get('/api/oidc/login', async (request, reply) => {
    const { return_to: returnTo } = single(request.query);
    if (request.method === 'HEAD') return browser.redirect(reply, browser.landing);
    const session = browser.read(request);
    try {
      const loopback = readLoopback(request.query);
      const step = await parts.signIn.start(session, returnTo, loopback);
      return browser.redirect(reply, step.location, step.session);
    } catch (error) {
      return browser.fail(reply, session ?? newSession(), null, error);
    }
  });

  app.get('/api/oidc/callback', async (request, reply) => {
    // A probe must neither consume the state nor the code.
    if (request.method === 'HEAD') return browser.redirect(reply, browser.landing);
    const at = request.url.indexOf('?');
    const query = at < 0 ? '' : request.url.slice(at + 1);
    let session = newSession();
    let transaction: Transaction | null = null;
    try {
      ({ session, transaction } = await parts.signIn.consume(browser.read(request), query));
      const handoff = await parts.signIn.finish(transaction, query, request.headers['user-agent'] ?? '');
      parts.counters.add('oidc', 'success');
      if (transaction?.loopback) {
        return browser.redirect(reply, loopbackUrl(transaction.loopback.port, 'code', handoff), session);
      }
      const signedIn = { ...session, id: newSession().id, handoffs: [handoff, ...session.handoffs] };
      return browser.redirect(reply, browser.landing, signedIn);
    } catch (error) {
      return browser.fail(reply, session, transaction, error);
    }
  });

  app.get('/api/oidc/session', async (request, reply) => browser.session(request, reply));
  addLogout(app, parts);
  addDevice(app, parts);
}

/** What a request's browser brings and is given: cookie, redirects, readable ends. */
class Browser {
  readonly landing: string;
  private readonly parts: OidcRouteParts;
  private readonly secure: boolean;

  constructor(parts: OidcRouteParts) {
    this.parts = parts;
    this.secure = isSecure(parts.settings);
    this.landing = `${publicPrefix(parts.settings)}/auth/oidc/callback`;
  }

  read(request: FastifyRequest): Session | null {
    const { cookieSeal, now } = this.parts;
    return readCookie(request.headers.cookie, this.secure, cookieSeal, now());
  }

  redirect(reply: FastifyReply, location: string, session?: Session): FastifyReply {
    if (session) void reply.header('set-cookie', writeCookie(session, this.secure, this.parts.cookieSeal));
    return reply.code(302).headers(TOKEN_HEADERS).header('location', location).send('');
  }

  /** Ends a sign-in on the frontend's page, which asks the session route for the sentence. */
  async fail(
    reply: FastifyReply,
    session: Session,
    transaction: Transaction | null,
    error: unknown,
  ): Promise<FastifyReply> {
    const { handoffs, counters, log } = this.parts;
    const failure = error instanceof SignInFailure ? error : null;
    const code = failure?.code ?? 'internal_error';
    const id = randomBytes(4).toString('hex');
    counters.add('oidc', code);
    if (failure) log.warn({ code, id, reason: failure.detail }, 'a sign-in failed');
    else log.error({ err: error, id }, 'a sign-in failed by a bug');
    if (transaction?.loopback) {
      return this.redirect(reply, loopbackUrl(transaction.loopback.port, 'error', code), session);
    }
    const sentence =
      code === 'internal_error' ? `${FAILURES[code]} Its log has more under ${id}.` : FAILURES[code];
    const left = await handoffs.leaveFailure(code, sentence).catch(() => null);
    const failures = left === null ? session.failures : [left, ...session.failures];
    return this.redirect(reply, `${this.landing}?error=${code}`, { ...session, failures });
  }

  /** GET /api/oidc/session: successes before failures, newest first. */
  async session(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    void reply.headers(TOKEN_HEADERS);
    const session = this.read(request);
    const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
    const foreign = site === 'cross-site' || mode === 'navigate';
    if (!session || foreign || request.method === 'HEAD') throw notFound();
    for (const [at, id] of session.handoffs.entries()) {
      const content = await this.parts.handoffs.take(id);
      if (content?.kind !== 'success') continue;
      this.forget(reply, { ...session, handoffs: session.handoffs.slice(at + 1) });
      const returnTo = safeTarget(content.returnTo ?? undefined, this.parts.settings);
      return reply.send({
        ...signedInAnswer(content.signedIn),
        ...(returnTo === null ? {} : { return_to: returnTo }),
      });
    }
    for (const [at, id] of session.failures.entries()) {
      const content = await this.parts.handoffs.take(id);
      if (content?.kind !== 'failure') continue;
      this.forget(reply, { ...session, handoffs: [], failures: session.failures.slice(at + 1) });
      throw new Fault('unauthenticated', 'sign-in-failed', content.message);
    }
    throw notFound();
  }

  /** Clears the cookie once nothing in it is of use any longer. */
  private forget(reply: FastifyReply, left: Session): void {
    const empty = left.transactions.length + left.handoffs.length + left.failures.length === 0;
    const { cookieSeal } = this.parts;
    void reply.header(
      'set-cookie',
      empty ? clearCookie(this.secure) : writeCookie(left, this.secure, cookieSeal),
    );
  }
}

function addLogout(app: FastifyInstance, parts: OidcRouteParts): void {
  const { provider, sessions, store, authenticate, log } = parts;
  app.post('/api/oidc/logout', async (request, reply) => {
    const verified = await authenticate(request);
    const record = await sessions.find(verified.login, verified.jti);
    await sessions.revoke(verified);
    const state = randomBytes(32).toString('base64url');
    const url = await provider.logoutUrl(record?.idToken ?? null, state);
    return reply.headers(TOKEN_HEADERS).send({ result: 'Signed out', logout_url: url });
  });

  app.post('/api/oidc/backchannel-logout', async (request, reply) => {
    void reply.headers(TOKEN_HEADERS);
    const form = request.body as Readonly<Record<string, unknown>> | undefined;
    const token = form?.logout_token;
    if (typeof token !== 'string' || token.length > MAX_LOGOUT_TOKEN) {
      throw new Refusal(400, 'the form field logout_token is missing');
    }
    try {
      const { jti, sid, sub } = await checkLogoutToken(token, await provider.rules());
      if (!(await store.claim({ kind: 'logout', id: hash(jti) }, LOGOUT_MEMORY))) {
        throw new SignInFailure('token_invalid', 'jti has been seen before');
      }
      const ended = await sessions.endAtProvider(sid, sub);
      log.warn({ ended }, 'the identity provider ended sessions');
      return reply.send('');
    } catch (error) {
      log.warn({ reason: errorText(error) }, 'a logout token was refused');
      throw new Refusal(400, `the logout token is not valid: ${classify(error).detail}`);
    }
  });
}

/** Sign-in of programs: the provider's device flow through us, and the code of a loopback sign-in. */
function addDevice(app: FastifyInstance, parts: OidcRouteParts): void {
  const { provider, handoffs, signIn, counters, cookieSeal } = parts;
  const context = 'device';
  app.post('/api/oidc/device', async (_request, reply) => {
    const start = await provider.startDevice().catch(refuseSignIn);
    if (!start) throw new Refusal(501, 'the identity provider has no device flow');
    const handle = cookieSeal.seal(Buffer.from(start.deviceCode), context).toString('base64url');
    return reply.headers(TOKEN_HEADERS).send({
      handle,
      user_code: start.userCode,
      verification_uri: start.url,
      verification_uri_complete: start.urlComplete,
      expires_in: start.life,
      interval: start.interval,
    });
  });

  app.post('/api/oidc/token', async (request, reply) => {
    void reply.headers(TOKEN_HEADERS);
    const body = (request.body ?? {}) as Readonly<Record<string, unknown>>;
    const agent = request.headers['user-agent'] ?? '';
    if (typeof body.code === 'string' && typeof body.code_verifier === 'string') {
      const signedIn = await handoffs.takeWith(body.code, body.code_verifier);
      if (!signedIn) throw notFound();
      return reply.send(signedInAnswer(signedIn));
    }
    if (typeof body.handle !== 'string') throw new Refusal(400, 'the body has neither code nor handle');
    const code = cookieSeal.open(Buffer.from(body.handle, 'base64url'), context);
    if (!code) throw notFound();
    const grant = await provider.pollDevice(code.toString()).catch(refuseSignIn);
    if (typeof grant === 'string') return reply.code(202).send({ result: grant });
    const { issued, profile } = await signIn.admit(grant, 'device', agent).catch(refuseSignIn);
    counters.add('device', 'success');
    return reply.send(signedInAnswer({ token: issued.token, ...profile }));
  });

  function refuseSignIn(error: unknown): never {
    const failure = error instanceof SignInFailure ? error : null;
    counters.add('device', failure?.code ?? 'internal_error');
    if (!failure) throw error;
    if (failure.code === 'provider_unavailable') {
      throw new Fault('unavailable', 'provider-unavailable', failure.message);
    }
    throw new Fault('unauthenticated', 'sign-in-failed', failure.message);
  }
}

function notFound(): Fault {
  return new Fault('unauthenticated', 'sign-in-failed', 'OIDC login session not found');
}

function single(query: unknown): Readonly<Record<string, string | undefined>> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

/** A command line's port on its own loopback and its S256 challenge (RFC 8252, RFC 7636); both or neither. */
function readLoopback(query: unknown): Transaction['loopback'] {
  const { loopback, code_challenge: challenge } = single(query);
  if (loopback === undefined && challenge === undefined) return null;
  const port = /^\d{4,5}$/.test(loopback ?? '') ? Number(loopback) : 0;
  if (port < 1024 || port > 65_535 || !/^[\w-]{43}$/.test(challenge ?? '')) {
    throw new SignInFailure('invalid_state', 'bad loopback or code_challenge');
  }
  return { port, challenge: challenge ?? '' };
}

function loopbackUrl(port: number, name: 'code' | 'error', value: string): string {
  return `http://127.0.0.1:${port}/?${name}=${encodeURIComponent(value)}`;
}
