/** Whatever slurmrestd does, the agent says so, leaks nothing and recovers by itself. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type OpenAgent, openAgent } from '../../support/agent.ts';
import { until } from '../../support/slurm.ts';
import { type ScriptedSlurmrestd, scriptedSlurmrestd, type Trouble } from '../../support/slurmrestd.ts';

/** What each trouble is answered with by a route of cluster data, and words of the reason. */
const EXPECTED: readonly (readonly [Exclude<Trouble, null>, number, RegExp])[] = [
  ['garbage', 502, /malformed JSON/],
  ['half', 502, /no connection|cut off/],
  ['hang', 504, /did not answer within 1 s/],
  ['reset', 502, /no connection/],
  ['refused', 502, /refused our credential/],
  ['unauthorized', 502, /refused our credential/],
  ['error', 502, /slurmrestd error: Unspecified/],
  ['errors', 502, /Unable to contact slurm controller/],
  ['empty', 502, /empty answer/],
  ['html', 502, /Bad Gateway/],
];

describe('an agent with a troubled slurmrestd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwagent-'));
  let upstream: ScriptedSlurmrestd;
  let agent: OpenAgent;
  before(async () => {
    upstream = await scriptedSlurmrestd({ nodes: 20, jobs: 50 });
    agent = await openAgent(
      folder,
      `[service]\ncluster=alpha\n[slurmrestd]\nuri=${upstream.url}\njwt_mode=static\njwt_token=any\ntimeout=1\n` +
        '[metrics]\nenabled=yes\ninterval=1\nmax_age=2\n',
    );
  });
  after(async () => {
    await agent?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [trouble, status, reason] of EXPECTED) {
    test(`answers ${status} to ${trouble} and is well again afterwards`, async () => {
      await until(async () => (await agent.get('/metrics', null)).status === 200);
      upstream.trouble = trouble;
      let answer = await agent.get('/v7.0.0/nodes');
      await until(async () => {
        answer = await agent.get('/v7.0.0/nodes');
        return answer.status !== 200;
      });
      assert.equal(answer.status, status, answer.body);
      const { description, code } = answer.json<{ description: string; code: number }>();
      assert.match(description, reason);
      assert.equal(code, status);
      await until(async () => (await agent.get('/metrics', null)).status === 503);
      // An empty or wrong answer is never an empty cluster.
      assert.match((await agent.get('/metrics', null)).body, /no metrics to show/);
      upstream.trouble = null;
      await until(async () => (await agent.get('/v7.0.0/nodes')).status === 200);
    });
  }

  test('fifty readers at once cost one upstream fetch', async () => {
    await until(async () => (await agent.get('/v7.0.0/partitions')).status === 200);
    await new Promise(resolve => setTimeout(resolve, 4500));
    const before = upstream.asked.get('/slurm/v0.0.38/partitions') ?? 0;
    const answers = await Promise.all(Array.from({ length: 50 }, () => agent.get('/v7.0.0/partitions')));
    assert.ok(answers.every(answer => answer.status === 200));
    assert.equal((upstream.asked.get('/slurm/v0.0.38/partitions') ?? 0) - before, 1);
  });

  test('only listed networks read metrics, and forged headers open nothing', async () => {
    const scrape = (remoteAddress: string, headers: Record<string, string> = {}) =>
      agent.app.inject({ url: '/metrics', remoteAddress, headers });
    assert.equal((await scrape('127.0.0.1')).statusCode, 200);
    assert.equal((await scrape('::1')).statusCode, 200);
    assert.equal((await scrape('::ffff:127.0.0.1')).statusCode, 200);
    const refused = await scrape('10.1.2.3', { 'x-forwarded-for': '127.0.0.1' });
    assert.equal(refused.statusCode, 403);
    assert.equal(
      JSON.parse(refused.body).description,
      'IP address 10.1.2.3 not authorized to request metrics',
    );
  });

  test('paths and parameters that are none are refused without asking upstream', async () => {
    const before = [...upstream.asked.values()].reduce((sum, one) => sum + one, 0);
    for (const [path, status] of [
      ['/v7.0.0/job/abc', 404],
      ['/v7.0.0/node/..%2Fjobs', 404],
      ['/v5.0.0/jobs', 404],
      ['/v7.0.0/jobs/past', 400],
      ['/v7.0.0/cache/stats', 501],
      ['/v7.0.0/rain', 404],
      ['/agent/rain', 404],
    ] as const) {
      const answer = await agent.get(path);
      assert.equal(answer.status, status, path);
      assert.equal(answer.json<{ code: number }>().code, status, path);
    }
    const collected = [...upstream.asked].filter(([path]) => /job\/|node\//.test(path));
    assert.deepEqual(collected, []);
    assert.ok([...upstream.asked.values()].reduce((sum, one) => sum + one, 0) - before < 20);
  });
});
