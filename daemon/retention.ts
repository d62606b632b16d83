/** What a retention would take out of a registry; and once a day the rules that the instances' files state are applied. */
import type {
  InstanceSlice,
  RegistryPlace,
  Retention,
  RetentionPlan,
  Spec,
  Version,
} from '../workers/job.ts';
import type { DaemonSettings } from './config.ts';
import type { Scheduler } from './core/scheduler.ts';
import type { WorkerPool } from './pool/worker-pool.ts';
import type { Catalogue } from './store/catalogue.ts';
import type { Definitions } from './store/definitions.ts';

/** Tells what the place's own retention, or the rule given instead, would take out now. */
export type PlanRetention = (
  instance: InstanceSlice,
  place: RegistryPlace,
  rule: Retention | null,
) => Promise<RetentionPlan>;

export interface PlannerParts {
  readonly catalogue: Catalogue;
  readonly pool: Pick<WorkerPool, 'query'>;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

export function retentionPlanner({ catalogue, pool, now }: PlannerParts): PlanRetention {
  return async (instance, place, rule) => {
    const live: (Version & { readonly row: number; readonly size: number })[] = [];
    for (const page of catalogue.reads.rivals(instance.id, place)) {
      live.push(...page);
      // Other calls have their turn between the pages.
      await new Promise(resolve => setImmediate(resolve));
    }
    const query = { type: 'retention', instance, place, rule, live, now: now() } as const;
    const found = await pool.query(query);
    const outdated = found.outdated.flatMap(({ at, newerVersions }) => {
      const version = live[at];
      return version ? [{ ...version, newerVersions, snapshots: catalogue.reads.holders(version.row) }] : [];
    });
    return { rule: found.rule, outdated };
  };
}

export interface DailyParts {
  readonly settings: { readonly registry: Pick<DaemonSettings['registry'], 'retain_at'> };
  /** Milliseconds since the epoch. */
  readonly clock: { wall(): number };
  readonly definitions: Pick<Definitions, 'all'>;
  readonly plan: PlanRetention;
  readonly scheduler: Pick<Scheduler, 'submit'>;
  readonly newId: () => string;
  readonly report: (error: unknown, where: string) => void;
}

/** The login that these tasks are submitted as. */
const OURSELVES = 'rackwright';
/** Milliseconds between looks at the clock, at most: it may be set, and the machine may sleep. */
const LOOK = 3_600_000;

/** Applies the rules at that time of every day; what the function answers ends it. A time that was slept through is left out. */
export function retainDaily(parts: DailyParts): () => void {
  const { settings, clock } = parts;
  const { retain_at: at } = settings.registry;
  if (at === null) return () => undefined;
  let next = following(at, clock.wall());
  let timer: NodeJS.Timeout;
  const look = (): void => {
    if (clock.wall() >= next) {
      next = following(at, clock.wall());
      void retainAll(parts);
    }
    next = Math.min(next, following(at, clock.wall()));
    timer = setTimeout(look, Math.min(LOOK, next - clock.wall())).unref();
  };
  look();
  return () => clearTimeout(timer);
}

/** Milliseconds since the epoch at which it is that time next. */
function following(at: number, now: number): number {
  const time = new Date(now);
  time.setHours(0, at, 0, 0);
  if (time.getTime() <= now) time.setDate(time.getDate() + 1);
  return time.getTime();
}

/** Submits a task for every derivative with a rule of its own that has something to take out. */
export async function retainAll({ definitions, plan, scheduler, newId, report }: DailyParts): Promise<void> {
  for (const instance of definitions.all()) {
    for (const { format, distribution, retention } of instance.pipelines) {
      for (const derivative of Object.keys(retention)) {
        const place: RegistryPlace = { format, distribution, derivative };
        try {
          if ((await plan(instance, place, null)).outdated.length === 0) continue;
          const spec: Spec = { type: 'registry', action: 'retention', ...place, parameters: {} };
          await scheduler.submit({ id: newId(), instance: instance.id, spec, user: OURSELVES });
        } catch (error) {
          report(error, `retention of ${instance.id}, ${format} ${distribution}/${derivative}`);
        }
      }
    }
  }
}
