/** The two sizes of the same tests: a seeded fraction in `npm test`, the stated numbers in `npm run soak`. */

/** Whether the stated numbers are run. */
export const SOAK = process.env.RACKWRIGHT_SOAK === '1';

/** The seed of this run; printed by each campaign that uses it, set RACKWRIGHT_SEED to replay. */
export const SEED = Number(process.env.RACKWRIGHT_SEED ?? 20_260_101);

/** The stated number in a soak, else `fraction` of it (a hundredth unless told), at least one. */
export function scaled(stated: number, fraction = 0.01): number {
  return SOAK ? stated : Math.max(1, Math.round(stated * fraction));
}

/** Reproducible random numbers in [0, 1): mulberry32, by Tommy Ettinger, public domain. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
