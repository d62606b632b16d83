/** Pure rules of stored files: public paths, conditions, ranges, pins. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Pins } from '../../../edge/build/pins.ts';
import { mediaTypeOf, publicSegments } from '../../../edge/build/public-path.ts';
import { rangeOf } from '../../../edge/http/negotiation.ts';
import { SEED, scaled } from '../../support/scale.ts';

describe('public paths', () => {
  it('are decoded once, plus staying plus', () => {
    assert.deepEqual(publicSegments('/i/deb/pool/a+b%2Bc/%7E', 2), ['pool', 'a+b+c', '~']);
    assert.deepEqual(publicSegments('/i/deb/', 2), []);
    assert.deepEqual(publicSegments('/i/deb/%252e%252e', 2), ['%2e%2e']);
  });

  it('never hold a segment that leaves its folder or hides, whatever is asked', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '%2e',
      '%2E%2e',
      '%2f',
      '%5c',
      '\\',
      '%00',
      'a',
      '/',
      '//',
      '%',
      '%zz',
      '%ff',
      '.git',
      'é',
      '%c3%a9',
      '+',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        for (const segment of publicSegments(`/i/deb/${pieces.join('')}`, 2) ?? []) {
          assert.ok(segment !== '' && !segment.startsWith('.') && !/[/\\\0]/.test(segment), segment);
        }
      }),
      { seed: SEED, numRuns: scaled(100_000) },
    );
  });

  it('give each file a type that nobody unpacks or runs', () => {
    assert.equal(mediaTypeOf('Packages.gz'), 'application/gzip');
    assert.equal(mediaTypeOf('primary.xml.gz'), 'application/gzip');
    assert.equal(mediaTypeOf('x.zst'), 'application/zstd');
    for (const name of ['InRelease', 'x.html', 'x.svg', 'x.constructor', 'x.js']) {
      assert.equal(mediaTypeOf(name), 'application/octet-stream', name);
    }
  });
});

describe('ranges', () => {
  it('lie inside the file or are none', () => {
    const validators = { etag: '"x"', modified: 1, shown: 1 };
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.constantFrom('bytes=', 'bytes =', 'Bytes=', 'items=', ''),
        fc.stringMatching(/^[0-9, -]{0,12}$/),
        (size, unit, list) => {
          const span = rangeOf({ range: unit + list }, size, validators);
          if (span === null || span === 'unsatisfiable') return;
          assert.ok(span.start >= 0 && span.start <= span.end && span.end < size);
        },
      ),
      { seed: SEED, numRuns: scaled(50_000) },
    );
  });
});

describe('pins', () => {
  it('hold for a minute, the connection own before its peer, and a shared connection never', () => {
    let now = 0;
    const pins = new Pins(() => now);
    const [one, two] = [new Socket(), new Socket()];
    pins.set({ socket: one, peer: 'p' }, 'link', 'g1');
    pins.set({ socket: two, peer: 'p' }, 'link', 'g2');
    assert.equal(pins.find({ socket: one, peer: 'p' }, 'link'), 'g1');
    assert.equal(pins.find({ socket: new Socket(), peer: 'p' }, 'link'), 'g2');
    assert.equal(pins.find({ socket: null, peer: 'q' }, 'link'), null);
    assert.equal(pins.find({ socket: one, peer: 'p' }, 'other'), null);
    now = 60_001;
    assert.equal(pins.find({ socket: one, peer: 'p' }, 'link'), null);
  });

  it('stay bounded however many peers read', () => {
    const pins = new Pins(() => 0);
    for (let peer = 0; peer < 20_000; peer++) pins.set({ socket: null, peer: String(peer) }, 'link', 'g');
    assert.equal(pins.find({ socket: null, peer: '0' }, 'link'), null);
    assert.equal(pins.find({ socket: null, peer: '19999' }, 'link'), 'g');
  });
});
