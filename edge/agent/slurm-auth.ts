/** Credentials for slurmrestd: a token from the settings, one we sign ourselves, or none over its own socket. */
import { readFileSync } from 'node:fs';
import { decodeJwt, SignJWT } from 'jose';
import { Fault } from '../../proto/fault.ts';

/**
 * Headers for one request; `anew` when the credential was refused, since the site may have changed the key. Throws a
 * Fault `slurm-auth` when no credential can be had.
 */
export type SlurmHeaders = (anew?: boolean) => Promise<Record<string, string>>;

export interface SlurmAuth {
  readonly auth: 'jwt' | 'local';
  readonly jwt_mode: 'auto' | 'static';
  readonly jwt_user: string;
  /** Seconds. */
  readonly jwt_lifespan: number;
  /** Path of the key file, raw bytes, never trimmed. */
  readonly jwt_key: string;
  readonly jwt_token: string | null;
}

/** A token is signed anew when it has less than this left, in seconds. */
const RENEW_BEFORE = 60;
/** A static token with less than this left is warned of, in seconds. */
const WARN_BEFORE = 3600;

export function slurmHeaders(
  settings: SlurmAuth,
  now: () => number,
  warn: (text: string) => void,
): SlurmHeaders {
  if (settings.auth === 'local') return async () => ({});
  const token =
    settings.jwt_mode === 'static' ? staticToken(settings, now, warn) : signedToken(settings, now);
  return async (anew = false) => ({
    'X-SLURM-USER-NAME': settings.jwt_user,
    'X-SLURM-USER-TOKEN': await token(anew),
  });
}

/** When a token ends, in seconds since the epoch; null when it does not say. */
export function tokenExpiry(token: string): number | null {
  try {
    return decodeJwt(token).exp ?? null;
  } catch {
    return null;
  }
}

function staticToken(
  settings: SlurmAuth,
  now: () => number,
  warn: (text: string) => void,
): () => Promise<string> {
  let warned = false;
  return async () => {
    const token = settings.jwt_token ?? '';
    const left = (tokenExpiry(token) ?? Number.POSITIVE_INFINITY) - now() / 1000;
    if (left <= 0)
      throw new Fault('unavailable', 'slurm-auth', 'the token of [slurmrestd]>jwt_token has expired');
    if (left < WARN_BEFORE && !warned) {
      warned = true;
      warn(`the token of [slurmrestd]>jwt_token expires in ${Math.ceil(left / 60)} minutes`);
    }
    return token;
  };
}

/** Slurm's auth/jwt wants HS256 with `iat`, `exp` and the user as `sun`. */
function signedToken(settings: SlurmAuth, now: () => number): (anew: boolean) => Promise<string> {
  let current = { token: '', expires: 0 };
  return async anew => {
    const seconds = Math.floor(now() / 1000);
    const holds = current.expires - seconds > Math.min(RENEW_BEFORE, settings.jwt_lifespan / 2);
    if (holds && !anew) return current.token;
    const expires = seconds + settings.jwt_lifespan;
    const token = await new SignJWT({ sun: settings.jwt_user })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuedAt(seconds)
      .setExpirationTime(expires)
      .sign(readKey(settings.jwt_key));
    current = { token, expires };
    return token;
  };
}

function readKey(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw new Fault(
      'unavailable',
      'slurm-auth',
      `the key ${file} of [slurmrestd]>jwt_key can't be read (${code})`,
    );
  }
}
