/** What a second reading of settings changes, and what of it has to wait for a restart. */
import { isDeepStrictEqual } from 'node:util';

/** Values by section and key. */
export type Sections = Readonly<Record<string, object>>;
/** Keys by section; `true` for all keys of one. */
export type Keys = Readonly<Record<string, readonly string[] | true>>;

export interface Change {
  readonly section: string;
  readonly key: string;
  /** It counts from the next start on, and has kept its value until then. */
  readonly waits: boolean;
}

/** The settings that a reading leads to, those of `atStart` as they were, and every key that was changed. */
export function changeSettings<S extends object>(
  running: S,
  read: S,
  atStart: Keys,
): { readonly settings: S; readonly changes: readonly Change[] } {
  const changes: Change[] = [];
  const sections = Object.entries(read).map(([section, values]: [string, object]) => {
    const before = (running as Readonly<Record<string, unknown>>)[section] as Readonly<
      Record<string, unknown>
    >;
    const kept = Object.entries(values).map(([key, value]) => {
      if (isDeepStrictEqual(value, before[key])) return [key, value];
      const fixed = atStart[section];
      const waits = fixed === true || fixed?.includes(key) === true;
      changes.push({ section, key, waits });
      return [key, waits ? before[key] : value];
    });
    return [section, Object.freeze(Object.fromEntries(kept))];
  });
  return { settings: Object.freeze(Object.fromEntries(sections)) as S, changes };
}
