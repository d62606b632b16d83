/** Looks after apt registries while nobody publishes: has them signed anew before they end, and packed once it is quiet. */
import { readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode } from '../proto/fault.ts';
import { currentLink, publicTree } from '../proto/layout.ts';
import type { RegistryPlace, RegistrySpec, WorkerSettings } from '../workers/job.ts';
import { claimsOf, registryName } from './core/claims.ts';
import type { Scheduler } from './core/scheduler.ts';
import { dueAt, type ReleaseState, readRelease, retryAfter } from './core/upkeep.ts';
import type { Catalogue } from './store/catalogue.ts';
import type { Definitions } from './store/definitions.ts';

/** Seconds between two looks at what is served, at least and at most: a machine that slept is back by the next one. */
const [SOONEST, LATEST] = [1, 10];
/** Who these tasks are said to be of. */
const USER = 'rackwright';

export interface UpkeepParts {
  readonly threads: () => WorkerSettings;
  readonly catalogue: Pick<Catalogue, 'places'>;
  readonly definitions: Pick<Definitions, 'find'>;
  readonly scheduler: Pick<Scheduler, 'submit' | 'queue'>;
  /** Seconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly report: (error: unknown, where: string) => void;
}

/** What is known of a registry. */
interface Known {
  readonly generation: string;
  readonly state: ReleaseState | null;
  /** When a task was submitted that was to bring the next generation. */
  tried: number | null;
}

/** Looks now, and again whenever something may be due. The returned function ends it. */
export function keepUp(parts: UpkeepParts): () => void {
  const known = new Map<string, Known>();
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    let next = LATEST;
    try {
      for (const place of registriesOf(parts)) {
        const due = await lookAt(parts, known, place);
        if (due !== null) next = Math.min(next, due - parts.now());
      }
    } finally {
      // Whatever failed: looked at again.
      if (!ended) timer = setTimeout(run, Math.max(SOONEST, next) * 1000).unref();
    }
  };
  const run = (): void => void look().catch(error => parts.report(error, 'looking after registries'));
  let ended = false;
  timer = setTimeout(run, 0).unref();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

type Place = RegistryPlace & { readonly instance: string };

/** The apt registries of instances that there still are, one place of each. */
function registriesOf({ catalogue, definitions }: UpkeepParts): Place[] {
  const found = new Map<string, Place>();
  for (const place of catalogue.places()) {
    if (place.format === 'deb' && definitions.find(place.instance))
      found.set(`${place.instance}/${place.distribution}`, place);
  }
  return [...found.values()];
}

/** Submits what is due; answers when the next look should be, null where there is nothing to wait for. */
async function lookAt(parts: UpkeepParts, known: Map<string, Known>, place: Place): Promise<number | null> {
  const { instance, ...at } = place;
  const name = `${instance}: ${registryName({ ...at, derivative: null })}`;
  const spec: RegistrySpec = { type: 'registry', action: 'refresh', ...at, parameters: {} };
  try {
    const { dirs, deb } = parts.threads();
    const now = parts.now();
    const one = served(dirs.registry, place, known.get(name) ?? null);
    if (one === null) return null;
    known.set(name, one);
    const due = one.state && dueAt(one.state, deb);
    if (due === null) return null;
    if (due > now) return due;
    // One that an earlier life of the daemon submitted counts too.
    if (parts.scheduler.queue.isWritten(claimsOf(instance, spec))) return null;
    const again = one.tried === null ? now : one.tried + retryAfter(deb);
    if (again > now) return again;
    await parts.scheduler.submit({ id: parts.newId(), instance, spec, user: USER });
    one.tried = now;
  } catch (error) {
    parts.report(error, `looking after ${name}`);
  }
  return null;
}

/** The generation that is served, read when it is another than before; null before the first publication. */
function served(registry: string, { instance, ...place }: Place, before: Known | null): Known | null {
  const tree = publicTree({ registry, instance, format: place.format });
  const link = join(tree, currentLink({ ...place, derivative: null }));
  try {
    const generation = basename(readlinkSync(link));
    if (before?.generation === generation) return before;
    return { generation, state: readRelease(readFileSync(join(link, 'Release'), 'utf8')), tried: null };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
