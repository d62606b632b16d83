/** Routes of sign-in with LDAP, of anonymous access, and of the list of users. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../../../proto/fault.ts';
import { ANONYMOUS, type Issued, type Verified } from '../../auth/token.ts';
import { Refusal } from '../../http/problem.ts';
import type { Counters } from '../counters.ts';
import type { Directory, People } from '../directory.ts';
import { signedInAnswer } from '../handoff.ts';
import { DirectoryError } from '../ldap.ts';
import { permitsGroups } from '../profile.ts';
import type { GatewaySettings } from '../schema.ts';
import type { Sessions } from '../sessions.ts';
import { MAX_JWT } from '../sign-in.ts';
import type { Throttle } from '../throttle.ts';

export interface LoginRouteParts {
  readonly settings: GatewaySettings;
  /** Null unless sign-in is by LDAP. */
  readonly directory: Directory | null;
  readonly sessions: Sessions;
  readonly throttle: Throttle;
  readonly counters: Counters;
  readonly issue: (login: string, groups: readonly string[]) => Promise<Issued>;
  readonly authenticate: (request: FastifyRequest) => Promise<Verified>;
  /** The address that the request came from, behind trusted proxies too. */
  readonly address: (request: FastifyRequest) => string;
  readonly now: () => number;
  readonly log: { warn(fields: object, sentence: string): void };
}

/** Longest user name and password, in characters. */
const MAX_TEXT = 1024;
/** The list of users is kept this long, in ms: frontends ask for it at every page. */
const USERS_AGE = 60_000;

export function addLoginRoutes(app: FastifyInstance, parts: LoginRouteParts): void {
  const { settings, directory, issue } = parts;
  const { enabled } = settings.authentication;
  app.post('/api/login', async (request, reply) => {
    if (!directory) throw new Refusal(501, 'LDAP authentication is not enabled');
    const signedIn = await signIn(request, directory, parts);
    return reply.header('cache-control', 'no-store').send(signedInAnswer(signedIn));
  });

  app.get('/api/anonymous', async (_request, reply) => {
    if (enabled) throw new Fault('unauthenticated', 'no-permission', 'Unauthorized anonymous access');
    const { token } = await issue(ANONYMOUS, []);
    return reply.header('cache-control', 'no-store').send({ result: 'Successful anonymous access', token });
  });

  let cached: { readonly people: Promise<People>; readonly at: number } | null = null;
  app.get('/api/users', async (request, reply) => {
    if (!enabled) throw new Refusal(501, 'Authentication is not enabled');
    await parts.authenticate(request);
    void reply.header('cache-control', 'no-store');
    if (!directory) return reply.send([]);
    if (!cached || parts.now() - cached.at > USERS_AGE)
      cached = { people: directory.list(), at: parts.now() };
    try {
      const { people } = await cached.people;
      return reply.send(people.map(({ login, fullname }) => ({ login, fullname: fullname ?? login })));
    } catch (error) {
      cached = null;
      throw unavailable(error, parts);
    }
  });
}

async function signIn(request: FastifyRequest, directory: Directory, parts: LoginRouteParts) {
  const { settings, throttle, counters, sessions, issue } = parts;
  const body = (request.body ?? {}) as Readonly<Record<string, unknown>>;
  const { user, password } = body;
  if (!isText(user) || !isText(password)) {
    throw new Refusal(400, 'user and password must be texts that are not empty');
  }
  const address = parts.address(request);
  const wait = throttle.wait(user, address);
  if (wait > 0) {
    counters.add('ldap', 'throttled');
    const sentence = `Too many failed attempts; try again in ${wait} s`;
    throw new Refusal(429, sentence, { 'retry-after': String(wait) });
  }
  throttle.count(user, address);
  const profile = await directory.signIn(user, password).catch(error => {
    throttle.succeed(user, address);
    counters.add('ldap', 'unavailable');
    throw unavailable(error, parts);
  });
  if (!profile) {
    counters.add('ldap', 'refused');
    parts.log.warn({ address }, 'a sign-in with LDAP was refused');
    throw new Fault('unauthenticated', 'sign-in-failed', 'Invalid user or password');
  }
  throttle.succeed(user, address);
  if (!permitsGroups(profile.groups, settings.ldap.restricted_groups)) {
    counters.add('ldap', 'not_allowed');
    const sentence = `User ${profile.login} is not member of restricted groups`;
    throw new Fault('unauthenticated', 'not-in-group', sentence);
  }
  const issued = await issue(profile.login, profile.groups);
  if (Buffer.byteLength(issued.token) > MAX_JWT) {
    counters.add('ldap', 'too_many_groups');
    throw new Fault('unauthenticated', 'sign-in-failed', `User ${profile.login} is in too many groups`);
  }
  await sessions.open(issued, {
    login: profile.login,
    method: 'ldap',
    agent: request.headers['user-agent'] ?? '',
    sid: null,
    subject: null,
    idToken: null,
  });
  counters.add('ldap', 'success');
  return { token: issued.token, ...profile };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
}

function unavailable(error: unknown, parts: LoginRouteParts): unknown {
  if (!(error instanceof DirectoryError)) return error;
  parts.log.warn({ reason: error.message }, 'the directory failed');
  if (error.trouble === 'unreachable') {
    return new Fault('unavailable', 'provider-unavailable', 'The LDAP directory is unreachable');
  }
  return new Fault(
    'unavailable',
    'provider-unavailable',
    'The LDAP directory can not be used; its log has the reason',
  );
}
