/** Tokens of instances against the hostile ones of the hardening catalogue (R38) and clocks that slew (S18). */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { SignJWT } from 'jose';
import { type Database, openDatabase } from '../../../daemon/store/database.ts';
import { TOKEN_TABLES, Tokens } from '../../../daemon/store/tokens.ts';
import { MAX_TOKEN_DAYS } from '../../../proto/words.ts';

const NOW = 1_800_000_000;
const HERE = 'one';
const folder = mkdtempSync(join(tmpdir(), 'rw-tokens-'));
let database: Database;
let tokens: Tokens;
let now = NOW;
let serial = 0;

before(() => {
  database = openDatabase(join(folder, 'state.db'), [TOKEN_TABLES]);
  tokens = new Tokens({
    database,
    storage: folder,
    algorithm: 'HS256',
    audience: 'rackwright',
    acceptAudiences: ['old-service'],
    duration: 3600,
    gateway: null,
    now: () => now,
    newId: () => `id-${++serial}`,
  });
  for (const instance of ['one', 'two']) tokens.prepare(instance);
});
after(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  now = NOW;
});

const keyOf = (instance: string): string => readFileSync(join(folder, instance, 'key'), 'ascii');
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const GOOD = { iat: NOW, exp: NOW + 3600, aud: 'rackwright', sub: 'jane' };

/** A token made by hand with the claims of a good one, changed; undefined takes a claim away. */
function made(claims: object = {}, header: object = {}, key: string | Buffer = keyOf(HERE)): string {
  const head = encode({ alg: 'HS256', typ: 'JWT', ...header });
  const body = encode({ ...GOOD, ...claims });
  return `${head}.${body}.${createHmac('sha256', key).update(`${head}.${body}`).digest('base64url')}`;
}

const accepted = (token: string): Promise<{ login: string }> => tokens.verify(HERE, token);
const refused = (token: string, reason = 'token-invalid'): Promise<void> =>
  assert.rejects(tokens.verify(HERE, token), { kind: 'forbidden', reason });

describe('R38: a token', () => {
  test('made elsewhere with the key is good, without jti and for an audience that is accepted too', async () => {
    assert.equal((await accepted(made())).login, 'jane');
    assert.equal((await accepted(made({ aud: 'old-service' }))).login, 'jane');
    assert.equal((await accepted(made({ aud: ['x', 'rackwright'] }))).login, 'jane');
  });

  test('without a signature, or under another algorithm than is set, is refused', async () => {
    const body = encode(GOOD);
    for (const alg of ['none', 'None', 'NONE', '']) {
      await refused(`${encode({ alg, typ: 'JWT' })}.${body}.`);
      await refused(`${encode({ alg, typ: 'JWT' })}.${body}.${made().split('.')[2]}`);
    }
    await refused(made({}, { alg: 'HS512' }));
    const hs512 = await new SignJWT(GOOD).setProtectedHeader({ alg: 'HS512' }).sign(Buffer.from(keyOf(HERE)));
    await refused(hs512);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await refused(await new SignJWT(GOOD).setProtectedHeader({ alg: 'RS256' }).sign(privateKey));
    await refused(made({}, {}, publicKey.export({ type: 'spki', format: 'pem' })));
  });

  test("of another instance's key, or with a key of the sender's choice, is refused", async () => {
    await refused(made({}, {}, keyOf('two')));
    await refused(made({}, {}, Buffer.from(keyOf(HERE), 'hex')));
    const path = join(folder, 'chosen');
    writeFileSync(path, 'chosen');
    for (const kid of ['../chosen', path, `../../..${path}`, "' OR 1=1", '/dev/null']) {
      await refused(made({}, { kid }, 'chosen'));
      await refused(made({}, { kid }, ''));
    }
    const jwk = { kty: 'oct', k: Buffer.from('chosen').toString('base64url') };
    await refused(made({}, { jwk, jku: 'https://example.org/keys' }, 'chosen'));
    await assert.rejects(tokens.verify('../one', made()), { kind: 'not_found' });
  });

  test('for another audience, for nobody, or with words in the wrong place is refused', async () => {
    for (const claims of [
      ...[{ aud: 'other' }, { aud: undefined }, { aud: [] }, { aud: ['x'] }],
      ...[{ sub: '' }, { sub: undefined }, { sub: 7 }, { sub: 'a b' }, { sub: 'a\n' }],
      ...[{ exp: undefined }, { exp: 'never' }, { iat: undefined }, { iat: 'x' }],
    ]) {
      await refused(made(claims));
    }
    for (const garbage of ['', 'x', '..', 'a.b', 'a.b.c', 'a.b.c.d', `${made()}x`, 'e30.e30.e30', '\0']) {
      await refused(garbage);
    }
  });

  test('that has expired, is not in force yet, or was revoked is refused', async () => {
    await refused(made({ exp: NOW - 1 }), 'token-expired');
    await refused(made({ exp: NOW }), 'token-expired');
    await refused(made({ nbf: NOW + 1 }));
    const { token, issued } = await tokens.issue(HERE, 'jane', 1);
    assert.equal((await accepted(token)).login, 'jane');
    tokens.revoke(HERE, issued.jti);
    await refused(token, 'token-revoked');
    // One that was made elsewhere is revoked by the file.
    appendFileSync(join(folder, HERE, 'revoked'), 'foreign\n');
    await refused(made({ jti: 'foreign' }), 'token-revoked');
    assert.equal((await accepted(made({ jti: 'foreign-2' }))).login, 'jane');
  });
});

describe('S18: under a clock that slews or repeats a second', () => {
  test('only 60 s ahead are tolerated, and only of the time of issue', async () => {
    assert.equal((await accepted(made({ iat: NOW + 60 }))).login, 'jane');
    await refused(made({ iat: NOW + 61 }));
    await refused(made({ nbf: NOW + 1 }));
    await refused(made({ exp: NOW - 1 }), 'token-expired');
    await refused(made({ exp: NOW - 60 }), 'token-expired');
  });

  test('a token lives ten years at most, as the interface says', async () => {
    const { issued } = await tokens.issue(HERE, 'jane', MAX_TOKEN_DAYS);
    assert.equal(issued.expires, NOW + MAX_TOKEN_DAYS * 86_400);
    await assert.rejects(tokens.issue(HERE, 'jane', MAX_TOKEN_DAYS + 1), { kind: 'invalid' });
    assert.equal(MAX_TOKEN_DAYS, 3650);
  });

  test('a token that was just issued is good at once, and an expired one does not come back', async () => {
    const { token } = await tokens.issue(HERE, 'jane', 0);
    // 23:59:60 is the second before, once more; then time is made up for slowly.
    for (const slew of [0, 0.999, 0, -1, -0.5, -59.5, -60]) {
      now = NOW + slew;
      assert.equal((await accepted(token)).login, 'jane', `${slew} s`);
    }
    now = NOW - 61;
    await refused(token);
    for (const [at, good] of [
      [3599, true],
      [3600, false],
      [3599.4, true],
      [3600.001, false],
    ] as const) {
      now = NOW + at;
      if (good) assert.equal((await accepted(token)).login, 'jane');
      else await refused(token, 'token-expired');
    }
  });
});
