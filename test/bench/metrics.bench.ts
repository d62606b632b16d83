/** The agent at scale: collection of 10,000 nodes and 100,000 jobs beside `JSON.parse` of the same bytes, and scrapes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { readLargeObject } from '../../edge/agent/json-stream.ts';
import { addJob, addNode, emptyTally } from '../../edge/agent/tally.ts';
import { openAgent } from '../support/agent.ts';
import { scriptedSlurmrestd } from '../support/slurmrestd.ts';
import { type Bench, type BenchRow, quantile } from './row.ts';

const NODES = 10_000;
const JOBS = 100_000;
const SCRAPERS = 50;
const ROUNDS = 20;
const MiB = 1024 * 1024;

export const bench: Bench = { name: 'metrics of a large cluster', run };

async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rwbench-'));
  const upstream = await scriptedSlurmrestd({ nodes: NODES, jobs: JOBS });
  const agent = await openAgent(
    folder,
    `[service]\ncluster=alpha\n[slurmrestd]\nuri=${upstream.url}\njwt_mode=static\njwt_token=any\ntimeout=60\n` +
      '[metrics]\nenabled=yes\ninterval=3600\nmax_age=7200\n',
  );
  try {
    return [...(await collection(upstream.url)), ...(await scrapes(agent.address, upstream.asked))];
  } finally {
    await agent.close();
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Bodies as they arrive, kept, so that reading them is timed without the time to make them. */
async function bodies(url: string): Promise<Buffer[][]> {
  return Promise.all(
    ['nodes', 'jobs'].map(async list => {
      const answer = await request(`${url}/slurm/v0.0.38/${list}`);
      const chunks: Buffer[] = [];
      for await (const chunk of answer.body) chunks.push(chunk as Buffer);
      return chunks;
    }),
  );
}

async function collection(url: string): Promise<BenchRow[]> {
  const [nodes = [], jobs = []] = await bodies(url);
  const ours: number[] = [];
  const peer: number[] = [];
  let grown = 0;
  for (let round = 0; round < 5; round++) {
    const before = process.memoryUsage().rss;
    const began = performance.now();
    const tally = emptyTally();
    await readLargeObject(each(nodes), new Set(['nodes']), (_list, node) => addNode(tally, node));
    await readLargeObject(each(jobs), new Set(['jobs']), (_list, job) => addJob(tally, job, 0));
    ours.push((performance.now() - began) / 1000);
    grown = Math.max(grown, (process.memoryUsage().rss - before) / MiB);
    if (tally.jobsTotal !== JOBS || tally.nodesTotal !== NODES) throw new Error('counted wrongly');
    const whole = performance.now();
    for (const chunks of [nodes, jobs]) JSON.parse(Buffer.concat(chunks).toString('utf8'));
    peer.push((performance.now() - whole) / 1000);
  }
  const seconds = quantile(ours, 0.5);
  return [
    {
      measured: `collect ${NODES} nodes and ${JOBS} jobs beyond upstream's time, seconds, median of 5`,
      ours: seconds,
      peer: { name: 'JSON.parse of the whole', value: quantile(peer, 0.5) },
      aim: { text: '<= 2 s', met: seconds <= 2 },
    },
    {
      measured: 'memory that a collection adds at its peak, MiB',
      ours: grown,
      peer: null,
      aim: { text: '<= 300 MB in all', met: grown <= 300 },
      note: 'the answers of upstream lie in the same process here and are not counted',
    },
  ];
}

async function* each(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield chunk;
}

async function scrapes(address: string, asked: ReadonlyMap<string, number>): Promise<BenchRow[]> {
  const pool = new Agent({ connections: SCRAPERS });
  const scrape = async (): Promise<number> => {
    const began = performance.now();
    const answer = await request(`http://${address}/metrics`, { dispatcher: pool });
    await answer.body.text();
    if (answer.statusCode !== 200) return Number.NaN;
    return performance.now() - began;
  };
  while (Number.isNaN(await scrape())) await new Promise(resolve => setTimeout(resolve, 100));
  const single: number[] = [];
  for (let at = 0; at < 200; at++) single.push(await scrape());
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Fifty collectors, each on its own second, as scrapers spread themselves.
    const waits = Array.from(
      { length: SCRAPERS },
      (_, at) => new Promise(resolve => setTimeout(resolve, at * 10)),
    );
    times.push(...(await Promise.all(waits.map(wait => wait.then(scrape)))));
  }
  await pool.close();
  const late = quantile(times, 0.99);
  const lists = (asked.get('/slurm/v0.0.38/jobs') ?? 0) + (asked.get('/slurm/v0.0.38/nodes') ?? 0);
  return [
    {
      measured: `scrape with ${SCRAPERS} scrapers, milliseconds, p99 of ${times.length}`,
      ours: late,
      peer: { name: 'one scraper, median', value: quantile(single, 0.5) },
      aim: { text: '<= 20 ms', met: late <= 20 },
      note: `${lists - 2} upstream lists for ${times.length + single.length} scrapes, beside those of the first measurement`,
    },
  ];
}
