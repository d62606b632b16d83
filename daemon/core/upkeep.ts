/** When an apt registry must be looked after although nobody publishes: what its Release file tells. Pure. */
import { releaseTime } from '../../proto/release.ts';

/** Times in seconds since the epoch. */
export interface ReleaseState {
  readonly date: number;
  /** null = for ever. */
  readonly validUntil: number | null;
  /** Whether every Packages and Sources is offered as xz. */
  readonly packed: boolean;
}

/** Seconds; 0 = never. */
export interface UpkeepRules {
  /** How long a Release is valid. */
  readonly validFor: number;
  /** Quiet after a publication until xz indexes are made. */
  readonly xzAfter: number;
}

/** Reads what matters here; null for what is no Release of ours. */
export function readRelease(text: string): ReleaseState | null {
  const date = releaseTime(text, 'Date');
  if (date === null) return null;
  const listed = new Set(
    [...text.matchAll(/^ [0-9a-f]{64} +\d+ (\S+\/(?:Packages|Sources)(?:\.xz)?)$/gm)].map(match => match[1]),
  );
  const packed = [...listed].every(path => path?.endsWith('.xz') || listed.has(`${path}.xz`));
  return { date, validUntil: releaseTime(text, 'Valid-Until'), packed };
}

/**
 * When the registry is to be signed anew: at two thirds of its validity, so that a third is left for what may stand in
 * the way; at once when the setting of its validity is another by now. Null = not before the next publication.
 */
export function dueAt(state: ReleaseState, rules: UpkeepRules): number | null {
  const validFor = state.validUntil === null ? 0 : state.validUntil - state.date;
  if (validFor !== rules.validFor) return state.date;
  const times = [
    ...(validFor > 0 ? [state.date + (validFor * 2) / 3] : []),
    ...(rules.xzAfter > 0 && !state.packed ? [state.date + rules.xzAfter] : []),
  ];
  return times.length === 0 ? null : Math.min(...times);
}

/** Seconds after a try that failed until the next one: some tries fit into what is left of a Release's validity. */
export function retryAfter(rules: UpkeepRules): number {
  return rules.validFor > 0 ? Math.min(3600, Math.max(1, rules.validFor / 15)) : 3600;
}
