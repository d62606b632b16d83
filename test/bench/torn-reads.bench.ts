/** The harness of our torn-read campaign run on reprepro and aptly: how many readers are caught between two states. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DEB, RegistryPair } from '../support/registry-pair.ts';
import { random, SEED, scaled } from '../support/scale.ts';
import { newCount, type ReadCount, type ReaderKind, readUntil } from '../support/torn-reads.ts';
import { serveTree } from '../support/tree-server.ts';
import type { Bench, BenchRow } from './row.ts';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const PUBLISHER = file('../support/peer-publisher.ts');
const CHANGER = file('../support/registry-changer.ts');
const READERS = 32;

export const bench: Bench = {
  name: 'torn-reads',
  run: async () => {
    const { served, stored } = await readOurs();
    const rows: BenchRow[] = [];
    for (const peer of ['reprepro', 'aptly'] as const) rows.push(await row(served, peer, 'apt-plain'));
    return [...rows, await row(stored, 'aptly', 'apt-by-hash')];
  },
};

interface Ours {
  /** By plain names through our edge, as users have it. */
  readonly served: ReadCount;
  /** By content from a plain web server over the same files. */
  readonly stored: ReadCount;
}

async function readOurs(): Promise<Ours> {
  const site = await RegistryPair.open();
  await site.importDeb('hello', '1-1');
  const child = spawn(process.execPath, [CHANGER, site.pair.controlSocket, DEB.format], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const served = await read(`${site.pair.url}/site/deb`, DEB.distribution, 'apt-plain');
  const tree = join(site.home, 'lib/registry/site/deb');
  const stored = await readFolder(tree, DEB.distribution, 'apt-by-hash');
  child.stdin.end();
  await once(child, 'close');
  await site.close();
  return { served, stored };
}

async function row(ours: ReadCount, peer: string, kind: ReaderKind): Promise<BenchRow> {
  const child = spawn(process.execPath, [PUBLISHER, peer], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [tree] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const count = await readFolder(tree, 'bookworm', kind);
  child.stdin.end();
  await once(child, 'close');
  const how =
    kind === 'apt-plain'
      ? 'by plain names; ours through our edge, the peer from a plain web server'
      : 'by content, from a plain web server';
  return {
    measured: `reads caught between two states, percent of ${count.reads}`,
    ours: (100 * ours.failed) / ours.reads,
    peer: { name: peer, value: (100 * count.failed) / count.reads },
    aim: { text: '0', met: ours.failed === 0 },
    note: `${how}; seen were ${ours.seen.size} states of ours, ${count.seen.size} of ${peer}'s`,
  };
}

async function readFolder(tree: string, suite: string, kind: ReaderKind): Promise<ReadCount> {
  const server = await serveTree(tree);
  const count = await read(server.url, suite, kind);
  await server.close();
  return count;
}

async function read(url: string, suite: string, kind: ReaderKind): Promise<ReadCount> {
  const count = newCount();
  const dice = random(SEED);
  const target = { url, kind, suite, indexes: ['main/binary-amd64/Packages.gz'] };
  const campaign = {
    count,
    wanted: () => count.reads < scaled(20_000, 0.02),
    delay: () => Math.floor(dice() * 150),
    switches: () => 0,
  };
  await Promise.all(Array.from({ length: READERS }, () => readUntil(target, campaign)));
  return count;
}
