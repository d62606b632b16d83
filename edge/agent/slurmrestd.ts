/** The client of slurmrestd: finds the newest API version both speak, asks, and turns every failure into a Fault. */
import type { Readable } from 'node:stream';
import { type Dispatcher, errors, Pool } from 'undici';
import { Fault } from '../../proto/fault.ts';
import { type OnElement, readLargeObject } from './json-stream.ts';
import type { SlurmHeaders } from './slurm-auth.ts';
import { integer, items, member, type Raw, raw, text } from './values.ts';

export interface SlurmrestdOptions {
  /** `unix:///PATH` or `http(s)://HOST:PORT`. */
  readonly target: string;
  readonly headers: SlurmHeaders;
  /** API versions to try, newest first. */
  readonly versions: readonly string[];
  /** Seconds for one request, its body included. */
  readonly timeout: number;
  /** Seconds after which the version is looked for again. */
  readonly rediscover: number;
  readonly now: () => number;
  readonly warn: (text: string) => void;
  /** Told of the version that was found, when it is another than before. */
  readonly info: (text: string) => void;
  /** Told of each request and what became of it; never of a credential. */
  readonly trace: (text: string) => void;
}

/** What answered: `{ api: "0.0.38", slurm: "22.05.8", cluster: "" }`. */
export interface SlurmVersions {
  readonly api: string;
  readonly slurm: string;
  /** Empty where the daemon does not tell (22.05). */
  readonly cluster: string;
}

/** What is done with the answer's lists; every other member is returned. */
export interface Collect {
  readonly lists: ReadonlySet<string>;
  readonly onElement: OnElement;
}

const NOTHING: Collect = { lists: new Set(), onElement: () => undefined };
/** Bytes of a refusal in plain text that are looked at. */
const MAX_TEXT = 4096;
/** Requests under way at once; slurmrestd works on few at a time. */
const CONNECTIONS = 4;
/** ESLURM_INVALID_JOB_ID, ESLURM_INVALID_NODE_NAME and protocol authentication errors of slurm_errno.h. */
const NO_JOB = 2017;
const NO_NODE = 2018;
const NO_AUTH = 1007;
/** ESLURM_REST_EMPTY_RESULT of slurm_errno.h: how accounting of 22.05 says that nothing matches. */
export const EMPTY_RESULT = 9003;

export class Slurmrestd {
  readonly #options: SlurmrestdOptions;
  readonly #pool: Pool;
  #known: { versions: SlurmVersions; at: number } | null = null;
  #discovery: Promise<SlurmVersions> | null = null;
  #told = '';
  /** Whether the last answer may have been a refusal of our credential: then the next request has a new one. */
  #refused = false;

  constructor(options: SlurmrestdOptions) {
    this.#options = options;
    const unix = /^unix:\/\/(\/.*)$/.exec(options.target)?.[1];
    this.#pool = new Pool(unix === undefined ? options.target.replace(/\/$/, '') : 'http://slurmrestd', {
      connections: CONNECTIONS,
      connect: { timeout: 3000, ...(unix === undefined ? {} : { socketPath: unix }) },
      headersTimeout: options.timeout * 1000,
      bodyTimeout: options.timeout * 1000,
      keepAliveTimeout: 4000,
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  /** The version in use; asks the daemon when none is known or the last look is too old. */
  async versions(): Promise<SlurmVersions> {
    const { now, rediscover } = this.#options;
    if (this.#known && now() - this.#known.at < rediscover * 1000) return this.#known.versions;
    this.#discovery ??= this.#discover().finally(() => {
      this.#discovery = null;
    });
    return this.#discovery;
  }

  /**
   * GET of a path below `/slurm/v{api}/` or, with `accounting`, `/slurmdb/v{api}/`. Throws Faults: `not_found`,
   * `timeout`, `slurm-unreachable`, `slurm-auth`, `slurm-error`.
   */
  async get(path: string, collect: Collect = NOTHING, accounting = false): Promise<Raw> {
    const { api } = await this.versions();
    const root = accounting ? 'slurmdb' : 'slurm';
    try {
      return await this.#ask(`/${root}/v${api}/${path}`, collect);
    } catch (error) {
      if (!(error instanceof MissingPath)) throw error;
      // An upgrade may have taken the version away: look again, and ask once more when it did.
      this.#known = null;
      const again = await this.versions();
      if (again.api === api) throw error;
      return this.#ask(`/${root}/v${again.api}/${path}`, collect);
    }
  }

  /** Asks whether slurmrestd and slurmctld answer now. Throws as `get` does. */
  async ping(): Promise<SlurmVersions> {
    const answer = await this.get('ping');
    const { api } = await this.versions();
    const down = items(answer.pings)
      .map(raw)
      // `ping` up to 0.0.39, `pinged` after.
      .filter(one => /^down$/i.test(text(one.ping ?? one.pinged)));
    if (down.length > 0 && down.length === items(answer.pings).length) {
      const hosts = down.map(one => text(one.hostname)).join(', ');
      throw new Fault('unavailable', 'slurm-error', `slurmctld does not answer slurmrestd: ${hosts} down`);
    }
    return versionsOf(api, answer);
  }

  async #discover(): Promise<SlurmVersions> {
    const { versions, warn, info, now } = this.#options;
    let problem: unknown = null;
    for (const api of versions) {
      try {
        const answer = await this.#ask(`/slurm/v${api}/ping`, NOTHING);
        const found = versionsOf(api, answer);
        if (this.#told !== `${api} ${found.slurm}`) {
          info(`slurmrestd is of Slurm ${found.slurm} and speaks version ${api} with us`);
        }
        this.#told = `${api} ${found.slurm}`;
        this.#known = { versions: found, at: now() };
        return found;
      } catch (error) {
        if (error instanceof Unusable) warn(error.message);
        else if (!(error instanceof MissingPath)) throw error;
        problem = error;
      }
    }
    throw new Fault(
      'unavailable',
      'slurm-error',
      `slurmrestd speaks none of the API versions ${versions.join(', ')}${problem instanceof Unusable ? `; ${problem.message}` : ''}`,
    );
  }

  async #ask(path: string, collect: Collect): Promise<Raw> {
    const headers = { accept: 'application/json', ...(await this.#options.headers(this.#refused)) };
    const signal = AbortSignal.timeout(this.#options.timeout * 1000);
    const { now, trace } = this.#options;
    const began = now();
    try {
      const response = await this.#pool.request({ method: 'GET', path, headers, signal });
      const answer = await readAnswer(path, response, collect);
      this.#refused = false;
      trace(`GET ${path}: read in ${now() - began} ms`);
      return answer;
    } catch (error) {
      const told = translate(error, this.#options);
      // 22.05 words a refused token as any other error.
      this.#refused =
        told instanceof Fault &&
        told.kind === 'unavailable' &&
        (told.reason === 'slurm-auth' || told.reason === 'slurm-error');
      trace(`GET ${path}: ${told instanceof Error ? told.message : String(told)} after ${now() - began} ms`);
      throw told;
    }
  }
}

function versionsOf(api: string, answer: Raw): SlurmVersions {
  const meta = raw(member(raw(answer.meta), 'slurm'));
  const version = raw(meta.version);
  const parts = [version.major, version.minor, version.micro].map(text).filter(Boolean);
  const slurm = text(meta.release) || parts.join('.');
  if (slurm === '') throw new Unusable(`version ${api}: the answer names no release`);
  return { api, slurm, cluster: text(meta.cluster) };
}

/** 404 in plain text: slurmrestd knows no such path. */
class MissingPath extends Fault {
  constructor(path: string) {
    super('not_found', 'slurm-error', `slurmrestd knows no ${path}`);
  }
}

/** An answer of a version that can't be used; another may do. */
class Unusable extends Fault {
  constructor(message: string) {
    super('unavailable', 'slurm-error', message);
  }
}

async function readAnswer(path: string, response: Dispatcher.ResponseData, collect: Collect): Promise<Raw> {
  const { statusCode: status, headers } = response;
  if (!/^application\/json\b/i.test(text(headers['content-type']))) {
    return refuseText(path, status, await firstText(response.body));
  }
  const answer = await readLargeObject(response.body, collect.lists, collect.onElement).catch(
    (error: unknown) => {
      throw path.endsWith('/ping') && error instanceof Fault
        ? new Unusable(`${path}: ${error.message}`)
        : error;
    },
  );
  const failures = items(answer.errors).map(raw);
  if (status === 200 && failures.length === 0) {
    // Every version sends both lists, empty ones too: without it an answer is no empty cluster.
    const list = /^\/slurm\/[^/]+\/(nodes|jobs)$/.exec(path)?.[1];
    if (list === undefined || Array.isArray(answer[list])) return answer;
    throw new Fault('unavailable', 'slurm-error', `slurmrestd answered ${path} without a list of ${list}`);
  }
  throw refusal(status, failures);
}

function refuseText(path: string, status: number, body: string): never {
  if (status === 404) throw new MissingPath(path);
  if (status === 401 || /authentication/i.test(body)) {
    throw new Fault(
      'unavailable',
      'slurm-auth',
      `slurmrestd refused our credential: ${body || `status ${status}`}`,
    );
  }
  const why = `slurmrestd answered ${status} with ${body === '' ? 'nothing' : `text: ${body}`}`;
  throw path.endsWith('/ping') && status === 200
    ? new Unusable(why)
    : new Fault('unavailable', 'slurm-error', why);
}

/** `slurmrestd error: DESCRIPTION (SOURCE) [ERROR/NUMBER]`, the text that Slurm-web's users know. */
function refusal(status: number, failures: readonly Raw[]): Fault {
  const first = failures[0] ?? {};
  const code = integer(first.error_number ?? first.errno);
  const description = text(first.description) || text(first.error) || `status ${status}`;
  const source = text(first.source) || 'unknown source';
  const message = `slurmrestd error: ${description} (${source}) [${text(first.error) || 'unknown error'}/${code}]`;
  if (code === NO_JOB || code === NO_NODE || status === 404 || /^failure to query node/i.test(description)) {
    return new Fault('not_found', 'not-found', message, { code });
  }
  if (code === NO_AUTH || status === 401 || status === 511) {
    return new Fault('unavailable', 'slurm-auth', message, { code });
  }
  return new Fault('unavailable', 'slurm-error', message, { code });
}

async function firstText(body: Readable): Promise<string> {
  let head = '';
  for await (const chunk of body) {
    head += (chunk as Buffer).toString('utf8');
    if (head.length > MAX_TEXT) break;
  }
  return head.slice(0, MAX_TEXT).replace(/\s+/g, ' ').trim();
}

function translate(error: unknown, options: SlurmrestdOptions): unknown {
  if (error instanceof Fault) return error;
  const name = error instanceof Error ? error.name : '';
  if (
    name === 'TimeoutError' ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  ) {
    return new Fault('unavailable', 'timeout', `slurmrestd did not answer within ${options.timeout} s`);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new Fault(
    'unavailable',
    'slurm-unreachable',
    `no connection to ${options.target}: ${message}`,
    {},
    { cause: error },
  );
}
