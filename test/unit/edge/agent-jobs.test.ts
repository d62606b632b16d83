/** Jobs at the edges of what Slurm says of them: several partitions, never started, under way, an array's id. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cache } from '../../../edge/agent/cache.ts';
import { Cluster } from '../../../edge/agent/cluster.ts';
import { Collector } from '../../../edge/agent/collector.ts';
import { type Client, readDiagnostics } from '../../../edge/agent/diagnostics.ts';
import { jobDetail } from '../../../edge/agent/filters.ts';
import { readLargeObject } from '../../../edge/agent/json-stream.ts';
import type { AgentSettings } from '../../../edge/agent/schema.ts';
import type { Slurmrestd } from '../../../edge/agent/slurmrestd.ts';
import { addJob, emptyTally } from '../../../edge/agent/tally.ts';
import { Fault } from '../../../proto/fault.ts';

const NOW = 1_000_000;

test('a job that waits for several partitions is in the queue of each, and is one job', () => {
  const tally = emptyTally();
  addJob(tally, { job_state: ['PENDING'], partition: 'debug,batch' }, 0);
  addJob(tally, { job_state: ['RUNNING'], partition: 'batch' }, 0);
  assert.deepEqual([...tally.partitionJobs.keys()].sort(), ['batch', 'debug']);
  assert.equal(tally.partitionJobs.get('batch')?.pending, 1);
  assert.equal(tally.partitionJobs.get('batch')?.running, 1);
  assert.equal(tally.partitionJobs.get('debug')?.pending, 1);
  assert.deepEqual([tally.jobsTotal, tally.jobs.pending], [2, 1]);
});

test('a job that was cancelled while it waited has not started', () => {
  const tally = emptyTally();
  // As slurmctld of 22.05 tells a held job that was cancelled.
  const times = { eligible_time: 0, submit_time: NOW - 7200, start_time: NOW, end_time: NOW };
  addJob(tally, { job_state: 'CANCELLED', nodes: '', partition: 'cpu', ...times }, 0);
  assert.equal(tally.waits.count, 0);
  assert.equal(tally.jobs.cancelled, 1);
  addJob(tally, { job_state: 'FAILED', nodes: 'n1', partition: 'cpu', ...times }, 0);
  assert.deepEqual([tally.waits.count, tally.waits.sum], [1, 7200]);
});

test('without accounting a job’s times are those that were, not those expected', () => {
  const life = (job: Record<string, unknown>): unknown => {
    const { time } = jobDetail(null, { job_id: 1, ...job }, { acctjob: [], ctldjob: [] }, NOW + 0.7);
    const { start, end, elapsed } = time as Record<string, unknown>;
    return [start, end, elapsed];
  };
  const limit = 86_400;
  assert.deepEqual(life({ job_state: 'RUNNING', start_time: NOW - 60, end_time: NOW - 60 + limit }), [
    NOW - 60,
    0,
    60,
  ]);
  assert.deepEqual(
    life({ job_state: ['PENDING'], start_time: NOW + 500, end_time: NOW + 500 + limit }),
    [0, 0, 0],
  );
  const past = { start_time: NOW - 100, end_time: NOW + limit, pre_sus_time: 30, suspend_time: NOW - 20 };
  assert.deepEqual(life({ job_state: 'SUSPENDED', ...past }), [NOW - 100, 0, 30]);
  assert.deepEqual(life({ job_state: 'RUNNING', ...past }), [NOW - 100, 0, 50]);
  assert.deepEqual(
    life({ job_state: ['COMPLETED', 'COMPLETING'], start_time: NOW - 100, end_time: NOW - 10 }),
    [NOW - 100, NOW - 10, 90],
  );
  assert.deepEqual(
    life({
      job_state: ['RUNNING', 'CONFIGURING'],
      start_time: { set: true, infinite: false, number: NOW - 5 },
      end_time: { set: true, infinite: false, number: NOW + limit },
    }),
    [NOW - 5, 0, 5],
  );
});

/** A cluster over answers by path; `slurmdb/` stands before those of accounting. */
function clusterOf(answers: Readonly<Record<string, object>>): Cluster {
  const get = async (path: string, _collect: unknown, accounting = false): Promise<unknown> => {
    const answer = answers[accounting ? `slurmdb/${path}` : path];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const cache = new Cache({ redis: null, prefix: '', enabled: false, now: () => 0, warn: () => undefined });
  const settings = { cache: { job: 10 }, filters: { acctjob: [], ctldjob: [] } } as unknown as AgentSettings;
  return new Cluster({ get } as unknown as Slurmrestd, cache, settings, () => NOW * 1000);
}

test('of an array’s tasks the one whose id was asked for is shown', async () => {
  const tasks = (user: string) => [
    { job_id: 101, user_name: 'other', user: 'other', name: 'one' },
    { job_id: 100, user_name: user, user, name: 'hundred' },
  ];
  const cluster = clusterOf({
    'job/100': { jobs: tasks('ann') },
    'slurmdb/job/100': { jobs: tasks('ann') },
  });
  const { job, user } = await cluster.job(100);
  assert.deepEqual([user, job.name], ['ann', 'hundred']);
});

test('a job is unknown where accounting says so or is not there, not where it is silent', async () => {
  const gone = { 'job/7': new Fault('not_found', 'not-found', 'no job') };
  const silent = new Fault('unavailable', 'timeout', 'slurmrestd did not answer within 30 s');
  await assert.rejects(clusterOf({ ...gone, 'slurmdb/job/7': silent }).job(7), /did not answer/);
  const absent = new Fault('unavailable', 'slurm-error', 'accounting is disabled');
  for (const answer of [absent, { jobs: [] }]) {
    await assert.rejects(clusterOf({ ...gone, 'slurmdb/job/7': answer }).job(7), /Job 7 not found/);
  }
});

test('the diagnostics read a configuration with more associations than one text can hold', async () => {
  const padding = 'x'.repeat(1000);
  async function* config(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"errors":[],"associations":[');
    for (let at = 0; at < 9000; at++) {
      yield Buffer.from(`${at === 0 ? '' : ','}{"id":${at},"note":"${padding}"}`);
    }
    yield Buffer.from('],"clusters":[{"name":"alpha","nodes":"n[1-4]"}]}');
  }
  const nothing = { lists: new Set<string>(), onElement: () => undefined };
  const client = {
    get: async (path: string, collect = nothing) =>
      path === 'diag'
        ? { statistics: { jobs_submitted: 3 } }
        : readLargeObject(config(), collect.lists, collect.onElement),
  } as unknown as Client;
  const { clusters, statistics } = await readDiagnostics(client);
  assert.deepEqual(clusters, [{ name: 'alpha', nodes: 'n[1-4]' }]);
  assert.equal(statistics.jobs_submitted, 3);
});

test('a snapshot is not served for hours because the clock was set back', async () => {
  let now = 10_000_000;
  let answers = true;
  const collector = new Collector({
    slurmrestd: {
      get: async () => {
        if (!answers) throw new Fault('unavailable', 'timeout', 'silence');
        return {};
      },
    },
    ...{ interval: 1000, maxAge: 90, users: 0 },
    ...{ now: () => now, random: () => 0, warn: () => undefined, info: () => undefined },
  });
  collector.open();
  await collector.read();
  answers = false;
  now -= 3_600_000;
  await assert.rejects(collector.read(), /no metrics to show/);
  await collector.close();
});

test('a long element that comes in small pieces takes work in proportion to its length', async () => {
  const read = async (pieces: number): Promise<number> => {
    async function* body(): AsyncGenerator<Buffer> {
      yield Buffer.from('{"jobs":[{"script":"');
      for (let at = 0; at < pieces; at++) yield Buffer.alloc(200, 'x');
      yield Buffer.from('"}]}');
    }
    let length = 0;
    const began = process.threadCpuUsage();
    await readLargeObject(body(), new Set(['jobs']), (_list, job) => {
      length = (job as { script: string }).script.length;
    });
    assert.equal(length, 200 * pieces);
    // Work done, not time passed: others may have the processor meanwhile.
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1000;
  };
  await read(1000);
  const [short, long] = [await read(4000), await read(40_000)];
  // Ten times as much; copying all of it at each piece would take a hundred times as long.
  assert.ok(long < 40 * short + 200, `${short} ms, then ${long} ms`);
});
