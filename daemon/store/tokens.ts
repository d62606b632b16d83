/** Tokens of instances: issued, checked, revoked. The only importer of jose in the daemon. */
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { errors, jwtVerify, SignJWT } from 'jose';
import { errorCode, Fault } from '../../proto/fault.ts';
import { MAX_TOKEN_DAYS } from '../../proto/words.ts';
import type { Database, Migrations } from './database.ts';

export const TOKEN_TABLES: Migrations = {
  store: 'tokens',
  steps: [
    `CREATE TABLE token (
       jti TEXT PRIMARY KEY, instance TEXT NOT NULL, subject TEXT NOT NULL, issued INTEGER NOT NULL,
       expires INTEGER NOT NULL, revoked INTEGER NOT NULL
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX token_instance ON token (instance, expires);`,
  ],
};

/** Seconds that `iat` and `nbf` may lie ahead of our clock. */
const TOLERANCE = 60;
/** What a token without expiry gets all the same, in seconds. */
const FOREVER = MAX_TOKEN_DAYS * 86_400;

/** A token as lists show it; times are seconds since the epoch, 0 = not revoked. */
export interface IssuedToken {
  readonly jti: string;
  readonly subject: string;
  readonly issued: number;
  readonly expires: number;
  readonly revoked: number;
}

/** What a reload may change. */
export interface TokenRules {
  readonly algorithm: 'HS256' | 'HS384' | 'HS512';
  readonly audience: string;
  readonly acceptAudiences: readonly string[];
  /** Seconds a token lives unless told; 0 = as long as possible. */
  readonly duration: number;
  /** The gateway's key, whose tokens every instance accepts; null for none. */
  readonly gateway: { readonly key: Uint8Array; readonly audience: string } | null;
}

export interface TokensOptions extends TokenRules {
  readonly database: Database;
  /** Absolute path of the folder with one folder an instance. */
  readonly storage: string;
  /** Seconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
}

interface Checked {
  readonly login: string;
  readonly groups: readonly string[];
}

export class Tokens {
  #o: TokensOptions;
  readonly #revoked;

  constructor(options: TokensOptions) {
    this.#o = options;
    this.#revoked = options.database.prepare('SELECT revoked FROM token WHERE jti = ?');
  }

  /** Goes by other rules from now on. */
  configure(rules: TokenRules): void {
    const { algorithm, audience, acceptAudiences, duration, gateway } = rules;
    this.#o = { ...this.#o, algorithm, audience, acceptAudiences, duration, gateway };
  }

  /** Makes the key of an instance where it has none. */
  prepare(instance: string): void {
    const folder = join(this.#o.storage, instance);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (statSync(join(folder, 'key'), { throwIfNoEntry: false })) return;
    const temporary = join(folder, `key.${process.pid}`);
    const file = openSync(temporary, 'w', 0o400);
    writeSync(file, randomBytes(32).toString('hex'));
    fsyncSync(file);
    closeSync(file);
    try {
      // A link never replaces a key that is there.
      linkSync(temporary, join(folder, 'key'));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  async issue(
    instance: string,
    subject: string,
    days: number,
  ): Promise<{ token: string; issued: IssuedToken }> {
    if (!/^[^\p{C}\s]{1,255}$/u.test(subject))
      throw new Fault('invalid', 'bad-input', 'the login is not a name');
    if (days < 0 || days > MAX_TOKEN_DAYS)
      throw new Fault('invalid', 'bad-input', `days are 1 to ${MAX_TOKEN_DAYS}`);
    const { duration, now, newId, algorithm, audience, database } = this.#o;
    const issued = Math.floor(now());
    const expires = issued + Math.min(days > 0 ? days * 86_400 : duration || FOREVER, FOREVER);
    const jti = newId();
    const token = await new SignJWT({ jti })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setIssuedAt(issued)
      .setExpirationTime(expires)
      .setAudience(audience)
      .setSubject(subject)
      .sign(this.#key(instance));
    database.transaction(() => {
      database
        .prepare('INSERT INTO token VALUES (?, ?, ?, ?, ?, 0)')
        .run(jti, instance, subject, issued, expires);
    });
    return { token, issued: { jti, subject, issued, expires, revoked: 0 } };
  }

  /** Tokens issued here that have not expired, newest first. */
  list(instance: string): IssuedToken[] {
    const sql = `SELECT jti, subject, issued, expires, revoked FROM token
      WHERE instance = ? AND expires > ? ORDER BY issued DESC, jti LIMIT 10000`;
    return this.#o.database.prepare(sql).all<IssuedToken>(instance, Math.floor(this.#o.now()));
  }

  /** Puts a token out of force, for good. Throws `not_found` for one that was not issued here. */
  revoke(instance: string, jti: string): void {
    const { database, now, storage } = this.#o;
    const known = database.prepare('SELECT 1 FROM token WHERE jti = ? AND instance = ?').get(jti, instance);
    if (!known) throw new Fault('not_found', 'not-found', `there is no token ${jti}`);
    // The file counts too, so that a state put back from a backup revives nothing.
    appendFileSync(join(storage, instance, 'revoked'), `${jti}\n`, { mode: 0o600, flush: true });
    database.transaction(() => {
      const sql = 'UPDATE token SET revoked = ? WHERE jti = ? AND revoked = 0';
      database.prepare(sql).run(Math.floor(now()), jti);
    });
  }

  /** Who a token proves to be. Throws `forbidden` with the cause, `not_found` when the instance has no key. */
  async verify(instance: string, token: string): Promise<Checked> {
    const { gateway, audience, acceptAudiences } = this.#o;
    const key = this.#key(instance);
    try {
      const checked = await this.#check(token, key, [audience, ...acceptAudiences]);
      if (this.#isRevoked(instance, checked.jti)) {
        throw new Fault('forbidden', 'token-revoked', 'the token was revoked');
      }
      return { login: checked.login, groups: [] };
    } catch (error) {
      if (!gateway || !(error instanceof errors.JWSSignatureVerificationFailed)) throw refusal(error);
    }
    try {
      return await this.#check(token, gateway.key, [gateway.audience]);
    } catch (error) {
      throw refusal(error);
    }
  }

  /** The same where no instance is named: whatever instance's token it is. Throws the most telling refusal. */
  async verifyAny(instances: readonly string[], token: string): Promise<Checked> {
    let refused: unknown = new Fault('forbidden', 'token-invalid', 'the token is invalid');
    for (const instance of instances) {
      try {
        return await this.verify(instance, token);
      } catch (error) {
        // Of the instance that signed it: another one's key only finds the signature wrong.
        const { reason } = error as Partial<Fault>;
        if (reason === 'token-expired' || reason === 'token-revoked') refused = error;
      }
    }
    throw refused;
  }

  async #check(
    token: string,
    key: Uint8Array,
    audience: string[],
  ): Promise<Checked & { jti: string | null }> {
    const now = this.#o.now();
    const { payload } = await jwtVerify(token, key, {
      algorithms: [this.#o.algorithm],
      audience,
      requiredClaims: ['exp', 'iat', 'sub'],
      currentDate: new Date(now * 1000),
    });
    const { sub, iat, groups, jti } = payload;
    if (typeof sub !== 'string' || sub === '' || /[\p{C}\s]/u.test(sub))
      throw new Fault('forbidden', 'token-invalid', 'the token has no subject');
    if ((iat ?? 0) > now + TOLERANCE) {
      throw new Fault('forbidden', 'token-invalid', 'the token was issued in the future');
    }
    const names = Array.isArray(groups) ? groups.filter(name => typeof name === 'string') : [];
    return { login: sub, groups: names, jti: typeof jti === 'string' ? jti : null };
  }

  #key(instance: string): Uint8Array {
    try {
      // The text of the file is the key, as it stands.
      return Buffer.from(readFileSync(this.#keyFile(instance), 'ascii').trim(), 'ascii');
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw new Fault('not_found', 'no-token-key', `the instance "${instance}" has no key for tokens`);
    }
  }

  #keyFile(instance: string): string {
    if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/.test(instance)) {
      throw new Fault('not_found', 'no-token-key', 'there is no such instance');
    }
    return join(this.#o.storage, instance, 'key');
  }

  #isRevoked(instance: string, jti: string | null): boolean {
    if (jti === null) return false;
    if ((this.#revoked.get<IssuedToken>(jti)?.revoked ?? 0) > 0) return true;
    try {
      return readFileSync(join(this.#o.storage, instance, 'revoked'), 'ascii')
        .split(/\s+/)
        .includes(jti);
    } catch {
      return false;
    }
  }
}

/** jose's refusals as ours; the token itself is never told. */
function refusal(error: unknown): unknown {
  if (error instanceof Fault) return error;
  if (error instanceof errors.JWTExpired)
    return new Fault('forbidden', 'token-expired', 'the token has expired');
  if (error instanceof errors.JWTClaimValidationFailed) {
    return new Fault(
      'forbidden',
      'token-invalid',
      `the token is not for this: its claim "${error.claim}" does not fit`,
    );
  }
  if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError) {
    return new Fault('forbidden', 'token-invalid', 'the token is invalid');
  }
  return error;
}
