/** What a relying party must refuse in ID tokens, UserInfo and claims: R23 to R53. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { type Ini, Jar, makeHome, type RunningGateway, startGateway } from '../../support/gateway.ts';
import { finish, oidcIni, refuses, session, signIn, start, withGateway } from '../../support/oidc-sign-in.ts';
import { type Behaviour, NORMAL, ScriptedProvider } from '../../support/scripted-provider.ts';
import { makeAuthority } from '../../support/tls.ts';
import { freePort } from '../../support/until.ts';

const provider = new ScriptedProvider();
const other = new ScriptedProvider();
before(async () => {
  await provider.open();
  await other.open();
});
after(async () => {
  await provider.close();
  await other.close();
});
beforeEach(() => {
  provider.behaviour = { ...NORMAL };
  provider.requests.length = 0;
});

const now = (): number => Math.floor(Date.now() / 1000);
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const withClaims = (changes: Record<string, unknown>): Partial<Behaviour> => ({
  claims: claims => ({ ...claims, ...changes }),
});

async function succeeds(behaviour: Partial<Behaviour>, changes: Ini = {}): Promise<Record<string, unknown>> {
  provider.behaviour = { ...NORMAL, ...behaviour };
  let body: Record<string, unknown> = {};
  await withGateway(oidcIni(provider, changes), async gateway => {
    body = await signIn(gateway);
  });
  return body;
}

test('R23 alg-none', () =>
  refuses(provider, 'token_invalid', {
    idToken: async claims => `${part({ alg: 'none' })}.${part(claims)}.`,
  }));

test('R24 alg-HS256-with-public-key', () =>
  refuses(provider, 'token_invalid', {
    idToken: async claims => {
      const signed = `${part({ alg: 'HS256', kid: provider.current.kid })}.${part(claims)}`;
      const pem = JSON.stringify(provider.current.jwk);
      return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`;
    },
  }));

test('HMAC is accepted where a site lists it, with the client secret as key', async () => {
  const hmac: Partial<Behaviour> = {
    idToken: async claims => {
      const signed = `${part({ alg: 'HS256' })}.${part(claims)}`;
      return `${signed}.${createHmac('sha256', 's3cr3t'.repeat(6)).update(signed).digest('base64url')}`;
    },
  };
  const client_secret = 's3cr3t'.repeat(6);
  assert.equal((await succeeds(hmac, { oidc: { client_secret, algorithms: 'HS256' } })).login, 'alice');
  await refuses(provider, 'token_invalid', hmac, {
    oidc: { client_secret: 'another-secret-of-32-characters!', algorithms: 'HS256\nRS256' },
  });
});

for (const alg of ['RS256', 'ES256', 'EdDSA'] as const) {
  test(`R25 bad-signature, ${alg}`, async () => {
    await provider.rotate(alg);
    try {
      await refuses(provider, 'token_invalid', {
        idToken: async (claims, own) => {
          const [head, , signature] = (await own.sign(claims)).split('.');
          return `${head}.${part({ ...claims, sub: 'root' })}.${signature}`;
        },
      });
    } finally {
      await provider.rotate('RS256');
    }
  });
}

test('R26 kid-unknown: one JWKS reload, rate-limited', async () => {
  let clock = Date.now();
  const dated: Partial<Behaviour> = {
    claims: claims => ({ ...claims, iat: clock / 1000, exp: clock / 1000 + 300 }),
  };
  const check = async (gateway: RunningGateway): Promise<void> => {
    provider.behaviour = { ...NORMAL, ...dated };
    await signIn(gateway);
    const before = provider.count('/jwks');
    provider.behaviour.idToken = (claims, own) => own.sign(claims, { kid: 'unknown' });
    const guess = async (): Promise<number> => {
      const jar = new Jar();
      assert.match(await finish(await start(gateway, jar), jar), /error=token_invalid$/);
      return provider.count('/jwks') - before;
    };
    for (let count = 0; count < 5; count += 1) assert.equal(await guess(), 1);
    clock += 31_000;
    assert.deepEqual([await guess(), await guess()], [2, 2]);
    provider.behaviour = { ...NORMAL, ...dated };
    await signIn(gateway);
  };
  await withGateway(oidcIni(provider), check, { now: () => clock });
});

test('R27 kid-absent-multiple: refused', async () => {
  await provider.rotate('RS256', true);
  try {
    await refuses(provider, 'token_invalid', {
      idToken: (claims, own) => own.sign(claims, { kid: undefined }),
    });
  } finally {
    await provider.rotate('RS256');
  }
});

test('R28 kid-path-traversal/SQL: only a lookup key', async () => {
  for (const kid of ['../../../../etc/passwd', "' OR 1=1 --", '__proto__', 'constructor']) {
    await refuses(provider, 'token_invalid', { idToken: (claims, own) => own.sign(claims, { kid }) });
  }
});

test('headers that bring or name a key are not believed', async () => {
  await refuses(provider, 'token_invalid', {
    idToken: claims =>
      other.sign(claims, {
        kid: undefined,
        jwk: other.current.jwk,
        jku: `${other.issuer}/jwks`,
        x5u: other.issuer,
      }),
  });
  assert.equal(other.count('/jwks'), 0);
});

test('R29 crit-unknown', () =>
  refuses(provider, 'token_invalid', {
    idToken: async claims => {
      const { sign } = await import('node:crypto');
      const signed = `${part({ alg: 'RS256', kid: provider.current.kid, crit: ['x'], x: 1 })}.${part(claims)}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), provider.current.key).toString('base64url')}`;
    },
  }));

test('R30 iss-wrong in the token', async () => {
  await refuses(provider, 'token_invalid', withClaims({ iss: 'https://evil.test' }));
  await refuses(provider, 'token_invalid', withClaims({ iss: `${provider.issuer}/` }));
});

test('R31 aud-array with untrusted second, no azp', async () => {
  await refuses(provider, 'token_invalid', withClaims({ aud: ['dash', 'stranger'] }));
  await refuses(provider, 'token_invalid', withClaims({ aud: 'stranger' }));
  assert.equal((await succeeds(withClaims({ aud: ['dash', 'second'], azp: 'dash' }))).login, 'alice');
});

test('R32 azp-wrong', () => refuses(provider, 'token_invalid', withClaims({ azp: 'stranger' })));

test('R33 iat-missing/future', async () => {
  await refuses(provider, 'token_invalid', withClaims({ iat: undefined }));
  await refuses(provider, 'token_invalid', withClaims({ iat: now() + 120 }));
  await refuses(provider, 'token_invalid', withClaims({ exp: undefined }));
});

test('R34 nbf-future', () => refuses(provider, 'token_invalid', withClaims({ nbf: now() + 120 })));

test('R35 nonce-missing/mismatch/replayed', async () => {
  let first: unknown;
  await refuses(provider, 'token_invalid', withClaims({ nonce: undefined }));
  await refuses(provider, 'token_invalid', withClaims({ nonce: 'n'.repeat(43) }));
  await succeeds({
    claims: claims => {
      first = claims.nonce;
      return claims;
    },
  });
  await refuses(provider, 'token_invalid', withClaims({ nonce: first }));
});

test('R36 at_hash-wrong-if-present', async () => {
  await refuses(provider, 'token_invalid', withClaims({ at_hash: 'x'.repeat(22) }));
  const { createHash } = await import('node:crypto');
  const right = createHash('sha256').update('access-token').digest().subarray(0, 16).toString('base64url');
  assert.equal((await succeeds(withClaims({ at_hash: right }))).login, 'alice');
});

test('R37 duplicate-claims-JSON: one consistent value', async () => {
  const { sign } = await import('node:crypto');
  const body = await succeeds({
    idToken: async claims => {
      const json = JSON.stringify(claims).replace('"sub":"alice"', '"sub":"root","sub":"alice"');
      const signed = `${part({ alg: 'RS256', kid: provider.current.kid })}.${Buffer.from(json).toString('base64url')}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), provider.current.key).toString('base64url')}`;
    },
  });
  assert.equal(body.login, 'alice');
});

test('R38 deeply-nested-claims: bounded time and stack', async () => {
  const { sign } = await import('node:crypto');
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  await refuses(provider, 'token_invalid', {
    idToken: async claims => {
      const json = JSON.stringify({ ...claims, iss: 'wrong' }).replace(/}$/, `,"deep":${deep}}`);
      const signed = `${part({ alg: 'RS256', kid: provider.current.kid })}.${Buffer.from(json).toString('base64url')}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), provider.current.key).toString('base64url')}`;
    },
  });
});

test('R39 jwt-with-whitespace or five parts', async () => {
  await refuses(provider, 'token_invalid', { idToken: async (claims, own) => `${await own.sign(claims)}\n` });
  await refuses(provider, 'token_invalid', { idToken: async (claims, own) => ` ${await own.sign(claims)}` });
  await refuses(provider, 'token_invalid', {
    idToken: async (claims, own) => `${await own.sign(claims)}.x.y`,
  });
});

test('R40 clock-skew edges: inside 60 s succeeds, beyond fails', async () => {
  for (const [name, seconds, inside] of [
    ['exp', -50, true],
    ['exp', -70, false],
    ['iat', 50, true],
    ['iat', 70, false],
    ['nbf', 50, true],
    ['nbf', 70, false],
  ] as const) {
    // Dated when it is made: the one before took its time.
    const behaviour: Partial<Behaviour> = { claims: claims => ({ ...claims, [name]: now() + seconds }) };
    if (inside) assert.equal((await succeeds(behaviour)).login, 'alice', `${name} ${seconds}`);
    else await refuses(provider, 'token_invalid', behaviour);
  }
});

test('R41 userinfo-signed-wrong-aud', async () => {
  const withoutGroups = withClaims({ groups: undefined });
  const signed = (claims: Record<string, unknown>): Partial<Behaviour> => ({
    ...withoutGroups,
    userInfo: async () => ({
      headers: { 'content-type': 'application/jwt' },
      body: await provider.sign({
        iss: provider.issuer,
        aud: 'dash',
        sub: 'alice',
        groups: ['x'],
        ...claims,
      }),
    }),
  });
  await refuses(provider, 'token_invalid', signed({ aud: 'stranger' }));
  await refuses(provider, 'token_invalid', signed({ iss: 'https://evil.test' }));
  await refuses(provider, 'token_invalid', signed({ sub: 'mallory' }));
  await refuses(provider, 'token_invalid', {
    ...withoutGroups,
    userInfo: () => ({ body: { sub: 'mallory' } }),
  });
  await refuses(provider, 'provider_error', { ...withoutGroups, userInfo: () => ({ status: 500 }) });
  await refuses(provider, 'provider_error', { ...withoutGroups, userInfo: () => ({ body: '[1]' }) });
});

test('R42 groups-as-string/nested/number: normalised', async () => {
  assert.deepEqual((await succeeds(withClaims({ groups: 'admins,biology' }))).groups, ['admins,biology']);
  assert.deepEqual((await succeeds(withClaims({ groups: 7 }))).groups, ['7']);
  assert.deepEqual(
    (await succeeds(withClaims({ groups: ['a', 1, ['b'], { c: 1 }, null, true, '', 'a'] }))).groups,
    ['a', '1'],
  );
});

test('R43 group-name with comma/newline/NUL: never becomes two groups', async () => {
  const groups = ['a,b', 'c\nadmins', 'd\0admins', 'e\u0085f'];
  assert.deepEqual((await succeeds(withClaims({ groups }))).groups, ['a,b']);
});

test('R44 groups-claim-missing: empty list, no error unless restricted', async () => {
  const none: Partial<Behaviour> = {
    ...withClaims({ groups: undefined }),
    userInfo: () => ({ body: { sub: 'alice' } }),
  };
  assert.deepEqual((await succeeds(none)).groups, []);
  assert.deepEqual((await succeeds(none, { oidc: { groups_claim: '' } })).groups, []);
  await refuses(provider, 'not_allowed', none, { oidc: { restricted_groups: 'admins' } });
});

test('R45 login-from-mutable-email: refused unless configured', async () => {
  const noSubject: Partial<Behaviour> = {
    userInfo: () => ({ body: { sub: 'alice', email: 'alice@corp.org' } }),
  };
  await withGateway(oidcIni(provider, { oidc: { subject_claim: 'uid' } }), async gateway => {
    provider.behaviour = { ...NORMAL, ...noSubject };
    const jar = new Jar();
    assert.match(await finish(await start(gateway, jar), jar), /error=missing_subject$/);
  });
  const oidc = { subject_claim: 'email' };
  assert.equal((await succeeds({}, { oidc })).login, 'alice@corp.org');
  await refuses(provider, 'missing_subject', withClaims({ email_verified: false }), { oidc });
});

test('a login that is empty, anonymous or holds control characters is none', async () => {
  const oidc = { subject_claim: 'uid' };
  for (const uid of ['', 'anonymous', 'a\nb', ['x'], {}, true]) {
    provider.behaviour = { ...NORMAL, ...withClaims({ uid }) };
    await withGateway(oidcIni(provider, { oidc }), async gateway => {
      const jar = new Jar();
      assert.match(
        await finish(await start(gateway, jar), jar),
        /error=missing_subject$/,
        JSON.stringify(uid),
      );
    });
  }
  assert.equal((await succeeds(withClaims({ uid: 1234 }), { oidc })).login, '1234');
});

test('R46 restricted_groups-denies: no JWT made', async () => {
  const oidc = { restricted_groups: 'staff\n  Admins' };
  await withGateway(oidcIni(provider, { oidc }), async gateway => {
    const jar = new Jar();
    assert.match(await finish(await start(gateway, jar), jar), /error=not_allowed$/);
    assert.equal((await session(gateway, jar)).status, 401);
    provider.behaviour = { ...NORMAL, ...withClaims({ groups: ['staff'] }) };
    await signIn(gateway, jar);
  });
});

test('a token over 32 kB is not handed out', () =>
  refuses(provider, 'too_many_groups', {
    claims: claims => ({
      ...claims,
      groups: Array.from({ length: 1000 }, (_, at) => `group-${at}-${'x'.repeat(40)}`),
    }),
  }));

test('R47 issuer-mismatch: both spellings are in the log', async () => {
  provider.behaviour.metadata = correct => ({ body: { ...correct, issuer: `${provider.issuer}/` } });
  await withGateway(oidcIni(provider), async gateway => {
    const answer = await new Jar().get(`${gateway.url}/api/oidc/login`);
    assert.equal(answer.headers.get('location'), '/auth/oidc/callback?error=provider_error');
    const text = JSON.stringify(gateway.log);
    assert.ok(text.includes(`${provider.issuer}/\\`) && text.includes(`\\"${provider.issuer}\\"`), text);
  });
});

test('R48 discovery-http-redirect: not followed', async () => {
  other.requests.length = 0;
  provider.behaviour.metadata = () => ({
    status: 302,
    headers: { location: `${other.issuer}/.well-known/openid-configuration` },
  });
  await withGateway(oidcIni(provider), async gateway => {
    const answer = await new Jar().get(`${gateway.url}/api/oidc/login`);
    assert.equal(answer.headers.get('location'), '/auth/oidc/callback?error=provider_error');
  });
  assert.equal(other.requests.length, 0);
});

test('R49 rotation-just-before-signing: succeeds', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    await signIn(gateway);
    await provider.rotate('ES256');
    await signIn(gateway);
  });
  await provider.rotate('RS256');
});

test('R50 jwks-unreachable with cached keys: succeeds', async () => {
  let clock = Date.now();
  await withGateway(
    oidcIni(provider),
    async gateway => {
      await signIn(gateway);
      provider.behaviour.jwks = () => ({ status: 503 });
      clock += 1000;
      await signIn(gateway);
    },
    { now: () => clock },
  );
});

test('R51 jwks-10,000-keys: bounded', async () => {
  await refuses(provider, 'provider_unavailable', {
    jwks: keys => ({
      body: { keys: Array.from({ length: 10_000 }, (_, at) => ({ ...keys[0], kid: `k${at}` })) },
    }),
  });
});

test('R52 self-signed-without-cacert; with cacert, or without verification, it works', async () => {
  const authority = await makeAuthority();
  const tls = https.createServer({ key: authority.key, cert: authority.chain }, (request, reply) => {
    // Same provider behind TLS: only its issuer differs.
    const inner = new URL(request.url ?? '/', provider.issuer);
    fetch(inner, { redirect: 'manual' })
      .then(async answer => {
        const body = (await answer.text()).replaceAll(provider.issuer, issuer);
        reply.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
      })
      .catch(() => reply.destroy());
  });
  await new Promise<void>(resolve => tls.listen(0, '127.0.0.1', resolve));
  const issuer = `https://localhost:${(tls.address() as AddressInfo).port}`;
  try {
    const login = async (oidc: Record<string, string>): Promise<string> => {
      const home = makeHome(oidcIni(provider, { oidc: { issuer, ...oidc } }));
      writeFileSync(join(home.places.etc, 'ca.pem'), authority.ca);
      const gateway = await startGateway(home);
      try {
        const answer = await fetch(`${gateway.url}/api/oidc/login`, { redirect: 'manual' });
        return answer.headers.get('location') ?? '';
      } finally {
        await gateway.close();
        home.close();
      }
    };
    assert.equal(await login({}), '/auth/oidc/callback?error=provider_unavailable');
    assert.match(await login({ cacert: ['$', '{config_dir}/ca.pem'].join('') }), /^https:\/\/localhost/);
    assert.match(await login({ verify_ssl: 'no' }), /^https:\/\/localhost/);
  } finally {
    tls.closeAllConnections();
    tls.close();
    authority.close();
  }
});

test('R53 provider-down-at-start: starts, serves /config.json, recovers', async () => {
  const down = new ScriptedProvider();
  const port = await freePort();
  down.issuer = `http://127.0.0.1:${port}`;
  await withGateway(oidcIni(down), async gateway => {
    assert.equal((await fetch(`${gateway.url}/config.json`)).status, 200);
    const refused = await new Jar().get(`${gateway.url}/api/oidc/login`);
    assert.equal(refused.headers.get('location'), '/auth/oidc/callback?error=provider_unavailable');
    await down.open(port);
    assert.equal((await signIn(gateway)).login, 'alice');
    await down.close();
  });
});
