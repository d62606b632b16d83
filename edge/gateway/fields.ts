/** Kinds of settings that only the gateway has: colours, words out of a choice. */
import type { Field } from '../../systemd/settings.ts';

/** `#RGB` or `#RRGGBB`. */
export function colour(): Field<string | null> {
  return {
    fallback: null,
    read: value => {
      if (!/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)) throw `"${value}" is not a colour such as #1a2b3c`;
      return value;
    },
  };
}

/** A list whose items are each one of the values. */
export function choices<const T extends string>(
  fallback: readonly T[],
  values: readonly T[],
): Field<readonly T[]> {
  return {
    fallback,
    read: value =>
      value
        .split('\n')
        .flatMap(line => line.trim() || [])
        .map(item => {
          const found = values.find(known => known === item);
          if (found === undefined) throw `"${item}" is none of ${values.join(', ')}`;
          return found;
        }),
  };
}
