/** The metric families of a cluster, out of the collector's snapshot. */
import { VERSION } from '../../proto/words.ts';
import type { Collector, Snapshot } from './collector.ts';
import type { Family, Sample } from './exposition.ts';
import { JOB_STATES, NODE_STATES, type Tally, WAIT_BUCKETS } from './tally.ts';

/** How often readers were answered from memory, by kind of data. */
export interface CacheCounts {
  readonly hit: Readonly<Record<string, number>>;
  readonly miss: Readonly<Record<string, number>>;
}

/** Families of the cluster and of the collector itself; `cache` is null where there is no cache. */
export function clusterFamilies(
  snapshot: Snapshot,
  collector: Pick<Collector, 'up' | 'failures'>,
  prefix: string,
  now: number,
  cache: CacheCounts | null,
): Family[] {
  const { tally } = snapshot;
  return [
    byState(`${prefix}_nodes`, 'Compute nodes by state', NODE_STATES, tally.nodes),
    total(`${prefix}_nodes_total`, 'All compute nodes', tally.nodesTotal),
    byState(`${prefix}_cores`, 'Cores of compute nodes by state', NODE_STATES, tally.cores),
    total(`${prefix}_cores_total`, 'All cores of compute nodes', tally.coresTotal),
    byState(`${prefix}_gpus`, 'GPUs of compute nodes by state', NODE_STATES, tally.gpus),
    total(`${prefix}_gpus_total`, 'All GPUs of compute nodes', tally.gpusTotal),
    byState(`${prefix}_jobs`, 'Jobs in the queue by state', JOB_STATES, tally.jobs),
    total(`${prefix}_jobs_total`, 'All jobs in the queue', tally.jobsTotal),
    ...beyond(prefix, tally, snapshot),
    ...(cache ? cacheFamilies(cache) : []),
    ...collectorFamilies(snapshot, collector, now),
  ];
}

/** Families that the documented set does not have. */
function beyond(prefix: string, tally: Tally, snapshot: Snapshot): Family[] {
  const families: Family[] = [
    nested(`${prefix}_partition_nodes`, 'Nodes of a partition by state', 'partition', tally.partitionNodes),
    nested(`${prefix}_partition_jobs`, 'Jobs of a partition by state', 'partition', tally.partitionJobs),
    nested(`${prefix}_user_jobs`, 'Jobs of a user by state', 'user', tally.userJobs),
    {
      name: `${prefix}_gpu_type`,
      help: 'GPUs by type and state',
      type: 'gauge',
      samples: [...tally.gpuTypes].flatMap(([type, counts]) => [
        plain({ type, state: 'idle' }, counts.idle),
        plain({ type, state: 'allocated' }, counts.allocated),
        plain({ type, state: 'unavailable' }, counts.total - counts.idle - counts.allocated),
      ]),
    },
    waitFamily(`${prefix}_job_wait_seconds`, tally),
    ...[...snapshot.scheduler].map(
      ([name, value]): Family => ({
        name: `${prefix}_scheduler_${name}`,
        help: `slurmctld's statistics: ${name.replaceAll('_', ' ')}`,
        type: 'gauge',
        samples: [plain({}, value)],
      }),
    ),
  ];
  return families.filter(family => family.samples.length > 0);
}

function waitFamily(name: string, tally: Tally): Family {
  const samples: Sample[] = [];
  let below = 0;
  for (const [at, bound] of WAIT_BUCKETS.entries()) {
    below += tally.waits.buckets[at] ?? 0;
    samples.push({ suffix: '_bucket', labels: { le: `${bound}.0` }, value: below });
  }
  samples.push({ suffix: '_bucket', labels: { le: '+Inf' }, value: tally.waits.count });
  samples.push({ suffix: '_sum', labels: {}, value: tally.waits.sum });
  samples.push({ suffix: '_count', labels: {}, value: tally.waits.count });
  return {
    name,
    help: 'Waiting time of the jobs in the queue that have started',
    type: 'histogram',
    samples,
  };
}

function cacheFamilies(cache: CacheCounts): Family[] {
  return (['hit', 'miss'] as const).flatMap(kind => {
    const counts = Object.entries(cache[kind]);
    const sum = counts.reduce((all, [, count]) => all + count, 0);
    return [
      {
        name: `slurmweb_cache_${kind}`,
        help: `Cache ${kind === 'hit' ? 'hits' : 'misses'} by key`,
        type: 'gauge' as const,
        samples: counts.map(([key, count]) => plain({ key }, count)),
      },
      total(`slurmweb_cache_${kind}_total`, `All cache ${kind === 'hit' ? 'hits' : 'misses'}`, sum),
    ];
  });
}

function collectorFamilies(
  snapshot: Snapshot,
  collector: Pick<Collector, 'up' | 'failures'>,
  now: number,
): Family[] {
  const gauge = (name: string, help: string, value: number): Family => ({
    name: `rackwright_collector_${name}`,
    help,
    type: 'gauge',
    samples: [plain({}, value)],
  });
  return [
    gauge('up', 'Whether the last collection succeeded', collector.up ? 1 : 0),
    gauge('age_seconds', 'Age of the data shown', Math.max(0, now - snapshot.taken) / 1000),
    gauge('duration_seconds', 'How long the collection of the data shown took', snapshot.took / 1000),
    gauge('last_success_timestamp_seconds', 'When the data shown was collected', snapshot.taken / 1000),
    {
      name: 'rackwright_collector_errors',
      help: 'Collections that failed, by cause',
      type: 'counter',
      samples: [...collector.failures].map(([reason, count]) => ({
        suffix: '_total',
        labels: { reason },
        value: count,
      })),
    },
    {
      name: 'rackwright_build_info',
      help: 'The software',
      type: 'gauge',
      samples: [plain({ version: VERSION }, 1)],
    },
  ];
}

function plain(labels: Readonly<Record<string, string>>, value: number): Sample {
  return { suffix: '', labels, value };
}

function total(name: string, help: string, value: number): Family {
  return { name, help, type: 'total', samples: [plain({}, value)] };
}

function byState<S extends string>(
  name: string,
  help: string,
  states: readonly S[],
  counts: Readonly<Record<S, number>>,
): Family {
  return { name, help, type: 'gauge', samples: states.map(state => plain({ state }, counts[state])) };
}

function nested(
  name: string,
  help: string,
  label: string,
  counts: ReadonlyMap<string, Readonly<Record<string, number>>>,
): Family {
  const samples = [...counts].flatMap(([key, states]) =>
    Object.entries(states).map(([state, value]) => plain({ [label]: key, state }, value)),
  );
  return { name, help, type: 'gauge', samples };
}
