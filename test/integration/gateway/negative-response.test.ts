/** What a relying party must refuse in authorization answers and in their handling: R01 to R22. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Jar } from '../../support/gateway.ts';
import {
  expectFailure,
  finish,
  oidcIni,
  refuses,
  session,
  signIn,
  start,
  withGateway,
} from '../../support/oidc-sign-in.ts';
import { NORMAL, ScriptedProvider } from '../../support/scripted-provider.ts';

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

test('R01 state-missing: no token request', async () => {
  await refuses(provider, 'invalid_state', {
    authorize: ({ state: _state, ...rest }) => {
      assert.equal(provider.count('/token'), 0);
      return rest as Record<string, string>;
    },
  });
  assert.equal(provider.count('/token'), 1, 'only the correct sign-in afterwards asks');
});

test('R02 state-mismatch', () =>
  refuses(provider, 'invalid_state', { authorize: rest => ({ ...rest, state: 'a'.repeat(43) }) }));

test('R03 state-from-other-browser', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const callback = await start(gateway, new Jar());
    const stranger = new Jar();
    await start(gateway, stranger);
    await expectFailure(gateway, 'invalid_state', callback, stranger);
    assert.equal(provider.count('/token'), 0);
    await signIn(gateway);
  });
});

test('R04 state-expired', async () => {
  let now = Date.now();
  await withGateway(
    oidcIni(provider),
    async gateway => {
      const jar = new Jar();
      const callback = await start(gateway, jar);
      now += 601_000;
      await expectFailure(gateway, 'invalid_state', callback, jar);
    },
    { now: () => now },
  );
});

test('R05 two-states-in-query', () =>
  refuses(provider, 'invalid_state', {
    authorize: rest => `${new URLSearchParams(rest)}&state=${rest.state}`,
  }));

test('R06 code-missing', () =>
  refuses(provider, 'provider_error', { authorize: ({ state = '', iss = '' }) => ({ state, iss }) }));

test('R07 code-and-error-together: treated as error', () =>
  refuses(provider, 'access_denied', { authorize: rest => ({ ...rest, error: 'access_denied' }) }));

test('R08 error-response-html-escaped: no provider markup reaches a page', async () => {
  const markup = '<script>alert(1)</script>';
  await withGateway(oidcIni(provider), async gateway => {
    provider.behaviour.authorize = ({ state = '', iss = '' }) => ({
      ...{ state, iss },
      error: 'server_error',
      error_description: markup,
    });
    const jar = new Jar();
    const landed = await finish(await start(gateway, jar), jar);
    assert.equal(landed, '/auth/oidc/callback?error=provider_error');
    const answer = await session(gateway, jar);
    assert.ok(!JSON.stringify(answer).includes('<'), JSON.stringify(answer));
  });
});

test('R09 iss-missing-when-advertised', () =>
  refuses(provider, 'invalid_state', {
    authorize: ({ iss: _iss, ...rest }) => rest as Record<string, string>,
  }));

test('R10 iss-wrong in the response', () =>
  refuses(provider, 'invalid_state', { authorize: rest => ({ ...rest, iss: 'https://evil.test' }) }));

test('R11 mixup-two-issuers: foreign code not sent to our provider', async () => {
  await refuses(provider, 'invalid_state', {
    authorize: rest => ({ ...rest, iss: other.issuer, code: 'foreign' }),
  });
  const sent = provider.requests.filter(request => request.form?.form.get('code') === 'foreign');
  assert.equal(sent.length, 0);
});

test('R12 callback-before-login', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    await expectFailure(
      gateway,
      'invalid_state',
      `${gateway.url}/api/oidc/callback?code=x&state=y`,
      new Jar(),
    );
    await signIn(gateway);
  });
});

test('R13 8 kB code: accepted when the provider knows it, refused cleanly when not', () =>
  refuses(provider, 'provider_error', { authorize: rest => ({ ...rest, code: 'c'.repeat(8192) }) }));

test('R14 parallel-tabs-both-complete: both succeed', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    const [first, second] = [await start(gateway, jar), await start(gateway, jar)];
    assert.equal(await finish(second, jar), '/auth/oidc/callback');
    assert.equal(await finish(first, jar), '/auth/oidc/callback');
    assert.equal((await session(gateway, jar)).status, 200);
    assert.equal((await session(gateway, jar)).status, 200);
    assert.equal((await session(gateway, jar)).status, 401);
  });
});

test('a used state is of no use any more, even with the cookie saved from before', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    const callback = await start(gateway, jar);
    const saved = new Map(jar.cookies);
    await finish(callback, jar);
    const replayed = new Jar();
    for (const [key, value] of saved) replayed.cookies.set(key, value);
    await expectFailure(gateway, 'invalid_state', callback, replayed);
    assert.equal(provider.count('/token'), 1);
  });
});

test('a failed sign-in replaces neither an unread success nor another tab’s sign-in', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    const [first, second, third] = [
      await start(gateway, jar),
      await start(gateway, jar),
      await start(gateway, jar),
    ];
    await finish(first, jar);
    await finish(`${second}&state=twice`, jar);
    assert.equal((await session(gateway, jar)).status, 200);
    assert.equal(await finish(third, jar), '/auth/oidc/callback');
    assert.equal((await session(gateway, jar)).status, 200);
  });
});

test('R15 verifier-reused-across-logins: all verifiers differ', async () => {
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    for (let count = 0; count < 20; count += 1) await signIn(gateway, jar);
    const of = (name: string): Set<string | null> =>
      new Set(provider.requests.filter(one => one.path === '/authorize').map(one => one.query.get(name)));
    const verifiers = provider.requests.flatMap(one => one.form?.form.get('code_verifier') ?? []);
    assert.equal(new Set(verifiers).size, 20);
    for (const name of ['state', 'nonce', 'code_challenge']) assert.equal(of(name).size, 20);
  });
});

test('R16 plain-only-if-configured', async () => {
  provider.behaviour.metadata = correct => ({
    body: { ...correct, code_challenge_methods_supported: ['plain'] },
  });
  await withGateway(oidcIni(provider), async gateway => {
    const jar = new Jar();
    await start(gateway, jar);
    const asked = provider.requests.find(one => one.path === '/authorize')?.query;
    assert.equal(asked?.get('code_challenge_method'), 'S256', 'never downgraded');
  });
});

test('R17 token-endpoint-redirects: secret not resent', async () => {
  other.requests.length = 0;
  await refuses(provider, 'provider_error', {
    token: () => ({ status: 307, headers: { location: `${other.issuer}/token` } }),
  });
  assert.equal(other.requests.length, 0);
});

test('R18 token-endpoint-html-200', () =>
  refuses(provider, 'provider_error', {
    token: () => ({ headers: { 'content-type': 'text/html' }, body: '<html>sign in</html>' }),
  }));

test('R19 token_type-case: any case succeeds', async () => {
  for (const token_type of ['bearer', 'BEARER', 'bEaReR']) {
    provider.behaviour.token = correct => ({ body: { ...correct, token_type } });
    await withGateway(oidcIni(provider), async gateway => {
      assert.equal((await signIn(gateway)).login, 'alice');
    });
  }
});

test('another token_type than Bearer, or none, is refused', async () => {
  await refuses(provider, 'provider_error', { token: rest => ({ body: { ...rest, token_type: 'mac' } }) });
  await refuses(provider, 'provider_error', {
    token: rest => ({ body: { ...rest, token_type: undefined } }),
  });
});

test('R20 expires_in-missing/negative/string: succeeds', async () => {
  for (const expires_in of [undefined, -5, '300', 'soon', null, {}]) {
    provider.behaviour.token = correct => ({ body: { ...correct, expires_in } });
    await withGateway(oidcIni(provider), async gateway => {
      assert.equal((await signIn(gateway)).login, 'alice');
    });
  }
});

test('R21 token-response-1GB: cut off early', async () => {
  provider.blanks = 0;
  await refuses(provider, 'provider_unavailable', { token: () => ({ endless: 1024 ** 3 }) });
  // A mebibyte is read; the sockets hold some more.
  assert.ok(provider.blanks < 64 * 1024 ** 2, `${provider.blanks} bytes`);
});

test('R22 invalid_grant-on-code-reuse', () =>
  refuses(provider, 'provider_error', {
    token: () => ({ status: 400, body: { error: 'invalid_grant', error_description: 'code was used' } }),
  }));
