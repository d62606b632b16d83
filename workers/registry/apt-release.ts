/** The Release file of an apt distribution. */
import { releaseTime } from '../../proto/release.ts';
import type { IndexFile } from './apt-manifest.ts';

export interface ReleaseFields {
  /** Origin and Label: the instance's full name. Apt refuses silent changes of these and of the codename. */
  readonly origin: string;
  readonly codename: string;
  /** Debian's words. */
  readonly architectures: readonly string[];
  readonly derivatives: readonly string[];
  /** Seconds since the epoch. */
  readonly date: number;
  /** Seconds; 0 = for ever. */
  readonly validFor: number;
}

/** Seconds that the date of a Release may lie ahead of apt's clock: the default of its Acquire::Max-FutureTime. */
const AHEAD = 10;

/**
 * The date of the Release that takes the place of another, in seconds. Without a word apt drops one that is older than what
 * it has: after a clock was set back a little the other's date is kept. What apt would refuse is no measure: there the
 * clock counts.
 */
export function dateAfter(before: string, now: number): number {
  const date = releaseTime(before, 'Date');
  return date !== null && date > now && date - now <= AHEAD ? date : now;
}

/** Renders it; there is no Suite on purpose, see build-service rules on stable names. */
export function renderRelease(fields: ReleaseFields, files: readonly IndexFile[]): string {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const width = Math.max(...sorted.map(file => String(file.size).length));
  const lines = [
    `Origin: ${fields.origin}`,
    `Label: ${fields.origin}`,
    `Codename: ${fields.codename}`,
    `Date: ${aptDate(fields.date)}`,
    ...(fields.validFor > 0 ? [`Valid-Until: ${aptDate(fields.date + fields.validFor)}`] : []),
    'Acquire-By-Hash: yes',
    `Architectures: ${fields.architectures.join(' ')}`,
    `Components: ${fields.derivatives.join(' ')}`,
    `Description: Packages of ${fields.origin} for ${fields.codename}`,
    'SHA256:',
    ...sorted.map(file => ` ${file.sha256} ${String(file.size).padStart(width)} ${file.path}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** `Thu, 03 Feb 2000 00:00:00 UTC`, the one zone that apt takes. */
function aptDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString().replace('GMT', 'UTC');
}
