/** The agent on a real Slurm: metrics equal what Slurm's own commands count, routes give the frontends' shapes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OpenAgent, openAgent } from '../../support/agent.ts';
import { loadSlurm, type Slurm, startSlurm, until } from '../../support/slurm.ts';

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

/** Samples of a scrape: `name{state="idle"}` to value. */
function samples(body: string): Map<string, number> {
  const lines = body.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
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

  test('node and job metrics equal what sinfo and squeue count', async () => {
    await new Promise(resolve => setTimeout(resolve, 1500));
    const scrape = await get('/metrics', null);
    assert.equal(scrape.status, 200, scrape.body);
    const values = samples(scrape.body);
    const states = (await slurm.ask('sinfo', '-h', '-N', '-o', '%n %T %c')).split('\n');
    // sinfo lists a node once a partition; ours are in one each.
    assert.equal(values.get('slurm_nodes_total'), states.length);
    const count = (pattern: RegExp): number =>
      states.filter(line => pattern.test(line.split(' ')[1] ?? '')).length;
    assert.equal(values.get('slurm_nodes{state="down"}'), count(/^down/));
    assert.equal(values.get('slurm_nodes{state="mixed"}'), count(/^mixed/));
    assert.equal(values.get('slurm_nodes{state="allocated"}'), count(/^allocated/));
    assert.equal(values.get('slurm_nodes{state="drain"}'), count(/^drained/));
    assert.equal(values.get('slurm_nodes{state="fail"}'), count(/^(fail|failing)/));
    assert.equal(values.get('slurm_nodes{state="idle"}'), count(/^idle/));
    const cores = states.reduce((sum, line) => sum + Number(line.split(' ')[2]), 0);
    assert.equal(values.get('slurm_cores_total'), cores);
    assert.equal(values.get('slurm_gpus_total'), 400);
    const jobs = (await slurm.ask('squeue', '-h', '-a', '-t', 'all', '-o', '%T')).split('\n');
    for (const [state, word] of [
      ['running', 'RUNNING'],
      ['pending', 'PENDING'],
      ['suspended', 'SUSPENDED'],
      ['completed', 'COMPLETED'],
      ['cancelled', 'CANCELLED'],
      ['failed', 'FAILED'],
      // Nodes are powered up for it; the interface of 22.05 gives no other word for it.
      ['unknown', 'CONFIGURING'],
    ]) {
      const expected = jobs.filter(job => job === word).length;
      assert.equal(values.get(`slurm_jobs{state="${state}"}`), expected, `${state}: ${jobs.join(' ')}`);
    }
    assert.equal(values.get('slurm_jobs_total'), jobs.length);
    const nodeSum = [...values]
      .filter(([name]) => name.startsWith('slurm_nodes{'))
      .reduce((sum, [, value]) => sum + value, 0);
    assert.equal(nodeSum, states.length);
  });

  test('every documented state is there, with and without a node in it', async () => {
    const values = samples((await get('/metrics', null)).body);
    for (const family of ['nodes', 'cores', 'gpus']) {
      for (const state of ['idle', 'mixed', 'allocated', 'drain', 'down', 'error', 'fail', 'unknown']) {
        assert.ok(values.has(`slurm_${family}{state="${state}"}`), `${family} ${state}`);
      }
    }
  });

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
    const past = (await get('/v7.0.0/jobs/past?hours=1')).json<
      {
        name: string;
        state: { current: string[] };
      }[]
    >();
    assert.deepEqual(past.find(job => job.name === 'bad')?.state.current, ['FAILED']);
    assert.equal((await get('/v7.0.0/jobs/past?hours=x')).status, 400);
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
    await new Promise(resolve => setTimeout(resolve, 1000));
    await slurm.ask('scontrol', 'update', 'nodename=c090', 'state=down', 'reason=events');
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('c090')) break;
    }
    assert.match(text, /event: nodes\ndata: {"id":"c090","state":\[.*"DOWN"/);
    abort.abort();
  });

  test('with slurmdbd stopped accounting is refused, nodes, jobs and metrics go on, and all recovers', async () => {
    const jobs = (await get('/v7.0.0/jobs')).json<{ name: string; job_id: number }[]>();
    const part = jobs.find(job => job.name === 'part')?.job_id;
    process.kill(await slurm.pid('slurmdbd'), 'SIGKILL');
    await until(async () => [502, 504].includes((await get('/v7.0.0/accounts')).status));
    assert.equal((await get('/v7.0.0/nodes')).status, 200);
    assert.equal((await get('/metrics', null)).status, 200);
    const detail = await get(`/v7.0.0/job/${part}`);
    assert.equal(detail.status, 200, detail.body);
    assert.deepEqual(detail.json<{ state: { current: string[] } }>().state.current, ['RUNNING']);
    await slurm.restart('slurmdbd');
    await until(async () => (await get('/v7.0.0/accounts')).status === 200);
  });

  test('with slurmrestd killed metrics turn 503 and routes 502, and all recovers by itself', async () => {
    process.kill(await slurm.pid('rest-tcp'), 'SIGKILL');
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
