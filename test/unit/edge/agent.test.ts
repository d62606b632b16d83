/** The agent's pure parts: precedence of states, GRES texts, host lists, exposition, tolerant values, streams. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { render } from '../../../edge/agent/exposition.ts';
import { jobDetail } from '../../../edge/agent/filters.ts';
import { countGpus } from '../../../edge/agent/gres.ts';
import { inHostlist } from '../../../edge/agent/hostlist.ts';
import { jobRow } from '../../../edge/agent/job-shapes.ts';
import { readLargeObject } from '../../../edge/agent/json-stream.ts';
import { bothVocabularies, canonicalAction } from '../../../edge/agent/policy.ts';
import { addJob, addNode, emptyTally, jobClass, nodeClass } from '../../../edge/agent/tally.ts';
import { optional, states } from '../../../edge/agent/values.ts';
import { negotiate } from '../../../edge/http/scrape.ts';
import { Fault } from '../../../proto/fault.ts';
import { SEED, scaled } from '../../support/scale.ts';

test('a node counts once, in the first class of the precedence', () => {
  assert.equal(nodeClass(['IDLE', 'DRAIN']), 'drain');
  assert.equal(nodeClass(['DOWN', 'DRAIN', 'ERROR']), 'error');
  assert.equal(nodeClass(['ALLOCATED', 'DRAIN']), 'allocated');
  assert.equal(nodeClass(['MIXED', 'COMPLETING']), 'mixed');
  // Whole flags only: a drained node is flagged DRAIN, never a part of another word.
  assert.equal(nodeClass(['POWERED_DOWN']), 'unknown');
  assert.equal(jobClass(['COMPLETED', 'COMPLETING']), 'completing');
  assert.equal(jobClass(['CONFIGURING']), 'unknown');
});

test('cores and GPUs of mixed nodes are split, of others counted whole', () => {
  const tally = emptyTally();
  addNode(tally, {
    state: 'mixed',
    state_flags: [],
    cpus: 64,
    alloc_cpus: 20,
    idle_cpus: 44,
    gres: 'gpu:a100:4',
    gres_used: 'gpu:a100:1(IDX:0)',
    partitions: ['p'],
  });
  addNode(tally, { state: ['IDLE', 'DRAIN'], cpus: 8, gres: 'gpu:2' });
  addNode(tally, { state: ['ALLOCATED'], cpus: 16, gres: 'gpu:a100:2', gres_used: 'gpu:a100:9' });
  assert.deepEqual(
    [tally.cores.allocated, tally.cores.idle, tally.cores.mixed, tally.cores.drain],
    [36, 44, 0, 8],
  );
  assert.deepEqual([tally.gpus.allocated, tally.gpus.idle, tally.gpus.drain, tally.gpusTotal], [3, 3, 2, 8]);
  assert.deepEqual(tally.gpuTypes.get('a100'), { total: 6, allocated: 3, idle: 3 });
});

test('waiting times go into buckets, a pending job does not wait yet', () => {
  const tally = emptyTally();
  addJob(
    tally,
    { job_state: 'RUNNING', eligible_time: 1000, start_time: 1030, partition: 'p', user_name: 'ann' },
    1,
  );
  addJob(
    tally,
    { job_state: 'PENDING', eligible_time: 1000, start_time: 9000, partition: 'p', user_name: 'bob' },
    1,
  );
  assert.equal(tally.waits.count, 1);
  assert.equal(tally.waits.buckets[2], 1);
  assert.deepEqual([...tally.userJobs.keys()], ['ann', 'other']);
});

test('GRES texts of every known form are counted', () => {
  for (const [text, count] of [
    ['gpu', 1],
    ['gpu:4', 4],
    ['gpu:h100:4(S:0-1)', 4],
    ['gpu:h100:2(IDX:0,2)', 2],
    ['gpu:(null):4', 4],
    ['gpu:no_consume:4', 4],
    ['gres/gpu=3', 3],
    ['gpu:h100', 1],
    ['gpu:a100:2,gpu:v100:3,nic:8', 5],
    ['craynetwork:4', 0],
    ['gpus:4', 0],
    ['(null)', 0],
    ['', 0],
  ] as const) {
    assert.equal(countGpus(text).total, count, text);
  }
  assert.deepEqual(countGpus('gpu:a100:many').unreadable, ['gpu:a100:many']);
});

test('host lists hold their names and no others', () => {
  const list = 'cn[01-04,7],gpu1,rack[1-2]n[08-12]';
  for (const name of ['cn01', 'cn04', 'cn7', 'gpu1', 'rack2n08', 'rack1n12'])
    assert.ok(inHostlist(list, name), name);
  for (const name of ['cn1', 'cn05', 'cn07', 'gpu', 'gpu11', 'rack3n08', 'rack1n8', 'rack1n13', 'cn', '']) {
    assert.ok(!inHostlist(list, name), name);
  }
});

test('unset and infinite are known in every spelling', () => {
  const unset = { set: false, infinite: false, number: 0 };
  for (const value of [
    null,
    undefined,
    -2,
    4_294_967_294,
    2 ** 63,
    1.8446744073709552e19,
    { set: false, number: 5 },
    'x',
    Number.NaN,
  ]) {
    assert.deepEqual(optional(value), unset, String(value));
  }
  for (const value of [
    4_294_967_295,
    { infinite: true, set: true, number: 3 },
    { infinite: true, set: false },
  ]) {
    assert.deepEqual(optional(value), { set: false, infinite: true, number: 0 });
  }
  assert.deepEqual(optional({ set: true, infinite: false, number: 7 }), {
    set: true,
    infinite: false,
    number: 7,
  });
  assert.deepEqual(states('idle', ['drain', 'IDLE']), ['IDLE', 'DRAIN']);
});

test('jobs have their shape whatever is missing', () => {
  const row = jobRow({ job_id: 7, job_state: 'PENDING', cpus: { set: true, infinite: false, number: 2 } });
  assert.deepEqual(row.job_state, ['PENDING']);
  assert.equal(row.user_name, '');
  const live = {
    job_id: 7,
    name: 'x',
    job_state: ['RUNNING'],
    user_name: 'ann',
    standard_error: '/e',
    exit_code: 256,
  };
  const detail = jobDetail(null, live, { acctjob: [], ctldjob: [] }, 0);
  assert.equal(detail.user, 'ann');
  assert.equal(detail.stderr_expanded, '/e');
  const few = jobDetail(null, live, { acctjob: ['state', 'name'], ctldjob: ['cpus'] }, 0);
  assert.deepEqual(Object.keys(few).sort(), ['cpus', 'name', 'state']);
  assert.deepEqual((detail.exit_code as { return_code: unknown }).return_code, {
    set: true,
    infinite: false,
    number: 1,
  });
});

test('both vocabularies name the same actions', () => {
  assert.equal(canonicalAction('jobs-view'), 'view-jobs');
  assert.equal(canonicalAction('view-jobs'), 'view-jobs');
  assert.equal(canonicalAction('associations-view'), 'associations-view');
  assert.equal(canonicalAction('view-associations'), null);
  assert.deepEqual(bothVocabularies(['view-jobs', 'cache-view']), ['cache-view', 'jobs-view', 'view-jobs']);
});

test('a scrape gets the format it weighs most', () => {
  assert.equal(negotiate(undefined), 'text-0.0.4');
  assert.equal(negotiate('*/*'), 'text-0.0.4');
  assert.equal(
    negotiate(
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    ),
    'openmetrics-1.0.0',
  );
  assert.equal(negotiate('application/openmetrics-text; version=0.0.1'), 'openmetrics-0.0.1');
  assert.equal(negotiate('application/openmetrics-text;q=0.2,text/plain;q=0.8'), 'text-0.0.4');
  assert.equal(negotiate('application/openmetrics-text;q=0'), 'text-0.0.4');
});

test('names with quotes, backslashes and line feeds are escaped', () => {
  const text = render(
    [
      {
        name: 'a',
        help: 'x\ny',
        type: 'gauge',
        samples: [{ suffix: '', labels: { l: 'q"\\\n🙂' }, value: 1 }],
      },
    ],
    'openmetrics-1.0.0',
  );
  assert.equal(text, '# TYPE a gauge\n# HELP a x\\ny\na{l="q\\"\\\\\\n🙂"} 1\n# EOF\n');
});

test('a large object is read alike however it is cut', async () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(value), value, fc.integer({ min: 1, max: 20 }), async (jobs, rest, size) => {
      const bytes = Buffer.from(JSON.stringify({ meta: rest, jobs, end: 1 }));
      async function* chunks() {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      }
      const seen: unknown[] = [];
      const others = await readLargeObject(chunks(), new Set(['jobs']), (_list, job) => seen.push(job));
      assert.deepEqual(JSON.stringify(seen), JSON.stringify(jobs));
      assert.deepEqual(JSON.stringify({ ...others }), JSON.stringify({ meta: rest, jobs: [], end: 1 }));
    }),
    { seed: SEED, numRuns: scaled(20_000, 0.02) },
  );
});

test('anything that is no whole object is a Fault, never a hang', async () => {
  const broken = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '',
      '[]',
      '{',
      '{"jobs":[',
      '{"jobs":[{}',
      '{"a"}',
      '{"a":}',
      '}{',
      '{"jobs":[1,,]}',
      'null',
      '{"a":1}{',
    ),
  );
  await fc.assert(
    fc.asyncProperty(broken, async text => {
      async function* chunks() {
        yield Buffer.from(text);
      }
      try {
        await readLargeObject(chunks(), new Set(['jobs']), () => undefined);
      } catch (error) {
        assert.ok(error instanceof Fault && error.reason === 'slurm-error', String(error));
      }
    }),
    { seed: SEED, numRuns: scaled(50_000, 0.02) },
  );
});
