/** Readers of a registry that look at its index, wait, and then read what it names: do the two always fit? */
import { createHash } from 'node:crypto';
import { Agent, get } from 'node:http';

export type ReaderKind = 'apt-by-hash' | 'apt-plain' | 'dnf';

export interface ReadTarget {
  /** Address of the registry's tree, `http://127.0.0.1:5000/default/deb`. */
  readonly url: string;
  readonly kind: ReaderKind;
  /** Suite, or the path of a dnf repository below the address. */
  readonly suite: string;
  /** Path of the index below the suite, `main/binary-amd64/Packages.gz`. */
  readonly index: string;
}

export interface ReadCount {
  reads: number;
  failed: number;
  /** States of the index that were seen. */
  readonly seen: Set<string>;
  /** What went wrong first. */
  first: string;
}

export function newCount(): ReadCount {
  return { reads: 0, failed: 0, seen: new Set(), first: '' };
}

/** One client over one kept connection, as apt and dnf read, until `wanted` reads are counted in all. */
export async function readUntil(
  target: ReadTarget,
  count: ReadCount,
  wanted: () => boolean,
  delay: () => number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    while (wanted()) {
      const problem = await readOnce(target, count, agent, delay());
      count.reads++;
      if (problem === null) continue;
      count.failed++;
      if (count.first === '') count.first = problem;
    }
  } finally {
    agent.destroy();
  }
}

/** What is wrong with one look at the index; null when all fits. */
async function readOnce(
  target: ReadTarget,
  count: ReadCount,
  agent: Agent,
  delay: number,
): Promise<string | null> {
  const { url, kind, suite } = target;
  const entry = kind === 'dnf' ? `${suite}/repodata/repomd.xml` : `dists/${suite}/InRelease`;
  const first = await fetchWhole(`${url}/${entry}`, agent);
  if (first.status !== 200) return `${entry}: status ${first.status}`;
  const text = first.body.toString('utf8');
  const named = kind === 'dnf' ? namedByRepomd(text) : namedByRelease(text, target.index);
  if (!named) return `${entry} names no index`;
  count.seen.add(named.sha256);
  await new Promise(resolve => setTimeout(resolve, delay));
  const folder = target.index.slice(0, target.index.lastIndexOf('/'));
  const path =
    kind === 'dnf'
      ? `${suite}/${named.path}`
      : kind === 'apt-plain'
        ? `dists/${suite}/${target.index}`
        : `dists/${suite}/${folder}/by-hash/SHA256/${named.sha256}`;
  const index = await fetchWhole(`${url}/${path}`, agent);
  if (index.status !== 200) return `${path}: status ${index.status}`;
  const sha256 = createHash('sha256').update(index.body).digest('hex');
  return sha256 === named.sha256 ? null : `${path} is not what ${entry} named ${delay} ms before`;
}

interface Named {
  readonly path: string;
  readonly sha256: string;
}

function namedByRelease(text: string, index: string): Named | null {
  const section = text.slice(text.indexOf('\nSHA256:'));
  const line = section.split('\n').find(one => one.endsWith(` ${index}`));
  const sha256 = line?.trim().split(/\s+/)[0];
  return sha256 === undefined ? null : { path: index, sha256 };
}

function namedByRepomd(text: string): Named | null {
  const data = /<data type="primary">([\s\S]*?)<\/data>/.exec(text)?.[1] ?? '';
  const sha256 = /<checksum type="sha256">([0-9a-f]{64})</.exec(data)?.[1];
  const path = /<location href="([^"]+)"/.exec(data)?.[1];
  return sha256 === undefined || path === undefined ? null : { path, sha256 };
}

function fetchWhole(url: string, agent: Agent): Promise<{ status: number; body: Buffer }> {
  return new Promise(resolve => {
    get(url, { agent }, response => {
      const chunks: Buffer[] = [];
      response.on('data', chunk => chunks.push(chunk as Buffer));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      // A file that shrank while it was sent: the connection ends before the promised length.
      response.on('error', error => resolve({ status: 0, body: Buffer.from(error.message) }));
    }).on('error', error => resolve({ status: 0, body: Buffer.from(error.message) }));
  });
}
