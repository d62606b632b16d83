/** Handoffs, cookies, return targets and sign-out: R54 to R67, and what belongs beside them. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { Jar, makeHome, type RunningGateway, startGateway } from '../../support/gateway.ts';
import {
  expectFailure,
  finish,
  oidcIni,
  session,
  signIn,
  start,
  withGateway,
} from '../../support/oidc-sign-in.ts';
import { NORMAL, ScriptedProvider } from '../../support/scripted-provider.ts';

const provider = new ScriptedProvider();
before(() => provider.open());
after(() => provider.close());
beforeEach(() => {
  provider.behaviour = { ...NORMAL };
  provider.requests.length = 0;
});

/** Sends the jar's cookie of one gateway to another, as a front with two of them does. */
function moveTo(jar: Jar, url: string): Jar {
  const moved = new Jar();
  for (const [key, value] of jar.cookies)
    moved.cookies.set(`${new URL(url).host} ${key.split(' ')[1]}`, value);
  return moved;
}

const bearer = (token: unknown): { headers: Record<string, string> } => ({
  headers: { authorization: `Bearer ${token}` },
});

test('R54 session-id-rotates-at-login', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    const callback = await start(gateway, jar);
    const before = [...jar.cookies.values()][0];
    await finish(callback, jar);
    const after = [...jar.cookies.values()][0];
    assert.notEqual(after, before);
    // What was planted before the sign-in gives nobody its handoff.
    const planted = new Jar();
    planted.cookies.set([...jar.cookies.keys()][0]!, before!);
    assert.equal((await session(gateway, planted)).status, 401);
    assert.equal((await session(gateway, jar)).status, 200);
  });
});

test('R55 handoff-read-twice: 401, also with the cookie replayed', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    await finish(await start(gateway, jar), jar);
    const saved = new Map(jar.cookies);
    assert.equal((await session(gateway, jar)).status, 200);
    for (const [key, value] of saved) jar.cookies.set(key, value);
    assert.equal((await session(gateway, jar)).status, 401);
  });
});

test('R56 handoff-race: 50 parallel reads, one 200', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    for (let round = 0; round < 5; round += 1) {
      const jar = new Jar();
      await finish(await start(gateway, jar), jar);
      const cookie = [...jar.cookies].map(([key, value]) => `${key.split(' ')[1]}=${value}`).join();
      const reads = await Promise.all(
        Array.from({ length: 50 }, () => fetch(`${gateway.url}/api/oidc/session`, { headers: { cookie } })),
      );
      const statuses = reads.map(read => read.status).sort();
      assert.deepEqual(statuses, [200, ...Array(49).fill(401)]);
    }
  });
});

test('R57 cookie-tampered/old-key/other-instance: absent unless key shared', async () => {
  const ini = oidcIni(provider);
  const [homeA, homeB, homeC] = [makeHome(ini), makeHome(ini), makeHome(ini)];
  for (const name of ['session.key', 'jwt.key']) {
    rmSync(join(homeB.places.lib, name));
    copyFileSync(join(homeA.places.lib, name), join(homeB.places.lib, name));
  }
  const open: RunningGateway[] = [];
  try {
    for (const home of [homeA, homeB, homeC]) open.push(await startGateway(home));
    const [a, b, c] = open as [RunningGateway, RunningGateway, RunningGateway];
    const jar = new Jar();
    const callback = await start(a, jar);
    const elsewhere = (to: RunningGateway): string => callback.replace(a.url, to.url);
    await expectFailure(c, 'invalid_state', elsewhere(c), moveTo(jar, c.url));
    const broken = moveTo(jar, a.url);
    for (const [key, value] of broken.cookies) broken.cookies.set(key, `${value.slice(0, -6)}AAAAAA`);
    await expectFailure(a, 'invalid_state', callback, broken);
    const shared = moveTo(jar, b.url);
    assert.equal(await finish(elsewhere(b), shared), '/auth/oidc/callback');
    assert.equal((await session(b, shared)).status, 200);
  } finally {
    for (const gateway of open) await gateway.close();
    for (const home of [homeA, homeB, homeC]) home.close();
  }
});

test('two gateways with one key and one store consume a handoff once between them', async () => {
  const homeA = makeHome(oidcIni(provider));
  const homeB = makeHome(
    oidcIni(provider, { service: { session_store: `file:${join(homeA.places.lib, 'sessions')}` } }),
  );
  for (const name of ['session.key', 'jwt.key']) {
    rmSync(join(homeB.places.lib, name));
    copyFileSync(join(homeA.places.lib, name), join(homeB.places.lib, name));
  }
  const a = await startGateway(homeA);
  const b = await startGateway(homeB);
  try {
    for (let round = 0; round < 5; round += 1) {
      const jar = new Jar();
      await finish(await start(a, jar), jar);
      const cookie = [...jar.cookies].map(([key, value]) => `${key.split(' ')[1]}=${value}`).join();
      const reads = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          fetch(`${(at % 2 ? a : b).url}/api/oidc/session`, { headers: { cookie } }),
        ),
      );
      assert.equal(reads.filter(read => read.status === 200).length, 1);
    }
    const { token } = await signIn(a);
    assert.equal((await fetch(`${b.url}/api/whoami`, bearer(token))).status, 200);
    await fetch(`${a.url}/api/logout`, { method: 'POST', ...bearer(token) });
    assert.equal((await fetch(`${b.url}/api/whoami`, bearer(token))).status, 401);
  } finally {
    await a.close();
    await b.close();
    homeA.close();
    homeB.close();
  }
});

test('R58 cookie-attributes: __Host-, Secure, HttpOnly, Lax', async () => {
  const attributes = async (host: string): Promise<string[]> => {
    const jar = new Jar();
    await withGateway(oidcIni(provider, { ui: { host } }), async gateway => {
      await (await jar.get(`${gateway.url}/api/oidc/login`)).arrayBuffer();
    });
    return (jar.received[0] ?? '').split('; ').map((word, at) => (at === 0 ? word.split('=')[0]! : word));
  };
  assert.deepEqual(await attributes('https://h.test/dash'), [
    '__Host-rackwright',
    'Path=/',
    'Max-Age=600',
    'HttpOnly',
    'SameSite=Lax',
    'Secure',
  ]);
  assert.deepEqual(await attributes('http://h.test'), [
    'rackwright',
    'Path=/',
    'Max-Age=600',
    'HttpOnly',
    'SameSite=Lax',
  ]);
});

test('R60 return-to open redirects: //evil, /\\evil, tab, CR, LF, /./\\, ports, user-info', async () => {
  const bad = [
    '//evil.test',
    '/\\evil.test',
    '/\t/evil.test',
    '/%09/evil.test',
    '/\r\nevil',
    '/%0d%0aevil',
    '/./\\evil.test',
    '/%5cevil.test',
    '/%2f%2fevil.test',
    '/%2fevil.test',
    '/.//evil.test',
    '/x/..//evil.test',
    'https://evil.test',
    'http://dash.test:81/',
    'http://user@dash.test/',
    'javascript:alert(1)',
    'evil',
    '',
    '/ x',
    `/${'a'.repeat(2048)}`,
    '/other/../../outside',
  ];
  await withGateway(oidcIni(provider, { ui: { host: 'http://dash.test/dash' } }), async gateway => {
    for (const target of bad) {
      const jar = new Jar();
      await finish(await start(gateway, jar, `?return_to=${encodeURIComponent(target)}`), jar);
      const { status, body } = await session(gateway, jar);
      assert.equal(status, 200);
      assert.ok(!('return_to' in body), target);
    }
  });
});

test('R61 CORS-credentials: only for ui.host', async () => {
  await withGateway(oidcIni(provider, { service: { cors: 'yes' } }), async gateway => {
    const ask = async (origin: string, method = 'GET'): Promise<Headers> =>
      (await fetch(`${gateway.url}/api/oidc/session`, { method, headers: { origin } })).headers;
    for (const method of ['GET', 'OPTIONS']) {
      const own = await ask('http://dash.test', method);
      assert.equal(own.get('access-control-allow-origin'), 'http://dash.test');
      assert.equal(own.get('access-control-allow-credentials'), 'true');
      for (const origin of ['http://evil.test', 'null', 'http://dash.test.evil.test', 'https://dash.test']) {
        assert.equal((await ask(origin, method)).get('access-control-allow-origin'), null, origin);
      }
    }
  });
  await withGateway(oidcIni(provider), async gateway => {
    const answer = await fetch(`${gateway.url}/config.json`, { headers: { origin: 'http://dash.test' } });
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
  });
});

test('R62 forwarded-header-spoof from untrusted peer: ignored', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const answer = await fetch(`${gateway.url}/api/oidc/login`, {
      redirect: 'manual',
      headers: {
        'x-forwarded-host': 'evil.test',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.test;proto=https',
      },
    });
    const url = new URL(answer.headers.get('location') ?? '');
    assert.equal(url.searchParams.get('redirect_uri'), 'http://dash.test/api/oidc/callback');
    assert.match(answer.headers.get('set-cookie') ?? '', /^rackwright=/);
  });
});

test('a request from another site, a navigation and HEAD read no handoff', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    await finish(await start(gateway, jar), jar);
    const url = `${gateway.url}/api/oidc/session`;
    // Node's fetch sets sec-fetch-mode itself, so these go out by hand.
    const { request } = await import('undici');
    const cookie = [...jar.cookies].map(([key, value]) => `${key.split(' ')[1]}=${value}`).join();
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-mode': 'navigate' }]) {
      const answer = await request(url, { headers: { ...headers, cookie } });
      assert.equal(answer.statusCode, 401);
      await answer.body.dump();
    }
    assert.equal((await request(url, { method: 'HEAD', headers: { cookie } })).statusCode, 401);
    assert.equal((await session(gateway, jar)).status, 200);
  });
});

/** A logout token, right but for the changes. */
async function logout(
  gateway: RunningGateway,
  changes: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<Response> {
  const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const iat = Math.floor(Date.now() / 1000);
  const claims = {
    iss: provider.issuer,
    aud: 'dash',
    iat,
    jti: randomUUID(),
    events: event,
    sid: 'provider-session-1',
    ...changes,
  };
  return send(gateway, await provider.sign(claims, header));
}

function send(gateway: RunningGateway, token: string): Promise<Response> {
  return fetch(`${gateway.url}/api/oidc/backchannel-logout`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
  });
}

test('R63 backchannel alg-none, wrong alg/iss/aud/event, no event, nonce: 400', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const { token } = await signIn(gateway);
    const other = new ScriptedProvider();
    await other.open();
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const event = 'http://schemas.openid.net/event/backchannel-logout';
    const refused = [
      await send(
        gateway,
        `${part({ alg: 'none' })}.${part({ iss: provider.issuer, sid: 'provider-session-1' })}.`,
      ),
      await send(gateway, await other.sign({ iss: provider.issuer, aud: 'dash', iat: 1, jti: 'x' })),
      await send(gateway, 'nonsense'),
      await logout(gateway, { iss: 'https://evil.test' }),
      await logout(gateway, { aud: 'stranger' }),
      await logout(gateway, { events: { other: {} } }),
      await logout(gateway, { events: { [event]: 'x' } }),
      await logout(gateway, { events: undefined }),
      await logout(gateway, { events: null }),
      await logout(gateway, { nonce: 'n' }),
      await logout(gateway, { sid: undefined }),
      await logout(gateway, { jti: undefined }),
      await logout(gateway, { iat: undefined }),
      await logout(gateway, { sid: 7 }),
    ];
    await other.close();
    for (const answer of refused) {
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }
    assert.equal(
      (await fetch(`${gateway.url}/api/whoami`, bearer(token))).status,
      200,
      'nobody was signed out',
    );
  });
});

test('R64 logout-token-replayed-jti: 400', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    await signIn(gateway);
    const jti = randomUUID();
    assert.equal((await logout(gateway, { jti })).status, 200);
    assert.equal((await logout(gateway, { jti })).status, 400);
  });
});

test('R65 logout-by-sid: only that session', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const first = await signIn(gateway);
    provider.behaviour.claims = claims => ({ ...claims, sid: 'provider-session-2' });
    const second = await signIn(gateway);
    assert.equal((await logout(gateway, { sid: 'provider-session-1', sub: 'alice' })).status, 200);
    const status = async (one: Record<string, unknown>): Promise<number> =>
      (await fetch(`${gateway.url}/api/whoami`, bearer(one.token))).status;
    assert.deepEqual([await status(first), await status(second)], [401, 200]);
    assert.equal((await logout(gateway, { sid: undefined, sub: 'alice' })).status, 200);
    assert.equal(await status(second), 401);
  });
});

test('R66 rp-initiated other-state/no-state: return ignored', async () => {
  const oidc = { post_logout_redirect_uri: 'http://dash.test/signed-out' };
  await withGateway(oidcIni(provider, { oidc }), async gateway => {
    const { token } = await signIn(gateway);
    const answer = await fetch(`${gateway.url}/api/oidc/logout`, { method: 'POST', ...bearer(token) });
    const { result, logout_url } = (await answer.json()) as { result: string; logout_url: string };
    assert.equal(result, 'Signed out');
    const url = new URL(logout_url);
    assert.equal(url.origin + url.pathname, `${provider.issuer}/logout`);
    assert.equal(url.searchParams.get('client_id'), 'dash');
    assert.equal(url.searchParams.get('post_logout_redirect_uri'), 'http://dash.test/signed-out');
    assert.match(url.searchParams.get('id_token_hint') ?? '', /^eyJ/);
    assert.match(url.searchParams.get('state') ?? '', /^[\w-]{43}$/);
    assert.equal((await fetch(`${gateway.url}/api/whoami`, bearer(token))).status, 401);
    // The return does nothing here, whatever its state: only the page is shown.
    const jar = new Jar();
    const fresh = await signIn(gateway, jar);
    await jar.get(`${gateway.url}/signed-out?state=other`);
    await jar.get(`${gateway.url}/signed-out`);
    assert.equal((await fetch(`${gateway.url}/api/whoami`, bearer(fresh.token))).status, 200);
  });
});

test('R67 logout-CSRF-by-GET: nothing happens', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const { token } = await signIn(gateway);
    for (const path of ['/api/oidc/logout', '/api/logout', '/api/oidc/backchannel-logout']) {
      const answer = await fetch(gateway.url + path, bearer(token));
      assert.equal(answer.status, 405, path);
      assert.match(answer.headers.get('allow') ?? '', /POST/);
    }
    assert.equal((await fetch(`${gateway.url}/api/oidc/logout`, { method: 'POST' })).status, 401);
    assert.equal((await fetch(`${gateway.url}/api/whoami`, bearer(token))).status, 200);
  });
});

test('one’s own sessions are listed and ended, nobody else’s', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const [first, second] = [await signIn(gateway), await signIn(gateway)];
    provider.behaviour.claims = claims => ({ ...claims, sub: 'bob' });
    const bob = await signIn(gateway);
    const list = async (token: unknown): Promise<{ id: string; current: boolean; method: string }[]> =>
      (await (await fetch(`${gateway.url}/api/sessions`, bearer(token))).json()) as never;
    const own = await list(first.token);
    assert.equal(own.length, 2);
    assert.deepEqual(
      own.map(one => one.method),
      ['oidc', 'oidc'],
    );
    assert.equal(own.filter(one => one.current).length, 1);
    const other = own.find(one => !one.current)!;
    const end = async (id: string, token: unknown): Promise<number> =>
      (await fetch(`${gateway.url}/api/sessions/${id}`, { method: 'DELETE', ...bearer(token) })).status;
    assert.equal(await end(other.id, bob.token), 404);
    assert.equal(await end('../../x', first.token), 404);
    assert.equal(await end(other.id, first.token), 200);
    assert.equal((await fetch(`${gateway.url}/api/whoami`, bearer(second.token))).status, 401);
    assert.equal((await list(first.token)).length, 1);
    assert.equal((await list(bob.token)).length, 1);
  });
});

test('R72 session_key changed: one clear diagnostic', async () => {
  const home = makeHome(oidcIni(provider));
  try {
    await (await startGateway(home)).close();
    const same = await startGateway(home);
    await same.close();
    assert.ok(!JSON.stringify(same.log).includes('session_key'));
    writeFileSync(join(home.places.lib, 'session.key'), randomBytes(64));
    const changed = await startGateway(home);
    await changed.close();
    const said = changed.log.filter(line => line.sentence.includes('session_key is another one'));
    assert.equal(said.length, 1);
  } finally {
    home.close();
  }
});

test('HEAD mirrors GET and consumes nothing; other methods are 405 with Allow; unknown paths are JSON 404', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    const callback = await start(gateway, jar);
    assert.equal((await jar.get(callback, { method: 'HEAD' })).status, 302);
    assert.equal(await finish(callback, jar), '/auth/oidc/callback');
    const wrong = await fetch(`${gateway.url}/api/oidc/session`, { method: 'POST' });
    assert.equal(wrong.status, 405);
    assert.deepEqual(Object.keys((await wrong.json()) as object), ['code', 'description', 'name']);
    const unknown = await fetch(`${gateway.url}//api//nothing/here`);
    assert.equal(unknown.status, 404);
    assert.equal(((await unknown.json()) as { name: string }).name, 'Not Found');
    const bad = await fetch(`${gateway.url}/api/oidc/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":',
    });
    assert.equal(bad.status, 400);
  });
});

test('with authentication off the OIDC routes are 501 and anonymous access works', async () => {
  const off = { agents: { url: 'http://127.0.0.1:1' } };
  await withGateway(off, async gateway => {
    for (const [method, path] of [
      ['GET', 'login'],
      ['POST', 'logout'],
      ['GET', 'session'],
    ] as const) {
      const answer = await fetch(`${gateway.url}/api/oidc/${path}`, { method });
      assert.equal(answer.status, 501);
      assert.equal(
        ((await answer.json()) as { description: string }).description,
        'OIDC authentication is not enabled',
      );
    }
    const anonymous = await fetch(`${gateway.url}/api/anonymous`);
    const { token } = (await anonymous.json()) as { token: string };
    const who = await fetch(`${gateway.url}/api/whoami`, bearer(token));
    const { login, groups } = (await who.json()) as Record<string, unknown>;
    assert.deepEqual({ login, groups }, { login: 'anonymous', groups: [] });
    assert.deepEqual(await (await fetch(`${gateway.url}/config.json`)).json(), {
      API_SERVER: 'http://localhost:5011',
      AUTHENTICATION: false,
      RACKSDB_ROWS_LABELS: false,
      RACKSDB_RACKS_LABELS: false,
      VERSION: '0.1.0',
    });
    assert.equal((await fetch(`${gateway.url}/api/users`)).status, 501);
  });
});

test('the version line is plain text, with one trailing slash too', async () => {
  await withGateway(oidcIni(provider, { ui: { host: 'https://h.test/dash' } }), async gateway => {
    for (const path of ['/api/version', '/api/version/', '/dash/api/version', '//dash//api/version']) {
      const answer = await fetch(gateway.url + path);
      assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(await answer.text(), 'Rackwright gateway v0.1.0\n');
    }
  });
});

test('a session store that is away holds up no start, and is told of', async () => {
  const away = { session_store: 'redis://127.0.0.1:1' };
  await withGateway(oidcIni(provider, { service: away }), async gateway => {
    assert.equal((await fetch(`${gateway.url}/config.json`)).status, 200);
  });
});

test('what is not there stays 404 where preflights are answered', async () => {
  await withGateway(oidcIni(provider, { service: { cors: 'yes' } }), async gateway => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      assert.equal((await fetch(`${gateway.url}/api/nothing`, { method })).status, 404, method);
    }
    const answer = await fetch(`${gateway.url}/api/oidc/session`, { method: 'PUT' });
    assert.equal(answer.status, 405);
  });
});

test('a form of ever so many names is read once, and a name that stands twice not at all', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const names = Array.from({ length: 100_000 }, (_, at) => at.toString(36)).join('&');
    const body = `${names}&user=ann&user=eve&password=x`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(`${gateway.url}/api/oidc/token`, { method: 'POST', headers, body });
    assert.equal(answer.status, 400, await answer.text());
  });
});
