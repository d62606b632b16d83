/** Numbers as people write them in settings and documents. Each reader throws a text that says what is wrong. */

const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, m: 60, h: 3600, d: 86_400 };

/** A whole number within bounds. */
export function readWhole(value: string, min: number, max: number): number {
  if (!/^[+-]?\d{1,15}$/.test(value)) throw `"${value}" is not a whole number`;
  const number = Number(value);
  if (number < min || number > max) throw `${number} is not between ${min} and ${max}`;
  return number;
}

/** A span in seconds: a bare number, or one with s, min, m, h or d. */
export function readDuration(value: string): number {
  const match = /^(\d{1,12}) ?(s|min|m|h|d)?$/.exec(value);
  if (!match) throw `"${value}" is not a duration such as 30 min`;
  return Number(match[1]) * (SECONDS[match[2] ?? 's'] ?? 1);
}

/** A size in bytes: a bare number, or one with K, M, G or T (powers of 1,024), `iB` or `B` behind them allowed. */
export function readSize(value: string): number {
  const match = /^(\d{1,12}) ?(?:([KMGT])(?:iB|B)?|B)?$/i.exec(value);
  if (!match) throw `"${value}" is not a size such as 256 MiB`;
  return Number(match[1]) * 1024 ** (' KMGT'.indexOf((match[2] ?? ' ').toUpperCase()) || 0);
}

/** A number of processor cores, may be fractional. */
export function readCores(value: string): number {
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(value)) throw `"${value}" is not a number of cores such as 2 or 1.5`;
  return Number(value);
}
