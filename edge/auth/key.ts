/** The keys of our JWTs: which algorithms there are, what a key file must hold for each, and generating new ones. */
import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errorCode, Fault } from '../../proto/fault.ts';

/** Algorithms of RFC 7518, 8037 and 8812 that a token may be signed with; `none` is not one. */
export const ALGORITHMS = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES256K',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

/** Shortest secret of an HMAC key, in bytes (RFC 7518 section 3.2 for HS256). */
export const MIN_SECRET = 32;
/** Shortest RSA modulus, in bits (RFC 7518 section 3.3). */
const MIN_MODULUS = 2048;
const CURVES: Readonly<Record<string, string>> = {
  ES256: 'prime256v1',
  ES256K: 'secp256k1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};

/** A key as read. `sign` is null where the file holds a public key alone. */
export interface TokenKey {
  readonly algorithm: Algorithm;
  readonly sign: KeyObject | null;
  readonly verify: KeyObject;
}

/**
 * Reads a key file: raw bytes, never trimmed, for HMAC; else PEM, a private key or (for those who only check) a public
 * one. Throws a Fault whose message says what is wrong with the file, without naming it.
 */
export function readTokenKey(file: string, algorithm: Algorithm): TokenKey {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const code = errorCode(error);
    throw bad(code === 'ENOENT' ? `${file} does not exist` : `${file} can't be read (${code})`);
  }
  return parseTokenKey(bytes, algorithm);
}

/** The same for bytes at hand. */
export function parseTokenKey(bytes: Buffer, algorithm: Algorithm): TokenKey {
  if (algorithm.startsWith('HS')) {
    if (bytes.length < MIN_SECRET) {
      throw bad(`the key has ${bytes.length} bytes; ${algorithm} needs at least ${MIN_SECRET}`);
    }
    const secret = createSecretKey(bytes);
    return { algorithm, sign: secret, verify: secret };
  }
  const isPublic = /-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(bytes.toString('latin1'));
  let key: KeyObject;
  try {
    key = isPublic ? createPublicKey(bytes) : createPrivateKey(bytes);
  } catch {
    throw bad(`the file holds no PEM key, as ${algorithm} needs`);
  }
  checkKind(key, algorithm);
  return isPublic
    ? { algorithm, sign: null, verify: key }
    : { algorithm, sign: key, verify: createPublicKey(key) };
}

function checkKind(key: KeyObject, algorithm: Algorithm): void {
  const kind = key.asymmetricKeyType;
  const details = key.asymmetricKeyDetails ?? {};
  const curve = CURVES[algorithm];
  if (curve !== undefined) {
    if (kind !== 'ec' || details.namedCurve !== curve) {
      throw bad(`${algorithm} needs a key on curve ${curve}, not ${details.namedCurve ?? kind}`);
    }
  } else if (algorithm === 'EdDSA') {
    if (kind !== 'ed25519') throw bad(`EdDSA needs an Ed25519 key, not ${kind}`);
  } else {
    if (kind !== 'rsa') throw bad(`${algorithm} needs an RSA key, not ${kind}`);
    if ((details.modulusLength ?? 0) < MIN_MODULUS) {
      throw bad(`the RSA key has ${details.modulusLength} bits; at least ${MIN_MODULUS} are needed`);
    }
  }
}

function bad(message: string): Fault {
  return new Fault('invalid', 'bad-settings', message);
}
