/** Signing in with OpenID Connect, step by step, without HTTP: what is asked, in which order, and what is remembered. */
import { randomBytes } from 'node:crypto';
import type { Issued } from '../auth/token.ts';
import { MAX_TRANSACTIONS, newSession, type Session, TRANSACTION_LIFE, type Transaction } from './cookie.ts';
import { classify } from './errors.ts';
import { type FailureCode, SignInFailure } from './failure.ts';
import type { Handoffs } from './handoff.ts';
import type { Claims } from './id-token.ts';
import type { Provider } from './oidc.ts';
import { makeProfile, missingClaims, type Profile, permitsGroups } from './profile.ts';
import type { Grant } from './provider.ts';
import type { GatewaySettings } from './schema.ts';
import { hash, type SessionRecord, type Sessions } from './sessions.ts';
import type { SessionStore } from './store.ts';
import { redirectUri, safeTarget } from './target.ts';

/** Longest JWT that is handed out, in bytes: headers end at 64 kB and carry cookies too. */
export const MAX_JWT = 32_768;
/** Longest query of a callback that is looked at, in characters. */
const MAX_QUERY = 16_384;
/** Longest authorization code, in characters. */
const MAX_CODE = 12_288;

export interface SignInParts {
  readonly settings: GatewaySettings;
  readonly provider: Provider;
  readonly store: SessionStore;
  readonly handoffs: Handoffs;
  readonly sessions: Sessions;
  readonly issue: (login: string, groups: readonly string[]) => Promise<Issued>;
  readonly now: () => number;
  readonly log: { warn(fields: object, sentence: string): void };
}

/** What a step leaves: the session to be written into the cookie, and where the browser goes. */
export interface Step {
  readonly session: Session;
  readonly location: string;
}

export class SignIn {
  private readonly parts: SignInParts;

  constructor(parts: SignInParts) {
    this.parts = parts;
  }

  /** GET /api/oidc/login. Throws SignInFailure. */
  async start(
    earlier: Session | null,
    returnTo: string | undefined,
    loopback: Transaction['loopback'],
  ): Promise<Step> {
    const { settings, provider, now } = this.parts;
    const transaction: Transaction = {
      state: random(),
      nonce: random(),
      verifier: settings.oidc.pkce === null ? null : random(),
      started: Math.floor(now() / 1000),
      returnTo: safeTarget(returnTo, settings),
      loopback,
    };
    const location = await provider.authorizationUrl({ ...transaction, redirectUri: redirectUri(settings) });
    const session = earlier ?? newSession();
    const transactions = [...session.transactions, transaction].slice(-MAX_TRANSACTIONS);
    return { session: { ...session, transactions }, location };
  }

  /**
   * Finds the transaction that a callback belongs to and consumes it; null when there is none of this browser. The
   * session answered lacks it.
   */
  async consume(
    session: Session | null,
    query: string,
  ): Promise<{ session: Session; transaction: Transaction | null }> {
    const states = query.length > MAX_QUERY ? [] : new URLSearchParams(query).getAll('state');
    const state = states.length === 1 ? states[0] : undefined;
    const transaction = session?.transactions.find(one => one.state === state) ?? null;
    if (!session || !transaction) return { session: session ?? newSession(), transaction: null };
    const left = { ...session, transactions: session.transactions.filter(one => one !== transaction) };
    // A saved cookie would bring the transaction back; the store remembers that it is used.
    const fresh = await this.parts.store.claim(
      { kind: 'state', id: hash(transaction.state) },
      TRANSACTION_LIFE,
    );
    return { session: left, transaction: fresh ? transaction : null };
  }

  /** The rest of GET /api/oidc/callback. Throws SignInFailure. */
  async finish(transaction: Transaction | null, query: string, agent: string): Promise<string> {
    const parameters = readParameters(query);
    if (!transaction) throw new SignInFailure('invalid_state', 'no such sign-in in this browser');
    const { provider, settings } = this.parts;
    await provider.checkIssuer(parameters.get('iss') ?? null);
    const error = parameters.get('error');
    if (error !== undefined) {
      const code: FailureCode = error === 'access_denied' ? 'access_denied' : 'provider_error';
      throw new SignInFailure(code, `${error} ${parameters.get('error_description') ?? ''}`);
    }
    const code = parameters.get('code');
    if (!code || code.length > MAX_CODE) throw new SignInFailure('provider_error', 'no usable code');
    const grant = await provider.redeem(code, { ...transaction, redirectUri: redirectUri(settings) });
    const method = transaction.loopback ? 'command line' : 'oidc';
    const { issued, profile } = await this.admit(grant, method, agent);
    const { returnTo, loopback } = transaction;
    return this.parts.handoffs.leave(
      { token: issued.token, ...profile },
      returnTo,
      loopback?.challenge ?? null,
    );
  }

  /** Profile, restrictions, token: the same for browsers and the device flow. */
  async admit(
    grant: Grant,
    method: SessionRecord['method'],
    agent: string,
  ): Promise<{ issued: Issued; profile: Profile }> {
    const { settings, issue, sessions, log } = this.parts;
    const claims = await this.complete(grant);
    const profile = makeProfile(claims, settings.oidc, sentence => log.warn({ sub: claims.sub }, sentence));
    if (!permitsGroups(profile.groups, settings.oidc.restricted_groups)) {
      throw new SignInFailure('not_allowed', `${profile.login} is in none of the restricted_groups`);
    }
    const issued = await issue(profile.login, profile.groups);
    if (Buffer.byteLength(issued.token) > MAX_JWT) {
      throw new SignInFailure('too_many_groups', `the token of ${profile.login} is too large`);
    }
    await sessions.open(issued, {
      login: profile.login,
      method,
      agent,
      sid: typeof claims.sid === 'string' ? claims.sid : null,
      subject: claims.sub ?? null,
      idToken: grant.idToken,
    });
    return { issued, profile };
  }

  /** ID-token claims with UserInfo's behind them, asked only for what is missing. */
  private async complete(grant: Grant): Promise<Claims> {
    const { provider, settings, log } = this.parts;
    const { needed, wanted } = missingClaims(grant.claims, settings.oidc);
    if (!wanted) return grant.claims;
    try {
      const more = await provider.userInfo(grant.accessToken, grant.claims.sub ?? '');
      return { ...more, ...grant.claims };
    } catch (error) {
      const failure = classify(error);
      // Without groups somebody would sign in with fewer rights than theirs; a name is no reason to fail.
      if (needed || failure.code === 'token_invalid') throw failure;
      log.warn({ reason: failure.detail }, 'UserInfo failed; the full name stays unknown');
      return grant.claims;
    }
  }
}

/** Parameters of a callback, each well-formed and at most once. */
function readParameters(query: string): ReadonlyMap<string, string> {
  if (query.length > MAX_QUERY) throw new SignInFailure('invalid_state', 'the query is too long');
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (found.has(name)) throw new SignInFailure('invalid_state', `parameter ${name} comes twice`);
    found.set(name, value);
  }
  return found;
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
