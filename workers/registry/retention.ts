/** Which versions leave a registry: when new ones come, and when its retention is applied to all that is there. */
import type { FormatName } from '../../proto/words.ts';
import type { CatalogueEntry, InstanceSlice, RegistryPlace, Retention, Version } from '../job.ts';
import { compareVersions } from '../source/versions.ts';

/** The documented default: of packages only the newest build. Images stay until deleted: a machine may boot any of them. */
const DEFAULTS: Readonly<Record<FormatName, Retention>> = {
  deb: { last: 1, newer: 0 },
  rpm: { last: 1, newer: 0 },
  osi: { last: 0, newer: 0 },
};

/** The retention of a place: the instance's, or the documented default. */
export function retentionOf(instance: InstanceSlice, place: RegistryPlace): Retention {
  const pipeline = instance.pipelines.find(
    one => one.format === place.format && one.distribution === place.distribution,
  );
  return pipeline?.retention[place.derivative] ?? DEFAULTS[place.format];
}

/**
 * Entries of `live` that go when `added` come. Versions compete within name and derivative, per architecture; an
 * architecture-independent package competes with those of every architecture. What was just added always stays.
 */
export function superseded(
  format: FormatName,
  live: readonly CatalogueEntry[],
  added: readonly CatalogueEntry[],
  retention: (derivative: string) => Retention,
  now: number,
): CatalogueEntry[] {
  const gone = new Set<CatalogueEntry>();
  for (const fresh of added) {
    const { last, newer } = retention(fresh.derivative);
    if (last === 0) continue;
    const rivals = live
      .filter(entry => entry.derivative === fresh.derivative && competes(entry, fresh))
      .sort((a, b) => compareVersions(format, b.version, a.version));
    const kept = new Set(versionsOf(rivals).slice(0, last - 1));
    for (const rival of rivals) {
      if (kept.has(rival.version) || isYoung(rival, newer, now)) continue;
      gone.add(rival);
    }
  }
  return [...gone];
}

/** A version that a retention does not keep. */
export interface Outdated<V> {
  readonly entry: V;
  /** Versions that are newer, and stay or go themselves. */
  readonly newerVersions: number;
}

/** What a retention does not keep of one derivative, by version alone: it makes no difference which came last. */
export function outdated<V extends Version>(
  format: FormatName,
  live: readonly V[],
  { last, newer }: Retention,
  now: number,
): Outdated<V>[] {
  if (last === 0) return [];
  const found: Outdated<V>[] = [];
  for (const named of Map.groupBy(live, entry => entry.name).values()) {
    const levels = byVersion(format, named);
    for (const [at, level] of levels.entries()) {
      for (const entry of level) {
        if (isYoung(entry, newer, now)) continue;
        const above = levels.slice(0, at).filter(others => others.some(other => competes(entry, other)));
        if (above.length >= last) found.push({ entry, newerVersions: above.length });
      }
    }
  }
  return found;
}

/** Entries of one name in groups of the same version, the newest first. */
function byVersion<V extends Version>(format: FormatName, named: readonly V[]): V[][] {
  const levels: V[][] = [];
  for (const entry of named.toSorted((a, b) => compareVersions(format, b.version, a.version))) {
    const level = levels.at(-1);
    const same = level?.[0] && compareVersions(format, level[0].version, entry.version) === 0;
    if (same) level.push(entry);
    else levels.push([entry]);
  }
  return levels;
}

function isYoung(entry: Version, newer: number, now: number): boolean {
  return newer > 0 && now - entry.published < newer;
}

function competes(entry: Version, other: Version): boolean {
  if (entry.name !== other.name) return false;
  if (entry.architecture === other.architecture) return true;
  if (entry.architecture === 'src' || other.architecture === 'src') return false;
  return entry.architecture === 'noarch' || other.architecture === 'noarch';
}

function versionsOf(entries: readonly Version[]): string[] {
  return [...new Set(entries.map(entry => entry.version))];
}
