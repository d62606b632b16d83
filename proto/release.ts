/** The times that the Release file of an apt registry states, for who writes the next one and who looks after it. */

/** Seconds since the epoch by a field; null where it states none. */
export function releaseTime(text: string, field: 'Date' | 'Valid-Until'): number | null {
  const milliseconds = Date.parse(new RegExp(`^${field}: (.+)$`, 'm').exec(text)?.[1] ?? '');
  return Number.isNaN(milliseconds) ? null : milliseconds / 1000;
}
