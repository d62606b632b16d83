/** The provider's signing keys: cached, reloaded once for an unknown key, kept in use while they can't be fetched. */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { SignInFailure } from './failure.ts';
import type { ProviderFetch } from './fetch.ts';

/** Life of fetched keys, in ms. */
const MAX_AGE = 3_600_000;
/** Unknown keys make us fetch again this often at most, in ms. */
const RELOAD_EVERY = 30_000;
/** Most keys of a set that are looked at. */
const MAX_KEYS = 1000;

type KeySet = ReturnType<typeof createLocalJWKSet>;

export class ProviderKeys {
  private readonly url: string;
  private readonly fetch: ProviderFetch['fetch'];
  private readonly now: () => number;
  private set: KeySet | null = null;
  private fetched = Number.NEGATIVE_INFINITY;
  private reloaded = Number.NEGATIVE_INFINITY;
  private loading: Promise<KeySet> | null = null;

  constructor(url: string, fetch: ProviderFetch['fetch'], now: () => number) {
    this.url = url;
    this.fetch = fetch;
    this.now = now;
  }

  /** Finds the key for a token's header, as jose asks for it. Never follows what a header names. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    // Only these two lead to a key; jwk, jku, x5u and x5c are the sender's word.
    const plain = { ...header, alg: header.alg };
    const set = await this.current();
    try {
      return await set(plain, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (this.now() - this.reloaded < RELOAD_EVERY) throw error;
      this.reloaded = this.now();
      return (await this.load().catch(() => set))(plain, token);
    }
  };

  private async current(): Promise<KeySet> {
    if (this.set && this.now() - this.fetched < MAX_AGE) return this.set;
    try {
      return await this.load();
    } catch (error) {
      if (this.set) return this.set;
      throw error;
    }
  }

  private load(): Promise<KeySet> {
    this.loading ??= this.download().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  private async download(): Promise<KeySet> {
    const answer = await this.fetch(this.url, { headers: { accept: 'application/json' } });
    if (answer.status !== 200) {
      throw new SignInFailure('provider_error', `${this.url} answered ${answer.status}`);
    }
    const keys: unknown = await answer.json().then(
      (body: { keys?: unknown } | null) => body?.keys,
      () => undefined,
    );
    if (!Array.isArray(keys)) throw new SignInFailure('provider_error', `${this.url} holds no key set`);
    const known = keys.slice(0, MAX_KEYS).filter(key => typeof key === 'object' && key !== null);
    this.set = createLocalJWKSet({ keys: known } as JSONWebKeySet);
    this.fetched = this.now();
    return this.set;
  }
}
