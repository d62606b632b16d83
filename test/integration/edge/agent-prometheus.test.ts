/** The agent's metrics as collectors take them: a real Prometheus scrapes and answers charts, promtool has no complaint. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type OpenAgent, openAgent } from '../../support/agent.ts';
import { freePort, type Prometheus, startPrometheus } from '../../support/prometheus.ts';
import { until } from '../../support/slurm.ts';
import { type ScriptedSlurmrestd, scriptedSlurmrestd } from '../../support/slurmrestd.ts';

describe('metrics', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwagent-'));
  let upstream: ScriptedSlurmrestd;
  let agent: OpenAgent;
  let prometheus: Prometheus;
  before(async () => {
    upstream = await scriptedSlurmrestd({ nodes: 50, jobs: 200 });
    const port = await freePort();
    agent = await openAgent(
      folder,
      `[service]\ncluster=alpha\n[slurmrestd]\nuri=${upstream.url}\njwt_mode=static\njwt_token=any\n` +
        `[metrics]\nenabled=yes\ninterval=1\nscrape_interval=1\nusers=yes\nhost=http://127.0.0.1:${port}\n`,
    );
    prometheus = await startPrometheus(agent.address, '/metrics', 'slurm', port);
    await until(async () => (await prometheus.query('slurm_nodes_total')).length > 0);
  });
  after(async () => {
    await prometheus?.stop();
    await agent?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('Prometheus finds the target up and the numbers as they are', async () => {
    assert.equal((await prometheus.query('up{job="slurm"}'))[0]?.value[1], '1');
    assert.equal((await prometheus.query('slurm_nodes_total'))[0]?.value[1], '50');
    assert.equal((await prometheus.query('slurm_jobs_total'))[0]?.value[1], '200');
    assert.equal((await prometheus.query('sum(slurm_jobs)'))[0]?.value[1], '200');
    assert.equal((await prometheus.query('slurm_job_wait_seconds_bucket{le="+Inf"}')).length, 1);
  });

  test('promtool has no complaint about the text form', async () => {
    const text = (await agent.get('/metrics', null)).body;
    // promtool prints complaints and ends with 1 or 3.
    const said = execFileSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    assert.equal(said.trim(), '');
  });

  test('a chart has every state with the same times', async () => {
    await until(
      async () => Object.keys((await agent.get('/v7.0.0/metrics/nodes')).json<object>()).length > 0,
    );
    for (const metric of ['nodes', 'cores', 'gpus', 'jobs']) {
      const chart = (await agent.get(`/v7.0.0/metrics/${metric}?range=hour`)).json<
        Record<string, [number, number][]>
      >();
      const times = Object.values(chart).map(points => points.map(([time]) => time).join());
      assert.ok(times.length >= 8, metric);
      assert.equal(new Set(times).size, 1, metric);
      assert.notEqual(times[0], '', metric);
    }
    const nodes = (await agent.get('/v7.0.0/metrics/nodes')).json<Record<string, [number, number][]>>();
    const sum = Object.values(nodes).reduce((all, points) => all + (points.at(-1)?.[1] ?? 0), 0);
    assert.equal(sum, 50);
  });

  test('what is no metric, no range or no permission is told apart', async () => {
    assert.equal((await agent.get('/v7.0.0/metrics/rain')).status, 404);
    assert.equal((await agent.get('/v7.0.0/metrics/nodes?range=year')).status, 400);
    assert.equal((await agent.get('/v7.0.0/metrics/cache')).status, 200);
    const refused = await agent.get('/v7.0.0/metrics/cache', await agent.token('anonymous'));
    assert.equal(refused.status, 403);
    assert.equal(refused.json<{ description: string }>().description, 'Access to cache metric not permitted');
  });
});
