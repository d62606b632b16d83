/** Metric families as text: OpenMetrics 1.0.0 and the older Prometheus text format 0.0.4. */
import type { Exposition } from '../http/scrape.ts';

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
