/** What a bench prints: a figure of ours beside that of a peer run in the same minute. */

export interface BenchRow {
  /** What was measured, with unit: "publish one package into 5,000, seconds, median of 20". */
  readonly measured: string;
  readonly ours: number;
  /** Null where no peer can run here; `note` then says why. */
  readonly peer: { readonly name: string; readonly value: number } | null;
  /** The aim in words ("<= 0.10 s") and whether it was met; null where there is none. */
  readonly aim: { readonly text: string; readonly met: boolean } | null;
  readonly note?: string;
}

/** A bench file `NAME.bench.ts` exports `bench`. */
export interface Bench {
  readonly name: string;
  run(): Promise<BenchRow[]>;
}

/** The value at a share of the sorted numbers, 0.5 for the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
