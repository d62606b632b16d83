/** Fetches what an apt or dnf repository on the network lists, after checking its signature and every digest. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { Fault } from '../../proto/fault.ts';
import { toDebianArchitecture } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import { fetchCached } from '../source/download.ts';

/** Packages taken at once, at most. */
const MAX_FILES = 200_000;
/** Bytes of one index, unpacked. */
const MAX_INDEX = 1024 * 1024 * 1024;

export interface Repository {
  /** Address without a slash at its end. */
  readonly url: string;
  /** Of apt: the suite, and the components to take; all when empty. */
  readonly suite: string;
  readonly components: readonly string[];
  /** Armored public keys to trust. */
  readonly keys: string;
}

interface Wanted {
  /** Relative to the repository. */
  readonly path: string;
  readonly sha256: string;
}

/** Fetches all packages of an apt repository for the instance's architectures into a folder. */
export async function fetchApt(context: TaskContext, from: Repository, folder: string): Promise<void> {
  const fetcher = await openFetcher(context, from, folder);
  const suite = `dists/${from.suite}`;
  const signed = await fetcher.index({ path: `${suite}/InRelease`, sha256: '' });
  await fetcher.verify([signed]);
  const text = insideSignature(readFileSync(signed, 'utf8'));
  const listed = new Map(
    [...text.slice(text.indexOf('\nSHA256:')).matchAll(/^ ([0-9a-f]{64}) +\d+ (\S+)$/gm)].map(match => [
      match[2] ?? '',
      match[1] ?? '',
    ]),
  );
  const all = /^Components: (.*)$/m.exec(text)?.[1]?.split(/\s+/) ?? [];
  const words = ['all', ...context.job.instance.architectures.map(toDebianArchitecture)];
  const wanted = new Map<string, Wanted>();
  for (const component of from.components.length > 0 ? from.components : all) {
    const folders = words.map(word => `${component}/binary-${word}/Packages`);
    for (const index of [...folders, `${component}/source/Sources`]) {
      const packed = ['.gz', '.xz', ''].map(end => index + end).find(path => listed.has(path));
      if (packed === undefined) continue;
      const file = await fetcher.index({ path: `${suite}/${packed}`, sha256: listed.get(packed) ?? '' });
      for (const one of stanzaFiles(await unpack(context, file))) wanted.set(basename(one.path), one);
    }
  }
  await fetcher.files([...wanted.values()]);
}

/** Files of a Packages or Sources index. */
function stanzaFiles(text: string): Wanted[] {
  return text.split('\n\n').flatMap((stanza): Wanted[] => {
    const field = (name: string): string =>
      new RegExp(`^${name}: *(.*)$`, 'm').exec(stanza)?.[1]?.trim() ?? '';
    const filename = field('Filename');
    if (filename !== '') return [{ path: filename, sha256: field('SHA256') }];
    const sums = /^Checksums-Sha256:\n((?: .*\n?)*)/m.exec(stanza)?.[1] ?? '';
    return [...sums.matchAll(/^ ([0-9a-f]{64}) \d+ (\S+)$/gm)].map(match => ({
      path: `${field('Directory')}/${match[2]}`,
      sha256: match[1] ?? '',
    }));
  });
}

/** Fetches all packages of a dnf repository into a folder. */
export async function fetchDnf(context: TaskContext, from: Repository, folder: string): Promise<void> {
  const fetcher = await openFetcher(context, from, folder);
  const repomd = await fetcher.index({ path: 'repodata/repomd.xml', sha256: '' });
  const signature = await fetcher.index({ path: 'repodata/repomd.xml.asc', sha256: '' });
  await fetcher.verify([signature, repomd]);
  const data = /<data type="primary">([\s\S]*?)<\/data>/.exec(readFileSync(repomd, 'utf8'))?.[1] ?? '';
  const sha256 = /<checksum type="sha256">([0-9a-f]{64})</.exec(data)?.[1];
  const path = /<location href="([^"]+)"/.exec(data)?.[1];
  if (sha256 === undefined || path === undefined) {
    throw new Fault('invalid', 'bad-package', `${from.url}: repomd.xml names no primary index`);
  }
  const xml = await unpack(context, await fetcher.index({ path, sha256 }));
  const wanted = (xml.match(/<package [\s\S]*?<\/package>/g) ?? []).map(piece => ({
    path: (/<location [^>]*?href="([^"]+)"/.exec(piece)?.[1] ?? '').replaceAll('&amp;', '&'),
    sha256: /<checksum type="sha256"[^>]*>([0-9a-f]{64})</.exec(piece)?.[1] ?? '',
  }));
  await fetcher.files(wanted);
}

interface Fetcher {
  /** Fetches an index beside the packages; checks the digest unless it is empty. Answers its path. */
  index(wanted: Wanted): Promise<string>;
  /** Fetches packages, each with its digest. */
  files(wanted: readonly Wanted[]): Promise<void>;
  /** Checks a clear-signed file, or a signature and its file, against the trusted keys. */
  verify(files: readonly string[]): Promise<void>;
}

async function openFetcher(context: TaskContext, from: Repository, folder: string): Promise<Fetcher> {
  if (from.keys.trim() === '') {
    throw new Fault(
      'invalid',
      'bad-input',
      `${from.url}: give the public keys that its index is signed with`,
    );
  }
  const indexes = join(folder, '.indexes');
  mkdirSync(indexes, { recursive: true });
  const keyring = join(indexes, 'keys.gpg');
  const { stdout } = await context.runTool(['gpg', '--dearmor'], { input: from.keys });
  writeFileSync(keyring, stdout);
  let number = 0;
  const fetchTo = async ({ path, sha256 }: Wanted, target: string): Promise<string> => {
    await fetchCached({
      url: `${from.url}/${path.split('/').map(encodeURIComponent).join('/')}`,
      checksums: sha256 === '' ? {} : { sha256 },
      path: target,
      tell: () => undefined,
      signal: context.signal,
      task: context.job.task,
    });
    return target;
  };
  return {
    index: wanted => fetchTo(wanted, join(indexes, `${number++}-${basename(wanted.path)}`)),
    files: async wanted => {
      check(from, wanted);
      for (const [index, one] of wanted.entries()) {
        context.progress('fetching', index, wanted.length);
        await fetchTo(one, join(folder, basename(one.path)));
      }
    },
    verify: async files => {
      const { exitCode, stderr } = await context.runTool(['gpgv', '--keyring', keyring, ...files], {
        accept: [0, 1, 2],
      });
      if (exitCode === 0) return;
      const said = stderr.trim().split('\n').at(-1) ?? '';
      throw new Fault('refused', 'bad-package', `${from.url} is not signed by a key that was given: ${said}`);
    },
  };
}

function check(from: Repository, wanted: readonly Wanted[]): void {
  if (wanted.length === 0) throw new Fault('not_found', 'not-found', `${from.url} lists no package to take`);
  if (wanted.length > MAX_FILES) {
    throw new Fault(
      'exhausted',
      'too-large',
      `${from.url} lists ${wanted.length} files, the limit is ${MAX_FILES}`,
    );
  }
  for (const { path, sha256 } of wanted) {
    const odd = path.split('/').some(part => part === '..' || part.startsWith('.'));
    if (odd || sha256 === '') {
      throw new Fault(
        'invalid',
        'bad-package',
        `${from.url} lists "${path.slice(0, 200)}", which can't be fetched safely`,
      );
    }
  }
}

async function unpack(context: TaskContext, file: string): Promise<string> {
  const bytes = readFileSync(file);
  const limit = { maxOutputLength: MAX_INDEX };
  if (file.endsWith('.gz')) return gunzipSync(bytes, limit).toString('utf8');
  if (file.endsWith('.zst')) return zstdDecompressSync(bytes, limit).toString('utf8');
  if (!file.endsWith('.xz')) return bytes.toString('utf8');
  const { stdout } = await context.runTool(['xz', '-dc', file], { maxOutput: MAX_INDEX });
  return stdout.toString('utf8');
}

/** The text that a clear signature covers; gpgv has checked it. */
function insideSignature(text: string): string {
  const start = text.indexOf('\n\n');
  const end = text.indexOf('\n-----BEGIN PGP SIGNATURE-----');
  return start < 0 || end < start ? '' : text.slice(start + 1, end);
}
