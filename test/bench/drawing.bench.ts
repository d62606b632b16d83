/** Drawings: latency of whole requests with a warm service and a cold cache, throughput, and memory after many. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { openDrawingService } from '../support/drawing-service.ts';
import { largeInventory } from '../support/large-inventory.ts';
import { SOAK } from '../support/scale.ts';
import { type Bench, type BenchRow, quantile } from './row.ts';

type Service = Awaited<ReturnType<typeof openDrawingService>>;

const NO_PEER = 'no peer on this machine; aim from the spec';
const AXONOMETRIC = 'parameters.axonometric.enabled=yes&';

async function once(url: string): Promise<{ ms: number; bytes: number }> {
  const start = performance.now();
  const response = await fetch(url);
  const bytes = (await response.arrayBuffer()).byteLength;
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  return { ms: performance.now() - start, bytes };
}

/** Median over requests of which no two are equal, so that nothing comes from the cache. */
async function median(
  base: string,
  path: string,
  query: string,
  count: number,
): Promise<{ ms: number; bytes: number }> {
  const [times, sizes]: [number[], number[]] = [[], []];
  for (let i = 0; i < count + 2; i++) {
    const { ms, bytes } = await once(`${base}${path}?${query}parameters.margin.left=${30 + i}`);
    // The first two warm the renderer.
    if (i < 2) continue;
    times.push(ms);
    sizes.push(bytes);
  }
  return { ms: quantile(times, 0.5), bytes: quantile(sizes, 0.5) };
}

function row(measured: string, ours: number, text: string, aim: number, note = NO_PEER): BenchRow {
  return { measured, ours, peer: null, aim: { text, met: ours <= aim }, note };
}

async function size(
  rows: number,
  racks: number,
  nodes: number,
  aims: readonly [number, number, number],
  count: number,
): Promise<BenchRow[]> {
  const service = await openDrawingService({ inventory: largeInventory(rows, racks, nodes), renderers: 1 });
  const what = `${rows * racks} racks, ${rows * racks * nodes} items`;
  const infrastructure = '/v0.5.0/draw/infrastructure/large';
  try {
    const flat = await median(service.base, `${infrastructure}.png`, '', count);
    const solid = await median(service.base, `${infrastructure}.png`, AXONOMETRIC, count);
    const room = await median(service.base, '/v0.5.0/draw/room/hall.png', '', count);
    const svg = await median(service.base, `${infrastructure}.svg`, '', count);
    const outlines = await median(
      service.base,
      `${infrastructure}.svg`,
      'parameters.svg.text=paths&',
      Math.min(count, 5),
    );
    const bare = await median(
      service.base,
      `${infrastructure}.svg`,
      'parameters.svg.metadata=no&',
      Math.min(count, 5),
    );
    const pdf = await median(service.base, `${infrastructure}.pdf`, '', count);
    return [
      row(`flat PNG, ${what}, ms, median of ${count}`, flat.ms, `<= ${aims[0]} ms`, aims[0]),
      row(`axonometric PNG, ${what}, ms, median of ${count}`, solid.ms, `<= ${aims[1]} ms`, aims[1]),
      row(`room PNG, ${what}, ms, median of ${count}`, room.ms, `<= ${aims[2]} ms`, aims[2]),
      {
        measured: `flat SVG, ${what}, ms, median of ${count}`,
        ours: svg.ms,
        peer: { name: 'flat PNG', value: flat.ms },
        aim: null,
      },
      {
        measured: `flat PDF, ${what}, ms, median of ${count}`,
        ours: pdf.ms,
        peer: { name: 'flat PNG', value: flat.ms },
        aim: null,
      },
      {
        measured: `flat SVG without metadata, ${what}, bytes`,
        ours: bare.bytes,
        peer: { name: 'SVG of outlined glyphs by cairo', value: outlines.bytes },
        aim: null,
      },
    ];
  } finally {
    await service.close();
  }
}

function memoryOf(service: Service): number {
  return Math.max(
    ...service.renderers
      .pids()
      .map(pid => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024),
  );
}

async function endurance(): Promise<BenchRow[]> {
  const count = SOAK ? 1000 : 300;
  const service = await openDrawingService({ inventory: largeInventory(2, 7, 38), renderers: 1 });
  const url = (i: number, kind: string): string =>
    `${service.base}/v0.5.0/draw/infrastructure/large.${kind}?${i % 2 === 0 ? AXONOMETRIC : ''}parameters.margin.left=${i + 1}`;
  const kinds = ['png', 'svg', 'pdf'];
  try {
    for (let i = 0; i < 100; i++) await once(url(i, kinds[i % 3] ?? 'png'));
    const level = memoryOf(service);
    const start = performance.now();
    let next = 100;
    // Eight clients, as the specification has it.
    const client = async (): Promise<void> => {
      while (next < 100 + count) await once(url(next++, kinds[next % 3] ?? 'png'));
    };
    await Promise.all(Array.from({ length: 8 }, client));
    const seconds = (performance.now() - start) / 1000;
    const after = memoryOf(service);
    const cached: number[] = [];
    for (let i = 0; i < 50; i++) cached.push((await once(url(100, 'png'))).ms);
    return [
      row(
        `drawings a second, 8 clients, 532 items, PNG, SVG and PDF in turn (${count})`,
        -count / seconds,
        '>= 10 a second',
        -10,
        `${NO_PEER}; negative so that less is better`,
      ),
      row(`renderer memory after ${count} more drawings, MiB`, after, '<= 150 MiB', 150),
      row(
        `growth of renderer memory over ${count} drawings, MiB`,
        after - level,
        '<= 10 MiB',
        10,
        `from ${level.toFixed(0)} MiB after 100`,
      ),
      row('a cached answer, ms, median of 50', quantile(cached, 0.5), '<= 5 ms', 5),
    ];
  } finally {
    await service.close();
  }
}

/** How long a command takes from nothing, beside a picture of the same by Debian's own cairo tools, where those are. */
function commandLine(): BenchRow[] {
  const main = new URL('../../edge/cli/main.ts', import.meta.url).pathname;
  const database = new URL('../../docs/examples/inventory/laptop/inventory.yml', import.meta.url).pathname;
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    execFileSync(
      process.execPath,
      [main, 'draw', 'infrastructure', '--name=lab', `--db=${database}`, '--output=-'],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    times.push((performance.now() - start) / 1000);
  }
  return existsSync(database)
    ? [
        row(
          '`rackwright draw` of 6 items from a cold start, seconds, median of 5',
          quantile(times, 0.5),
          '<= 2 s',
          2,
        ),
      ]
    : [];
}

export const bench: Bench = {
  name: 'drawings',
  async run() {
    const count = SOAK ? 20 : 7;
    return [
      ...(await size(1, 1, 42, [30, 60, 80], count)),
      ...(await size(2, 7, 38, [80, 120, 80], count)),
      ...(await size(10, 20, 41, [1000, 2000, 80], SOAK ? 20 : 5)),
      ...(await endurance()),
      ...commandLine(),
    ];
  },
};
