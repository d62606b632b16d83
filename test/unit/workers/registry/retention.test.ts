/** Which versions leave when new ones come. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CatalogueEntry, Retention } from '../../../../workers/job.ts';
import { superseded } from '../../../../workers/registry/retention.ts';

let row = 0;
function entry(version: string, more: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return {
    row: ++row,
    format: 'deb',
    distribution: 'bookworm',
    derivative: 'main',
    architecture: 'x86_64',
    name: 'hello',
    version,
    size: 1,
    source: null,
    files: [],
    stanza: '',
    changelog: [],
    content: [],
    published: 0,
    task: '',
    ...more,
  };
}

const gone = (live: CatalogueEntry[], added: CatalogueEntry[], retention: Retention, now = 1000): string[] =>
  superseded('deb', live, added, () => retention, now).map(one => `${one.version} ${one.architecture}`);

describe('retention', () => {
  test('keeps the newest build only, unless told, even when its version is lower', () => {
    assert.deepEqual(gone([entry('1-1')], [entry('1-2')], { last: 1, newer: 0 }), ['1-1 x86_64']);
    assert.deepEqual(gone([entry('2-1')], [entry('1-1')], { last: 1, newer: 0 }), ['2-1 x86_64']);
  });

  test('leaves other architectures, derivatives and names alone', () => {
    const others = [
      entry('1', { architecture: 'aarch64' }),
      entry('1', { derivative: 'extra' }),
      entry('1', { name: 'other' }),
    ];
    assert.deepEqual(gone(others, [entry('2')], { last: 1, newer: 0 }), []);
    assert.deepEqual(gone([entry('1', { architecture: 'src' })], [entry('2')], { last: 1, newer: 0 }), []);
  });

  test('lets an architecture-independent package take the place of all, and the other way round', () => {
    const live = [entry('1'), entry('1', { architecture: 'aarch64' })];
    const all = entry('2', { architecture: 'noarch' });
    assert.deepEqual(gone(live, [all], { last: 1, newer: 0 }), ['1 x86_64', '1 aarch64']);
    assert.deepEqual(gone([all], [entry('3')], { last: 1, newer: 0 }), ['2 noarch']);
  });

  test('keeps the last n by version, what is newer than a span, or everything', () => {
    const live = [entry('1.10'), entry('1.9'), entry('1.8', { published: 950 })];
    assert.deepEqual(gone(live, [entry('2')], { last: 2, newer: 0 }), ['1.9 x86_64', '1.8 x86_64']);
    assert.deepEqual(gone(live, [entry('2')], { last: 1, newer: 100 }), ['1.10 x86_64', '1.9 x86_64']);
    assert.deepEqual(gone(live, [entry('2')], { last: 0, newer: 0 }), []);
  });
});
