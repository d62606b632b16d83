/** A retention rule as instance files, requests and commands write it: `last: 3`, `newer: 30d`. */

/** `^…$` of the two texts. */
export const LAST = '^\\d{1,6}$';
export const NEWER = '^\\d{1,6}[hdwmy]?$';

/** Seconds; m is 30 days, y 365. A bare number is days. */
const UNITS: Readonly<Record<string, number>> = {
  h: 3600,
  d: 86_400,
  w: 604_800,
  m: 2_592_000,
  y: 31_536_000,
};

/** The rule that the texts state: what is absent is `last: 1` and `newer: 0`. Null for texts that are none. */
export function readRetention(rule: {
  readonly last?: string | undefined;
  readonly newer?: string | undefined;
}): { readonly last: number; readonly newer: number } | null {
  const { last = '1', newer = '0' } = rule;
  if (!new RegExp(LAST).test(last) || !new RegExp(NEWER).test(newer)) return null;
  const unit = UNITS[newer.slice(-1)];
  return { last: Number(last), newer: Number.parseInt(newer, 10) * (unit ?? 86_400) };
}

/** The rule in words; `newer` in seconds. */
export function describeRetention({
  last,
  newer,
}: {
  readonly last: number;
  readonly newer: number;
}): string {
  if (last === 0) return 'all versions are kept';
  const young =
    newer > 0
      ? `, and any younger than ${newer % 86_400 === 0 ? `${newer / 86_400} days` : `${newer / 3600} hours`}`
      : '';
  return `the newest ${last === 1 ? 'version is' : `${last} versions are`} kept${young}`;
}
