/** Random cookies, callback queries, tokens, claims and bodies: never a 500, never a hang, and sign-in works after. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Pool } from 'undici';
import { SignInFailure } from '../../../edge/gateway/failure.ts';
import { makeProfile } from '../../../edge/gateway/profile.ts';
import { safeTarget } from '../../../edge/gateway/target.ts';
import { oidcIni, signIn, withGateway } from '../../support/oidc-sign-in.ts';
import { SEED, scaled } from '../../support/scale.ts';
import { ScriptedProvider } from '../../support/scripted-provider.ts';

const provider = new ScriptedProvider();
before(() => provider.open());
after(() => provider.close());

/** The 100,000 inputs, a fraction in ordinary runs. */
const RUNS = scaled(100_000, 0.02);
const headerSafe = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');
const word = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.base64String({ maxLength: 60 }),
  fc.constantFrom(
    'state',
    'code',
    'iss',
    '%',
    '%zz',
    '__proto__',
    'constructor',
    '../..',
    '\0',
    'null',
    '[]',
    '{}',
  ),
);
const query = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom('state', 'code', 'iss', 'error', 'loopback', 'code_challenge', 'return_to'),
        word,
      ),
      word,
    ),
    { maxLength: 6 },
  )
  .map(pairs =>
    pairs
      .map(([name, value]) => `${name}=${value}`)
      .join('&')
      .replace(/[^\x21-\x7e]/g, '%00')
      .replace(/#/g, '%23'),
  );

test('no request makes the gateway answer 500 or hang', async t => {
  t.diagnostic(`seed ${SEED}, ${RUNS} inputs`);
  await withGateway(oidcIni(provider), async gateway => {
    const { token } = await signIn(gateway);
    const pool = new Pool(gateway.url, { connections: 4, headersTimeout: 10_000, bodyTimeout: 10_000 });
    const mutated = fc
      .tuple(fc.nat(String(token).length), word)
      .map(([at, text]) => `Bearer ${String(token).slice(0, at)}${text}${String(token).slice(at + 1)}`);
    const input = fc.record({
      path: fc.constantFrom(
        '/api/oidc/login',
        '/api/oidc/callback',
        '/api/oidc/session',
        '/api/oidc/logout',
        '/api/oidc/backchannel-logout',
        '/api/oidc/token',
        '/api/oidc/device',
        '/api/login',
        '/api/whoami',
        '/api/sessions',
        '/api/clusters',
        '/api/agents/x/jobs',
        '/api/agents/x/racksdb/y',
        '/config.json',
        '/api/messages/login',
        '/auth/oidc/callback',
      ),
      tail: fc.oneof(
        fc.constant(''),
        word.map(text => `/${encodeURIComponent(text.toWellFormed())}`),
      ),
      query,
      method: fc.constantFrom('GET', 'GET', 'POST', 'HEAD', 'DELETE', 'PUT'),
      cookie: fc.oneof(
        word,
        word.map(text => `rackwright=${text}`),
        word.map(text => `__Host-rackwright=${text}; rackwright=x`),
      ),
      authorization: fc.oneof(
        word,
        mutated,
        word.map(text => `Bearer ${text}`),
      ),
      type: fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain', 'x'),
      body: fc.oneof(
        fc.json({ maxDepth: 2 }),
        word.map(text => `logout_token=${text}&handle=${text}`),
        word,
      ),
    });
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(input, async ({ path, tail, query, method, cookie, authorization, type, body }) => {
        const { statusCode, body: answer } = await pool.request({
          method,
          path: `${path}${tail}?${query}`,
          headers: {
            cookie: headerSafe(cookie).trim(),
            authorization: headerSafe(authorization).trim(),
            ...(method === 'POST' ? { 'content-type': type } : {}),
          },
          body: method === 'POST' ? body : null,
        });
        await answer.dump();
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
        assert.notEqual(statusCode, 500, path);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    await pool.destroy();
    t.diagnostic(`statuses ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`);
    assert.ok(statuses.size > 4, 'the inputs reach more than one refusal');
    assert.deepEqual(
      gateway.log.filter(line => line.level === 'error'),
      [],
      'no bug was logged',
    );
    await signIn(gateway);
  });
});

test('whatever a provider claims becomes a profile of plain texts or a refusal', () => {
  const names = { subject_claim: 'user.id', fullname_claim: 'name', groups_claim: 'realm.roles' };
  const value = fc.jsonValue({ maxDepth: 3 });
  const claims = fc.record({
    user: fc.oneof(value, fc.record({ id: value })),
    name: value,
    realm: fc.oneof(value, fc.record({ roles: fc.oneof(value, fc.array(value)) })),
    email_verified: value,
  });
  fc.assert(
    fc.property(claims, made => {
      try {
        const { login, fullname, groups } = makeProfile(made, names, () => {});
        for (const text of [login, fullname, ...groups]) {
          assert.equal(typeof text, 'string');
          assert.ok(text !== '' && !/\p{Cc}/u.test(text));
        }
        assert.notEqual(login, 'anonymous');
        assert.equal(new Set(groups).size, groups.length);
      } catch (error) {
        assert.ok(error instanceof SignInFailure, String(error));
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

test('no return target leads out of the site', () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '//',
    '.',
    '..',
    '%2f',
    '%5c',
    '%09',
    '@',
    ':',
    '?',
    '#',
    'evil.test',
    'https:',
    'dash',
    'x',
    '\t',
    '\n',
    ' ',
  );
  const hosts = { ui: { host: 'https://h.test/dash' }, oidc: { redirect_uri: null } } as Parameters<
    typeof safeTarget
  >[1];
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), pieces => {
      const target = safeTarget(pieces.join(''), hosts);
      if (target === null) return;
      const url = new URL(target, 'https://h.test/dash/auth/oidc/callback');
      assert.equal(url.origin, 'https://h.test');
      assert.match(url.pathname, /^\/dash(\/|$)/);
    }),
    { numRuns: RUNS, seed: SEED },
  );
});
