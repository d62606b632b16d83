/** The limits of a task that settings, instances and definitions may state: their keys, and the lower of two. */
import { readCores, readDuration, readSize, readWhole } from './units.ts';

/** Limits of one task; 0 = none. Bytes and seconds. */
export interface Limits {
  readonly memory: number;
  /** Cores, may be fractional. */
  readonly cpus: number;
  readonly pids: number;
  readonly disk: number;
  readonly timeout: number;
  readonly idleTimeout: number;
}

interface Limit {
  /** As files name it. */
  readonly key: string;
  readonly unit: string;
  /** Throws a text that says what is wrong. */
  readonly read: (value: string) => number;
}

/** More processes than the kernel has numbers for are no limit. */
const MAX_PIDS = 4_194_304;

export const LIMITS: Readonly<Record<keyof Limits, Limit>> = {
  memory: { key: 'memory', unit: 'bytes', read: readSize },
  cpus: { key: 'cpus', unit: 'cores', read: readCores },
  pids: { key: 'pids', unit: 'processes', read: value => readWhole(value, 0, MAX_PIDS) },
  disk: { key: 'disk', unit: 'bytes', read: readSize },
  timeout: { key: 'timeout', unit: 's', read: readDuration },
  idleTimeout: { key: 'idle_timeout', unit: 's', read: readDuration },
};
const NAMES = Object.keys(LIMITS) as (keyof Limits)[];
/** Keys of a map `limits` in a file. */
export const LIMIT_KEYS: readonly string[] = NAMES.map(name => LIMITS[name].key);

/** Reads a map `limits` of texts; `refuse` is told of each that can't be read. Keys that are none of ours are passed over. */
export function readLimits(
  stated: ReadonlyMap<string, string>,
  refuse: (key: string, message: string) => void,
): Partial<Limits> {
  const limits: Partial<Record<keyof Limits, number>> = {};
  for (const name of NAMES) {
    const { key, read } = LIMITS[name];
    const value = stated.get(key);
    if (value === undefined) continue;
    try {
      limits[name] = read(value);
    } catch (problem) {
      if (typeof problem !== 'string') throw problem;
      refuse(key, problem);
    }
  }
  return limits;
}

/** What comes of lowering limits. */
export interface Lowered<L extends Limits> {
  readonly limits: L;
  /** Names of those that are lower now. */
  readonly lowered: readonly (keyof Limits)[];
  /** Names of those that were asked to be higher, and stay. */
  readonly kept: readonly (keyof Limits)[];
}

/** The smaller of each limit and what is asked of it. */
export function lowerLimits<L extends Limits>(limits: L, asked: Partial<Limits>): Lowered<L> {
  // No limit is higher than any.
  const height = (limit: number): number => (limit === 0 ? Number.POSITIVE_INFINITY : limit);
  const difference = (name: keyof Limits): number => {
    const wanted = asked[name];
    return wanted === undefined || wanted === limits[name] ? 0 : height(wanted) - height(limits[name]);
  };
  const lowered = NAMES.filter(name => difference(name) < 0);
  const changes = Object.fromEntries(lowered.map(name => [name, asked[name]]));
  return { limits: { ...limits, ...changes }, lowered, kept: NAMES.filter(name => difference(name) > 0) };
}

/** Some of the limits as people read them: `pids 100 processes, timeout 5 s`. */
export function describeLimits(limits: Limits, names: readonly (keyof Limits)[]): string {
  return names.map(name => `${LIMITS[name].key} ${limits[name]} ${LIMITS[name].unit}`).join(', ');
}
