/** States of a registry over REST: each route asks the daemon for exactly what it names. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startTestEdge, type TestEdge } from '../../support/edge-home.ts';

let edge: TestEdge;
const place = { instance: 'default', format: 'deb', distribution: 'bookworm', derivative: 'main' };

before(async () => {
  edge = await startTestEdge();
});
after(async () => {
  assert.deepEqual(edge.bugs, []);
  await edge.stop();
});

async function send(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${edge.url}/default/registry/deb/bookworm/main/${path}`, {
    method,
    headers: {
      authorization: 'Bearer good.admin.token',
      ...(body ? { 'content-type': 'application/json' } : {}),
      'idempotency-key': 'once',
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

it('lists generations and compares two of them', async () => {
  assert.deepEqual(await (await send('GET', 'generations.json')).json(), [
    { name: '7', created: 5, superseded: null, task: 't', snapshots: ['stable'] },
  ]);
  assert.deepEqual(await (await send('GET', 'compare.json?from=7&to=stable')).json(), {
    added: [{ architecture: 'x86_64', name: 'hello', version: '7', size: 1, derivative: 'main' }],
    removed: [],
  });
});

it('turns each change into a task of exactly that change', async () => {
  const key = { idempotencyKey: 'once' };
  const rows: [string, string, object | undefined, string, object][] = [
    ['POST', 'snapshots/stable', undefined, 'createSnapshot', { place, name: 'stable', ...key }],
    ['DELETE', 'snapshots/stable', undefined, 'deleteSnapshot', { place, name: 'stable', ...key }],
    ['POST', 'rollback?to=7', undefined, 'rollBack', { place, to: '7', ...key }],
    [
      'POST',
      'promote',
      { from_derivative: 'extra', artifact: 'hello' },
      'promote',
      {
        place,
        from: { ...place, derivative: 'extra' },
        snapshot: '',
        artifact: 'hello',
        version: '',
        ...key,
      },
    ],
    [
      'POST',
      'import',
      { source: '/srv/old', components: 'main,extra' },
      'importArtifacts',
      { place, source: '/srv/old', suite: '', components: ['main', 'extra'], keys: '', ...key },
    ],
    ['POST', 'verify', undefined, 'verifyRegistry', { place, ...key }],
    ['POST', 'repair', undefined, 'repairRegistry', { place, ...key }],
    ['POST', 'retain', undefined, 'retainArtifacts', { place, ...key }],
    ['POST', 'collect', undefined, 'collectRegistry', { place, ...key }],
  ];
  for (const [method, path, body, name, expected] of rows) {
    const answer = await send(method, path, body);
    assert.match(await answer.text(), /^\{"task":"[0-9a-f-]{36}"\}\n$/, path);
    const change = edge.world.changes.at(-1) as Record<string, unknown>;
    assert.deepEqual(JSON.parse(JSON.stringify(change)), { [name]: expected });
  }
});

it("shows what a retention would take out, by the place's own rule or one to try", async () => {
  const outdated = [
    {
      ...{ architecture: 'x86_64', name: 'hello', version: '1', size: 1 },
      ...{ published: 5, newer_versions: 3, snapshots: ['stable'] },
    },
  ];
  const own = await send('GET', 'retention.json');
  assert.deepEqual(await own.json(), { rule: { last: 3, newer: 0 }, outdated });
  const tried = await send('GET', 'retention.json?newer=2w');
  assert.deepEqual(await tried.json(), { rule: { last: 1, newer: 1_209_600 }, outdated });
  for (const bad of ['last=x', 'newer=2z', 'last=-1']) {
    assert.equal((await send('GET', `retention.json?${bad}`)).status, 400, bad);
  }
});

it('passes update notices on as they come, and takes them away', async () => {
  const url = `${edge.url}/default/registry/deb/bookworm/main/updateinfo`;
  const headers = { authorization: 'Bearer good.admin.token', 'idempotency-key': 'once' };
  const request = { place, idempotencyKey: 'once' };
  const changed = (): unknown => JSON.parse(JSON.stringify(edge.world.changes.at(-1)));
  // Whatever the body is said to be, JSON included, it is not looked into.
  for (const type of ['application/xml', 'application/json', 'text/plain']) {
    const body = '<updates>'.repeat(100_000);
    const sent = await fetch(url, { method: 'PUT', headers: { ...headers, 'content-type': type }, body });
    assert.equal(sent.status, 200, type);
    assert.deepEqual(changed(), { uploadUpdateInfo: { request, bytes: body } });
  }
  const gone = await fetch(url, { method: 'DELETE', headers });
  assert.match(await gone.text(), /^\{"task":"[0-9a-f-]{36}"\}\n$/);
  assert.deepEqual(changed(), { uploadUpdateInfo: { request, bytes: '' } });
  assert.equal((await fetch(url, { method: 'PUT', headers })).status, 400);
  const encoded = { ...headers, 'content-encoding': 'gzip' };
  assert.equal((await fetch(url, { method: 'PUT', headers: encoded, body: 'x' })).status, 400);
  assert.equal((await fetch(url, { method: 'PUT', body: 'x' })).status, 403);
});

it('refuses what is not whole or not permitted', async () => {
  const refused = await send('POST', 'rollback');
  assert.equal(refused.status, 400);
  assert.equal(refused.headers.get('content-type'), 'application/problem+json');
  assert.equal((await send('POST', 'import', { source: 5 })).status, 200, 'a number is read as text');
  assert.equal((await send('POST', 'import', { source: '' })).status, 400);
  const anonymous = await fetch(`${edge.url}/default/registry/deb/bookworm/main/verify`, { method: 'POST' });
  assert.equal(anonymous.status, 403);
});
