/** Which versions leave a registry when new ones come. */
import type { FormatName } from '../../proto/words.ts';
import type { CatalogueEntry, Retention } from '../job.ts';
import { compareVersions } from '../source/versions.ts';

/** The documented default: only the newest build. */
export const NEWEST_ONLY: Retention = { last: 1, newer: 0 };

/**
 * Entries of `live` that go when `added` come. Versions compete within name and derivative, per architecture; an
 * architecture-independent package competes with those of every architecture. What was just added always stays.
 */
export function superseded(
  format: FormatName,
  live: readonly CatalogueEntry[],
  added: readonly CatalogueEntry[],
  retentionOf: (derivative: string) => Retention,
  now: number,
): CatalogueEntry[] {
  // Images are kept until deleted: a machine may boot any of them.
  if (format === 'osi') return [];
  const gone = new Set<CatalogueEntry>();
  for (const fresh of added) {
    const { last, newer } = retentionOf(fresh.derivative);
    if (last === 0 && newer === 0) continue;
    const rivals = live
      .filter(entry => competes(entry, fresh))
      .sort((a, b) => compareVersions(format, b.version, a.version));
    const kept = new Set(last > 0 ? versionsOf(rivals).slice(0, last - 1) : []);
    for (const rival of rivals) {
      if (kept.has(rival.version)) continue;
      if (newer > 0 && now - rival.published < newer) continue;
      gone.add(rival);
    }
  }
  return [...gone];
}

function competes(entry: CatalogueEntry, fresh: CatalogueEntry): boolean {
  if (entry.name !== fresh.name || entry.derivative !== fresh.derivative) return false;
  if (entry.architecture === fresh.architecture) return true;
  if (entry.architecture === 'src' || fresh.architecture === 'src') return false;
  return entry.architecture === 'noarch' || fresh.architecture === 'noarch';
}

function versionsOf(entries: readonly CatalogueEntry[]): string[] {
  return [...new Set(entries.map(entry => entry.version))];
}
