/** Searching a registry of 200,000 artifacts for one letter, until the whole answer is there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPair } from '../support/pair.ts';
import { openRegistry } from '../support/registry.ts';
import { entryOf, seedName } from '../support/seed-apt.ts';
import { tinyDeb } from '../support/tiny-deb.ts';
import { type Bench, type BenchRow, quantile } from './row.ts';

const ARTIFACTS = 200_000;
/** Entries recorded in one publication. */
const BATCH = 20_000;
const RUNS = 9;
/** Seconds. */
const AIM = 1;

export const bench: Bench = { name: 'search', run };

async function run(): Promise<BenchRow[]> {
  const home = mkdtempSync(join(tmpdir(), 'rw-bench-'));
  try {
    // The registry of the tests lies as the daemon's `lib` does.
    record(join(home, 'lib'));
    const pair = await startPair({ home });
    try {
      return [await row(pair.url, 'many', 7), await row(pair.url, 'all', 'p')];
    } finally {
      await pair.stop();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Publishes them in the catalogue only: searches read nothing else. */
function record(home: string): void {
  const registry = openRegistry({ home });
  const key = { format: 'deb', distribution: 'bookworm', derivative: null } as const;
  const like = entryOf(tinyDeb('x', '1.0-1'));
  for (let at = 0; at < ARTIFACTS; at += BATCH) {
    const add = Array.from({ length: BATCH }, (_, index) => {
      const name = seedName(at + index);
      return {
        ...like,
        name,
        files: [{ path: `pool/${name}`, size: 1, sha256: '' }],
        stanza: '',
        content: [],
      };
    });
    const generation = `seed-${at}`;
    const intent = { registry: key, task: 'seed', attempt: 1, generation, digest: '', add, remove: [] };
    const granted = registry.catalogue.answer('default', { type: 'intent', intent }) as { intent: number };
    registry.catalogue.answer('default', { type: 'switched', intent: granted.intent, done: true });
  }
  registry.close();
}

async function row(url: string, matches: string, contains: string | number): Promise<BenchRow> {
  const times: number[] = [];
  let found = 0;
  for (let at = 0; at < RUNS; at++) {
    const start = performance.now();
    const answer = await fetch(`${url}/default/search.json?artifact=${contains}`);
    const text = await answer.text();
    times.push((performance.now() - start) / 1000);
    if (answer.status !== 200) throw new Error(`status ${answer.status}: ${text.slice(0, 200)}`);
    found = text.split('"name":').length - 1;
  }
  const ours = quantile(times, 0.5);
  return {
    measured: `search for one letter over ${ARTIFACTS} artifacts, ${matches} matching, ${found} answered: seconds at the edge, median of ${RUNS}`,
    ours,
    peer: null,
    aim: { text: `<= ${AIM} s`, met: ours <= AIM },
    note: 'the server that clients know starts programs for its reads; it can not run here',
  };
}
