/** Rules of retention as people write them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRetention, readRetention } from '../../../proto/retention.ts';

test('a rule is read with its units, and what is absent keeps the newest version only', () => {
  const day = 86_400;
  assert.deepEqual(readRetention({}), { last: 1, newer: 0 });
  assert.deepEqual(readRetention({ last: '0' }), { last: 0, newer: 0 });
  const spans = {
    '12h': day / 2,
    '3': 3 * day,
    '3d': 3 * day,
    '2w': 14 * day,
    '6m': 180 * day,
    '1y': 365 * day,
  };
  for (const [newer, seconds] of Object.entries(spans)) {
    assert.deepEqual(readRetention({ last: '2', newer }), { last: 2, newer: seconds }, newer);
  }
});

test('what is no rule is none', () => {
  for (const bad of [
    { last: '-1' },
    { last: '' },
    { last: '1.5' },
    { last: '9999999' },
    { newer: '3x' },
    { newer: 'd' },
  ]) {
    assert.equal(readRetention(bad), null, JSON.stringify(bad));
  }
});

test('a rule is told in words', () => {
  assert.equal(describeRetention({ last: 0, newer: 5 }), 'all versions are kept');
  assert.equal(describeRetention({ last: 1, newer: 0 }), 'the newest version is kept');
  const both = 'the newest 3 versions are kept, and any younger than';
  assert.equal(describeRetention({ last: 3, newer: 43_200 }), `${both} 12 hours`);
  assert.equal(describeRetention({ last: 3, newer: 172_800 }), `${both} 2 days`);
});
