/** Readers of a registry that look at its entry file, wait, and then read what it names: does it all fit together? */
import { createHash } from 'node:crypto';
import { Agent, get } from 'node:http';
import { gunzipSync } from 'node:zlib';

export type ReaderKind = 'apt-by-hash' | 'apt-plain' | 'dnf';

export interface ReadTarget {
  /** Address of the registry's tree, `http://127.0.0.1:5000/default/deb`. */
  readonly url: string;
  readonly kind: ReaderKind;
  /** Suite, or the path of a dnf repository below the address. */
  readonly suite: string;
  /** Paths of an apt index below the suite; the first one that is listed is read: `main/binary-amd64/Packages.gz`. */
  readonly indexes: readonly string[];
}

export interface ReadCount {
  /** Entry file and index, one read; and how many of these were followed to a package. */
  reads: number;
  packages: number;
  failed: number;
  /** Reads between whose two halves the registry was switched: those that could be torn. */
  straddled: number;
  /** States of the index that were seen. */
  readonly seen: Set<string>;
  /** What went wrong first. */
  first: string;
}

export function newCount(): ReadCount {
  return { reads: 0, packages: 0, failed: 0, straddled: 0, seen: new Set(), first: '' };
}

/** Every so many reads go on to a package that the index names, as an installation does. */
const FOLLOW = 10;

export interface Campaign {
  readonly count: ReadCount;
  /** Whether more reads are to be made. */
  wanted(): boolean;
  /** Milliseconds between an entry file and what it names. */
  delay(): number;
  /** How often the registry has been switched so far. */
  switches(): number;
}

/** One client over one kept connection, as apt and dnf read, until no more reads are wanted. */
export async function readUntil(target: ReadTarget, campaign: Campaign): Promise<void> {
  const { count } = campaign;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (let number = 0; campaign.wanted(); number++) {
      const problem = await readOnce(target, campaign, agent, number % FOLLOW === 0);
      count.reads++;
      if (problem === null) continue;
      count.failed++;
      if (count.first === '') count.first = problem;
    }
  } finally {
    agent.destroy();
  }
}

/** What is wrong with one look at the registry; null when all fits. */
async function readOnce(
  target: ReadTarget,
  campaign: Campaign,
  agent: Agent,
  follows: boolean,
): Promise<string | null> {
  const { url, kind, suite } = target;
  const { count } = campaign;
  const entry = kind === 'dnf' ? `${suite}/repodata/repomd.xml` : `dists/${suite}/InRelease`;
  const first = await fetchWhole(`${url}/${entry}`, agent);
  const before = campaign.switches();
  if (first.status !== 200) return `${entry}: status ${first.status}`;
  const text = first.body.toString('utf8');
  const named = kind === 'dnf' ? namedByRepomd(text) : namedByRelease(text, target.indexes);
  if (!named) return `${entry} names no index`;
  count.seen.add(named.sha256);
  const delay = campaign.delay();
  await new Promise(resolve => setTimeout(resolve, delay));
  if (campaign.switches() > before) count.straddled++;
  const path = pathOf(target, named);
  const index = await fetchNamed(`${url}/${path}`, named.sha256, agent);
  if (typeof index === 'string') return `${index}, which ${entry} named ${delay} ms before`;
  if (!follows || !named.path.endsWith('.gz')) return null;
  count.packages++;
  return readPackage(target, gunzipSync(index).toString('utf8'), agent);
}

function pathOf({ kind, suite }: ReadTarget, named: Named): string {
  if (kind === 'dnf') return `${suite}/${named.path}`;
  if (kind === 'apt-plain') return `dists/${suite}/${named.path}`;
  const folder = named.path.slice(0, named.path.lastIndexOf('/'));
  return `dists/${suite}/${folder}/by-hash/SHA256/${named.sha256}`;
}

/** The first package of an index: whether it is there, as the index says. */
async function readPackage(target: ReadTarget, index: string, agent: Agent): Promise<string | null> {
  const isDnf = target.kind === 'dnf';
  const path = (isDnf ? /<location href="([^"]+)"/ : /^Filename: (.+)$/m).exec(index)?.[1];
  const sha256 = (isDnf ? /pkgid="YES">([0-9a-f]{64})</ : /^SHA256: ([0-9a-f]{64})$/m).exec(index)?.[1];
  if (path === undefined || sha256 === undefined) return null;
  const url = `${target.url}/${isDnf ? `${target.suite}/` : ''}${path}`;
  const answer = await fetchNamed(url, sha256, agent);
  return typeof answer === 'string' ? `${answer}, which the index names` : null;
}

/** The file, or what is wrong with it. */
async function fetchNamed(url: string, sha256: string, agent: Agent): Promise<Buffer | string> {
  const { status, body } = await fetchWhole(url, agent);
  if (status !== 200) return `${url}: status ${status}`;
  if (createHash('sha256').update(body).digest('hex') !== sha256) return `${url} has other content`;
  return body;
}

interface Named {
  readonly path: string;
  readonly sha256: string;
}

function namedByRelease(text: string, indexes: readonly string[]): Named | null {
  for (const path of indexes) {
    const line = text.split('\n').find(one => /^ [0-9a-f]{64} /.test(one) && one.endsWith(` ${path}`));
    if (line !== undefined) return { path, sha256: line.slice(1, 65) };
  }
  return null;
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
