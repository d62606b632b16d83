/** Nodesets unfold in the documented order, fold back, and refuse what is no set. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compareNatural,
  expand,
  fold,
  NodesetError,
  sortNames,
} from '../../../workers/drawing/inventory/nodeset.ts';
import { SEED, scaled } from '../../support/scale.ts';

for (const [text, members] of [
  ['n[01-03,05]', 'n01 n02 n03 n05'],
  ['n[1-10/3]', 'n1 n4 n7 n10'],
  ['n[10,9,08]', 'n9 n08 n10'],
  ['r[1-2]n[1-2]-x', 'r1n1-x r1n2-x r2n1-x r2n2-x'],
  ['b1,a[3-4],m', 'a3 a4 b1 m'],
  ['n[1-5]!n[2-3]', 'n1 n4 n5'],
  ['n[1-5]&n[4-9]', 'n4 n5'],
  ['n[1-3]^n[3-5]', 'n1 n2 n4 n5'],
  ['  n1 , n1 ', 'n1'],
  ['n[1-3,01-03]', 'n1 n2 n3 n01 n02 n03'],
] as const) {
  test(`${text} unfolds to ${members}`, () => assert.equal(expand(text).join(' '), members));
}

for (const text of [
  '',
  'a[',
  'a]',
  'a[]',
  'a[3-1]',
  'a[1-3/0]',
  'a[01-100]',
  'a,,b',
  'a@b',
  'a*',
  'a?',
  'a[1-2',
  '[[1]]',
  'a[1-x]',
]) {
  test(`"${text}" is refused with a position`, () => {
    assert.throws(
      () => expand(text),
      (error: unknown) => error instanceof NodesetError && /position \d+/.test(error.message),
    );
  });
}

test('a set of too many members is refused before it is made', () => {
  // Made, a thousand million names would end this process for want of memory.
  for (const text of ['n[1-999999999]', 'n[1-1000]m[1-1000]k[1-1000]'])
    assert.throws(() => expand(text), /more than 100000 members/);
  // Repeats don't count.
  assert.equal(expand(`${'m[1-99999],'.repeat(3)}x`).length, 100_000);
});

test('folding is the inverse of unfolding', () => {
  const name = fc.tuple(
    fc.constantFrom('n', 'cn', 'r1-'),
    fc.nat(120),
    fc.constantFrom(0, 3),
    fc.constantFrom('', '-ib'),
  );
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 40 }), parts => {
      const names = sortNames(
        parts.map(([head, n, pad, tail]) => `${head}${String(n).padStart(pad, '0')}${tail}`),
      );
      assert.deepEqual(expand(fold(names)), names);
    }),
    { seed: SEED, numRuns: scaled(5000, 0.1) },
  );
});

test('entries of folders come in natural order', () => {
  assert.deepEqual(['R10', 'R2', 'a', 'R02', 'R1'].sort(compareNatural), ['R1', 'R2', 'R02', 'R10', 'a']);
});
