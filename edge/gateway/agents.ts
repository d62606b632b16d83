/** The cluster agents behind the gateway: what each says of itself, kept fresh, and one that fails hurts no other. */
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { errorCode } from '../../proto/fault.ts';

/** What an agent announces at /info; members that old agents lack are filled in. */
export interface AgentInfo {
  readonly cluster: string;
  readonly version: string;
  readonly metrics: boolean;
  readonly cache: boolean;
  readonly racksdb: { readonly enabled: boolean; readonly infrastructure: string; readonly version: string };
  readonly slurmdbd: { readonly jobs_max_hours: number };
}

export interface AgentsSettings {
  readonly url: readonly string[];
  readonly cacert: string | null;
  /** Oldest version that is understood. */
  readonly version: string;
  readonly racksdb_version: string;
  /** Seconds. */
  readonly timeout: number;
}

/** Seconds between looks at a healthy agent, and the first and last pause before a failing one is tried again. */
const REFRESH = 60;
const RETRY_FIRST = 5;
const RETRY_LAST = 60;
/** Largest answer that is read whole: /info and /permissions, in bytes. */
const MAX_ANSWER = 256 * 1024;
/** Most requests to one agent at a time; more wait. */
const CONNECTIONS = 64;
/** Most viewers of one agent's events; an agent of ours refuses more itself. */
const STREAMS = 1000;
/** Slurm-web agents before 7 don't say; theirs is the default of the setting. */
const DEFAULT_JOBS_MAX_HOURS = 168;

export class Agent {
  readonly url: string;
  readonly pool: Pool;
  /** For answers that have no end, which would otherwise take the others' connections. */
  readonly streams: Pool;
  /** Path of the URL, in front of every request's. */
  readonly base: string;
  /** Last known, also while the agent fails. */
  info: AgentInfo | null = null;
  /** Why the last look failed. */
  trouble: string | null = 'not reached yet';
  private readonly settings: AgentsSettings;
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private closed = false;

  constructor(url: string, settings: AgentsSettings) {
    this.url = url;
    this.settings = settings;
    const parsed = new URL(url);
    this.base = parsed.pathname.replace(/\/$/, '');
    const timeout = settings.timeout * 1000;
    const ca = settings.cacert === null ? {} : { ca: readFileSync(settings.cacert) };
    const options = { headersTimeout: timeout, connect: { timeout, ...ca } };
    this.pool = new Pool(parsed.origin, { ...options, connections: CONNECTIONS, bodyTimeout: timeout });
    this.streams = new Pool(parsed.origin, { ...options, connections: STREAMS, bodyTimeout: 0 });
  }

  /** The cluster's name, or host and port of an agent never reached. */
  get name(): string {
    return this.info?.cluster ?? new URL(this.url).host;
  }

  /** Looks now and from then on regularly. */
  open(pause = RETRY_FIRST): void {
    void this.look().then(() => {
      if (this.closed) return;
      const wait = this.trouble === null ? REFRESH : pause;
      const next = this.trouble === null ? RETRY_FIRST : Math.min(pause * 2, RETRY_LAST);
      this.timer = setTimeout(() => this.open(next), wait * 1000);
      this.timer.unref();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    await this.pool.destroy();
  }

  /** Ends the answers that have no end; before `close`. */
  async endStreams(): Promise<void> {
    await this.streams.destroy();
  }

  /** Waits for a look that is under way; an agent never reached is looked at again. */
  async settled(): Promise<void> {
    if (this.looking || this.info === null) await this.look();
  }

  private look(): Promise<void> {
    this.looking ??= this.readInfo()
      .then(
        info => {
          this.info = info;
          this.trouble = tooOld(info.version, this.settings.version)
            ? `the agent has version ${info.version}; at least ${this.settings.version} is needed`
            : null;
        },
        error => {
          this.trouble = describeTrouble(error, this.settings.timeout);
        },
      )
      .finally(() => {
        this.looking = null;
      });
    return this.looking;
  }

  private async readInfo(): Promise<AgentInfo> {
    const { status, body } = await this.get('/info');
    if (status !== 200) throw new Error(`/info answered ${status}`);
    return parseInfo(body, this.settings.racksdb_version);
  }

  /** Reads a small JSON answer whole. */
  async get(path: string, token?: string): Promise<{ status: number; body: unknown }> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const signal = AbortSignal.timeout(this.settings.timeout * 1000);
    const answer = await this.pool.request({ method: 'GET', path: this.base + path, headers, signal });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_ANSWER) throw new Error(`${path} answered more than ${MAX_ANSWER} bytes`);
      chunks.push(chunk);
    }
    let body: unknown = null;
    try {
      body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      if (answer.statusCode === 200) throw new Error(`${path} did not answer JSON`);
    }
    return { status: answer.statusCode, body };
  }
}

function parseInfo(body: unknown, oldestRacksdb: string): AgentInfo {
  const info = body as Readonly<Record<string, unknown>> | null;
  if (typeof info !== 'object' || info === null) throw new Error('/info did not answer an object');
  const { cluster, version, metrics, cache } = info;
  if (typeof cluster !== 'string' || cluster === '') throw new Error('/info names no cluster');
  if (typeof version !== 'string' || !/^\d+(\.\d+)*/.test(version)) throw new Error('/info names no version');
  const racksdb = record(info.racksdb);
  const hours = record(info.slurmdbd).jobs_max_hours;
  const racksdbVersion = typeof racksdb.version === 'string' ? racksdb.version : '';
  const usable = /^\d+(\.\d+)*/.test(racksdbVersion) && !tooOld(racksdbVersion, oldestRacksdb);
  return {
    cluster,
    version,
    metrics: metrics === true,
    cache: cache === true,
    racksdb: {
      enabled: racksdb.enabled === true && usable,
      infrastructure: typeof racksdb.infrastructure === 'string' ? racksdb.infrastructure : cluster,
      version: racksdbVersion,
    },
    slurmdbd: {
      jobs_max_hours: typeof hours === 'number' && Number.isFinite(hours) ? hours : DEFAULT_JOBS_MAX_HOURS,
    },
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Compares versions number by number; what follows the numbers is not looked at. */
export function tooOld(version: string, oldest: string): boolean {
  const numbers = (text: string): number[] => (/^\d+(?:\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number);
  const [own, least] = [numbers(version), numbers(oldest)];
  for (let at = 0; at < Math.max(own.length, least.length); at += 1) {
    const difference = (own[at] ?? 0) - (least[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network unreachable',
  ECONNRESET: 'connection reset',
  UND_ERR_SOCKET: 'connection closed',
};

/** Whether an error of a request is about time. */
export function isLate(error: unknown): boolean {
  const { name } = error as { name?: string };
  return name === 'TimeoutError' || /TIMEOUT|ETIMEDOUT/.test(errorCode(error));
}

/** The reason a person reads beside a cluster that does not answer. */
export function describeTrouble(error: unknown, timeout: number): string {
  if (isLate(error)) return `no answer within ${timeout} s`;
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const known = NETWORK[errorCode(inner)];
  if (known !== undefined) return known;
  return inner instanceof Error ? inner.message : String(inner);
}
