/** Checks the JWTs that an identity provider signs: ID tokens, signed UserInfo, logout tokens. */
import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { SignInFailure, shorten } from './failure.ts';

export interface ProviderTokenRules {
  readonly issuer: string;
  readonly clientId: string;
  /** Configured algorithms that the provider's metadata lists too. */
  readonly algorithms: readonly string[];
  readonly keys: JWTVerifyGetKey;
  /** Secret of HMAC signatures; only where an HMAC algorithm is configured. */
  readonly clientSecret: string | null;
  /** Seconds. */
  readonly skew: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export type Claims = JWTPayload;

/**
 * Checks an ID token as OpenID Connect Core 3.1.3.7 has it, strictly. `accessToken` is what `at_hash` names; the
 * device flow alone has no nonce.
 * Throws SignInFailure `token_invalid`.
 */
export async function checkIdToken(
  token: string,
  rules: ProviderTokenRules,
  nonce: string | null,
  accessToken: string,
): Promise<Claims> {
  const { claims, algorithm } = await checkSigned(token, rules, ['exp', 'iat', 'sub']);
  if (nonce !== null && claims.nonce !== nonce) throw refuse('nonce is missing or another one');
  if (claims.at_hash !== undefined && claims.at_hash !== hashHalf(accessToken, algorithm)) {
    throw refuse('at_hash does not fit the access token');
  }
  return claims;
}

/** Checks a signed UserInfo answer; its issuer and audience are required, times are checked where given. */
export async function checkUserInfo(token: string, rules: ProviderTokenRules): Promise<Claims> {
  return (await checkSigned(token, rules, ['sub'])).claims;
}

/** Event of a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4). */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Checks a logout token; the caller sees to it that its `jti` is new. */
export async function checkLogoutToken(
  token: string,
  rules: ProviderTokenRules,
): Promise<{ readonly jti: string; readonly sid: string | null; readonly sub: string | null }> {
  const { claims } = await checkSigned(token, rules, ['iat', 'jti', 'events']);
  const events = claims.events as Readonly<Record<string, unknown>> | null;
  const event = typeof events === 'object' && events && Object.hasOwn(events, LOGOUT_EVENT);
  const content = event ? events[LOGOUT_EVENT] : null;
  if (typeof content !== 'object' || content === null) throw refuse('it is no logout event');
  if (claims.nonce !== undefined) throw refuse('a logout token has no nonce');
  if (typeof claims.jti !== 'string' || claims.jti === '') throw refuse('jti is missing');
  const { sid, sub } = claims;
  if (sid !== undefined && typeof sid !== 'string') throw refuse('sid is no text');
  if (sub !== undefined && typeof sub !== 'string') throw refuse('sub is no text');
  if (!sid && !sub) throw refuse('neither sid nor sub');
  return { jti: claims.jti, sid: sid || null, sub: sub || null };
}

async function checkSigned(token: string, rules: ProviderTokenRules, required: readonly string[]) {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) throw refuse('it is not three base64url parts');
  const options: JWTVerifyOptions = {
    algorithms: [...rules.algorithms],
    issuer: rules.issuer,
    audience: rules.clientId,
    clockTolerance: rules.skew,
    currentDate: new Date(rules.now()),
    requiredClaims: [...required],
  };
  const getKey: JWTVerifyGetKey = (header, input) =>
    header.alg?.startsWith('HS') ? secretKey(rules) : rules.keys(header, input);
  try {
    const { payload, protectedHeader } = await jwtVerify(token, getKey, options);
    checkClaims(payload, rules);
    return { claims: payload, algorithm: protectedHeader.alg };
  } catch (error) {
    if (error instanceof errors.JOSEError) throw refuse(error.message, error);
    throw error;
  }
}

/** What jose leaves to us: `iat` ahead of time, the authorised party, usable subjects. */
function checkClaims(claims: Claims, { clientId, skew, now }: ProviderTokenRules): void {
  const { iat, azp, aud, sub } = claims;
  if (iat !== undefined && iat > now() / 1000 + skew) throw refuse('iat lies in the future');
  if (Array.isArray(aud) && aud.length > 1 && azp === undefined) {
    throw refuse('several audiences and no azp');
  }
  if (azp !== undefined && azp !== clientId) throw refuse('azp is another client');
  if (sub !== undefined && (typeof sub !== 'string' || sub === '' || /\p{Cc}/u.test(sub))) {
    throw refuse('sub is no usable text');
  }
}

function secretKey({ clientSecret }: ProviderTokenRules): KeyObject {
  if (clientSecret === null) throw refuse('an HMAC signature without a client secret');
  return createSecretKey(Buffer.from(clientSecret));
}

/** Left half of the hash that the signature's algorithm uses, base64url (OpenID Connect Core 3.1.3.6). */
function hashHalf(accessToken: string, algorithm: string): string {
  // Ed25519 hashes with SHA-512.
  const bits = algorithm === 'EdDSA' || algorithm === 'Ed25519' ? '512' : algorithm.slice(-3);
  const digest = createHash(`sha${bits}`).update(accessToken, 'ascii').digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

function refuse(detail: string, cause?: unknown): SignInFailure {
  return new SignInFailure('token_invalid', shorten(detail), { cause });
}
