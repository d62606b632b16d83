/** The JWT of gateway and agent: what is issued, and all that is refused. */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { readBearer } from '../../../edge/auth/bearer.ts';
import { ALGORITHMS, type Algorithm, parseTokenKey, type TokenKey } from '../../../edge/auth/key.ts';
import { issueToken, type TokenOptions, verifyToken } from '../../../edge/auth/token.ts';
import { Fault } from '../../../proto/fault.ts';
import { SEED, scaled } from '../../support/scale.ts';

const NOW = 1_700_000_000_000;
const secret = randomBytes(32);

function makeKey(algorithm: Algorithm): Buffer {
  const pem = (key: KeyObject): Buffer => Buffer.from(key.export({ type: 'pkcs8', format: 'pem' }));
  if (algorithm.startsWith('HS')) return secret;
  if (algorithm === 'EdDSA') return pem(generateKeyPairSync('ed25519').privateKey);
  const curve = { ES256: 'P-256', ES256K: 'secp256k1', ES384: 'P-384', ES512: 'P-521' }[algorithm as string];
  if (curve) return pem(generateKeyPairSync('ec', { namedCurve: curve }).privateKey);
  return pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
}

function options(key: TokenKey, changes: Partial<TokenOptions> = {}): TokenOptions {
  return { algorithm: key.algorithm, audience: 'slurm-web', keys: [key], now: () => NOW, ...changes };
}

const plain = options(parseTokenKey(secret, 'HS256'));

/** A token signed by hand, whatever it says. */
function forge(claims: object | string, header: object = { alg: 'HS256', typ: 'JWT' }, key = secret): string {
  const part = (value: object | string): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

const good = {
  iat: NOW / 1000,
  exp: NOW / 1000 + 60,
  aud: 'slurm-web',
  sub: 'jdoe',
  groups: ['a'],
  jti: 'x',
};

async function refused(token: string, message: RegExp, with_ = plain): Promise<void> {
  await assert.rejects(verifyToken(with_)(token), error => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.kind, 'unauthenticated');
    assert.match(error.message, message);
    return true;
  });
}

for (const algorithm of ALGORITHMS) {
  test(`a token issued under ${algorithm} is accepted, and not under another key of its kind`, async () => {
    const key = parseTokenKey(makeKey(algorithm), algorithm);
    const issued = await issueToken(options(key), 1)('jdoe', ['users', 'biology']);
    const verified = await verifyToken(options(key))(issued.token);
    assert.deepEqual(
      { ...verified },
      {
        login: 'jdoe',
        groups: ['users', 'biology'],
        jti: issued.jti,
        issued: NOW / 1000 - 5,
        expires: NOW / 1000 - 5 + 86_400,
      },
    );
    const other = algorithm.startsWith('HS') ? randomBytes(64) : makeKey(algorithm);
    await refused(issued.token, /^Token signature is invalid$/, options(parseTokenKey(other, algorithm)));
  });
}

test('the header and the claims are exactly the documented ones', async () => {
  const { token } = await issueToken(plain, 1)('jdoe', ['users']);
  const [head, body] = token.split('.').map(part => Buffer.from(part, 'base64url').toString());
  assert.equal(head, '{"alg":"HS256","typ":"JWT"}');
  assert.deepEqual(Object.keys(JSON.parse(body!)), ['iat', 'exp', 'aud', 'sub', 'groups', 'jti']);
});

test('a token of the previous key is accepted until the key is taken away', async () => {
  const old = parseTokenKey(randomBytes(32), 'HS256');
  const { token } = await issueToken(options(old), 1)('jdoe', []);
  const both = options(parseTokenKey(secret, 'HS256'), { keys: [parseTokenKey(secret, 'HS256'), old] });
  assert.equal((await verifyToken(both)(token)).login, 'jdoe');
  await refused(token, /signature is invalid/);
});

test('an audience list that contains ours, and a token without jti, are accepted', async () => {
  const { jti, ...rest } = good;
  const verified = await verifyToken(plain)(forge({ ...rest, aud: ['x', 'slurm-web'] }));
  assert.equal(verified.jti, '');
});

test('expired, early, audience-less and subject-less tokens are refused with their own words', async () => {
  await refused(forge({ ...good, exp: NOW / 1000 }), /^Token is expired$/);
  await refused(forge({ ...good, exp: undefined }), /claim exp is missing/);
  await refused(forge({ ...good, exp: '9999999999' }), /claim exp/);
  await refused(forge({ ...good, iat: NOW / 1000 + 61 }), /claim iat lies in the future/);
  await refused(forge({ ...good, nbf: NOW / 1000 + 61 }), /claim nbf lies in the future/);
  assert.equal((await verifyToken(plain)(forge({ ...good, iat: NOW / 1000 + 59 }))).login, 'jdoe');
  await refused(forge({ ...good, aud: 'other' }), /^Token audience is invalid$/);
  await refused(forge({ ...good, aud: undefined }), /^Token audience is invalid$/);
  await refused(forge({ ...good, sub: '' }), /claim sub/);
  await refused(forge({ ...good, sub: 7 }), /claim sub/);
  await refused(forge({ ...good, groups: undefined }), /claim groups/);
  await refused(forge({ ...good, groups: 'admins' }), /claim groups/);
  await refused(forge({ ...good, groups: [1] }), /claim groups/);
});

test('the algorithm is ours to choose, never the token’s', async () => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  await refused(`${part({ alg: 'none' })}.${part(good)}.`, /^Unable to decode token: /);
  await refused(forge(good, { alg: 'HS512' }), /algorithm is not the configured one/);
  const rsa = makeKey('RS256');
  const key = parseTokenKey(rsa, 'RS256');
  const pem = key.verify.export({ type: 'spki', format: 'pem' });
  await refused(forge(good, { alg: 'HS256' }, Buffer.from(pem)), /algorithm is not/, options(key));
});

test('headers that name a key or a URL change nothing, and critical extensions are refused', async () => {
  const jku = forge(good, { alg: 'HS256', kid: '../../etc/passwd', jku: 'http://evil.test', jwk: {} });
  assert.equal((await verifyToken(plain)(jku)).login, 'jdoe');
  await refused(forge(good, { alg: 'HS256', crit: ['x'], x: 1 }), /^Unable to decode token: /);
});

test('what is no token at all is refused as undecodable', async () => {
  for (const text of [
    '',
    'a',
    'a.b',
    'a.b.c.d',
    'a.b.c.d.e',
    'a.b .c',
    '..',
    forge('[1]'),
    forge('nonsense'),
  ]) {
    await refused(text, /^Unable to decode token: /);
  }
  await refused(`${'a'.repeat(70_000)}.b.c`, /too long/);
});

test('no input makes the check throw anything but its own fault', async () => {
  const check = verifyToken(plain);
  const mutated = fc
    .tuple(fc.nat(300), fc.string({ maxLength: 3 }))
    .map(([at, text]) => `${forge(good).slice(0, at)}${text}${forge(good).slice(at + 1)}`);
  const built = fc
    .tuple(fc.json({ maxDepth: 3 }), fc.constantFrom({ alg: 'HS256' }, { alg: 'none' }, { alg: 1 }))
    .map(([claims, header]) => forge(claims, header));
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), mutated, built), async token => {
      await check(token).then(
        identity => assert.equal(typeof identity.login, 'string'),
        error => assert.ok(error instanceof Fault && error.kind === 'unauthenticated', String(error)),
      );
    }),
    { numRuns: scaled(100_000, 0.02), seed: SEED },
  );
});

test('keys too short, of another kind or on another curve are refused in words', () => {
  assert.throws(() => parseTokenKey(Buffer.alloc(31), 'HS256'), /31 bytes; HS256 needs at least 32/);
  assert.throws(() => parseTokenKey(Buffer.from('x'), 'RS256'), /no PEM key/);
  assert.throws(() => parseTokenKey(makeKey('ES256'), 'RS256'), /needs an RSA key/);
  assert.throws(() => parseTokenKey(makeKey('ES384'), 'ES256'), /curve prime256v1, not secp384r1/);
  assert.throws(() => parseTokenKey(makeKey('ES256'), 'EdDSA'), /Ed25519/);
});

test('a public key alone checks but does not sign', async () => {
  const pair = parseTokenKey(makeKey('ES256'), 'ES256');
  const { token } = await issueToken(options(pair), 1)('jdoe', []);
  const pem = pair.verify.export({ type: 'spki', format: 'pem' });
  const alone = parseTokenKey(Buffer.from(pem), 'ES256');
  assert.equal((await verifyToken(options(alone))(token)).login, 'jdoe');
  assert.throws(() => issueToken(options(alone), 1), /cannot sign/);
});

test('the bearer token is read from exactly one well-formed header', () => {
  assert.equal(readBearer(['Host', 'x']), null);
  assert.equal(readBearer(['authorization', 'bEaReR  abc']), 'abc');
  assert.throws(
    () => readBearer(['Authorization', 'Bearer a', 'authorization', 'Bearer a']),
    /more than one/,
  );
  for (const value of ['', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'abc']) {
    assert.throws(() => readBearer(['Authorization', value]), /not "Bearer TOKEN"/);
  }
});
