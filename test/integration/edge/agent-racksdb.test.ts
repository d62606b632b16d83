/** Views and drawings of the inventory through the agent, as frontends ask for them: the edge's roles over a real daemon. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readTokenKey } from '../../../edge/auth/key.ts';
import { issueToken } from '../../../edge/auth/token.ts';
import { loadEdgeConfig } from '../../../edge/config.ts';
import { type Edge, openEdge } from '../../../edge/edge.ts';
import { loadRoles } from '../../../edge/roles.ts';
import { places } from '../../../systemd/settings.ts';
import { type Home, makeHome, type RunningDaemon, startDaemon } from '../../support/daemon.ts';
import { until } from '../../support/until.ts';

const INVENTORY = `types:
  nodes: {blade: {model: B, height: 1u, width: 1/3, cpu: {model: C, sockets: 2, cores: 16}, ram: {dimm: 8, size: 32GB}}}
  network: {sw: {model: S, height: 1u}}
  racks: {r42: {height: 2m, width: 600mm, depth: 1000mm, slots: 42u}}
datacenters: {lab: {rooms: {hall: {dimensions: {width: 6m, depth: 4m}, rows: {
  A: {position: {width: 1m, depth: 1.5m}, racks: [{name: "A[1-3]", type: r42}]}}}}}}
infrastructures: {demo: {description: demo, layout: [{rack: A2,
  nodes: {"cn[1-4]": {type: blade, slot: 1, tags: [compute]}}, network: {sw1: {type: sw, slot: 10, tags: [wire]}}}]}}
`;
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const BASE = '/racksdb/v0.5.0';

/** An edge with an agent on an address of its own; the agent's URL. */
async function openAgentEdge(home: Home, racksdb = ''): Promise<{ edge: Edge; url: string }> {
  home.configure(
    'agent.ini',
    '[service]\ncluster = demo\nport = 0\n[slurmrestd]\nuri = http://127.0.0.1:1\njwt_mode = static\njwt_token = x\n' +
      `[jwt]\nkey = \${state_dir}/jwt.key\n[racksdb]\n${racksdb}`,
  );
  const at = places(home.path);
  const { settings } = loadEdgeConfig(at);
  const roles = loadRoles({ places: at, env: {} });
  const rest = { log: SILENT, now: Date.now, random: Math.random, passedSocket: null };
  // An address that differs from the agent's, so that each has its own listener.
  const edge = await openEdge({
    settings: { ...settings, edge: { ...settings.edge, host: '127.0.0.1' } },
    roles: roles.map(role => role.open),
    ...rest,
  });
  return { edge, url: edge.addresses[1] ?? '' };
}

function newHome(inventory: string | null): Home {
  const home = makeHome();
  const database = join(home.path, 'inventory.yml');
  home.configure('rackwright.ini', `[edge]\nport = 0\n[drawing]\ndatabase = ${database}\n`);
  if (inventory !== null) writeFileSync(database, inventory);
  mkdirSync(join(home.path, 'lib'), { recursive: true });
  writeFileSync(join(home.path, 'lib/jwt.key'), randomBytes(32), { mode: 0o600 });
  return home;
}

async function tokenOf(home: Home): Promise<string> {
  const keys = [readTokenKey(join(home.path, 'lib/jwt.key'), 'HS256')];
  return (await issueToken({ algorithm: 'HS256', audience: 'slurm-web', keys, now: Date.now }, 1)('ann', []))
    .token;
}

describe('an agent over a daemon with an inventory', () => {
  const home = newHome(INVENTORY);
  let daemon: RunningDaemon;
  let agent: { edge: Edge; url: string };
  let token = '';
  const ask = (path: string, init: RequestInit = {}, as: string | null = token): Promise<Response> =>
    fetch(agent.url + path, {
      ...init,
      headers: { ...(as === null ? {} : { authorization: `Bearer ${as}` }), ...init.headers },
    });
  const draw = (file: string, body: string, type = 'application/json'): Promise<Response> =>
    ask(`${BASE}/draw/infrastructure/${file}`, { method: 'POST', headers: { 'content-type': type }, body });

  before(async () => {
    daemon = await startDaemon(home);
    agent = await openAgentEdge(home);
    token = await tokenOf(home);
    // The inventory is read in the background.
    await until(async () => (await ask(`${BASE}/infrastructures`)).status === 200);
  });
  after(async () => {
    await agent?.edge.close();
    await daemon?.stop();
    home.remove();
  });

  test('announces drawings because the inventory has an infrastructure of the cluster’s name', async () => {
    let racksdb = { enabled: false };
    // A daemon that was too slow once counts as away for half a minute.
    await until(async () => {
      racksdb = ((await (await ask('/info', {}, null)).json()) as { racksdb: typeof racksdb }).racksdb;
      return racksdb.enabled;
    });
    assert.deepEqual(racksdb, { enabled: true, infrastructure: 'demo', version: '0.5.0' });
  });

  test('shows each view to who has a token, at root and below /agent, and to nobody else', async () => {
    for (const view of [
      'datacenters',
      'infrastructures',
      'nodes',
      'racks',
      'tags?node=cn1',
      'schema',
      'dump',
      'diagnostics',
    ]) {
      for (const prefix of ['', '/agent']) {
        const answer = await ask(`${prefix}${BASE}/${view}`);
        assert.equal(answer.status, 200, view);
        assert.ok((await answer.text()).length > (view === 'diagnostics' ? 1 : 2), view);
      }
      for (const bad of [null, 'x.y.z']) {
        const refused = await ask(`${BASE}/${view}`, {}, bad);
        assert.equal(refused.status, 401, view);
        assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
        assert.equal(((await refused.json()) as { code: number }).code, 401);
      }
    }
    const nodes = (await (await ask(`${BASE}/nodes?infrastructure=demo&name=cn3`)).json()) as {
      name: string;
    }[];
    assert.deepEqual(
      nodes.map(node => node.name),
      ['cn3'],
    );
  });

  test('draws with coordinates as a form that browsers read, of the tagged equipment unless asked otherwise', async () => {
    const form = async (body: string): Promise<{ image: Buffer; names: string[] }> => {
      const answer = await draw('demo.png?coordinates', body);
      assert.equal(answer.status, 200);
      const parts = await answer.formData();
      const image = parts.get('image');
      const coordinates = parts.get('coordinates');
      assert.ok(image instanceof File && coordinates instanceof File);
      const names = Object.keys(JSON.parse(await coordinates.text()) as object);
      return { image: Buffer.from(await image.arrayBuffer()), names };
    };
    const plain = await form('{}');
    assert.deepEqual(plain.image.subarray(1, 4).toString(), 'PNG');
    assert.deepEqual(plain.names, ['cn1', 'cn2', 'cn3', 'cn4']);
    const all = await form('{"infrastructure": {"equipment_tags": ["compute", "wire"]}}');
    assert.deepEqual(all.names, ['cn1', 'cn2', 'cn3', 'cn4', 'sw1']);
    assert.equal(
      (await ask(`${BASE}/draw/room/hall.svg`)).headers.get('content-type'),
      'image/svg+xml; charset=utf-8',
    );
  });

  test('refuses what is no drawing of ours, as JSON', async () => {
    for (const [answer, status, words] of [
      [await draw('nowhere.png', '{}'), 404, /nowhere/],
      [await draw('demo.gif', '{}'), 400, /gif/],
      [await draw('demo.png', '{"dimensions": {"width": "12"}}'), 400, /width/],
      [await draw('demo.png', '{"dimensions": '), 400, /./],
      [await draw('demo.png', '{}', 'text/plain'), 415, /format/],
      [await ask(`${BASE}/rain`), 404, /rain/],
      [await ask(`${BASE}/nodes`, { method: 'DELETE' }), 405, /DELETE/],
      [await draw('demo.png', '{}', 'application/json; charset=utf-16'), 415, /format/],
    ] as const) {
      const body = (await answer.json()) as { code: number; description: string };
      assert.equal(answer.status, status, body.description);
      assert.equal(body.code, status);
      assert.match(body.description, words);
    }
    // Without a token nobody learns even which names there are.
    const refused = await fetch(`${agent.url}${BASE}/draw/infrastructure/nowhere.png`, {
      method: 'POST',
      body: '{}',
    });
    assert.equal(refused.status, 401);
  });
});

test('an agent announces drawings while there is something to draw, or as its settings say', async () => {
  const home = newHome(null);
  const info = async (url: string): Promise<unknown> =>
    ((await (await fetch(`${url}/info`)).json()) as { racksdb: { enabled: boolean } }).racksdb.enabled;
  const headers = { authorization: `Bearer ${await tokenOf(home)}` };
  const view = async (url: string): Promise<number> =>
    (await fetch(`${url}${BASE}/nodes`, { headers })).status;
  const within = async (racksdb: string, check: (url: string) => Promise<void>): Promise<void> => {
    const { edge, url } = await openAgentEdge(home, racksdb);
    try {
      await check(url);
    } finally {
      await edge.close();
    }
  };
  try {
    await within('', async url => {
      assert.equal(await info(url), false, 'no daemon');
      assert.equal(await view(url), 503);
    });
    const daemon = await startDaemon(home);
    try {
      await within('', async url => {
        assert.equal(await info(url), false, 'no inventory');
        assert.ok([404, 503].includes(await view(url)), String(await view(url)));
      });
      await within('enabled = yes\ninfrastructure = demo\n', async url =>
        assert.equal(await info(url), true),
      );
      await within('enabled = no\n', async url => {
        assert.equal(await info(url), false);
        assert.equal(await view(url), 404);
      });
    } finally {
      await daemon.stop();
    }
  } finally {
    home.remove();
  }
});
