/** Metric families as text: OpenMetrics 1.0.0 and the older Prometheus text format 0.0.4. */

export interface Sample {
  /** Behind the family's name: `_bucket`, `_sum`, `_count`, `_total`; empty for the plain one. */
  readonly suffix: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  /** For counters without `_total`. */
  readonly name: string;
  readonly help: string;
  /**
   * `total` is for the families that end in `_total` without being counters: gauges in OpenMetrics, `untyped` in 0.0.4,
   * where promtool objects to gauges so named.
   */
  readonly type: 'gauge' | 'counter' | 'histogram' | 'total' | 'info';
  readonly samples: readonly Sample[];
}

export type Exposition = 'openmetrics-1.0.0' | 'openmetrics-0.0.1' | 'text-0.0.4';

export const CONTENT_TYPES: Readonly<Record<Exposition, string>> = {
  'openmetrics-1.0.0': 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  'openmetrics-0.0.1': 'application/openmetrics-text; version=0.0.1; charset=utf-8',
  'text-0.0.4': 'text/plain; version=0.0.4; charset=utf-8',
};

/** Chooses by an Accept header's weights; the old text format for whoever does not ask for OpenMetrics. */
export function negotiate(accept: string | undefined): Exposition {
  let best: { exposition: Exposition; weight: number } = { exposition: 'text-0.0.4', weight: -1 };
  for (const range of (accept ?? '').slice(0, 4096).split(',')) {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
    const parameter = (name: string): string | undefined =>
      parameters.find(part => part.startsWith(`${name}=`))?.slice(name.length + 1);
    const weight = Number(parameter('q') ?? 1);
    if (!(weight > 0)) continue;
    let exposition: Exposition;
    if (type === 'application/openmetrics-text') {
      exposition = parameter('version') === '0.0.1' ? 'openmetrics-0.0.1' : 'openmetrics-1.0.0';
    } else if (type === 'text/plain' || type === 'text/*' || type === '*/*') exposition = 'text-0.0.4';
    else continue;
    const newer =
      weight === best.weight && exposition === 'openmetrics-1.0.0' && best.exposition === 'openmetrics-0.0.1';
    if (weight > best.weight || newer) best = { exposition, weight };
  }
  return best.exposition;
}

/** Renders families: TYPE and HELP once before the samples, no blank lines, LF only, `# EOF` in OpenMetrics. */
export function render(families: readonly Family[], exposition: Exposition): string {
  const open = exposition !== 'text-0.0.4';
  const lines: string[] = [];
  for (const family of families) {
    const name = open || family.type !== 'counter' ? family.name : `${family.name}_total`;
    const shown = family.type === 'info' && !open ? `${family.name}_info` : name;
    lines.push(`# TYPE ${shown} ${typeWord(family.type, open)}`);
    if (open && family.name.endsWith('_seconds')) lines.push(`# UNIT ${shown} seconds`);
    lines.push(`# HELP ${shown} ${escapeHelp(family.help)}`);
    for (const sample of family.samples) {
      lines.push(`${family.name}${sample.suffix}${labels(sample.labels)} ${value(sample.value)}`);
    }
  }
  if (open) lines.push('# EOF');
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function typeWord(type: Family['type'], open: boolean): string {
  if (type === 'total') return open ? 'gauge' : 'untyped';
  if (type === 'info') return open ? 'info' : 'gauge';
  return type;
}

function labels(pairs: Readonly<Record<string, string>>): string {
  const texts = Object.entries(pairs).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return texts.length === 0 ? '' : `{${texts.join(',')}}`;
}

function escapeLabel(text: string): string {
  return text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function value(number: number): string {
  if (Number.isNaN(number)) return 'NaN';
  if (number === Number.POSITIVE_INFINITY) return '+Inf';
  return number === Number.NEGATIVE_INFINITY ? '-Inf' : String(number);
}
