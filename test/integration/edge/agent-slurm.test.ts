/** The agent on a real Slurm: routes give the frontends' shapes, viewers hear of changes, daemons may be away. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { type OpenAgent, openAgent, samplesOf } from '../../support/agent.ts';
import { loadSlurm, type Slurm, startSlurm } from '../../support/slurm.ts';
import { readStatistics } from '../../support/slurm-states.ts';
import { until } from '../../support/until.ts';

const CLI = fileURLToPath(new URL('../../../edge/cli/main.ts', import.meta.url));
const LAST_SUCCESS = 'rackwright_collector_last_success_timestamp_seconds';

interface Diagnostics {
  readonly statistics: Readonly<Record<string, number>>;
  readonly clusters: readonly { readonly name: string; readonly nodes: string }[];
}

/** Settings for an agent of that cluster. */
function settingsFor(slurm: Slurm): string {
  return `[service]
cluster=${slurm.cluster}
[slurmrestd]
uri=${slurm.tcp}
jwt_user=root
jwt_key=${slurm.jwtKey}
timeout=15
[metrics]
enabled=yes
interval=1
max_age=4
`;
}

describe('an agent on a real Slurm', () => {
  let slurm: Slurm;
  let agent: OpenAgent;
  before(async () => {
    slurm = await startSlurm({ accounting: true });
    await loadSlurm(slurm);
    agent = await openAgent(slurm.folder, settingsFor(slurm));
  });
  after(async () => {
    await agent?.close();
    await slurm?.stop();
  });

  const get: OpenAgent['get'] = (path, token) => agent.get(path, token);

  test('routes answer in the shapes of the frontends', async () => {
    const ping = (await get('/agent/v7.0.0/ping')).json<{ versions: { slurm: string; api: string } }>();
    assert.equal(ping.versions.api, '0.0.38');
    assert.match(ping.versions.slurm, /^22\.05/);
    const stats = (await get('/v6.0.0/stats')).json<{
      resources: { nodes: number };
      jobs: { running: number };
    }>();
    assert.equal(stats.resources.nodes, 104);
    const jobs = (await get('/v6.0.0/jobs')).json<
      {
        name: string;
        job_state: string[];
        job_id: number;
        cpus: object;
      }[]
    >();
    const part = jobs.find(job => job.name === 'part');
    assert.deepEqual(part?.job_state, ['RUNNING']);
    assert.deepEqual(part?.cpus, { set: true, infinite: false, number: 2 });
    const onNode = (await get('/v6.0.0/jobs?node=n002')).json<{ name: string }[]>();
    assert.deepEqual(onNode.map(job => job.name).sort(), ['frozen', 'late', 'part']);
    const detail = (await get(`/v7.0.0/job/${part?.job_id}`)).json<Record<string, unknown>>();
    assert.equal(detail.name, 'part');
    assert.equal(detail.user, 'root');
    const nodes = (await get('/v7.0.0/nodes')).json<{ name: string; state: string[] }[]>();
    assert.equal(nodes.length, 104);
    assert.ok(nodes.find(node => node.name === 'n003')?.state.includes('DRAIN'));
    const node = (await get('/v7.0.0/node/n001')).json<{
      alloc_cpus: number;
      boot_time: { set: boolean };
    }>();
    assert.equal(node.alloc_cpus, 8);
    assert.equal(node.boot_time.set, true);
    assert.equal((await get('/v7.0.0/node/nowhere')).status, 404);
    assert.equal((await get('/v7.0.0/job/999999')).status, 404);
    const partitions = (await get('/v7.0.0/partitions')).json<{ name: string; node_sets: string }[]>();
    assert.deepEqual(
      partitions.map(partition => partition.name),
      ['cpu', 'gpu'],
    );
    const qos = (await get('/v7.0.0/qos')).json<{ name: string; priority: object }[]>();
    assert.deepEqual(
      qos.map(one => one.name),
      ['normal'],
    );
    const reservations = (await get('/v7.0.0/reservations')).json<
      {
        name: string;
        start_time: { set: boolean };
      }[]
    >();
    assert.equal(reservations[0]?.name, 'weekend');
    assert.equal(reservations[0]?.start_time.set, true);
    const accounts = (await get('/v7.0.0/accounts')).json<{ name: string }[]>();
    assert.ok(accounts.some(account => account.name === 'root'));
    assert.equal((await get('/v7.0.0/associations')).status, 200);
    // slurmctld tells accounting of jobs when it finds the time.
    let bad: { state: { current: string[] } } | undefined;
    await until(async () => {
      await sleep(200);
      const past = await get('/v7.0.0/jobs/past?hours=1');
      assert.equal(past.status, 200, past.body);
      bad = past.json<{ name: string; state: { current: string[] } }[]>().find(job => job.name === 'bad');
      return bad !== undefined;
    });
    assert.deepEqual(bad?.state.current, ['FAILED']);
    assert.equal((await get('/v7.0.0/jobs/past?hours=x')).status, 400);
  });

  test('a number beyond 32 bits is no job, though slurmrestd of 22.05 answers with one', async () => {
    for (const id of ['4294967296', '4294967297']) {
      const { status, body } = await get(`/v7.0.0/job/${id}`);
      assert.equal(status, 404, body);
      assert.match(body, new RegExp(`Job ${id} not found`));
    }
  });

  test('without a token nothing but version, info and metrics is answered', async () => {
    assert.equal((await get('/info', null)).status, 200);
    assert.equal((await get('/agent/version', null)).body, 'Rackwright agent v0.1.0\n');
    const refused = await get('/v7.0.0/jobs', null);
    assert.equal(refused.status, 401);
    assert.equal(JSON.parse(refused.body).name, 'Unauthorized');
  });

  test('a viewer is told state changes as events', async () => {
    const abort = new AbortController();
    const response = await fetch(`http://${agent.address}/v7.0.0/events`, {
      headers: { authorization: `Bearer ${await agent.token('root')}` },
      signal: abort.signal,
    });
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })();
    // What was so at the first look is no news, and when that was nobody tells: a node a second.
    let last = 70;
    await until(async () => {
      if (last < 100) {
        const node = `nodename=c${String(++last).padStart(3, '0')}`;
        await slurm.ask('scontrol', 'update', node, 'state=down', 'reason=events');
      }
      await sleep(1000);
      return /event: nodes\ndata: {"id":"c\d+","state":\[.*"DOWN"/.test(text);
    });
    abort.abort();
    await assert.rejects(reading, { name: 'AbortError' });
  });

  test('the command line shows the documented diagnostics, as sdiag has them', async () => {
    const conf = join(slurm.folder, 'agent.ini');
    const run = (...words: string[]): Promise<string> =>
      slurm.ask(process.execPath, CLI, ...words, '--conf', conf);
    let told = await readStatistics(slurm);
    let found: Diagnostics | undefined;
    let text = '';
    // slurmctld counts on: what it says before and after is what it said meanwhile.
    await until(async () => {
      const before = told;
      found = JSON.parse(await run('cluster', 'diag', '--json')) as Diagnostics;
      text = await run('connect-check', '--diag');
      told = await readStatistics(slurm);
      return isDeepStrictEqual(told, before);
    });
    assert.ok(found);
    for (const [name, value] of Object.entries(told))
      assert.equal(found.statistics[`jobs_${name}`], value, name);
    assert.ok('jobs_pending' in found.statistics && 'jobs_running' in found.statistics);
    const alpha = found.clusters.find(cluster => cluster.name === 'alpha');
    assert.match(alpha?.nodes ?? '', /n\[001-004\]/);
    assert.match(text, /^✅ connection successful! \(cluster: alpha, /);
    assert.match(text, new RegExp(`\n {2}jobs_submitted: ${told.submitted}\n`));
    assert.match(text, /\n {2}alpha: \S*n\[001-004\]/);
    assert.match(await run('cluster', 'check'), /✅ accounting: slurmdbd knows 1 cluster/);
  });

  test('with slurmdbd stopped accounting is refused, nodes, jobs and metrics go on, and all recovers', async () => {
    const jobs = (await get('/v7.0.0/jobs')).json<{ name: string; job_id: number }[]>();
    const part = jobs.find(job => job.name === 'part')?.job_id;
    process.kill(await slurm.pid('slurmdbd'), 'SIGKILL');
    await until(async () => [502, 504].includes((await get('/v7.0.0/accounts')).status));
    assert.equal((await get('/v7.0.0/nodes')).status, 200);
    const since = Date.now() / 1000;
    await until(async () => {
      const { status, body } = await get('/metrics', null);
      return status === 200 && (samplesOf(body).get(LAST_SUCCESS) ?? 0) > since;
    });
    const detail = await get(`/v7.0.0/job/${part}`);
    assert.equal(detail.status, 200, detail.body);
    assert.deepEqual(detail.json<{ state: { current: string[] } }>().state.current, ['RUNNING']);
    await slurm.restart('slurmdbd');
    await until(async () => (await get('/v7.0.0/accounts')).status === 200);
  });

  test('with slurmrestd killed metrics turn 503 and routes 502, and all recovers by itself', async () => {
    assert.equal((await get('/v7.0.0/ping')).status, 200);
    process.kill(await slurm.pid('rest-tcp'), 'SIGKILL');
    // Frontends learn of trouble from this answer alone.
    await until(async () => (await get('/v7.0.0/ping')).status === 502);
    await until(async () => (await get('/metrics', null)).status === 503);
    const trouble = await get('/v7.0.0/partitions?x=1');
    // What was kept a moment ago may still be answered.
    assert.ok([200, 502].includes(trouble.status), trouble.body);
    await until(async () => (await get('/v7.0.0/partitions')).status === 502);
    await slurm.restart('rest-tcp');
    await until(async () => (await get('/v7.0.0/partitions')).status === 200);
    await until(async () => (await get('/metrics', null)).status === 200);
  });
});
