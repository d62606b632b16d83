/** Chooses formats, distributions and derivatives where the user left them out, and says what there is where it can't. */
import { Fault } from '../../proto/fault.ts';
import { closest } from '../../systemd/closest.ts';
import type { Api, Formats, Pipeline } from './api.ts';
import { UsageError } from './exit.ts';

/** What a build is made for. */
export interface Choice {
  readonly format: string;
  readonly pipeline: Pipeline;
}

/** What the user asked for; absent where they left it out. */
export interface Wish {
  readonly format?: string | undefined;
  readonly distribution?: string | undefined;
  /** Formats that come into question; all when absent. */
  readonly among?: readonly string[];
}

/** Format and distribution of a build. Throws UsageError when there is more than one to choose from. */
export function choosePipeline(formats: Formats, wish: Wish): Choice {
  const every = Object.entries(formats).flatMap(([format, pipelines]) =>
    pipelines.map(pipeline => ({ format, pipeline })),
  );
  const named = (choice: Choice): boolean =>
    (wish.distribution === undefined || choice.pipeline.distribution === wish.distribution) &&
    (wish.format === undefined || choice.format === wish.format);
  const matching = every.filter(named);
  if (matching.length === 0) throw new Fault('invalid', 'bad-input', nothing(every, wish));
  const fitting = matching.filter(({ format }) => wish.among?.includes(format) ?? true);
  const first = fitting[0];
  if (!first) {
    const offered = [...new Set(matching.map(choice => choice.format))].join(', ');
    throw new Fault(
      'invalid',
      'bad-definition',
      `the artifact is defined for ${wish.among?.join(', ') || 'no format'}, not for ${offered}`,
    );
  }
  if (fitting.length === 1) return first;
  const options = fitting.map(({ format, pipeline }) => `${pipeline.distribution} (${format})`).join(', ');
  throw new UsageError(`name the distribution with -d: ${options}`);
}

function nothing(every: readonly Choice[], { format, distribution }: Wish): string {
  if (every.length === 0) return 'the instance has no pipelines';
  if (format !== undefined && !every.some(choice => choice.format === format)) {
    const known = [...new Set(every.map(choice => choice.format))];
    return `the instance builds no ${format}${meant(format, known)}; it builds ${known.join(', ')}`;
  }
  const known = every
    .filter(choice => format === undefined || choice.format === format)
    .map(choice => choice.pipeline.distribution);
  const of = format === undefined ? '' : ` of ${format}`;
  const wanted = distribution ?? '';
  return `there is no distribution ${wanted}${of}${meant(wanted, known)}; there is ${known.join(', ')}`;
}

function meant(wanted: string, known: readonly string[]): string {
  const near = closest(wanted, known);
  return near === null ? '' : ` (did you mean ${near}?)`;
}

/** The format that a distribution of the registry has: that of its pipeline, else of what was published to it. */
export async function formatOf(api: Api, distribution: string): Promise<string> {
  const [format] = Object.keys(await api.formats(distribution));
  if (format !== undefined) return format;
  // Pipelines come and go, what was published stays.
  for (const published of await api.registryFormats()) {
    if ((await api.distributions(published)).includes(distribution)) return published;
  }
  const known = Object.values(await api.formats()).flatMap(group =>
    group.map(pipeline => pipeline.distribution),
  );
  throw new Fault(
    'not_found',
    'not-found',
    `there is no distribution ${distribution}${meant(distribution, known)}; there is ${known.join(', ') || 'none'}`,
  );
}
