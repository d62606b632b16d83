/** Whatever slurmrestd does, the agent says so, leaks nothing and recovers by itself. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type OpenAgent, openAgent } from '../../support/agent.ts';
import { type ScriptedSlurmrestd, scriptedSlurmrestd, type Trouble } from '../../support/slurmrestd.ts';
import { until } from '../../support/until.ts';

/** What each trouble is answered with by a route of cluster data, and words of the reason. */
const EXPECTED: readonly (readonly [Exclude<Trouble, null>, number, RegExp])[] = [
  ['garbage', 502, /malformed JSON/],
  ['half', 502, /no connection|cut off/],
  ['reset', 502, /no connection/],
  ['refused', 502, /refused our credential/],
  ['unauthorized', 502, /refused our credential/],
  ['error', 502, /slurmrestd error: Unspecified/],
  ['errors', 502, /Unable to contact slurm controller/],
  ['empty', 502, /empty answer/],
  ['html', 502, /Bad Gateway/],
];

const settings = (upstream: ScriptedSlurmrestd, timeout: number): string =>
  `[service]\ncluster=alpha\n[slurmrestd]\nuri=${upstream.url}\njwt_mode=static\njwt_token=any\n` +
  `timeout=${timeout}\n[metrics]\nenabled=yes\ninterval=1\nmax_age=2\n`;

/** One trouble from beginning to end. */
async function endure(
  upstream: ScriptedSlurmrestd,
  agent: OpenAgent,
  trouble: Trouble,
  status: number,
  reason: RegExp,
): Promise<void> {
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
  let metrics = answer;
  await until(async () => {
    metrics = await agent.get('/metrics', null);
    return metrics.status === 503;
  });
  // An empty or wrong answer is never an empty cluster.
  assert.match(metrics.body, /no metrics to show/);
  upstream.trouble = null;
  await until(async () => (await agent.get('/v7.0.0/nodes')).status === 200);
}

test('an agent answers 504 to silence and is well again afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwagent-'));
  const upstream = await scriptedSlurmrestd({ nodes: 20, jobs: 50 });
  // It alone has a short time-out: elsewhere an answer that the machine holds up would be another trouble.
  const agent = await openAgent(folder, settings(upstream, 1));
  try {
    await endure(upstream, agent, 'hang', 504, /did not answer within 1 s/);
  } finally {
    await agent.close();
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('an agent with a troubled slurmrestd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwagent-'));
  let upstream: ScriptedSlurmrestd;
  let agent: OpenAgent;
  before(async () => {
    upstream = await scriptedSlurmrestd({ nodes: 20, jobs: 50 });
    agent = await openAgent(folder, settings(upstream, 60));
  });
  after(async () => {
    await agent?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [trouble, status, reason] of EXPECTED) {
    test(`answers ${status} to ${trouble} and is well again afterwards`, () =>
      endure(upstream, agent, trouble, status, reason));
  }

  test('a thousand failures leave no connection, no timer and no memory behind', async () => {
    const kinds = ['garbage', 'half', 'reset', 'refused', 'error', 'errors', 'empty', 'html'] as const;
    const fail = async (times: number): Promise<void> => {
      for (const trouble of kinds) {
        upstream.trouble = trouble;
        for (let round = 0; round < times; round++) {
          const answers = await Promise.all(
            Array.from({ length: 10 }, (_, at) => agent.get(`/v7.0.0/job/${at + 1}`)),
          );
          assert.ok(answers.every(answer => answer.status === 502 || answer.status === 200));
        }
      }
      upstream.trouble = null;
      await until(async () => (await agent.get('/v7.0.0/nodes')).status === 200);
    };
    await fail(2);
    await until(async () => timers() < 40);
    const [before, waiting] = [heap(), timers()];
    await fail(13);
    await until(async () => timers() <= waiting + 5);
    assert.ok((await upstream.connections()) <= 5, `${await upstream.connections()} connections`);
    const grown = (heap() - before) / 1024 ** 2;
    assert.ok(grown < 8, `${grown.toFixed(1)} MiB more`);
  });

  test('says in the log what became of Slurm, and of each request where that is asked for', async () => {
    assert.ok(agent.log.includes('info slurmrestd is of Slurm 22.05.8 and speaks version 0.0.38 with us'));
    assert.ok(agent.log.some(line => /^warn collection failed \(1 in a row\): /.test(line)));
    assert.ok(agent.log.some(line => /^info collections succeed again after \d+ that failed$/.test(line)));
    assert.ok(!agent.log.some(line => line.includes('debug:')));
    const slurm = `[slurmrestd]\nuri=${upstream.url}\njwt_mode=static\njwt_token=very-secret\n`;
    const talk = async (service: string): Promise<readonly string[]> => {
      const other = await openAgent(
        mkdtempSync(join(folder, 'log-')),
        `[service]\ncluster=a\n${service}\n${slurm}`,
      );
      await other.get('/v7.0.0/nodes');
      await other.close();
      return other.log;
    };
    const chatty = await talk('debug=yes\ndebug_flags=slurmrestd');
    assert.ok(
      chatty.some(line =>
        /^info debug: slurmrestd: GET \/slurm\/v0\.0\.38\/nodes: read in \d+ ms$/.test(line),
      ),
    );
    assert.ok(!chatty.some(line => line.includes('very-secret')));
    const other = await talk('debug=yes\ndebug_flags=slurmweb');
    assert.ok(!other.some(line => line.includes('debug:')) && other.some(line => line.includes('22.05.8')));
    assert.deepEqual(await talk('log_flags=rfl'), []);
  });

  test('fifty readers at once cost one upstream fetch', async () => {
    // Nobody has asked for these before, so no answer is kept.
    const answers = await Promise.all(Array.from({ length: 50 }, () => agent.get('/v7.0.0/partitions')));
    assert.ok(answers.every(answer => answer.status === 200));
    assert.equal(upstream.asked.get('/slurm/v0.0.38/partitions'), 1);
  });

  test('only listed networks read metrics, and forged headers open nothing', async () => {
    const scrape = (remoteAddress: string, headers: Record<string, string> = {}) =>
      agent.app.inject({ url: '/metrics', remoteAddress, headers });
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      // Between two collections a snapshot may be too old for a moment.
      await until(async () => (await scrape(address)).statusCode === 200);
    }
    const refused = await scrape('10.1.2.3', { 'x-forwarded-for': '127.0.0.1' });
    assert.equal(refused.statusCode, 403);
    assert.equal(
      JSON.parse(refused.body).description,
      'IP address 10.1.2.3 not authorized to request metrics',
    );
  });

  test('paths and parameters that are none are refused without asking upstream', async () => {
    const before = new Map(upstream.asked);
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
    const asked = [...upstream.asked].filter(([path, count]) => count > (before.get(path) ?? 0));
    // The collection goes on meanwhile; nothing else was asked.
    for (const [path] of asked) assert.match(path, /^\/slurm\/v0\.0\.38\/(nodes|jobs|diag|ping)$/);
  });
});

function timers(): number {
  return process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
}

/** Bytes in use once nothing is left to collect. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
