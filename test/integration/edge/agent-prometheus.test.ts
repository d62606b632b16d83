/** The agent's metrics as collectors take them: a real Prometheus scrapes and answers charts, promtool has no complaint. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type OpenAgent, openAgent } from '../../support/agent.ts';
import { type Parsed, promtoolOn, readStrictly } from '../../support/exposition.ts';
import { type Prometheus, startPrometheus } from '../../support/prometheus.ts';
import { ODD_USER, type ScriptedSlurmrestd, scriptedSlurmrestd } from '../../support/slurmrestd.ts';
import { freePort, until } from '../../support/until.ts';

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
    // A scrape that came too late, after the second it gets, is no matter.
    const last = (series: string) => `last_over_time(${series}[10m])`;
    assert.equal((await prometheus.query('max_over_time(up{job="slurm"}[10m])'))[0]?.value[1], '1');
    assert.equal((await prometheus.query(last('slurm_nodes_total')))[0]?.value[1], '50');
    assert.equal((await prometheus.query(last('slurm_jobs_total')))[0]?.value[1], '200');
    assert.equal((await prometheus.query(`sum(${last('slurm_jobs')})`))[0]?.value[1], '200');
    const wait = last('slurm_job_wait_seconds_bucket{le="+Inf"}');
    assert.equal((await prometheus.query(wait)).length, 1);
  });

  test('promtool has no complaint about the text form, nor the Python parsers about either', async () => {
    const text = (await agent.get('/metrics', null)).body;
    assert.equal(await promtoolOn(text), '');
    const answer = await agent.app.inject({
      url: '/metrics',
      headers: { accept: 'application/openmetrics-text' },
    });
    assert.equal(
      answer.headers['content-type'],
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    );
    for (const [format, body] of [
      ['text', text],
      ['openmetrics', answer.body],
    ] as const) {
      const families = await readStrictly(body, format);
      const samplesOf = (name: string): Parsed['samples'] =>
        families.flatMap(family => family.samples).filter(sample => sample.name === name);
      assert.equal(samplesOf('slurm_nodes').length, 8, format);
      assert.equal(samplesOf('slurm_jobs_total')[0]?.value, 200, format);
      const users = new Set(samplesOf('slurm_user_jobs').map(sample => sample.labels.user));
      assert.ok(users.has(ODD_USER), `${format}: ${[...users].slice(0, 3)}`);
    }
  });

  test('every query of the example dashboard finds data', async () => {
    const file = new URL('../../../docs/examples/monitoring/grafana.json', import.meta.url);
    const { panels } = JSON.parse(readFileSync(file, 'utf8')) as {
      panels: { targets: { expr: string }[] }[];
    };
    const queries = panels.flatMap(panel => panel.targets.map(target => target.expr));
    assert.ok(queries.length >= 8);
    for (const query of queries) {
      // Some want two scrapes.
      const finds = async () => (await prometheus.query(query.replaceAll('$job', 'slurm'))).length > 0;
      await until(finds).catch(() => assert.fail(query));
    }
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
