/** One upstream fetch for any number of readers: answers kept for seconds, in memory and, by setting, in Redis. */
import { createClient } from '@redis/client';
import type { CacheCounts } from './metrics.ts';

export interface CacheOptions {
  /** Null keeps answers in memory only. */
  readonly redis: { readonly host: string; readonly port: number; readonly password: string | null } | null;
  /** Put before every key, so that agents that share a Redis never mix theirs. */
  readonly prefix: string;
  /** Whether hits are counted and the settings' times hold; otherwise answers are kept for SHORT only. */
  readonly enabled: boolean;
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

/** Seconds an answer is kept without a cache: what polling frontends share. */
const SHORT = 4;
/** Answers kept in memory; single jobs and nodes are many. */
const MAX_ENTRIES = 1000;
/** Spans of past jobs kept in memory: each may be a list as long as the cluster's history. */
const MAX_PAST = 8;
/** Milliseconds for one Redis command; a slower one counts as a miss. */
const REDIS_TIMEOUT = 500;

interface Entry {
  readonly value: Promise<unknown>;
  /** When the answer came, in milliseconds since the epoch; null while it is under way. */
  came: number | null;
  /** Milliseconds it is kept from then on. */
  readonly kept: number;
}

type RedisClient = ReturnType<typeof openRedis>;

export class Cache {
  readonly #options: CacheOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #redis: RedisClient | null;
  #hit: Record<string, number> = {};
  #miss: Record<string, number> = {};
  #warned = false;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#redis = options.redis ? this.#connect(options.redis) : null;
  }

  get counts(): CacheCounts {
    return { hit: this.#hit, miss: this.#miss };
  }

  reset(): void {
    this.#hit = {};
    this.#miss = {};
  }

  async close(): Promise<void> {
    this.#redis?.destroy();
  }

  /**
   * The kept answer of a key, else what `load` answers. However long that takes, all who ask meanwhile wait for it: a
   * slow Slurm is never asked the same twice at once. A failure is shared by those who wait, and not kept.
   */
  read<T>(kind: string, key: string, seconds: number, load: () => Promise<T>): Promise<T> {
    const { now, enabled } = this.#options;
    const name = `${kind}:${key}`;
    const known = this.#entries.get(name);
    if (known && this.#holds(known)) {
      if (enabled) this.#hit[kind] = (this.#hit[kind] ?? 0) + 1;
      return known.value as Promise<T>;
    }
    const kept = enabled ? seconds : Math.min(seconds, SHORT);
    const value = this.#fetch(kind, name, kept, load);
    const entry: Entry = { value, came: null, kept: kept * 1000 };
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    this.#shrink();
    value.then(
      () => {
        entry.came = now();
      },
      () => {
        if (this.#entries.get(name) === entry) this.#entries.delete(name);
      },
    );
    return value;
  }

  /** Whether an answer may still be given. A clock that was set back makes it too old, not young for hours. */
  #holds({ came, kept }: Entry): boolean {
    if (came === null) return true;
    const age = this.#options.now() - came;
    return age >= 0 && age < kept;
  }

  async #fetch<T>(kind: string, name: string, seconds: number, load: () => Promise<T>): Promise<T> {
    const stored = await this.#stored(name);
    const counts = stored === null ? this.#miss : this.#hit;
    if (this.#options.enabled) counts[kind] = (counts[kind] ?? 0) + 1;
    if (stored !== null) return stored.value as T;
    const value = await load();
    void this.#store(name, value, seconds);
    return value;
  }

  /** Forgets what is too old at once, whatever the number: a list of a large cluster takes tens of megabytes. */
  #shrink(): void {
    for (const [name, entry] of this.#entries) if (!this.#holds(entry)) this.#entries.delete(name);
    this.#forget([...this.#entries.keys()].filter(name => name.startsWith('jobs_past:')).slice(0, -MAX_PAST));
    this.#forget([...this.#entries.keys()].slice(0, -MAX_ENTRIES));
  }

  #forget(names: readonly string[]): void {
    for (const name of names) this.#entries.delete(name);
  }

  #connect(redis: NonNullable<CacheOptions['redis']>): RedisClient {
    const client = openRedis(redis);
    client.on('error', error => this.#trouble(error));
    client.on('ready', () => {
      this.#warned = false;
    });
    client.connect().catch(error => this.#trouble(error));
    return client;
  }

  /** What Redis keeps; null for nothing, and for what is no answer of ours. */
  async #stored(name: string): Promise<{ readonly value: unknown } | null> {
    if (!this.#redis?.isReady) return null;
    let kept: string | null;
    try {
      kept = await within(this.#redis.get(this.#options.prefix + name), REDIS_TIMEOUT);
    } catch (error) {
      this.#trouble(error);
      return null;
    }
    try {
      return kept === null ? null : { value: JSON.parse(kept) };
    } catch {
      return null;
    }
  }

  async #store(name: string, value: unknown, seconds: number): Promise<void> {
    if (!this.#redis?.isReady) return;
    try {
      const life = { expiration: { type: 'EX', value: Math.max(1, seconds) } } as const;
      await within(this.#redis.set(this.#options.prefix + name, JSON.stringify(value), life), REDIS_TIMEOUT);
    } catch (error) {
      this.#trouble(error);
    }
  }

  /** Redis away is no outage: said once, until it is back. */
  #trouble(error: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    const message = error instanceof Error ? error.message : String(error);
    this.#options.warn(`Redis is not to be had, answers are kept in memory: ${message}`);
  }
}

function openRedis(redis: NonNullable<CacheOptions['redis']>) {
  return createClient({
    socket: {
      host: redis.host,
      port: redis.port,
      connectTimeout: 3000,
      reconnectStrategy: tries => Math.min(tries * 200, 10_000),
    },
    disableOfflineQueue: true,
    ...(redis.password === null ? {} : { password: redis.password }),
  });
}

function within<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
