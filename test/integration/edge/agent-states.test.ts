/** Jobs and nodes of a real Slurm in every state that its commands make: each metric equals what they count then. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type OpenAgent, openAgent, samplesOf } from '../../support/agent.ts';
import { type Slurm, startSlurm } from '../../support/slurm.ts';
import { canRunOut, isMade, makeStates, unmakeStates } from '../../support/slurm-scenes.ts';
import {
  JOBS,
  type JobLine,
  jobLines,
  NODES,
  type NodeLine,
  nodeLines,
  REAL_NODES,
  readStatistics,
  waitsOf,
} from '../../support/slurm-states.ts';
import { until } from '../../support/until.ts';

/** squeue's words that have a state of their own in the metrics; every other word counts as unknown. */
const COUNTED = [
  ...['RUNNING', 'PENDING', 'COMPLETING', 'COMPLETED', 'CANCELLED', 'SUSPENDED', 'PREEMPTED', 'FAILED'],
  ...['TIMEOUT', 'NODE_FAIL', 'BOOT_FAIL', 'DEADLINE', 'OUT_OF_MEMORY'],
];

/** What the documents say of nodes, worked out from sinfo's words. */
function classOf({ state }: NodeLine): string {
  const words = state.split('+');
  for (const word of ['error', 'fail', 'mixed', 'allocated', 'down', 'drain', 'idle']) {
    if (words.includes(word)) return word;
  }
  return 'unknown';
}

/** What each node counts as, by hand. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  allocated: ['n001', 'n003', 'c004'],
  mixed: ['n002', 'n006', 'c001'],
  down: ['n004', 'n010', 'dead1', 'c010'],
  drain: ['n009', 'bad', 'c012'],
  fail: ['n008', 'c011'],
  idle: ['n005', 'n007', 'dead2', 'c005', 'c006', 'c007', 'c008', 'c009'],
  unknown: ['ghost'],
};

interface Moment {
  readonly jobs: readonly JobLine[];
  readonly nodes: readonly NodeLine[];
  readonly waits: readonly number[];
  readonly statistics: Readonly<Record<string, number>>;
}

type Answer = Awaited<ReturnType<OpenAgent['get']>>;

describe('an agent on a Slurm with jobs and nodes in every state', () => {
  let slurm: Slurm;
  let agent: OpenAgent;
  let told: Moment;
  let metrics: ReadonlyMap<string, number>;
  let rows: Answer;
  let nodes: Answer;

  const look = async (): Promise<Moment> => ({
    jobs: await jobLines(slurm),
    nodes: await nodeLines(slurm),
    waits: await waitsOf(slurm),
    statistics: await readStatistics(slurm),
  });
  const metric = (name: string): number => metrics.get(name) ?? Number.NaN;
  const count = (lines: readonly unknown[]): number => lines.length;
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

  before(async () => {
    slurm = await startSlurm({ accounting: true, states: true, nodes: REAL_NODES, cloud: 20 });
    const settings =
      `[service]\ncluster=alpha\n[slurmrestd]\nuri=${slurm.tcp}\njwt_user=root\njwt_key=${slurm.jwtKey}\n` +
      '[metrics]\nenabled=yes\ninterval=1\nusers=yes\n';
    await makeStates(slurm);
    // A collection, and answers, that lie between two equal looks of Slurm's own commands: a new agent a try remembers
    // nothing.
    await until(async () => {
      await agent?.close();
      const first = await look();
      agent = await openAgent(slurm.folder, settings);
      await until(async () => {
        const { status, body } = await agent.get('/metrics', null);
        metrics = samplesOf(body);
        return status === 200;
      });
      rows = await agent.get('/v7.0.0/jobs');
      nodes = await agent.get('/v7.0.0/nodes');
      told = await look();
      return isDeepStrictEqual(first, told) && (await isMade(slurm, told.jobs, told.nodes));
    }, 600_000);
  });
  after(async () => {
    if (slurm) await unmakeStates(slurm);
    await agent?.close();
    await slurm?.stop();
  });

  test('every state that commands make is there', async t => {
    const words = new Set(told.jobs.map(job => job.word));
    const limited = await canRunOut(slurm);
    if (!limited)
      t.diagnostic('no job ran out of memory: this host has no control groups of version 1 for it');
    for (const word of Object.values(JOBS)) {
      assert.ok(words.has(word) || (word === 'OUT_OF_MEMORY' && !limited), word);
    }
    for (const [name, words] of Object.entries(NODES)) {
      assert.equal(told.nodes.find(node => node.name === name)?.state, words, name);
    }
    // The one class of nodes that stays empty: 22.05 takes the word from nobody.
    await assert.rejects(
      slurm.ask('scontrol', 'update', 'nodename=n007', 'state=error'),
      /Invalid input: state=error/,
    );
  });

  test('every documented state has its sample, and nothing is counted twice', () => {
    for (const [family, states] of [
      ['nodes', [...Object.keys(CLASSES), 'error']],
      ['cores', [...Object.keys(CLASSES), 'error']],
      ['gpus', [...Object.keys(CLASSES), 'error']],
      ['jobs', [...COUNTED.map(word => word.toLowerCase()), 'unknown']],
    ] as const) {
      const parts = states.map(state => metric(`slurm_${family}{state="${state}"}`));
      assert.equal(sum(parts), metric(`slurm_${family}_total`), family);
    }
  });

  test('jobs are counted as squeue counts them', () => {
    for (const word of COUNTED) {
      const expected = count(told.jobs.filter(job => job.word === word));
      assert.equal(metric(`slurm_jobs{state="${word.toLowerCase()}"}`), expected, word);
    }
    const others = count(told.jobs.filter(job => !COUNTED.includes(job.word)));
    assert.ok(others >= 7);
    assert.equal(metric('slurm_jobs{state="unknown"}'), others);
    assert.equal(metric('slurm_jobs_total'), told.jobs.length);
  });

  test('jobs of each partition and each user are counted so', () => {
    for (const [label, values] of [
      ['partition', told.jobs.map(job => job.partition)],
      ['user', told.jobs.map(job => job.user)],
    ] as const) {
      assert.ok(new Set(values).size > 1);
      for (const value of new Set(values)) {
        for (const word of COUNTED) {
          const expected = count(told.jobs.filter(job => job[label] === value && job.word === word));
          const name = `slurm_${label}_jobs{${label}="${value}",state="${word.toLowerCase()}"}`;
          assert.equal(metric(name), expected, name);
        }
      }
    }
  });

  test('nodes are counted as sinfo counts them', () => {
    for (const [state, names] of Object.entries(CLASSES)) {
      for (const name of names) {
        const node = told.nodes.find(one => one.name === name);
        assert.ok(node && classOf(node) === state, name);
      }
    }
    assert.deepEqual(Object.values(CLASSES).flat().sort(), Object.keys(NODES).sort());
    for (const state of [...Object.keys(CLASSES), 'error']) {
      const expected = count(told.nodes.filter(node => classOf(node) === state));
      assert.equal(metric(`slurm_nodes{state="${state}"}`), expected, state);
      for (const partition of new Set(told.nodes.flatMap(node => node.partitions))) {
        const here = told.nodes.filter(
          node => node.partitions.includes(partition) && classOf(node) === state,
        );
        const name = `slurm_partition_nodes{partition="${partition}",state="${state}"}`;
        assert.equal(metric(name), here.length, name);
      }
    }
    assert.equal(metric('slurm_nodes_total'), told.nodes.length);
  });

  test('cores are counted as sinfo counts them, those of mixed nodes split', () => {
    const cores = (state: string): number =>
      sum(told.nodes.filter(node => classOf(node) === state).map(node => node.cpus.total));
    const mixed = told.nodes.filter(node => classOf(node) === 'mixed').map(node => node.cpus);
    assert.ok(mixed.length > 2);
    for (const state of ['down', 'drain', 'fail', 'unknown']) {
      assert.equal(metric(`slurm_cores{state="${state}"}`), cores(state), state);
    }
    assert.equal(metric('slurm_cores{state="mixed"}'), 0);
    const busy = sum(mixed.map(cpus => cpus.allocated));
    const free = sum(mixed.map(cpus => cpus.idle));
    assert.equal(metric('slurm_cores{state="allocated"}'), cores('allocated') + busy);
    assert.equal(metric('slurm_cores{state="idle"}'), cores('idle') + free);
    assert.equal(metric('slurm_cores_total'), sum(told.nodes.map(node => node.cpus.total)));
  });

  test('GPUs are counted as sinfo counts them, by type too', () => {
    const working = told.nodes.filter(node => ['mixed', 'allocated'].includes(classOf(node)));
    const used = sum(working.map(node => node.gpusUsed));
    const free = sum(working.map(node => node.gpus)) - used;
    const idle = sum(told.nodes.filter(node => classOf(node) === 'idle').map(node => node.gpus));
    const all = sum(told.nodes.map(node => node.gpus));
    // Three nodes with two each, and all four of the node that is held as a whole.
    assert.deepEqual({ used, all }, { used: 10, all: 82 });
    assert.equal(metric('slurm_gpus{state="allocated"}'), used);
    assert.equal(metric('slurm_gpus{state="idle"}'), idle + free);
    assert.equal(metric('slurm_gpus_total'), all);
    assert.equal(metric('slurm_gpu_type{type="a100",state="allocated"}'), used);
    assert.equal(metric('slurm_gpu_type{type="a100",state="idle"}'), idle + free);
    assert.equal(metric('slurm_gpu_type{type="a100",state="unavailable"}'), 80 - used - idle - free);
  });

  test("waiting times and the scheduler's statistics are those of scontrol and sdiag", () => {
    assert.ok(told.waits.length > 10);
    assert.equal(metric('slurm_job_wait_seconds_count'), told.waits.length);
    assert.equal(metric('slurm_job_wait_seconds_sum'), sum(told.waits));
    for (const bound of [1, 10, 60, 604_800]) {
      const expected = count(told.waits.filter(wait => wait <= bound));
      assert.equal(metric(`slurm_job_wait_seconds_bucket{le="${bound}.0"}`), expected, String(bound));
    }
    for (const [name, value] of Object.entries(told.statistics)) {
      assert.equal(metric(`slurm_scheduler_jobs_${name}`), value, name);
    }
  });

  test('the routes show each job and node with the words of squeue and sinfo', async () => {
    const shown = rows.json<{ job_id: number; name: string; job_state: string[] }[]>();
    assert.equal(shown.length, told.jobs.length);
    for (const { name, job_state } of shown) {
      if (name !== 'hungry' && name !== 'het') assert.deepEqual(job_state, [JOBS[name]], name);
    }
    const details = await Promise.all(shown.map(row => agent.get(`/v7.0.0/job/${row.job_id}`)));
    for (const [at, { status, body, json }] of details.entries()) {
      assert.equal(status, 200, body);
      assert.equal(json<{ name: string }>().name, shown[at]?.name);
    }
    for (const { name, state } of nodes.json<{ name: string; state: string[] }[]>()) {
      const words = told.nodes
        .find(node => node.name === name)
        ?.state.toUpperCase()
        .split('+');
      assert.deepEqual([...state].sort(), words?.sort(), name);
    }
  });
});
