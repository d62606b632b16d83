/** Who may ask an agent what: every route behind its action in either vocabulary, own jobs only, and the cache's routes. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type OpenAgent, openAgent, samplesOf } from '../../support/agent.ts';
import { ODD_USER, type ScriptedSlurmrestd, scriptedSlurmrestd } from '../../support/slurmrestd.ts';

/** Routes and the action of each, as older and as newer documents name it. */
const ROUTES: readonly (readonly [string, string, string])[] = [
  ['stats', 'view-stats', 'stats-view'],
  ['jobs', 'view-jobs', 'jobs-view'],
  ['job/2', 'view-jobs', 'jobs-view'],
  ['jobs/past?hours=1', 'jobs-view-past', 'jobs-view-past'],
  ['nodes', 'view-nodes', 'nodes-view'],
  ['partitions', 'view-partitions', 'partitions-view'],
  ['qos', 'view-qos', 'qos-view'],
  ['reservations', 'view-reservations', 'reservations-view'],
  ['accounts', 'view-accounts', 'accounts-view'],
  ['associations', 'associations-view', 'associations-view'],
  ['cache/stats', 'cache-view', 'cache-view'],
];
const ACTIONS = [...new Set(ROUTES.flatMap(([, older, newer]) => [older, newer])), 'cache-reset'];
/** A login for each action, which may do that and nothing else. */
const POLICY = `[roles]
anonymous
${ACTIONS.map(action => `r-${action} = u-${action}`).join('\n')}
own = Ann, user1
past = pete
staff = @admins , @operators
heir = @heirs
[anonymous]
actions = view-stats
${ACTIONS.map(action => `[r-${action}]\nactions = ${action}`).join('\n')}
[own]
actions = jobs-view-own, jobs-view-past-own
[past]
actions = jobs-view-past-own
[staff]
actions = view-jobs , nodes-view
[heir]
actions = @staff, view-qos
`;

describe('the policy of an agent', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rwpolicy-'));
  let upstream: ScriptedSlurmrestd;
  let agent: OpenAgent;
  const as = async (login: string, path: string, groups: string[] = []) =>
    agent.get(`/v7.0.0/${path}`, await agent.token(login, groups));

  before(async () => {
    upstream = await scriptedSlurmrestd({ nodes: 3, jobs: 4 });
    const roles = join(folder, 'roles.ini');
    writeFileSync(roles, POLICY);
    // No Redis answers there: what is kept is kept in memory.
    const cache =
      '[cache]\nenabled=yes\nport=1\n[metrics]\nenabled=yes\ninterval=1\n[slurmdbd]\njobs_max_hours=48\n';
    agent = await openAgent(
      folder,
      `[service]\ncluster=alpha\ncompat_version=6.1.0\n[slurmrestd]\nuri=${upstream.url}\njwt_mode=static\njwt_token=any\n` +
        `[policy]\nroles=${roles}\n${cache}[filters]\nnodes=\n name\n state\n`,
    );
  });
  after(async () => {
    await agent?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [path, ...names] of ROUTES) {
    test(`opens ${path} to ${[...new Set(names)].join(' and ')} alone`, async () => {
      for (const action of ACTIONS) {
        const answer = await as(`u-${action}`, path);
        const isMeant = names.includes(action);
        assert.equal(answer.status, isMeant ? 200 : 403, `${action}: ${answer.body}`);
        if (isMeant) continue;
        const { description, name } = answer.json<{ description: string; name: string }>();
        assert.match(description, new RegExp(`^user u-${action} is not allowed to perform action [a-z-]+$`));
        assert.equal(name, 'Forbidden');
      }
    });
  }

  test('gives roles by login and group, and inherits', async () => {
    for (const [login, groups, roles, some] of [
      ['eve', [], [], []],
      ['eve', ['operators'], ['staff'], ['jobs-view', 'nodes-view', 'view-jobs', 'view-nodes']],
      [
        'eve',
        ['heirs'],
        ['heir'],
        ['jobs-view', 'nodes-view', 'qos-view', 'view-jobs', 'view-nodes', 'view-qos'],
      ],
      [
        'Ann',
        ['admins'],
        ['own', 'staff'],
        ['jobs-view', 'jobs-view-own', 'jobs-view-past-own', 'nodes-view', 'view-jobs', 'view-nodes'],
      ],
    ] as const) {
      const answer = await as(login, 'permissions', [...groups]);
      const found = answer.json<{ roles: string[]; actions: string[] }>();
      assert.deepEqual([...found.roles].sort(), roles);
      assert.deepEqual(found.actions, some);
    }
    const anonymous = await as('anonymous', 'permissions');
    assert.deepEqual(anonymous.json<object>(), {
      roles: ['anonymous'],
      actions: ['stats-view', 'view-stats'],
    });
    assert.equal(
      (await as('anonymous', 'qos')).json<{ description: string }>().description,
      'Anonymous role is not allowed to perform action view-qos',
    );
  });

  test('shows who may see their own jobs only those, whatever the spelling of the login', async () => {
    for (const login of ['user1', 'USER1']) {
      const jobs = (await as(login, 'jobs')).json<{ user_name: string; job_id: number }[]>();
      if (login === 'user1')
        assert.deepEqual(
          jobs.map(job => job.user_name),
          ['user1'],
        );
    }
    assert.equal((await as('user1', 'job/2')).status, 200);
    for (const other of ['job/1', 'job/3']) {
      const answer = await as('user1', other);
      assert.equal(answer.status, 404);
      assert.match(answer.body, /Job \d not found/);
    }
    assert.equal((await as('pete', 'jobs/past?hours=1')).status, 200);
    assert.equal((await as('pete', 'jobs')).status, 403);
    const everyone = (await as('u-view-jobs', 'jobs')).json<{ user_name: string }[]>();
    assert.ok(everyone.length === 4 && everyone.some(job => job.user_name === ODD_USER));
  });

  test('counts what the cache spared, forgets it on demand, and shows it as metrics', async () => {
    const token = await agent.token('u-cache-reset');
    const reset = (headers: Record<string, string>, payload?: string) =>
      agent.app.inject({
        method: 'POST',
        url: '/v7.0.0/cache/reset',
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(payload === undefined ? {} : { payload }),
      });
    // Frontends send no body, gateways of others an empty or any one.
    for (const [headers, payload] of [
      [{}],
      [{ 'content-type': 'application/json' }, ''],
      [{ 'content-type': 'application/json' }, '{}'],
    ] as const) {
      const answer = await reset(headers, payload);
      assert.equal(answer.statusCode, 200, answer.body);
      assert.deepEqual(answer.json(), { hit: { keys: {}, total: 0 }, miss: { keys: {}, total: 0 } });
    }
    for (let round = 0; round < 4; round++) await as('u-view-partitions', 'partitions');
    const counts = (await as('u-cache-view', 'cache/stats')).json<
      Record<'hit' | 'miss', { keys: Record<string, number>; total: number }>
    >();
    assert.equal((counts.hit.keys.partitions ?? 0) + (counts.miss.keys.partitions ?? 0), 4);
    assert.ok((counts.hit.keys.partitions ?? 0) >= 3);
    assert.equal(
      counts.hit.total,
      Object.values(counts.hit.keys).reduce((sum, one) => sum + one, 0),
    );
    const metrics = samplesOf((await agent.get('/metrics', null)).body);
    assert.equal(metrics.get('slurmweb_cache_hit{key="partitions"}'), counts.hit.keys.partitions);
    assert.equal(metrics.get('slurmweb_cache_hit_total'), counts.hit.total);
    assert.equal(metrics.get('slurmweb_cache_miss_total'), counts.miss.total);
    assert.equal((await agent.app.inject({ method: 'POST', url: '/v7.0.0/cache/reset' })).statusCode, 401);
    const refused = await agent.app.inject({
      method: 'POST',
      url: '/v7.0.0/cache/reset',
      headers: { authorization: `Bearer ${await agent.token('u-cache-view')}` },
    });
    assert.equal(refused.statusCode, 403);
  });

  test('says of itself what gateways need, and leaves what filters leave', async () => {
    const info = await agent.get('/agent/info', null);
    assert.deepEqual(info.json<object>(), {
      cluster: 'alpha',
      version: '6.1.0',
      metrics: true,
      cache: true,
      racksdb: { enabled: false, infrastructure: 'alpha', version: '0.5.0' },
      slurmdbd: { jobs_max_hours: 48 },
    });
    const nodes = (await as('u-view-nodes', 'nodes')).json<object[]>();
    assert.deepEqual(Object.keys(nodes[0] ?? {}), ['name', 'state']);
  });

  test('takes one valid token and says what is wrong with any other', async () => {
    const key = readFileSync(join(folder, 'agent.key'));
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iat: seconds, exp: seconds + 60, aud: 'slurm-web', sub: 'u-view-jobs', groups: [] };
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const sign = (payload: object, secret = key, header: object = { alg: 'HS256', typ: 'JWT' }): string => {
      const text = `${encode(header)}.${encode(payload)}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };
    assert.equal((await agent.get('/v7.0.0/jobs', sign(claims))).status, 200);
    for (const [token, description] of [
      [sign({ ...claims, exp: seconds - 1 }), /^Token is expired$/],
      [sign({ ...claims, aud: 'other' }), /^Token audience is invalid$/],
      [sign(claims, randomBytes(32)), /^Token signature is invalid$/],
      [sign(claims, key, { alg: 'none' }), /^Unable to decode token: its algorithm/],
      [sign({ ...claims, sub: undefined }), /^Unable to decode token: claim sub/],
      [sign({ ...claims, groups: 'staff' }), /^Unable to decode token: claim groups/],
      [sign({ ...claims, exp: undefined }), /^Unable to decode token: claim exp/],
      ['a.b', /^Unable to decode token: it is not three/],
    ] as const) {
      const answer = await agent.app.inject({
        url: '/v7.0.0/jobs',
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(answer.statusCode, 401, answer.body);
      assert.match(answer.json<{ description: string }>().description, description);
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      assert.equal(answer.headers['cache-control'], 'no-store');
    }
    const none = await agent.get('/v7.0.0/jobs', null);
    assert.equal(none.status, 401);
  });

  test('answers whatever is not there or wrongly asked as JSON, and tolerates slashes', async () => {
    const token = await agent.token('u-view-jobs');
    const headers = { authorization: `Bearer ${token}` };
    for (const [method, url, status] of [
      ['GET', '/v7.0.0/jobs/', 200],
      ['GET', '//agent//v6.0.0//jobs/?node=n00001', 200],
      ['HEAD', '/v7.0.0/jobs', 200],
      ['GET', '/v7.0.0/jobs?node=a&node=b', 400],
      ['GET', '/v7.0.0/job/0', 404],
      ['GET', '/v7.0.0/job/99999999999', 404],
      ['GET', '/v7.0.0/job/4', 200],
      ['POST', '/v7.0.0/jobs', 405],
      ['GET', '/v7.0.0/cache/reset', 405],
      ['GET', '/rain', 404],
      ['GET', '/agent/rain', 404],
    ] as const) {
      const answer = await agent.app.inject({ method, url, headers });
      assert.equal(answer.statusCode, status, `${method} ${url} ${answer.body}`);
      if (status === 405) assert.match(String(answer.headers.allow), /GET|POST/);
      if (status >= 400)
        assert.deepEqual(Object.keys(answer.json<object>()), ['code', 'description', 'name'], url);
      if (method === 'HEAD') assert.equal(answer.body, '');
    }
  });
});
