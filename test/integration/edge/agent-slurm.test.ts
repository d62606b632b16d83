/** The agent on a real Slurm: metrics equal what Slurm's own commands count, routes give the frontends' shapes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { agentArea } from '../../../edge/agent/agent.ts';
import { loadAgentPolicy } from '../../../edge/agent/policy.ts';
import { readAgentSettings } from '../../../edge/agent/settings.ts';
import { readTokenKey } from '../../../edge/auth/key.ts';
import { issueToken } from '../../../edge/auth/token.ts';
import { openHttp } from '../../../edge/http/server.ts';
import { speakCluster } from '../../../edge/http/speak-cluster.ts';
import { places } from '../../../systemd/settings.ts';
import { loadSlurm, type Slurm, startSlurm, until } from '../../support/slurm.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Opens an agent over its own settings file, alone on a listener. */
async function openAgent(
  slurm: Slurm,
  extra = '',
): Promise<{ app: FastifyInstance; token: string; close(): Promise<void> }> {
  const key = join(slurm.folder, 'agent.key');
  writeFileSync(key, randomBytes(32), { mode: 0o600 });
  const file = join(slurm.folder, 'agent.ini');
  writeFileSync(
    file,
    `[service]\ncluster=${slurm.cluster}\n[slurmrestd]\nuri=${slurm.tcp}\njwt_user=root\njwt_key=${slurm.jwtKey}\ntimeout=15\n` +
      `[jwt]\nkey=${key}\n[metrics]\nenabled=yes\ninterval=1\nmax_age=4\n${extra}`,
  );
  const { settings, warnings } = readAgentSettings(file, places(slurm.folder));
  const stopping = new AbortController();
  const keys = [readTokenKey(key, 'HS256')];
  const area = agentArea({
    settings,
    warnings,
    policy: loadAgentPolicy(settings.policy),
    keys,
    racksdb: null,
    now: Date.now,
    random: Math.random,
    log: silent,
    stopping: stopping.signal,
  });
  const app = openHttp({
    log: silent,
    trustedProxies: [],
    connectionsPerPeer: 0,
    speakers: area.speakers,
    speak: speakCluster,
  });
  await app.register(area.routes(true));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const issued = await issueToken({ algorithm: 'HS256', audience: 'slurm-web', keys, now: Date.now }, 1)(
    'root',
    [],
  );
  return {
    app,
    token: issued.token,
    close: async () => {
      stopping.abort();
      await app.close();
    },
  };
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
  let agent: Awaited<ReturnType<typeof openAgent>>;
  before(async () => {
    slurm = await startSlurm({ accounting: true });
    await loadSlurm(slurm);
    agent = await openAgent(slurm);
  });
  after(async () => {
    await agent?.close();
    await slurm?.stop();
  });

  const get = async (path: string, token: string | null = agent.token) => {
    const answer = await agent.app.inject({
      url: path,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    });
    return {
      status: answer.statusCode,
      body: answer.body,
      json: () => JSON.parse(answer.body) as never,
      headers: answer.headers,
    };
  };

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
    const ping = (await get('/agent/v7.0.0/ping')).json() as { versions: { slurm: string; api: string } };
    assert.equal(ping.versions.api, '0.0.38');
    assert.match(ping.versions.slurm, /^22\.05/);
    const stats = (await get('/v6.0.0/stats')).json() as {
      resources: { nodes: number };
      jobs: { running: number };
    };
    assert.equal(stats.resources.nodes, 104);
    const jobs = (await get('/v6.0.0/jobs')).json() as {
      name: string;
      job_state: string[];
      job_id: number;
      cpus: object;
    }[];
    const part = jobs.find(job => job.name === 'part');
    assert.deepEqual(part?.job_state, ['RUNNING']);
    assert.deepEqual(part?.cpus, { set: true, infinite: false, number: 2 });
    const onNode = (await get('/v6.0.0/jobs?node=n002')).json() as { name: string }[];
    assert.deepEqual(onNode.map(job => job.name).sort(), ['frozen', 'late', 'part']);
    const detail = (await get(`/v7.0.0/job/${part?.job_id}`)).json() as Record<string, unknown>;
    assert.equal(detail.name, 'part');
    assert.equal(detail.user, 'root');
    const nodes = (await get('/v7.0.0/nodes')).json() as { name: string; state: string[] }[];
    assert.equal(nodes.length, 104);
    assert.ok(nodes.find(node => node.name === 'n003')?.state.includes('DRAIN'));
    const node = (await get('/v7.0.0/node/n001')).json() as {
      alloc_cpus: number;
      boot_time: { set: boolean };
    };
    assert.equal(node.alloc_cpus, 8);
    assert.equal(node.boot_time.set, true);
    assert.equal((await get('/v7.0.0/node/nowhere')).status, 404);
    assert.equal((await get('/v7.0.0/job/999999')).status, 404);
    const partitions = (await get('/v7.0.0/partitions')).json() as { name: string; node_sets: string }[];
    assert.deepEqual(
      partitions.map(partition => partition.name),
      ['cpu', 'gpu'],
    );
    const qos = (await get('/v7.0.0/qos')).json() as { name: string; priority: object }[];
    assert.deepEqual(
      qos.map(one => one.name),
      ['normal'],
    );
    const reservations = (await get('/v7.0.0/reservations')).json() as {
      name: string;
      start_time: { set: boolean };
    }[];
    assert.equal(reservations[0]?.name, 'weekend');
    assert.equal(reservations[0]?.start_time.set, true);
    const accounts = (await get('/v7.0.0/accounts')).json() as { name: string }[];
    assert.ok(accounts.some(account => account.name === 'root'));
    assert.equal((await get('/v7.0.0/associations')).status, 200);
    const past = (await get('/v7.0.0/jobs/past?hours=1')).json() as {
      name: string;
      state: { current: string[] };
    }[];
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
    const address = agent.app.server.address() as { port: number };
    const abort = new AbortController();
    const response = await fetch(`http://127.0.0.1:${address.port}/v7.0.0/events`, {
      headers: { authorization: `Bearer ${agent.token}` },
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

  test('with slurmctld stopped metrics turn 503 and routes 502 or 504, and all recovers by itself', async () => {
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
