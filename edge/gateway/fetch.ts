/** Requests to an identity provider: TLS as configured, deadlines, no redirects, small answers only. */
import { readFileSync } from 'node:fs';
import { Agent, type Dispatcher, EnvHttpProxyAgent, ProxyAgent, request } from 'undici';
import { SignInFailure } from './failure.ts';

/** Largest answer of a provider, in bytes. */
const MAX_ANSWER = 1024 * 1024;
const CONNECT_TIMEOUT = 3000;
/** Most sockets to the provider at a time. */
const CONNECTIONS = 32;

export interface FetchSettings {
  readonly cacert: string | null;
  readonly verify_ssl: boolean;
  readonly proxy: string | null;
  /** Seconds for a whole request. */
  readonly timeout: number;
}

/** The provider could not be reached in time, or said too much. */
export class Unreachable extends Error {}

export interface ProviderFetch {
  /** Shaped like the web's fetch, as openid-client calls it. */
  fetch(url: string, options: FetchOptions): Promise<Response>;
  close(): Promise<void>;
}

interface FetchOptions {
  readonly method?: string | undefined;
  readonly headers?: Record<string, string> | undefined;
  readonly body?: unknown;
}

/** `proxies` are the environment's HTTPS_PROXY and the like, used when no proxy is configured. */
export function makeFetch(settings: FetchSettings, proxies: Readonly<Record<string, string>>): ProviderFetch {
  const dispatcher = makeDispatcher(settings, proxies);
  return {
    fetch: (url, options) => send(dispatcher, url, options, settings.timeout * 1000),
    close: () => dispatcher.destroy(),
  };
}

function makeDispatcher(settings: FetchSettings, proxies: Readonly<Record<string, string>>): Dispatcher {
  const tls = {
    rejectUnauthorized: settings.verify_ssl,
    ...(settings.cacert === null ? {} : { ca: readFileSync(settings.cacert) }),
  };
  const options = {
    connect: { ...tls, timeout: CONNECT_TIMEOUT },
    connections: CONNECTIONS,
    maxResponseSize: MAX_ANSWER,
  };
  if (settings.proxy !== null) return new ProxyAgent({ uri: settings.proxy, requestTls: tls, ...options });
  const { httpProxy, httpsProxy, noProxy } = readProxies(proxies);
  if (httpProxy === undefined && httpsProxy === undefined) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    requestTls: tls,
    ...(httpProxy === undefined ? {} : { httpProxy }),
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
  });
}

function readProxies(from: Readonly<Record<string, string>>) {
  const find = (name: string): string | undefined => from[name] || from[name.toLowerCase()] || undefined;
  return { httpProxy: find('HTTP_PROXY'), httpsProxy: find('HTTPS_PROXY'), noProxy: find('NO_PROXY') };
}

async function send(
  dispatcher: Dispatcher,
  url: string,
  { method = 'GET', headers = {}, body }: FetchOptions,
  timeout: number,
): Promise<Response> {
  const signal = AbortSignal.timeout(timeout);
  try {
    const answer = await request(url, {
      dispatcher,
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body === undefined || body === null ? null : String(body),
      signal,
      headersTimeout: timeout,
      bodyTimeout: timeout,
    });
    const bytes = await readAll(answer.body);
    const pairs = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    );
    return new Response(bytes.length === 0 ? null : bytes, {
      status: answer.statusCode,
      headers: pairs.filter(([name]) => name !== 'content-encoding' && name !== 'content-length'),
    });
  } catch (error) {
    throw new Unreachable(describe(error, signal.aborted, timeout), { cause: error });
  }
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw new Error(`the answer is larger than ${MAX_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function describe(error: unknown, late: boolean, timeout: number): string {
  if (late) return `no answer within ${timeout / 1000} s`;
  const { code, message } = error as { code?: string; message?: string };
  return code === undefined ? String(message) : `${message || 'request failed'} (${code})`;
}

/** Name under which our own check finds the ID token of a token answer. */
export const OWN_ID_TOKEN = 'rackwright_id_token';

/**
 * A token answer as openid-client shall see it: without `expires_in`, since we keep no access token and an odd one must
 * not fail a sign-in; and with the ID token under another name, since our own check is the stricter one and alone judges.
 */
export async function prepareTokens(answer: Response): Promise<Response> {
  const text = await answer.text();
  let body = text;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'id_token' in parsed) {
      const { id_token, ...rest } = parsed;
      body = JSON.stringify({ ...rest, [OWN_ID_TOKEN]: id_token, expires_in: undefined });
    }
  } catch {
    // openid-client tells what is wrong with it.
  }
  return new Response(body, { status: answer.status, headers: answer.headers });
}

/** The JSON object of an answer; throws SignInFailure `provider_error` on anything else. */
export async function readJson(answer: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await answer.json();
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return body as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw new SignInFailure('provider_error', 'the answer is no JSON object');
}
