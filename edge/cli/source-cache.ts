/** Upstream archives that `patches` needs, fetched once and kept in the user's cache. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../proto/fault.ts';
import type { Definition } from './definition.ts';

/** Milliseconds for one download. */
const DOWNLOAD_LIMIT = 1_800_000;
/** Algorithms that definitions may name. */
const ALGORITHMS: ReadonlySet<string> = new Set(['sha1', 'sha256', 'sha384', 'sha512']);

/** The archive of a definition's source, from the cache or from its URL; its checksums are checked each time. */
export async function fetchSource(
  definition: Definition,
  source: string,
  version: string,
  cache: string,
): Promise<string> {
  const { url, filename } = address(definition, source, version);
  const checksums = definition.checksums(source, version);
  const path = join(cache, definition.artifact, filename);
  if (await stat(path).catch(() => null)) {
    if (await fits(path, checksums)) return path;
    await rm(path);
  }
  await mkdir(join(cache, definition.artifact), { recursive: true });
  const fresh = `${path}.${process.pid}.new`;
  try {
    await download(url, fresh);
    if (!(await fits(fresh, checksums))) {
      throw new Fault(
        'invalid',
        'bad-checksum',
        `${url}: what came has another checksum than the definition says`,
      );
    }
    await rename(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
  return path;
}

/** URL and file name of a source. Only what nearly every definition uses of templates is understood here. */
function address(definition: Definition, source: string, version: string): { url: string; filename: string } {
  const template = definition.url(source);
  if (template === null) {
    throw new Fault(
      'invalid',
      'no-source',
      `${definition.artifact} has no URL for source ${source}: give it with --sources`,
    );
  }
  const rendered = template.replace(
    /\{\{\s*version\s*(\|\s*gittag\s*)?\}\}/g,
    (_whole, gittag: string | undefined) => (gittag === undefined ? version : version.replaceAll('~', '-')),
  );
  if (/\{[{%#]/.test(rendered)) {
    const told = `the URL of source ${source} needs the server's templates: give the source with --sources`;
    throw new Fault('invalid', 'bad-template', told);
  }
  const [url = '', named] = rendered.split('!');
  const last = URL.canParse(url) ? basename(new URL(url).pathname) : '';
  const filename = named ?? last;
  if (!/^https?:/.test(url) || filename === '' || filename.includes('/')) {
    throw new Fault('invalid', 'bad-definition', `"${rendered}" is no URL of an archive`);
  }
  return { url, filename };
}

async function download(url: string, path: string): Promise<void> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_LIMIT) });
    if (answer.status !== 200 || !answer.body) throw new Error(`the server answers ${answer.status}`);
    await pipeline(
      Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]),
      createWriteStream(path),
    );
  } catch (error) {
    const cause = (error as { cause?: unknown }).cause ?? error;
    throw new Fault(
      'unavailable',
      'download',
      `${url}: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

async function fits(path: string, checksums: Readonly<Record<string, string>>): Promise<boolean> {
  for (const [algorithm, expected] of Object.entries(checksums)) {
    if (!ALGORITHMS.has(algorithm)) {
      throw new Fault('invalid', 'bad-definition', `"${algorithm}" is no checksum algorithm of definitions`);
    }
    const hash = createHash(algorithm);
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    if (hash.digest('hex') !== expected.toLowerCase()) return false;
  }
  return true;
}
