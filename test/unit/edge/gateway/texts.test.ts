/** Small pure pieces of the gateway: cookie, seal, throttle, LDAP spellings, markdown, pages' files, versions, prefix. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { tooOld } from '../../../../edge/gateway/agents.ts';
import { bothNames } from '../../../../edge/gateway/clusters.ts';
import { newSession, readCookie, type Transaction, writeCookie } from '../../../../edge/gateway/cookie.ts';
import { Frontend } from '../../../../edge/gateway/frontend.ts';
import { stripPrefix } from '../../../../edge/gateway/gateway.ts';
import {
  escapeDn,
  escapeFilter,
  normalDn,
  readSid,
  siblingSid,
  sidFilter,
} from '../../../../edge/gateway/ldap-text.ts';
import { renderMarkdown } from '../../../../edge/gateway/markdown.ts';
import { makeSeal } from '../../../../edge/gateway/seal.ts';
import { Throttle } from '../../../../edge/gateway/throttle.ts';
import { clientAddress, parseNetworks } from '../../../../edge/http/networks.ts';

const transaction = (started: number, returnTo: string | null = null): Transaction => ({
  state: randomBytes(32).toString('base64url'),
  nonce: randomBytes(32).toString('base64url'),
  verifier: randomBytes(32).toString('base64url'),
  started,
  returnTo,
  loopback: null,
});

test('a cookie comes back as it was, for its own key, name and purpose only', () => {
  const key = randomBytes(64);
  const seal = makeSeal(key, 'cookie');
  const session = { ...newSession(), transactions: [transaction(1000)], handoffs: ['h'], failures: ['f'] };
  const pair = writeCookie(session, false, seal).split(';')[0];
  assert.deepEqual(readCookie(`x=1; ${pair}; y`, false, seal, 1_000_000), session);
  assert.equal(readCookie(pair, false, makeSeal(randomBytes(64), 'cookie'), 0), null);
  assert.equal(readCookie(pair, false, makeSeal(key, 'handoff'), 0), null);
  assert.equal(readCookie(pair?.replace('rackwright=', '__Host-rackwright='), true, seal, 0), null);
  assert.equal(readCookie(undefined, false, seal, 0), null);
  assert.deepEqual(readCookie(pair, false, seal, 1_601_000)?.transactions, [], 'older than ten minutes');
});

test('a cookie keeps ten sign-ins, drops long return targets of the oldest first, and stays below 4,096 bytes', () => {
  const seal = makeSeal(randomBytes(64), 'cookie');
  const of = (transactions: Transaction[]) => {
    const line = writeCookie({ ...newSession(), transactions }, true, seal);
    assert.ok(line.length < 4096, `${line.length}`);
    return readCookie(line.split(';')[0], true, seal, 1_000_000)?.transactions ?? [];
  };
  const plain = Array.from({ length: 14 }, () => transaction(1000));
  assert.deepEqual(of(plain), plain.slice(-10));
  const long = Array.from({ length: 3 }, () => transaction(1000, `/${'a'.repeat(1500)}`));
  assert.deepEqual(
    of(long).map(one => one.returnTo !== null),
    [false, false, true],
  );
});

test('guesses are forgotten after their time, and a right password takes its own back', () => {
  let now = 0;
  const throttle = new Throttle(() => now);
  for (let count = 0; count < 5; count += 1) throttle.count('Alice', '10.0.0.1');
  assert.equal(throttle.wait('alice', '10.0.0.2'), 300);
  now += 299_000;
  assert.equal(throttle.wait('alice', '10.0.0.2'), 1);
  now += 1000;
  assert.equal(throttle.wait('alice', '10.0.0.2'), 0);
  for (let count = 0; count < 25; count += 1) {
    throttle.count(`user${count}`, '10.0.0.3');
    throttle.succeed(`user${count}`, '10.0.0.3');
  }
  assert.equal(throttle.wait('bob', '10.0.0.3'), 0);
  for (let count = 0; count < 20; count += 1) throttle.count(`user${count}`, '10.0.0.3');
  assert.ok(throttle.wait('bob', '10.0.0.3') > 0, 'many names from one address');
});

test('filters and names are escaped as RFC 4515 and RFC 4514 have it', () => {
  assert.equal(escapeFilter('a*b(c)d\\e\0'), 'a\\2ab\\28c\\29d\\5ce\\00');
  assert.equal(escapeDn(' a,b+c"d\\e<f>g;h=i '), '\\ a\\,b\\+c\\"d\\\\e\\<f\\>g\\;h\\=i\\ ');
  assert.equal(escapeDn('#x'), '\\#x');
  assert.equal(normalDn('CN=Bio , OU = Groups,dc=Corp'), 'cn=bio,ou=groups,dc=corp');
});

test('security identifiers are read, and a primary group is found beside its user', () => {
  // S-1-5-21-1004336348-1177238915-682003330-512, as documents of Active Directory show it.
  const bytes = Buffer.from('010500000000000515000000dcf4dc3b833d2b46828ba62800020000', 'hex');
  assert.equal(readSid(bytes), 'S-1-5-21-1004336348-1177238915-682003330-512');
  assert.equal(siblingSid('S-1-5-21-1-2-3-1104', '513'), 'S-1-5-21-1-2-3-513');
  assert.equal(
    sidFilter('S-1-5-21-1004336348-1177238915-682003330-512').replaceAll('\\', ''),
    bytes.toString('hex'),
  );
  assert.equal(readSid(bytes.subarray(0, 20)), null);
  assert.equal(readSid(null), null);
});

test('markdown becomes HTML in which nothing of its author’s markup survives', () => {
  const text =
    '# Hi\n\n**Bold** and *soft* `code`\n[site](https://h.test/a?b=1&c) [bad](javascript:alert)\n\n- one\n- two\n\n1. x\n2. y\n\n<script>alert(1)</script>';
  assert.equal(
    renderMarkdown(text),
    '<h1>Hi</h1>\n<p><strong>Bold</strong> and <em>soft</em> <code>code</code><br>' +
      '<a href="https://h.test/a?b=1&amp;c" rel="noreferrer noopener" target="_blank">site</a> [bad](javascript:alert)</p>\n' +
      '<ul><li>one</li><li>two</li></ul>\n<ol><li>x</li><li>y</li></ol>\n' +
      '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>',
  );
  assert.ok(!renderMarkdown('[x](https://a"onmouseover=alert(1))').includes('"onmouseover'));
});

test('pages get the prefix, and nothing outside of their folder is served', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-frontend-'));
  try {
    mkdirSync(join(folder, 'pages/assets'), { recursive: true });
    writeFileSync(join(folder, 'secret'), 'x');
    writeFileSync(join(folder, 'pages/index.html'), '<a href="/__SLURMWEB_BASE__/assets/x">');
    writeFileSync(join(folder, 'pages/.hidden'), 'x');
    const png = Buffer.from([0x89, 0x50, 0x2f, 0xff, 0xfe]);
    writeFileSync(join(folder, 'pages/assets/x-12345678.png'), png);
    symlinkSync(join(folder, 'secret'), join(folder, 'pages/link'));
    const frontend = new Frontend(join(folder, 'pages'), '/dash');
    const index = await frontend.read('index.html');
    assert.equal(index?.body.toString(), '<a href="/dash/assets/x">');
    assert.equal(index?.type, 'text/html; charset=utf-8');
    const image = await frontend.read('assets/x-12345678.png');
    assert.ok(image?.body.equals(png) && image.immutable && image.type === 'image/png');
    for (const path of [
      '../secret',
      'assets/../../secret',
      'link',
      '.hidden',
      'assets',
      '',
      'no',
      'a\0b',
      'assets\\x',
    ]) {
      assert.equal(await frontend.read(path), null, path);
    }
    assert.equal(
      (await new Frontend(join(folder, 'pages'), '').read('index.html'))?.body.toString(),
      '<a href="/assets/x">',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('versions compare number by number', () => {
  for (const [version, oldest, old] of [
    ['6.0.0', '6.0.0', false],
    ['10.0', '9.9.9', false],
    ['5.10.0', '6', true],
    ['7.0.0-beta', '7.0.0', false],
    ['6.0', '6.0.1', true],
  ] as const) {
    assert.equal(tooOld(version, oldest), old, `${version} ${oldest}`);
  }
});

test('actions get both of their names', () => {
  assert.deepEqual(bothNames(['jobs-view', 'view-stats', 'cache-reset', 'jobs-view-own']), [
    'cache-reset',
    'jobs-view',
    'jobs-view-own',
    'stats-view',
    'view-jobs',
    'view-stats',
  ]);
});

test('the prefix and a trailing slash below /api come off, nothing else does', () => {
  for (const [url, stripped] of [
    ['/dash', '/'],
    ['/dash/', '/'],
    ['/dash/api/x/?a=/', '/api/x?a=/'],
    ['/dashboard', '/dashboard'],
    ['/api/x', '/api/x'],
    ['/other/', '/other/'],
    ['/dash?x', '/?x'],
  ]) {
    assert.equal(stripPrefix(url ?? '', '/dash'), stripped);
  }
});

test('forwarded addresses count from trusted proxies only, and then the rightmost foreign one', () => {
  const of = (peer: string, header?: string): string => {
    const request = {
      socket: { remoteAddress: peer },
      headers: header === undefined ? {} : { 'x-forwarded-for': header },
    };
    return clientAddress(
      request as unknown as Parameters<typeof clientAddress>[0],
      parseNetworks(['127.0.0.0/8', '10.0.0.0/8']),
    );
  };
  assert.equal(of('192.0.2.1', '10.9.9.9'), '192.0.2.1');
  assert.equal(of('127.0.0.1', '6.6.6.6, 192.0.2.5, 10.0.0.3'), '192.0.2.5');
  assert.equal(of('::ffff:127.0.0.1', '192.0.2.5'), '192.0.2.5');
  assert.equal(of('127.0.0.1', 'nonsense'), '127.0.0.1');
  assert.equal(of('127.0.0.1', '192.0.2.5, '), '127.0.0.1');
  assert.equal(of('127.0.0.1', '10.0.0.3'), '127.0.0.1');
  assert.equal(of('127.0.0.1'), '127.0.0.1');
});
