/** Fetches what an apt or dnf repository on the network lists, after checking its signature and every digest. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import { toDebianArchitecture } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import { fetchCached } from '../source/download.ts';
import { firstLine } from './control.ts';
import { signatureFault, signedText } from './signatures.ts';
import { unpack } from './unpack.ts';
import { MAX_UPDATEINFO, type Notice, readNotices } from './updateinfo.ts';

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
  const text = await fetchRelease(context, fetcher, suite);
  const listed = new Map(
    [...text.slice(text.indexOf('\nSHA256:')).matchAll(/^ ([0-9a-f]{64}) +\d+ (\S+)$/gm)].map(match => [
      match[2] ?? '',
      match[1] ?? '',
    ]),
  );
  const all = /^Components: (.*)$/m.exec(text)?.[1]?.split(/\s+/) ?? [];
  const words = ['all', ...context.job.instance.architectures.map(toDebianArchitecture)];
  const wanted: Wanted[] = [];
  for (const component of from.components.length > 0 ? from.components : all) {
    const folders = words.map(word => `${component}/binary-${word}/Packages`);
    for (const index of [...folders, `${component}/source/Sources`]) {
      const packed = ['.gz', '.xz', ''].map(end => index + end).find(path => listed.has(path));
      if (packed === undefined) continue;
      const file = await fetcher.index({ path: `${suite}/${packed}`, sha256: listed.get(packed) ?? '' });
      const text = (await unpack(context, file, MAX_INDEX)).toString('utf8');
      for (const one of stanzaFiles(text)) wanted.push(one);
    }
  }
  await fetcher.files(wanted);
}

/** The signed list of a suite's indexes: InRelease, or where there is none Release with Release.gpg. */
async function fetchRelease(context: TaskContext, fetcher: Fetcher, suite: string): Promise<string> {
  const find = (name: string): Promise<string> => fetcher.index({ path: `${suite}/${name}`, sha256: '' });
  const inline = await find('InRelease').catch(error => {
    if (error instanceof Fault && error.details.status === 404) return null;
    throw error;
  });
  if (inline !== null) return fetcher.signedText(inline);
  context.console.log('info', `${suite} has no InRelease: taking Release with Release.gpg`);
  const release = await find('Release');
  await fetcher.verify(await find('Release.gpg'), release);
  return readFileSync(release, 'utf8');
}

/** Files of a Packages or Sources index. Only a line feed ends a line, whatever a description holds. */
function stanzaFiles(text: string): Wanted[] {
  return text.split('\n\n').flatMap((stanza): Wanted[] => {
    const filename = firstLine(stanza, 'Filename');
    if (filename !== '') return [{ path: filename, sha256: firstLine(stanza, 'SHA256') }];
    const sums = /(?:^|\n)Checksums-Sha256:[ \t]*\n((?: [^\n]*\n?)*)/i.exec(stanza)?.[1] ?? '';
    return [...sums.matchAll(/(?<=^|\n) ([0-9a-f]{64}) \d+ (\S+)(?=\n|$)/g)].map(match => ({
      path: `${firstLine(stanza, 'Directory')}/${match[2]}`,
      sha256: match[1] ?? '',
    }));
  });
}

/** Fetches all packages of a dnf repository into a folder; answers its update notices. */
export async function fetchDnf(context: TaskContext, from: Repository, folder: string): Promise<Notice[]> {
  const fetcher = await openFetcher(context, from, folder);
  const repomd = await fetcher.index({ path: 'repodata/repomd.xml', sha256: '' });
  const signature = await fetcher.index({ path: 'repodata/repomd.xml.asc', sha256: '' });
  await fetcher.verify(signature, repomd);
  const listed = readFileSync(repomd, 'utf8');
  const primary = dataOf(listed, 'primary');
  if (!primary) throw new Fault('invalid', 'bad-package', `${from.url}: repomd.xml names no primary index`);
  const xml = (await unpack(context, await fetcher.index(primary), MAX_INDEX)).toString('utf8');
  const wanted = (xml.match(/<package [\s\S]*?<\/package>/g) ?? []).map(piece => ({
    path: (/<location [^>]*?href="([^"]+)"/.exec(piece)?.[1] ?? '').replaceAll('&amp;', '&'),
    sha256: /<checksum type="sha256"[^>]*>([0-9a-f]{64})</.exec(piece)?.[1] ?? '',
  }));
  await fetcher.files(wanted);
  const notices = dataOf(listed, 'updateinfo');
  if (!notices) return [];
  const file = await fetcher.index(notices);
  return readNotices(await unpack(context, file, MAX_UPDATEINFO), `${from.url}/${notices.path}`);
}

/** A file of the metadata as repomd.xml names it; null where it names none of that kind. */
function dataOf(repomd: string, kind: string): Wanted | null {
  const data = new RegExp(`<data type="${kind}">([\\s\\S]*?)</data>`).exec(repomd)?.[1] ?? '';
  const sha256 = /<checksum type="sha256">([0-9a-f]{64})</.exec(data)?.[1];
  const path = /<location href="([^"]+)"/.exec(data)?.[1];
  return sha256 === undefined || path === undefined ? null : { path, sha256 };
}

interface Fetcher {
  /** Fetches an index beside the packages; checks the digest unless it is empty. Answers its path. */
  index(wanted: Wanted): Promise<string>;
  /** Fetches packages, each with its digest, every folder of the repository into one of its own. */
  files(wanted: readonly Wanted[]): Promise<void>;
  /** Checks a signature of a file against the trusted keys. */
  verify(signature: string, file: string): Promise<void>;
  /** What the trusted keys have signed of a clear-signed file. */
  signedText(file: string): Promise<string>;
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
  const { stdout } = await context.runTool(['gpg', '--dearmor'], { jail: { read: [] }, input: from.keys });
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
    files: async listed => {
      const wanted = distinct(from, listed);
      // Numbered: whatever the repository's folders are called, and however deep they are.
      const folders = new Map<string, string>();
      for (const [index, one] of wanted.entries()) {
        context.progress('fetching', index, wanted.length);
        const there = posix.dirname(one.path);
        const target = folders.get(there) ?? join(folder, String(folders.size));
        folders.set(there, target);
        await fetchTo(one, join(target, basename(one.path)));
      }
    },
    verify: async (signature, file) => {
      const fault = await signatureFault(context, keyring, [signature, file]);
      if (fault === null) return;
      throw new Fault(
        'refused',
        'bad-package',
        `${from.url} is not signed by a key that was given: ${fault}`,
      );
    },
    signedText: file => signedText(context, keyring, file, `${from.url}: InRelease`),
  };
}

/** Each file once, by its path. Throws `bad-package` for what can't be fetched safely, or is listed with two digests. */
function distinct(from: Repository, listed: readonly Wanted[]): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const { path, sha256 } of listed) {
    const one = { path: posix.normalize(path), sha256 };
    const twin = wanted.get(one.path);
    if (twin !== undefined && twin.sha256 !== sha256) {
      const shown = one.path.slice(0, 200);
      throw new Fault('invalid', 'bad-package', `${from.url} lists "${shown}" with two different digests`);
    }
    wanted.set(one.path, one);
  }
  const files = [...wanted.values()];
  check(from, files);
  return files;
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
