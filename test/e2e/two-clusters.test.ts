/** Two real clusters behind one gateway: one dies, the other is unhurt, and the dead one comes back by itself. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type OpenAgent, openAgent, samplesOf } from '../support/agent.ts';
import { type Home, makeHome, type RunningGateway, startGateway, toIni } from '../support/gateway.ts';
import { type Slurm, startSlurm } from '../support/slurm.ts';
import { until } from '../support/until.ts';

const LAST_SUCCESS = 'rackwright_collector_last_success_timestamp_seconds';

interface Entry {
  readonly name: string;
  readonly error?: boolean;
  readonly reason?: string;
  readonly permissions: { readonly actions: readonly string[] };
}

describe('two clusters behind one gateway', () => {
  let home: Home;
  let gateway: RunningGateway;
  const slurms: Slurm[] = [];
  const agents: OpenAgent[] = [];
  let authorization = '';

  const settings = (slurm: Slurm): string =>
    `[service]\ncluster=${slurm.cluster}\n[slurmrestd]\nuri=${slurm.tcp}\njwt_user=root\njwt_key=${slurm.jwtKey}\ntimeout=20\n` +
    '[metrics]\nenabled=yes\ninterval=1\nmax_age=3\n';
  const get = async (path: string): Promise<{ status: number; body: unknown }> => {
    const answer = await fetch(gateway.url + path, { headers: { authorization } });
    return { status: answer.status, body: await answer.json() };
  };
  const nodesOf = async (cluster: string): Promise<number> => {
    const { status, body } = await get(`/api/agents/${cluster}/nodes`);
    return status === 200 ? (body as unknown[]).length : -status;
  };
  const clusters = async (): Promise<Entry[]> => (await get('/api/clusters')).body as Entry[];

  before(async () => {
    for (const [cluster, cloud] of [
      ['alpha', 100],
      ['beta', 20],
    ] as const) {
      slurms.push(await startSlurm({ cluster, cloud, nodes: 2 }));
    }
    home = makeHome({ ui: { enabled: 'no' } });
    const key = join(home.places.lib, 'jwt.key');
    for (const slurm of slurms) agents.push(await openAgent(slurm.folder, settings(slurm), key));
    const urls = agents.map(agent => `http://${agent.address}`).join('\n');
    writeFileSync(home.conf, toIni({ agents: { url: urls, timeout: '30' }, ui: { enabled: 'no' } }));
    gateway = await startGateway(home);
    authorization = `Bearer ${await agents[0]?.token('ann')}`;
  });
  after(async () => {
    await gateway?.close();
    for (const agent of agents) await agent.close();
    for (const slurm of slurms) await slurm.stop();
    home?.close();
  });

  test('both are listed, in the order of the settings, with what one may do', async () => {
    const list = await clusters();
    assert.deepEqual(
      list.map(entry => entry.name),
      ['alpha', 'beta'],
    );
    assert.ok(list.every(entry => entry.permissions.actions.includes('view-jobs')));
    assert.equal(await nodesOf('alpha'), 102);
    assert.equal(await nodesOf('beta'), 22);
  });

  test('slurmctld of one stopped: its routes say so, its metrics end, the other is unhurt; then all is well again', async () => {
    const [alpha, beta] = slurms;
    const [first, second] = agents;
    assert.ok(alpha && beta && first && second);
    const killed = Date.now() / 1000;
    process.kill(await beta.pid('slurmctld'), 'SIGKILL');
    await until(async () => [-502, -504].includes(await nodesOf('beta')));
    assert.ok([502, 504].includes((await get('/api/agents/beta/ping')).status));
    assert.equal((await get('/api/agents/alpha/ping')).status, 200);
    await until(async () => (await second.get('/metrics', null)).status === 503);
    assert.equal(await nodesOf('alpha'), 102);
    await until(async () => {
      const { status, body } = await first.get('/metrics', null);
      return status === 200 && (samplesOf(body).get(LAST_SUCCESS) ?? 0) > killed;
    });
    assert.deepEqual(
      (await clusters()).map(entry => [entry.name, entry.error]),
      [
        ['alpha', undefined],
        ['beta', undefined],
      ],
    );
    await beta.restart('slurmctld');
    await until(async () => (await nodesOf('beta')) === 22);
    await until(async () => (await second.get('/metrics', null)).status === 200);
  });

  test('an agent that is gone is shown with its reason, and the other cluster works on', async () => {
    await agents[1]?.close();
    agents.length = 1;
    await until(async () => (await nodesOf('beta')) === -502);
    assert.equal(await nodesOf('alpha'), 102);
    await until(async () => {
      const beta = (await clusters()).find(entry => entry.name === 'beta');
      return beta?.error === true && /refused/.test(beta.reason ?? '');
    });
  });
});
