import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importSource } from '../../../daemon/grpc/import-source.ts';

const REFUSED = { kind: 'forbidden', reason: 'no-permission' };

test('the control socket imports any folder, others none until one is set', () => {
  assert.deepEqual(importSource('/srv/old/', 'control', null), { source: '/srv/old/' });
  for (const door of ['edge', 'tcp'] as const) {
    assert.throws(() => importSource('/srv/old', door, null), REFUSED);
    assert.deepEqual(importSource('/srv/old/../new//x/', door, '/srv/new'), {
      source: '/srv/new/x',
      root: '/srv/new',
    });
    assert.deepEqual(importSource('/srv', door, '/srv/'), { source: '/srv', root: '/srv' });
    assert.deepEqual(importSource('/srv', door, '/'), { source: '/srv', root: '/' });
    for (const outside of ['/', '/etc', '/srv', '/srv/newer', '/srv/new/../old', '/srv/new/..']) {
      assert.throws(() => importSource(outside, door, '/srv/new'), REFUSED, outside);
    }
  }
});

test('an address is http or https, without credentials, query and fragment', () => {
  const good = 'https://example.org/debian/';
  assert.deepEqual(importSource(good, 'edge', null), { source: good });
  for (const bad of [
    'https://jane:s3cret@example.org/',
    'https://jane@example.org/',
    'https:jane:s3cret@example.org/',
    'HTTPS://jane:s3cret@example.org/',
    'ftp://jane:s3cret@example.org/',
    'https://example.org/?token=s3cret',
    'https://example.org/#s3cret',
    'https://example.org/a b',
    'https://',
    'relative/s3cret',
    '/srv/\0',
    '',
    `https://example.org/${'x'.repeat(5000)}`,
  ]) {
    assert.throws(
      () => importSource(bad, 'control', null),
      (fault: Error & { reason?: string }) =>
        fault.reason === 'bad-input' && !fault.message.includes('s3cret'),
      bad,
    );
  }
});
