/** Signing in with OpenID Connect as browsers and frontends do it, against a provider that behaves. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Jar } from '../../support/gateway.ts';
import { finish, oidcIni, session, signIn, start, withGateway } from '../../support/oidc-sign-in.ts';
import { NORMAL, PROFILE, ScriptedProvider } from '../../support/scripted-provider.ts';

const provider = new ScriptedProvider();
before(() => provider.open());
after(() => provider.close());
beforeEach(() => {
  provider.behaviour = { ...NORMAL };
  provider.requests.length = 0;
});

test('a sign-in hands over token and profile once, and lands on the frontend without a query', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    assert.equal(await finish(await start(gateway, jar), jar), '/auth/oidc/callback');
    const answer = await jar.get(`${gateway.url}/api/oidc/session`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const { token, ...rest } = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual(rest, {
      result: 'Authentication successful',
      login: 'alice',
      fullname: 'Alice User',
      groups: ['admins', 'biology'],
    });
    assert.equal(jar.cookies.size, 0, 'the cookie is cleared');
    const again = await session(gateway, jar);
    assert.deepEqual(again, {
      status: 401,
      body: { code: 401, description: 'OIDC login session not found', name: 'Unauthorized' },
    });
    const who = await jar.get(`${gateway.url}/api/whoami`, { headers: { authorization: `bearer ${token}` } });
    assert.equal(((await who.json()) as { login: string }).login, 'alice');
  });
});

test('the authorization request carries exactly what was asked for', async () => {
  await withGateway(oidcIni(provider, { ui: { host: 'https://h.test/dash/' } }), async gateway => {
    const answer = await new Jar().get(`${gateway.url}/dash/api/oidc/login`);
    const url = new URL(answer.headers.get('location') ?? '');
    assert.equal(url.origin + url.pathname, `${provider.issuer}/authorize`);
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(url.searchParams);
    assert.deepEqual(rest, {
      client_id: 'dash',
      response_type: 'code',
      redirect_uri: 'https://h.test/dash/api/oidc/callback',
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    });
    for (const text of [state, nonce, code_challenge]) assert.match(text ?? '', /^[\w-]{43}$/);
  });
});

test('a public client, plain PKCE and a client without PKCE each sign in', async () => {
  const ways = [
    { client_secret: undefined, pkce: 'S256' },
    { client_secret: undefined, pkce: 'plain' },
    { pkce: 'plain' },
    { pkce: undefined },
    { token_auth_method: 'client_secret_post' },
  ];
  for (const oidc of ways) {
    provider.requests.length = 0;
    await withGateway(oidcIni(provider, { oidc }), async gateway => {
      assert.equal((await signIn(gateway)).login, 'alice');
      const asked = provider.requests.find(request => request.path === '/authorize')?.query;
      const request = provider.requests.find(one => one.path === '/token')?.form;
      const pkce = 'pkce' in oidc ? oidc.pkce : 'S256';
      assert.equal(asked?.get('code_challenge_method') ?? undefined, pkce);
      assert.equal(request?.form.has('code_verifier'), pkce !== undefined);
      const isPublic = 'client_secret' in oidc;
      const post = 'token_auth_method' in oidc;
      assert.equal(request?.authorization === undefined, isPublic || post);
      assert.equal(request?.form.get('client_secret'), post ? 's3cr3t' : null);
      if (isPublic) assert.equal(request?.form.get('client_id'), 'dash');
    });
  }
});

test('client_secret_post is taken when the metadata offers nothing else', async () => {
  provider.behaviour.metadata = correct => ({
    body: { ...correct, token_endpoint_auth_methods_supported: ['client_secret_post'] },
  });
  await withGateway(oidcIni(provider), async gateway => {
    await signIn(gateway);
    const request = provider.requests.find(one => one.path === '/token')?.form;
    assert.equal(request?.authorization, undefined);
    assert.equal(request?.form.get('client_secret'), 's3cr3t');
  });
});

test('identifier and secret are form-encoded before they are base64', async () => {
  const oidc = { client_id: 'a:b c', client_secret: 'p%q+r/ü' };
  await withGateway(oidcIni(provider, { oidc }), async gateway => {
    await signIn(gateway);
    const request = provider.requests.find(one => one.path === '/token')?.form;
    const [id, secret] = Buffer.from(request?.authorization?.slice(6) ?? '', 'base64')
      .toString()
      .split(':');
    const decode = (text = ''): string => decodeURIComponent(text.replaceAll('+', ' '));
    assert.deepEqual([decode(id), decode(secret)], ['a:b c', 'p%q+r/ü']);
  });
});

test('groups, name and subject are found by dotted paths, in the ID token or in UserInfo only', async () => {
  const oidc = { groups_claim: 'realm_access.roles', subject_claim: 'user.id', fullname_claim: 'display' };
  const { groups: _groups, name: _name, ...poor } = PROFILE;
  provider.behaviour.claims = claims => ({ ...claims, ...poor, groups: undefined, name: undefined });
  provider.behaviour.userInfo = () => ({
    body: { sub: 'alice', user: { id: 'al' }, display: 'A. L.', realm_access: { roles: ['x', 'y', 'x'] } },
  });
  await withGateway(oidcIni(provider, { oidc }), async gateway => {
    const { token: _token, ...body } = await signIn(gateway);
    assert.deepEqual(body, {
      result: 'Authentication successful',
      login: 'al',
      fullname: 'A. L.',
      groups: ['x', 'y'],
    });
    assert.equal(provider.count('/userinfo'), 1);
  });
});

test('UserInfo is not asked when the ID token has all that is wanted', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    await signIn(gateway);
    assert.equal(provider.count('/userinfo'), 0);
  });
});

test('a signed UserInfo answer is checked and used', async () => {
  provider.behaviour.claims = claims => ({ ...claims, groups: undefined });
  provider.behaviour.userInfo = async () => ({
    headers: { 'content-type': 'application/jwt' },
    body: await provider.sign({ iss: provider.issuer, aud: 'dash', sub: 'alice', groups: ['signed'] }),
  });
  await withGateway(oidcIni(provider), async gateway => {
    assert.deepEqual((await signIn(gateway)).groups, ['signed']);
  });
});

test('a failing UserInfo costs the full name, but not the sign-in', async () => {
  provider.behaviour.claims = claims => ({ ...claims, name: undefined });
  provider.behaviour.userInfo = () => ({ status: 500, body: 'broken' });
  await withGateway(oidcIni(provider), async gateway => {
    assert.equal((await signIn(gateway)).fullname, 'alice');
  });
});

test('R59 cookie-over-4kB: never sent, also with two hundred long group names', async () => {
  const groups = Array.from({ length: 200 }, (_, at) => `cn=project-${at}-${'x'.repeat(80)}`);
  provider.behaviour.claims = claims => ({ ...claims, groups });
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    assert.deepEqual((await signIn(gateway, jar)).groups, groups);
    for (const line of jar.received) assert.ok(line.length < 4096, `${line.length}`);
  });
});

test('ten abandoned sign-ins with long return targets leave the cookie below 4,096 bytes and the last one working', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    for (let count = 0; count < 12; count += 1) await start(gateway, jar, `?return_to=/${'a'.repeat(2000)}`);
    for (const line of jar.received) assert.ok(line.length < 4096, `${line.length}`);
    await signIn(gateway, jar);
  });
});

test('a return target within the site comes back with the session', async () => {
  await withGateway(oidcIni(provider, { ui: { host: 'https://h.test/dash' } }), async gateway => {
    const jar = new Jar();
    await finish(await start(gateway, jar, '?return_to=/dash/clusters/alpha?x=1'), jar);
    // A secure cookie goes by its other name.
    assert.match(jar.received.at(-1) ?? '', /^__Host-rackwright=/);
    assert.equal((await session(gateway, jar)).body.return_to, '/dash/clusters/alpha?x=1');
  });
});

test('a program signs in over its loopback port, and only it can redeem the code, once', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const verifier = 'v'.repeat(43);
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(verifier));
    const challenge = Buffer.from(digest).toString('base64url');
    const begin = async (): Promise<string> => {
      const jar = new Jar();
      const callback = await start(gateway, jar, `?loopback=40123&code_challenge=${challenge}`);
      const url = new URL(await finish(callback, jar));
      assert.equal(url.origin, 'http://127.0.0.1:40123');
      return url.searchParams.get('code') ?? '';
    };
    const redeem = (code: string, code_verifier: string): Promise<Response> =>
      fetch(`${gateway.url}/api/oidc/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code, code_verifier }),
      });
    const code = await begin();
    const first = await redeem(code, verifier);
    assert.equal(first.status, 200);
    assert.equal(((await first.json()) as { login: string }).login, 'alice');
    assert.equal((await redeem(code, verifier)).status, 401);
    const stolen = await begin();
    assert.equal((await redeem(stolen, 'w'.repeat(43))).status, 401);
    assert.equal((await redeem(stolen, verifier)).status, 401, 'a wrong verifier spoils the code');
  });
});

test('sign-ins are counted by how they ended', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    await signIn(gateway);
    await new Jar().get(`${gateway.url}/api/oidc/callback?code=x&state=y`);
    const text = await (await fetch(`${gateway.url}/api/metrics`)).text();
    assert.match(text, /sign_ins_total\{method="oidc",result="success"\} 1/);
    assert.match(text, /sign_ins_total\{method="oidc",result="invalid_state"\} 1/);
  });
});
