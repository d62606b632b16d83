/** The relying-party modules of the OpenID conformance suite that apply to us, by their names. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { FailureCode } from '../../edge/gateway/failure.ts';
import { type Ini, Jar } from '../support/gateway.ts';
import { oidcIni, refuses, signIn, withGateway } from '../support/oidc-sign-in.ts';
import { type Behaviour, NORMAL, ScriptedProvider } from '../support/scripted-provider.ts';

const provider = new ScriptedProvider();
before(() => provider.open());
after(() => provider.close());
beforeEach(async () => {
  await provider.rotate('RS256');
  provider.behaviour = { ...NORMAL };
  provider.requests.length = 0;
});

type Changes = Partial<Behaviour>;
const claims = (changes: Record<string, unknown>): Changes => ({ claims: all => ({ ...all, ...changes }) });
const withoutGroups = claims({ groups: undefined });
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function accepted(behaviour: Changes, ini: Ini = {}): Promise<Record<string, unknown>> {
  provider.behaviour = { ...NORMAL, ...behaviour };
  let body: Record<string, unknown> = {};
  await withGateway(oidcIni(provider, ini), async gateway => {
    body = await signIn(gateway);
  });
  return body;
}

const tampered: Changes = {
  idToken: async (all, own) => {
    const [head, , signature] = (await own.sign(all)).split('.');
    return `${head}.${part({ ...all, name: 'Mallory' })}.${signature}`;
  },
};

/** Modules whose answer must be refused. */
const REFUSED: readonly (readonly [string, FailureCode, Changes, 'ES256'?])[] = [
  ['oidcc-client-test-invalid-iss', 'token_invalid', claims({ iss: 'https://other.test' })],
  ['oidcc-client-test-missing-sub', 'token_invalid', claims({ sub: undefined })],
  ['oidcc-client-test-invalid-aud', 'token_invalid', claims({ aud: 'other-client' })],
  ['oidcc-client-test-missing-aud', 'token_invalid', claims({ aud: undefined })],
  ['oidcc-client-test-missing-iat', 'token_invalid', claims({ iat: undefined })],
  ['oidcc-client-test-nonce-invalid', 'token_invalid', claims({ nonce: 'other' })],
  ['oidcc-client-test-invalid-sig-rs256', 'token_invalid', tampered],
  ['oidcc-client-test-invalid-sig-es256', 'token_invalid', tampered, 'ES256'],
  [
    'oidcc-client-test-idtoken-sig-none',
    'token_invalid',
    { idToken: async all => `${part({ alg: 'none' })}.${part(all)}.` },
  ],
  [
    'oidcc-client-test-userinfo-invalid-sub',
    'token_invalid',
    { ...withoutGroups, userInfo: () => ({ body: { sub: 'other' } }) },
  ],
  [
    'oidcc-client-test-invalid-authorization-response-iss',
    'invalid_state',
    { authorize: all => ({ ...all, iss: 'https://other.test' }) },
  ],
];
for (const [name, code, behaviour, alg] of REFUSED) {
  test(name, async () => {
    if (alg) await provider.rotate(alg);
    await refuses(provider, code, behaviour);
  });
}

test('oidcc-client-test', async () => assert.equal((await accepted({})).login, 'alice'));

test('oidcc-client-test-client-secret-basic', async () => {
  await accepted({}, { oidc: { token_auth_method: 'client_secret_basic' } });
  assert.match(provider.requests.find(one => one.path === '/token')?.form?.authorization ?? '', /^Basic /);
});

test('oidcc-client-test-client-secret-post', async () => {
  await accepted({}, { oidc: { token_auth_method: 'client_secret_post' } });
  const form = provider.requests.find(one => one.path === '/token')?.form?.form;
  assert.equal(form?.get('client_secret'), 's3cr3t');
});

test('oidcc-client-test-kid-absent-single-jwks', async () => {
  const body = await accepted({ idToken: (all, own) => own.sign(all, { kid: undefined }) });
  assert.equal(body.login, 'alice');
});

test('oidcc-client-test-kid-absent-multiple-jwks', async () => {
  await provider.rotate('RS256', true);
  await refuses(provider, 'token_invalid', { idToken: (all, own) => own.sign(all, { kid: undefined }) });
});

test('oidcc-client-test-idtoken-sig-rs256', async () => assert.equal((await accepted({})).login, 'alice'));

test('oidcc-client-test-idtoken-sig-es256', async () => {
  await provider.rotate('ES256');
  assert.equal((await accepted({})).login, 'alice');
});

test('oidcc-client-test-scope-userinfo-claims', async () => {
  const body = await accepted({
    ...withoutGroups,
    userInfo: () => ({ body: { sub: 'alice', groups: ['from-userinfo'] } }),
  });
  assert.deepEqual(body.groups, ['from-userinfo']);
  const scope = provider.requests.find(one => one.path === '/authorize')?.query.get('scope');
  assert.equal(scope, 'openid profile email');
});

test('oidcc-client-test-userinfo-bearer-header', async () => {
  await accepted({ ...withoutGroups });
  assert.equal(provider.requests.find(one => one.path === '/userinfo')?.authorization, 'Bearer access-token');
});

test('oidcc-client-test-discovery-openid-config', async () => {
  await accepted({});
  assert.equal(provider.count('/.well-known/openid-configuration'), 1);
});

test('oidcc-client-test-discovery-issuer-mismatch', async () => {
  provider.behaviour.metadata = correct => ({ body: { ...correct, issuer: 'https://other.test' } });
  await withGateway(oidcIni(provider), async gateway => {
    const answer = await new Jar().get(`${gateway.url}/api/oidc/login`);
    assert.equal(answer.headers.get('location'), '/auth/oidc/callback?error=provider_error');
  });
});

test('oidcc-client-test-discovery-jwks-uri-keys', async () => {
  await accepted({});
  assert.equal(provider.count('/jwks'), 1);
});

test('oidcc-client-test-signing-key-rotation', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    await signIn(gateway);
    await provider.rotate('RS256', true);
    await signIn(gateway);
  });
});

test('oidcc-client-test-signing-key-rotation-just-before-signing', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    await signIn(gateway);
    await provider.rotate('RS256');
    await signIn(gateway);
  });
});

test('oidcc-client-test-rp-init-logout', async () => {
  await withGateway(
    oidcIni(provider, { oidc: { post_logout_redirect_uri: 'http://dash.test/auth/' } }),
    async gateway => {
      const { token } = await signIn(gateway);
      const answer = await fetch(`${gateway.url}/api/oidc/logout`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      });
      const { logout_url } = (await answer.json()) as { logout_url: string };
      assert.ok(logout_url.startsWith(`${provider.issuer}/logout?`));
      assert.ok(new URL(logout_url).searchParams.get('id_token_hint'));
    },
  );
});
