/** `npm run bench [NAME] [--json]`: runs the benches whose name contains NAME and prints ours, the peer's, ratio and aim. */
import { readdirSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, BenchRow } from './row.ts';

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });
const wanted = positionals[0] ?? '';
const names = readdirSync(import.meta.dirname)
  .filter(file => file.endsWith('.bench.ts'))
  .map(file => file.slice(0, -'.bench.ts'.length))
  .filter(name => name.includes(wanted))
  .sort();
if (names.length === 0) {
  process.stderr.write(`no bench is called "${wanted}"\n`);
  process.exit(2);
}

/** Three significant digits, without exponents for what people read. */
function show(value: number): string {
  return Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function print(row: BenchRow): void {
  const ratio = row.peer && row.peer.value !== 0 ? `, ratio ${show(row.ours / row.peer.value)}` : '';
  const peer = row.peer ? `${row.peer.name} ${show(row.peer.value)}${ratio}` : 'no peer';
  const aim = row.aim ? `aim ${row.aim.text}: ${row.aim.met ? 'met' : 'MISSED'}` : 'no aim';
  process.stdout.write(
    `  ${row.measured}: ours ${show(row.ours)}; ${peer}; ${aim}${row.note ? `; ${row.note}` : ''}\n`,
  );
}

const all: Record<string, readonly (BenchRow & { readonly ratio: number | null })[]> = {};
for (const name of names) {
  const { bench } = (await import(`./${name}.bench.ts`)) as { bench: Bench };
  const load = `load average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors at the start`;
  if (!values.json) process.stdout.write(`${bench.name}, ${load}\n`);
  const rows = await bench.run();
  all[name] = rows.map(row => ({
    ...row,
    ratio: row.peer && row.peer.value !== 0 ? row.ours / row.peer.value : null,
  }));
  if (!values.json) for (const row of rows) print(row);
}
if (values.json) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
