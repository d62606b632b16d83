/** HTTP requests of the command line: credential, time limits, and what a refusal says in words. */
import { Agent, type BodyInit, fetch, type Response } from 'undici';
import { errorCode, Fault, isReason, KINDS, type Kind, type Reason } from '../../proto/fault.ts';

/** Milliseconds until an answer must begin; submissions are answered once they are on the disk. */
const ANSWER_LIMIT = 120_000;
/** Milliseconds of silence after which a followed journal is asked for again; servers send heartbeats far more often. */
const SILENCE_LIMIT = 300_000;
const CONNECT_LIMIT = 15_000;
/** Most of an error's body that is looked at, in characters. */
const MAX_ERROR_TEXT = 64 * 1024;

export interface RestRequest {
  readonly method?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: object;
  readonly body?: BodyInit;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Sent without the token: it belongs to one instance. */
  readonly anonymous?: boolean;
}

export interface RestClient {
  /** The answer of a request that succeeded; `path` begins with a slash. Throws Fault for every refusal. */
  ask(path: string, request?: RestRequest): Promise<Response>;
  /** The same, read as JSON. */
  json<T>(path: string, request?: RestRequest): Promise<T>;
  close(): Promise<void>;
}

export interface RestOptions {
  readonly base: string;
  readonly complete: boolean;
  readonly token: string | null;
  /** Told of each request, in full debug mode. */
  readonly trace: (text: string) => void;
}

/** Opens a client; nothing is sent yet. Where the address names no instance, the server is asked for one first. */
export function openRest(options: RestOptions): RestClient {
  const agent = new Agent({
    headersTimeout: ANSWER_LIMIT,
    bodyTimeout: SILENCE_LIMIT,
    connect: { timeout: CONNECT_LIMIT },
  });
  const authorization = options.token === null ? {} : { authorization: `Bearer ${options.token}` };
  const send = async (url: string, request: RestRequest): Promise<Response> => {
    const method = request.method ?? 'GET';
    const started = performance.now();
    try {
      const response = await fetch(url, {
        method,
        dispatcher: agent,
        headers: {
          accept: 'application/json, */*',
          ...(request.anonymous ? {} : authorization),
          ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
        },
        body: request.json === undefined ? (request.body ?? null) : JSON.stringify(request.json),
        signal: request.signal ?? null,
      });
      options.trace(`${method} ${url}: ${response.status} in ${Math.round(performance.now() - started)} ms`);
      if (!response.ok) throw await refusalOf(response);
      return response;
    } catch (error) {
      throw error instanceof Fault ? error : unreachable(error, url);
    }
  };
  let found: Promise<string> | null = null;
  const base = (): Promise<string> => {
    found ??= options.complete ? Promise.resolve(options.base) : findInstance(options.base, send);
    return found;
  };
  const ask = async (path: string, request: RestRequest = {}): Promise<Response> => {
    const query = request.query ? `?${encodeQuery(request.query)}` : '';
    return send(`${await base()}${path}${query}`, request);
  };
  return {
    ask,
    async json<T>(path: string, request?: RestRequest): Promise<T> {
      const response = await ask(path, request);
      try {
        return (await response.json()) as T;
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw unreachable(error, response.url);
        throw new Fault(
          'unavailable',
          'unreachable',
          `${response.url} does not answer JSON: is it the right address?`,
        );
      }
    },
    close: () => agent.destroy(),
  };
}

/** Base of the instance to use at a server whose address names none: its only one, or `default`. */
async function findInstance(
  base: string,
  send: (url: string, request: RestRequest) => Promise<Response>,
): Promise<string> {
  let answer: Response;
  try {
    answer = await send(`${base}/instances.json`, { anonymous: true });
  } catch (error) {
    // A server of one instance has no list of them, and no name of it in its paths.
    if (error instanceof Fault && error.kind === 'not_found') return base;
    throw error;
  }
  const instances = (await answer.json().catch(() => null)) as { id: string }[] | null;
  if (!Array.isArray(instances)) {
    throw new Fault(
      'unavailable',
      'unreachable',
      `${base} is no build service: its /instances.json is no list`,
    );
  }
  const names = instances.map(instance => instance.id);
  const chosen = names.length === 1 ? names[0] : names.find(name => name === 'default');
  if (chosen !== undefined) return `${base}/${chosen}`;
  const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  throw new Fault(
    'invalid',
    'bad-input',
    `${base} does not say which instance (${known}); add --instance NAME`,
  );
}

function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
}

function unreachable(error: unknown, url: string): Fault {
  const cause = (error as { cause?: unknown } | null)?.cause ?? error;
  const why = errorCode(cause) || (cause instanceof Error ? cause.message : String(cause));
  return new Fault(
    'unavailable',
    'unreachable',
    `${new URL(url).origin} can't be reached: ${why}`,
    {},
    { cause: error },
  );
}

/** A refusal as a Fault: JSON errors, problem documents and error pages alike. */
async function refusalOf(response: Response): Promise<Fault> {
  const body = (await response.text().catch(() => '')).slice(0, MAX_ERROR_TEXT);
  const kind = kindOf(response.status);
  const json = (response.headers.get('content-type') ?? '').includes('json');
  const { words, reason } = json ? saidInJson(body) : { words: wordsOfPage(body), reason: null };
  const message = words === '' ? `${response.url}: ${response.status} ${response.statusText}` : words;
  return new Fault(kind, reason ?? USUAL_REASONS[kind] ?? 'bad-input', message, { status: response.status });
}

/** Reasons of refusals that name none. */
const USUAL_REASONS: Partial<Record<Kind, Reason>> = {
  not_found: 'not-found',
  forbidden: 'no-permission',
  unavailable: 'busy',
};

function kindOf(status: number): Kind {
  if (status === 409) return 'refused';
  if (status >= 502) return 'unavailable';
  const known = (Object.keys(KINDS) as Kind[]).find(kind => KINDS[kind].http === status);
  // An error of the server is told as it is: nothing here is ours to trace.
  return known === undefined || known === 'internal' ? (status >= 500 ? 'unavailable' : 'invalid') : known;
}

function saidInJson(body: string): { words: string; reason: Reason | null } {
  try {
    const { error, detail, title, reason } = JSON.parse(body) as Record<string, unknown>;
    const words = [detail, error, title].find(words => typeof words === 'string') as string | undefined;
    return { words: words ?? '', reason: isReason(reason) ? reason : null };
  } catch {
    return { words: '', reason: null };
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
  '#39': "'",
  '#x27': "'",
};

/** The text of a small error page, its title and headings left out where more is said. */
function wordsOfPage(body: string): string {
  const text = (markup: string): string =>
    markup
      .replace(/<[^>]*>/g, ' ')
      .replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
      .replace(/\s+/g, ' ')
      .trim();
  const main = /<main[^>]*>([\s\S]*?)<\/main>/i.exec(body)?.[1] ?? body;
  const bare = main.replace(/<(head|h1|nav|style|script)\b[\s\S]*?<\/\1>/gi, ' ');
  return text(bare) || text(body);
}
