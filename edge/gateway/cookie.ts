/** The session cookie: sign-ins under way and ids of unread handoffs, sealed; what does not open is not there. */
import { randomBytes } from 'node:crypto';
import type { Seal } from './seal.ts';

/** One sign-in under way in this browser. */
export interface Transaction {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string | null;
  /** Seconds since the epoch. */
  readonly started: number;
  readonly returnTo: string | null;
  /** A command line that waits on a loopback port, with its PKCE challenge. */
  readonly loopback: { readonly port: number; readonly challenge: string } | null;
}

export interface Session {
  /** Changes at every sign-in. */
  readonly id: string;
  readonly transactions: readonly Transaction[];
  /** Ids of unread handoffs, newest first. */
  readonly handoffs: readonly string[];
  /** Ids of unread error handoffs, newest first. */
  readonly failures: readonly string[];
}

/** Most sign-ins under way in one browser; the oldest is dropped. */
export const MAX_TRANSACTIONS = 10;
/** Most unread handoffs that one browser is reminded of. */
const MAX_HANDOFFS = 10;
/** Life of the cookie and of a sign-in under way, in seconds. */
export const TRANSACTION_LIFE = 600;
/** Longest value we set: browsers drop whole cookies of 4,096 bytes and more. */
const MAX_VALUE = 3800;

export function newSession(): Session {
  return { id: randomBytes(16).toString('base64url'), transactions: [], handoffs: [], failures: [] };
}

/** `__Host-` and `Secure` when the site is reached by https (RFC 6265bis section 4.1.3.2). */
function cookieName(secure: boolean): string {
  return secure ? '__Host-rackwright' : 'rackwright';
}

/** The session of a Cookie header; null when there is none, it does not open, or it is over. */
export function readCookie(
  header: string | undefined,
  secure: boolean,
  seal: Seal,
  now: number,
): Session | null {
  const name = cookieName(secure);
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at < 0 || part.slice(0, at).trim() !== name) continue;
    const sealed = part.slice(at + 1).trim();
    if (!/^[\w-]{1,4096}$/.test(sealed)) continue;
    const plain = seal.open(Buffer.from(sealed, 'base64url'), name);
    if (plain) return unpack(plain, now);
  }
  return null;
}

/** A Set-Cookie value for the session; the oldest return targets, then sign-ins, go where they would not fit. */
export function writeCookie(session: Session, secure: boolean, seal: Seal): string {
  let fitting: Session = {
    ...session,
    transactions: session.transactions.slice(-MAX_TRANSACTIONS),
    handoffs: session.handoffs.slice(0, MAX_HANDOFFS),
    failures: session.failures.slice(0, MAX_HANDOFFS),
  };
  for (;;) {
    const value = seal.seal(pack(fitting), cookieName(secure)).toString('base64url');
    if (value.length <= MAX_VALUE)
      return attributes(`${cookieName(secure)}=${value}`, secure, TRANSACTION_LIFE);
    const long = fitting.transactions.findIndex(
      (one, at) => one.returnTo !== null && at < fitting.transactions.length - 1,
    );
    const transactions =
      long < 0
        ? fitting.transactions.slice(1)
        : fitting.transactions.map((one, at) => (at === long ? { ...one, returnTo: null } : one));
    fitting = { ...fitting, transactions };
  }
}

/** A Set-Cookie value that makes the browser forget. */
export function clearCookie(secure: boolean): string {
  return attributes(`${cookieName(secure)}=`, secure, 0);
}

function attributes(pair: string, secure: boolean, life: number): string {
  return `${pair}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

type Packed = [
  id: string,
  transactions: [string, string, string | null, number, string | null, [number, string] | null][],
  handoffs: string[],
  failures: string[],
];

function pack({ id, transactions, handoffs, failures }: Session): Buffer {
  const rows = transactions.map(({ state, nonce, verifier, started, returnTo, loopback }) => [
    state,
    nonce,
    verifier,
    started,
    returnTo,
    loopback && [loopback.port, loopback.challenge],
  ]);
  return Buffer.from(JSON.stringify([id, rows, handoffs, failures]));
}

/** Only what we sealed ourselves gets here, so the shape is ours. */
function unpack(plain: Buffer, now: number): Session {
  const [id, rows, handoffs, failures] = JSON.parse(plain.toString()) as Packed;
  const transactions = rows
    .map(([state, nonce, verifier, started, returnTo, loopback]) => ({
      state,
      nonce,
      verifier,
      started,
      returnTo,
      loopback: loopback && { port: loopback[0], challenge: loopback[1] },
    }))
    .filter(({ started }) => started + TRANSACTION_LIFE > now / 1000);
  return { id, transactions, handoffs, failures };
}
