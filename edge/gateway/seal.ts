/** Authenticated encryption of what we give away and take back: the session cookie and the records of the store. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/** Seals bytes for one purpose; what another purpose or key sealed does not open. */
export interface Seal {
  seal(plain: Uint8Array, context?: string): Buffer;
  /** Null for anything that this seal did not make for this context. */
  open(sealed: Uint8Array, context?: string): Buffer | null;
}

/** Derives a purpose's key from the secret with HKDF-SHA-256 (RFC 5869). */
export function makeSeal(secret: Uint8Array, purpose: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, 'rackwright', purpose, 32));
  return {
    seal(plain, context = '') {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([nonce, body, cipher.getAuthTag()]);
    },
    open(sealed, context = '') {
      if (sealed.length < NONCE + TAG) return null;
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE))
        .setAAD(Buffer.from(context))
        .setAuthTag(Buffer.from(sealed.subarray(sealed.length - TAG)));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}

/** A short name of the secret, to notice that it has changed; tells nothing about it. */
export function fingerprint(secret: Uint8Array): string {
  return Buffer.from(hkdfSync('sha256', secret, 'rackwright', 'fingerprint', 12)).toString('hex');
}
