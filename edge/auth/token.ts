/** Our JWT: issued by the gateway for a session, checked by gateway and agent alike (RFC 7519, RFC 8725). */
import { randomUUID, sign, verify } from 'node:crypto';
import { CompactSign, compactVerify, errors } from 'jose';
import { Fault } from '../../proto/fault.ts';
import type { Algorithm, TokenKey } from './key.ts';

/** Who somebody is, as a token says it. A token carries no full name: only fresh sign-ins know one. */
interface Identity {
  readonly login: string;
  readonly fullname?: string;
  readonly groups: readonly string[];
}

/** What a checked token says. Times are seconds since the epoch. */
export interface Verified extends Identity {
  /** Empty for tokens that other gateways made without one. */
  readonly jti: string;
  readonly issued: number;
  readonly expires: number;
}

export interface Issued {
  readonly token: string;
  readonly jti: string;
  readonly issued: number;
  readonly expires: number;
}

export interface TokenOptions {
  readonly algorithm: Algorithm;
  readonly audience: string;
  /** The current key first; a previous one only checks. */
  readonly keys: readonly TokenKey[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export const ANONYMOUS = 'anonymous';
/** Tolerance for `iat` and `nbf` ahead of our clock, in seconds. */
const TOLERANCE = 60;
/** `iat` lies this far in the past, in seconds: Slurm-web's verifier allows no skew at all. */
const BACKDATING = 5;
/** Most tokens whose signature is remembered, and the longest of them, in characters: 8 MiB in all. */
const MAX_KEPT = 1000;
const MAX_KEPT_TOKEN = 8192;
/** Longest token accepted, in characters; headers as a whole end at 64 kB. */
const MAX_TOKEN = 64 * 1024;

/** Makes the function that checks a token; it throws `unauthenticated` Faults with the documented descriptions. */
export function verifyToken(options: TokenOptions): (token: string) => Promise<Verified> {
  // Frontends poll with one token for hours: its signature is checked once, all else each time.
  const signed = new Map<string, Claims>();
  return async token => {
    const known = signed.get(token);
    const claims = known ?? readClaims(await readPayload(token, options));
    if (!known) keep(signed, token, claims);
    checkTimes(claims, options.now() / 1000);
    const audiences = typeof claims.aud === 'string' ? [claims.aud] : claims.aud;
    if (!Array.isArray(audiences) || !audiences.includes(options.audience)) {
      throw invalid('Token audience is invalid');
    }
    return identify(claims);
  };
}

/** Makes the function that issues tokens; `days` is their life. Throws when the first key cannot sign. */
export function issueToken(
  options: TokenOptions,
  days: number,
): (login: string, groups: readonly string[]) => Promise<Issued> {
  const key = options.keys[0];
  if (!key?.sign) throw new Fault('invalid', 'bad-settings', 'the key cannot sign: it is a public key alone');
  const { sign: secret, algorithm } = key;
  return async (login, groups) => {
    const issued = Math.floor(options.now() / 1000) - BACKDATING;
    const expires = issued + days * 86_400;
    const jti = randomUUID();
    const payload = Buffer.from(
      JSON.stringify({ iat: issued, exp: expires, aud: options.audience, sub: login, groups, jti }),
    );
    const header = { alg: algorithm, typ: 'JWT' };
    if (algorithm === 'ES256K') {
      const signed = `${base64(Buffer.from(JSON.stringify(header)))}.${base64(payload)}`;
      const signature = sign('sha256', Buffer.from(signed), { key: secret, dsaEncoding: 'ieee-p1363' });
      return { token: `${signed}.${base64(signature)}`, jti, issued, expires };
    }
    const token = await new CompactSign(payload).setProtectedHeader(header).sign(secret);
    return { token, jti, issued, expires };
  };
}

type Claims = Readonly<Record<string, unknown>>;

/** Keeps a claim set; the oldest goes first, and very long tokens are not kept at all. */
function keep(signed: Map<string, Claims>, token: string, claims: Claims): void {
  if (token.length > MAX_KEPT_TOKEN) return;
  signed.set(token, claims);
  const oldest = signed.keys().next().value;
  if (signed.size > MAX_KEPT && oldest !== undefined) signed.delete(oldest);
}

/** The payload once the signature holds under one of the keys, which only configuration chooses. */
async function readPayload(token: string, { keys, algorithm }: TokenOptions): Promise<Uint8Array> {
  if (token.length > MAX_TOKEN) throw invalid('Unable to decode token: it is too long');
  if (!/^[\w-]+\.[\w-]*\.[\w-]*$/.test(token)) {
    throw invalid('Unable to decode token: it is not three base64url parts');
  }
  let refused: unknown;
  for (const key of keys) {
    try {
      if (algorithm === 'ES256K') return readSecp256k1(token, key);
      return (await compactVerify(token, key.verify, { algorithms: [algorithm] })).payload;
    } catch (error) {
      refused = error;
      // Only another key can mend a wrong signature.
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) break;
    }
  }
  throw describe(refused);
}

/** jose has no ES256K; the same checks by hand: algorithm, no critical extensions, signature. */
function readSecp256k1(token: string, key: TokenKey): Uint8Array {
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = readClaims(Buffer.from(head, 'base64url'));
  if (header.alg !== 'ES256K') throw new errors.JOSEAlgNotAllowed('"alg" (Algorithm) is not allowed');
  if (header.crit !== undefined || header.b64 !== undefined) {
    throw new errors.JOSENotSupported('critical extensions are not supported');
  }
  const raw = Buffer.from(signature, 'base64url');
  const good = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: key.verify, dsaEncoding: 'ieee-p1363' },
    raw,
  );
  if (!good) throw new errors.JWSSignatureVerificationFailed();
  return Buffer.from(body, 'base64url');
}

function describe(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof errors.JWSSignatureVerificationFailed) return invalid('Token signature is invalid');
  const cause = error instanceof errors.JOSEAlgNotAllowed ? 'its algorithm is not the configured one' : null;
  const text = cause ?? (error instanceof errors.JOSEError ? error.message : 'it is malformed');
  return invalid(`Unable to decode token: ${text}`);
}

function readClaims(bytes: Uint8Array): Claims {
  try {
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) return claims as Claims;
  } catch {
    // Told below.
  }
  throw invalid('Unable to decode token: its content is not a JSON object');
}

function checkTimes(claims: Claims, now: number): void {
  const { exp, iat, nbf } = claims;
  if (!isTime(exp)) throw invalid('Unable to decode token: claim exp is missing or no number');
  if (exp <= now) throw new Fault('unauthenticated', 'token-expired', 'Token is expired');
  for (const [name, value] of [
    ['iat', iat],
    ['nbf', nbf],
  ] as const) {
    if (value === undefined) continue;
    if (!isTime(value)) throw invalid(`Unable to decode token: claim ${name} is no number`);
    if (value > now + TOLERANCE) throw invalid(`Unable to decode token: claim ${name} lies in the future`);
  }
}

function identify(claims: Claims): Verified {
  const { sub, groups, jti, iat, exp } = claims;
  if (typeof sub !== 'string' || sub === '') {
    throw invalid('Unable to decode token: claim sub is missing or no text');
  }
  if (!Array.isArray(groups) || !groups.every(group => typeof group === 'string')) {
    throw invalid('Unable to decode token: claim groups is missing or no list of texts');
  }
  return {
    login: sub,
    groups,
    jti: typeof jti === 'string' ? jti : '',
    issued: isTime(iat) ? iat : 0,
    expires: exp as number,
  };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

function invalid(message: string): Fault {
  return new Fault('unauthenticated', 'token-invalid', message);
}
