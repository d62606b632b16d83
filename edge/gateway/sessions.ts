/** Sessions as tokens issued: who has which, signing out, and what the identity provider ends. */
import { createHash } from 'node:crypto';
import type { Issued, Verified } from '../auth/token.ts';
import type { Seal } from './seal.ts';
import type { RecordKey, SessionStore } from './store.ts';

/** What we remember of an issued token, until it expires. Times are seconds since the epoch. */
export interface SessionRecord {
  readonly jti: string;
  readonly login: string;
  readonly issued: number;
  readonly expires: number;
  readonly method: 'ldap' | 'oidc' | 'device' | 'command line';
  /** The browser's or program's word about itself, shortened. */
  readonly agent: string;
  /** The provider's session and subject, for its own sign-out. */
  readonly sid: string | null;
  readonly subject: string | null;
  readonly idToken: string | null;
}

/** Longest ID token that is kept as a hint for signing out, in characters. */
const MAX_HINT = 8192;

export class Sessions {
  private readonly store: SessionStore;
  private readonly seal: Seal;
  private readonly now: () => number;

  constructor(store: SessionStore, seal: Seal, now: () => number) {
    this.store = store;
    this.seal = seal;
    this.now = now;
  }

  /** Remembers a token just issued. */
  async open(issued: Issued, about: Omit<SessionRecord, 'jti' | 'issued' | 'expires'>): Promise<void> {
    const record: SessionRecord = {
      ...about,
      agent: about.agent.replace(/\p{Cc}+/gu, ' ').slice(0, 120),
      idToken: about.idToken !== null && about.idToken.length > MAX_HINT ? null : about.idToken,
      jti: issued.jti,
      issued: issued.issued,
      expires: issued.expires,
    };
    const life = issued.expires - this.now() / 1000;
    const key = recordKey(about.login, issued.jti);
    await this.store.put(key, this.seal.seal(Buffer.from(JSON.stringify(record)), key.id), life);
    for (const group of providerGroups(record.sid, record.subject)) {
      const index: RecordKey = { kind: 'session', group, id: issued.jti };
      await this.store.put(index, this.seal.seal(Buffer.from(about.login), issued.jti), life);
    }
  }

  async isRevoked(jti: string): Promise<boolean> {
    return jti !== '' && (await this.store.read(revokedKey(jti))) !== null;
  }

  /** One's own sessions, newest first. */
  async list(login: string): Promise<SessionRecord[]> {
    const records: SessionRecord[] = [];
    for (const jti of await this.store.list('token', hash(`login:${login}`))) {
      const record = await this.find(login, jti);
      if (record) records.push(record);
    }
    return records.sort((a, b) => b.issued - a.issued);
  }

  async find(login: string, jti: string): Promise<SessionRecord | null> {
    if (!/^[\w-]{1,128}$/.test(jti)) return null;
    const key = recordKey(login, jti);
    const sealed = await this.store.read(key);
    const plain = sealed && this.seal.open(sealed, key.id);
    return plain ? (JSON.parse(plain.toString()) as SessionRecord) : null;
  }

  /** Ends the session of a token, whoever made it. */
  async revoke({ login, jti, expires }: Pick<Verified, 'login' | 'jti' | 'expires'>): Promise<void> {
    if (jti === '') return;
    const life = expires - this.now() / 1000 + 1;
    await this.store.put(revokedKey(jti), Buffer.alloc(0), Math.max(1, life));
    if (/^[\w-]{1,128}$/.test(jti)) await this.store.remove(recordKey(login, jti));
  }

  /** Ends what the provider has ended: the sessions of `sid` where it is told, else all of the subject. */
  async endAtProvider(sid: string | null, subject: string | null): Promise<number> {
    const [group] = providerGroups(sid, sid === null ? subject : null);
    if (group === undefined) return 0;
    let count = 0;
    for (const jti of await this.store.list('session', group)) {
      const index: RecordKey = { kind: 'session', group, id: jti };
      const sealed = await this.store.read(index);
      const login = sealed && this.seal.open(sealed, jti)?.toString();
      const record = login ? await this.find(login, jti) : null;
      await this.store.remove(index);
      if (!record || (subject !== null && record.subject !== subject)) continue;
      await this.revoke(record);
      count += 1;
    }
    return count;
  }
}

function recordKey(login: string, jti: string): RecordKey {
  return { kind: 'token', group: hash(`login:${login}`), id: jti };
}

function revokedKey(jti: string): RecordKey {
  return { kind: 'revoked', id: hash(jti) };
}

function providerGroups(sid: string | null, subject: string | null): string[] {
  const groups: string[] = [];
  if (sid !== null) groups.push(hash(`sid:${sid}`));
  if (subject !== null) groups.push(hash(`sub:${subject}`));
  return groups;
}

/** A record's name of any text; names of files tell nothing about people. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}
