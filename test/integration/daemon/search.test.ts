/** Searches by the index of names: the same answers as by looking at every name. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openRegistry } from '../../support/registry.ts';
import { random, SEED } from '../../support/scale.ts';
import { entryOf } from '../../support/seed-apt.ts';
import { tinyDeb } from '../../support/tiny-deb.ts';

const registry = openRegistry();
after(() => registry.close());
const LIKE = entryOf(tinyDeb('x', '1'));
const KEY = { format: 'deb', distribution: 'bookworm', derivative: null } as const;
let number = 0;

function publish(names: readonly string[], remove: readonly number[] = []): void {
  const add = names.map(name => ({ ...LIKE, name, files: [], stanza: '', content: [] }));
  const generation = `g${number++}`;
  const intent = { registry: KEY, task: 't', attempt: 1, generation, digest: '', add, remove };
  const granted = registry.catalogue.answer('default', { type: 'intent', intent });
  registry.catalogue.answer('default', { type: 'switched', intent: granted.intent, done: true });
}

function search(text: string, limit = 1_000_000): string[] {
  const found = [...registry.catalogue.reads.search('default', text, limit)];
  return found.flatMap(page => page.artifacts.map(one => one.name));
}

test(`texts of any length and kind find exactly the names that contain them (seed ${SEED})`, () => {
  const dice = random(SEED);
  const letters = ['a', 'b', 'B', '-', '+', '.', '1', 'lib'];
  const word = (longest: number): string =>
    Array.from({ length: 1 + Math.floor(dice() * longest) }, () => letters[Math.floor(dice() * 8)]).join('');
  const names = [...new Set(Array.from({ length: 3000 }, () => `n${word(12)}`))];
  publish(names);
  const sorted = names.toSorted();
  for (let round = 0; round < 300; round++) {
    const text = word(6);
    assert.deepEqual(
      search(text),
      sorted.filter(name => name.includes(text)),
      text,
    );
  }
  // Signs that mean something to the index are only signs.
  for (const text of ['"""', 'a" OR "b', 'nab*', '-a AND', "a'b", 'näh', '%%%', 'NOT a']) {
    assert.deepEqual(search(text), [], text);
  }
  assert.equal(search('lib', 7).length, 7);
});

test('lists that are filtered go on where they ended', () => {
  const place = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;
  const { reads } = registry.catalogue;
  for (const contains of ['b', 'liblib', '']) {
    const whole = reads.list('default', place, { contains, limit: 100_000 }).artifacts.map(one => one.name);
    const pieces: string[] = [];
    for (let position = ''; ; ) {
      const { artifacts, next } = reads.list('default', place, { contains, after: position, limit: 37 });
      pieces.push(...artifacts.map(one => one.name));
      if (next === '') break;
      position = next;
    }
    assert.ok(whole.length > 37, contains);
    assert.deepEqual(pieces, whole, contains);
  }
});

test('what is new is found, what is gone is not', () => {
  publish(['entirely-new']);
  assert.deepEqual(search('tirely-n'), ['entirely-new']);
  const { entries } = registry.catalogue.answer('default', {
    type: 'catalogue',
    registry: KEY,
    names: ['entirely-new'],
  });
  publish(
    [],
    entries.map(entry => entry.row),
  );
  assert.deepEqual(search('tirely-n'), []);
  publish(['entirely-new']);
  assert.deepEqual(search('tirely-n'), ['entirely-new']);
});
