/** Which versions leave when new ones come, and when a rule is applied to all that is there. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CatalogueEntry, InstanceSlice, Retention } from '../../../../workers/job.ts';
import { outdated, retentionOf, superseded } from '../../../../workers/registry/retention.ts';

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
    assert.deepEqual(gone(live, [entry('2')], { last: 0, newer: 100 }), [], 'last: 0 keeps all');
  });
});

describe('a rule applied to what is there', () => {
  const left = (live: CatalogueEntry[], last: number, newer = 0): string[] =>
    outdated('deb', live, { last, newer }, 1000).map(
      one => `${one.entry.version} ${one.entry.architecture}, ${one.newerVersions} newer`,
    );

  test('counts by version, whatever came last', () => {
    const live = [entry('1.10'), entry('1.9'), entry('1.2'), entry('1.11')];
    assert.deepEqual(left(live, 1), ['1.10 x86_64, 1 newer', '1.9 x86_64, 2 newer', '1.2 x86_64, 3 newer']);
    assert.deepEqual(left(live, 3), ['1.2 x86_64, 3 newer']);
    assert.deepEqual(left(live, 0), []);
  });

  test('keeps what either half keeps', () => {
    const live = [entry('3'), entry('2', { published: 950 }), entry('1')];
    assert.deepEqual(left(live, 1, 100), ['1 x86_64, 2 newer']);
    assert.deepEqual(left(live, 2, 100), ['1 x86_64, 2 newer']);
    assert.deepEqual(left(live, 3, 100), []);
  });

  test('counts versions that lie side by side once, and only those of the same architecture', () => {
    const live = [
      entry('2'),
      entry('2', { architecture: 'aarch64' }),
      entry('3', { architecture: 'src' }),
      entry('1', { architecture: 'noarch' }),
      entry('1', { architecture: 'src' }),
    ];
    assert.deepEqual(left(live, 1).sort(), ['1 noarch, 1 newer', '1 src, 1 newer']);
  });

  test('is what publication leaves as it is', () => {
    const live = [entry('3'), entry('2')];
    const fresh = entry('1');
    const gone = superseded('deb', live, [fresh], () => ({ last: 2, newer: 0 }), 1000);
    const stay = [...live.filter(one => !gone.includes(one)), fresh];
    assert.deepEqual(left(stay, 2), []);
  });

  test('takes the time that thousands of versions of one package deserve', () => {
    const live = Array.from({ length: 4000 }, (_, at) => entry(`1.${at}`));
    assert.equal(left(live, 10).length, 3990);
  });

  test('keeps all images, and the newest of packages, where the instance states none', () => {
    const instance = { pipelines: [] } as unknown as InstanceSlice;
    const place = { distribution: 'x', derivative: 'main' };
    assert.deepEqual(retentionOf(instance, { format: 'osi', ...place }), { last: 0, newer: 0 });
    assert.deepEqual(retentionOf(instance, { format: 'rpm', ...place }), { last: 1, newer: 0 });
  });
});
