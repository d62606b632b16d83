import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateAfter, renderRelease } from '../../../../workers/registry/apt-release.ts';

const NOW = 1_767_225_600;

function release(date: number): string {
  const file = { path: 'main/binary-amd64/Packages', size: 1, sha256: '0'.repeat(64), stored: true };
  const words = { origin: 'Example', codename: 'bookworm', architectures: ['amd64'], derivatives: ['main'] };
  return renderRelease({ ...words, date, validFor: 0 }, [file]);
}

test('a Release is never older than the one before it, unless apt would take that for one of the future', () => {
  assert.equal(dateAfter(release(NOW - 5), NOW), NOW);
  assert.equal(dateAfter(release(NOW), NOW), NOW);
  assert.equal(dateAfter(release(NOW + 2), NOW), NOW + 2);
  assert.equal(dateAfter(release(NOW + 10), NOW), NOW + 10);
  assert.equal(dateAfter(release(NOW + 11), NOW), NOW);
  for (const text of ['', 'Date: soon\n', 'Codename: x\n']) assert.equal(dateAfter(text, NOW), NOW);
});
