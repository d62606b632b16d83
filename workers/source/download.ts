/** Fetches sources over HTTP and HTTPS into the cache, and checks them. The only importer of undici in the workers. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { type Details, errorCode, Fault } from '../../proto/fault.ts';
import type { Algorithm, Checksums } from './definition-reader.ts';

/** Milliseconds: to connect, for the answer's head, between two pieces of its body. */
const CONNECT_TIMEOUT = 10_000;
const HEADERS_TIMEOUT = 60_000;
const BODY_TIMEOUT = 60_000;
/** Redirections followed before giving up. */
const MAX_REDIRECTS = 5;
/** Bytes of a source, whatever its length header says. */
const MAX_DOWNLOAD = 8 * 1024 ** 3;
const MAX_URL = 4096;

export interface Download {
  readonly url: string;
  readonly checksums: Checksums;
  /** Absolute path in the cache. */
  readonly path: string;
  /** Told in one line what is being done. */
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
  /** Names the temporary file, so that two tasks never write the same one. */
  readonly task: string;
}

/**
 * Makes sure that the cache holds the file, whole and with the right checksums. A cached one is checked again, and
 * fetched once more when it is bad. Throws `download` or `bad-checksum`.
 */
export async function fetchCached(download: Download): Promise<void> {
  const { path, checksums, tell } = download;
  const shown = withoutCredentials(download.url);
  const cached = await stat(path).then(
    found => found.isFile(),
    () => false,
  );
  if (cached) {
    const wrong = await mismatch(path, checksums);
    if (wrong === null) return tell(`${shown} is in the cache`);
    tell(`the cached copy of ${shown} is damaged (${wrong}): fetching it again`);
  }
  await mkdir(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${download.task}.part`);
  try {
    tell(`downloading ${shown}`);
    await fetchTo(download, temporary);
    const wrong = await mismatch(temporary, checksums);
    if (wrong !== null) {
      throw new Fault('invalid', 'bad-checksum', `${shown} is not what the definition expects: ${wrong}`);
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Says which checksum differs, null when all fit. */
export async function mismatch(path: string, checksums: Checksums): Promise<string | null> {
  const wanted = Object.entries(checksums) as [Algorithm, string][];
  const hashes = wanted.map(([algorithm, expected]) => ({
    algorithm,
    expected,
    hash: createHash(algorithm),
  }));
  for await (const chunk of createReadStream(path))
    for (const { hash } of hashes) hash.update(chunk as Buffer);
  for (const { algorithm, expected, hash } of hashes) {
    const found = hash.digest('hex');
    if (found !== expected) return `${algorithm} is ${found}, not ${expected}`;
  }
  return null;
}

/** Refuses all but absolute HTTP and HTTPS addresses. Throws `bad-definition`. */
export function checkUrl(text: string, where: string): URL {
  const url = text.length <= MAX_URL && !/[\s\x00-\x1f]/.test(text) ? URL.parse(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Fault(
      'invalid',
      'bad-definition',
      `${where}: "${withoutCredentials(text).slice(0, 200)}" is no http or https address`,
    );
  }
  return url;
}

async function fetchTo(download: Download, target: string): Promise<void> {
  const agent = new EnvHttpProxyAgent({ connect: { timeout: CONNECT_TIMEOUT } });
  try {
    const body = await follow(new URL(download.url), download, agent);
    const file = await open(target, 'w', 0o644);
    try {
      let size = 0;
      await pipeline(
        body,
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            size += chunk.length;
            if (size > MAX_DOWNLOAD) throw failed(download.url, `is larger than ${MAX_DOWNLOAD} bytes`);
            yield chunk;
          }
        },
        file.createWriteStream(),
        { signal: download.signal },
      );
    } finally {
      await file.close().catch(() => undefined);
    }
  } catch (error) {
    download.signal.throwIfAborted();
    if (error instanceof Fault || ['ENOSPC', 'EDQUOT'].includes(errorCode(error))) throw error;
    throw failed(download.url, describe(error));
  } finally {
    await agent.destroy();
  }
}

/** The body behind at most MAX_REDIRECTS redirections; anything but 200 is a fault. */
async function follow(start: URL, download: Download, agent: Dispatcher): Promise<AsyncIterable<Buffer>> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      signal: download.signal,
      headersTimeout: HEADERS_TIMEOUT,
      bodyTimeout: BODY_TIMEOUT,
      headers: { 'user-agent': 'rackwright', accept: '*/*', 'accept-encoding': 'identity' },
    });
    if (statusCode === 200) return body;
    // What is left of the answer is not wanted, and neither is the error of leaving it.
    body.on('error', () => undefined).destroy();
    const location = [headers.location].flat()[0];
    if (statusCode < 300 || statusCode > 399 || location === undefined) {
      const where = url.href === start.href ? '' : ` at ${withoutCredentials(url.href)}`;
      throw failed(download.url, `answers ${statusCode}${where}`, { status: statusCode });
    }
    const next = URL.parse(location, url);
    if (next === null || (next.protocol !== 'http:' && next.protocol !== 'https:')) {
      throw failed(
        download.url,
        `leads to "${withoutCredentials(location).slice(0, 200)}", no http or https address`,
      );
    }
    url = next;
  }
  throw failed(download.url, `redirects more than ${MAX_REDIRECTS} times`);
}

function describe(error: unknown): string {
  const code = errorCode(error);
  const text = error instanceof Error ? error.message : String(error);
  return `can not be fetched: ${text}${code !== '' && !text.includes(code) ? ` (${code})` : ''}`;
}

function failed(url: string, what: string, details: Details = {}): Fault {
  const shown = withoutCredentials(url);
  return new Fault('unavailable', 'download', `${shown} ${what}`, { url: shown.slice(0, 500), ...details });
}

/** An address as messages and journals show it, which more people read than may know its password. */
export function withoutCredentials(address: string): string {
  return address.replace(/^([^/\\?#:]*:)?([/\\]*)[^/\\?#]*@/, '$1$2');
}
