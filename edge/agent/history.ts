/** Historical charts out of the collector's HTTP API (Prometheus), in the form the frontends draw. */
import { request } from 'undici';
import { Fault } from '../../proto/fault.ts';
import { Refusal } from '../http/problem.ts';
import { JOB_STATES, NODE_STATES } from './tally.ts';
import { items, raw, text } from './values.ts';

export const RANGES = ['hour', 'day', 'week'] as const;
export type Range = (typeof RANGES)[number];

/** Metrics with a chart, and the states each has. */
export const CHARTS = {
  nodes: NODE_STATES,
  cores: NODE_STATES,
  gpus: NODE_STATES,
  jobs: JOB_STATES,
  cache: ['hit', 'miss'],
} as const;
export type Chart = keyof typeof CHARTS;

export interface HistoryOptions {
  /** Base URL of the collector. */
  readonly host: string;
  readonly job: string;
  readonly prefix: string;
  /** Further PromQL matchers, `cluster="alpha"`; null for none. */
  readonly match: string | null;
  /** Seconds between scrapes. */
  readonly scrapeInterval: number;
  /** Seconds for one query. */
  readonly patience: number;
  readonly now: () => number;
}

/** Milliseconds and value. */
export type Point = readonly [number, number];

/** Length and step of each range, in seconds. */
const SPANS: Readonly<
  Record<Range, { readonly span: number; readonly step: number; readonly cacheStep: number }>
> = {
  hour: { span: 3600, step: 30, cacheStep: 60 },
  day: { span: 86_400, step: 600, cacheStep: 600 },
  week: { span: 604_800, step: 3600, cacheStep: 3600 },
};
/** Bytes of one answer. */
const MAX_ANSWER = 32 * 1024 * 1024;

/** Series of a chart by state, every state with the same times; empty when the collector has no data. */
export async function readHistory(
  chart: Chart,
  range: Range,
  options: HistoryOptions,
): Promise<Record<string, readonly Point[]>> {
  const { span, step, cacheStep } = SPANS[range];
  if (chart === 'cache') return cacheHistory(span, cacheStep, options);
  const window = Math.max(step, 2 * options.scrapeInterval);
  const series = `${options.prefix}_${chart}{${matchers(options)}}`;
  const query = `(max by (state) (avg_over_time(${series}[${window}s])))[${span}s:${step}s]`;
  const results = await ask('query', { query }, options);
  const byState = new Map(results.map(result => [text(raw(raw(result).metric).state), points(result)]));
  return align(CHARTS[chart], byState);
}

async function cacheHistory(
  span: number,
  step: number,
  options: HistoryOptions,
): Promise<Record<string, readonly Point[]>> {
  const end = Math.floor(options.now() / 1000 / step) * step;
  const found = new Map<string, Map<number, number>>();
  for (const kind of CHARTS.cache) {
    const series = `slurmweb_cache_${kind}_total{${matchers(options)}}`;
    const query = `sum(${series} - ${series} offset ${step}s)`;
    const window = { start: String(end - span), end: String(end), step: String(step) };
    const results = await ask('query_range', { query, ...window }, options);
    const first = results[0];
    if (first !== undefined) found.set(kind, points(first));
  }
  return align(CHARTS.cache, found);
}

function matchers(options: HistoryOptions): string {
  const own = `job="${options.job.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
  return options.match === null ? own : `${own},${options.match}`;
}

/** Values by millisecond; what is no number, or below nothing after a restart, counts 0. */
function points(result: unknown): Map<number, number> {
  const values = new Map<number, number>();
  for (const pair of items(raw(result).values)) {
    const [seconds, value] = items(pair);
    const number = Number(value);
    if (typeof seconds !== 'number') continue;
    values.set(Math.round(seconds * 1000), Number.isFinite(number) && number > 0 ? number : 0);
  }
  return values;
}

/** The frontend breaks on gaps: every state gets every time that any has. */
function align(
  states: readonly string[],
  found: ReadonlyMap<string, ReadonlyMap<number, number>>,
): Record<string, readonly Point[]> {
  const times = new Set<number>();
  for (const values of found.values()) for (const time of values.keys()) times.add(time);
  if (times.size === 0) return {};
  const ordered = [...times].sort((a, b) => a - b);
  return Object.fromEntries(
    states.map(state => [state, ordered.map((time): Point => [time, found.get(state)?.get(time) ?? 0])]),
  );
}

async function ask(
  path: 'query' | 'query_range',
  parameters: Record<string, string>,
  options: HistoryOptions,
): Promise<readonly unknown[]> {
  const url = `${options.host.replace(/\/$/, '')}/api/v1/${path}?${new URLSearchParams(parameters)}`;
  let status: number;
  let body: string;
  try {
    const response = await request(url, { signal: AbortSignal.timeout(options.patience * 1000) });
    status = response.statusCode;
    body = await bounded(response.body);
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new Fault(
        'unavailable',
        'timeout',
        `the metrics collector did not answer within ${options.patience} s`,
      );
    }
    throw trouble(error instanceof Error ? error.message : String(error));
  }
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    throw trouble(`status ${status}, no JSON`);
  }
  const { status: word, error, data } = raw(answer);
  if (status !== 200 || word !== 'success') throw trouble(text(error) || `status ${status}`);
  return items(raw(data).result);
}

async function bounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw trouble(`an answer of more than ${MAX_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The collector is behind us: its trouble is a bad gateway. */
function trouble(what: string): Refusal {
  return new Refusal(502, `the metrics collector can't be asked: ${what}`);
}
