/** The harness of our torn-read campaign run on reprepro and aptly: how many readers are caught between two states. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { random, SEED, scaled } from '../support/scale.ts';
import { newCount, type ReadCount, readUntil } from '../support/torn-reads.ts';
import { serveTree } from '../support/tree-server.ts';
import type { Bench, BenchRow } from './row.ts';

const PUBLISHER = fileURLToPath(new URL('../support/peer-publisher.ts', import.meta.url));
const TIMER = fileURLToPath(new URL('../support/publish-timer.ts', import.meta.url));
const READERS = 8;

export const bench: Bench = {
  name: 'torn-reads',
  run: async () => {
    const ours = await measureOurs();
    return [await row(ours, 'reprepro'), await row(ours, 'aptly')];
  },
};

/** Ours as a plain web server serves it, read by content as apt does. The edge is measured by its own test. */
async function measureOurs(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'rw-bench-'));
  execFileSync(process.execPath, [TIMER, home, 'seed', '5']);
  const child = spawn(process.execPath, [TIMER, home, 'deb', '5', '100000'], { stdio: 'ignore' });
  const count = await read(join(home, 'registry/default/deb'), 'apt-by-hash');
  child.kill('SIGKILL');
  await once(child, 'close');
  rmSync(home, { recursive: true, force: true });
  return (100 * count.failed) / count.reads;
}

async function row(ours: number, peer: string): Promise<BenchRow> {
  const child = spawn(process.execPath, [PUBLISHER, peer], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [tree] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const count = await read(tree, 'apt-plain');
  child.stdin.end();
  await once(child, 'close');
  return {
    measured: `readers caught between two states during publications, percent of ${count.reads}`,
    ours,
    peer: { name: peer, value: (100 * count.failed) / count.reads },
    aim: { text: '0', met: ours === 0 },
    note: `ours read by content from a plain web server, ${peer} by plain names; it was seen in ${count.seen.size} states`,
  };
}

async function read(tree: string, kind: 'apt-plain' | 'apt-by-hash'): Promise<ReadCount> {
  const server = await serveTree(tree);
  const count = newCount();
  const dice = random(SEED);
  const target = {
    url: server.url,
    kind,
    suite: 'bookworm',
    index: 'main/binary-amd64/Packages.gz',
  } as const;
  const wanted = (): boolean => count.reads < scaled(20_000, 0.02);
  const delay = (): number => Math.floor(dice() * 150);
  await Promise.all(Array.from({ length: READERS }, () => readUntil(target, count, wanted, delay)));
  await server.close();
  return count;
}
