/** Canonical JSON: keys in order of code points, ASCII only, one final line feed. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { canonical, canonicalList, canonicalTree, type Json, type Leaf } from '../../../edge/http/json.ts';
import { SEED, scaled } from '../../support/scale.ts';

it('sorts keys at every level, writes no blank, and leaves undefined out', () => {
  assert.equal(
    canonical({ b: [1, { d: null, c: true }], a: 'x', z: undefined }),
    '{"a":"x","b":[1,{"c":true,"d":null}]}\n',
  );
  assert.equal(canonical(null), 'null\n');
  assert.equal(canonical([]), '[]\n');
});

it('escapes everything that is not ASCII, and nothing else that JSON does not', () => {
  assert.equal(canonical('é€😀\u007f"\\/\n'), '"\\u00e9\\u20ac\\ud83d\\ude00\\u007f\\"\\\\/\\n"\n');
});

it('orders keys by code point where that differs from UTF-16', () => {
  // U+FB00 comes before U+1F600, whose first unit D83D is smaller.
  assert.equal(canonical({ '😀': 1, ﬀ: 2, a: 3 }), '{"a":3,"\\ufb00":2,"\\ud83d\\ude00":1}\n');
});

it('reads back as what was written, in one ASCII line, whatever it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = canonical(value as Json);
      assert.match(text, /^[\x20-\x7e]+\n$/);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(canonical(JSON.parse(text) as Json), text);
    }),
    { seed: SEED, numRuns: scaled(20_000) },
  );
});

it('writes lists page by page as it would write them whole', async () => {
  const pages: Json[][] = [[], [1, { b: 1, a: 2 }], [], ['é'], []];
  async function* source() {
    yield* pages;
  }
  let text = '';
  for await (const piece of canonicalList(source())) text += piece;
  assert.equal(text, canonical(pages.flat()));
  let none = '';
  for await (const piece of canonicalList((async function* () {})())) none += piece;
  assert.equal(none, '[]\n');
});

it('writes trees item by item as it would write them whole', async () => {
  const word = fc.constantFrom('a', 'b', 'é', '"', 'main');
  const leaves = fc.array(fc.tuple(word, word, word), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(leaves, fc.integer({ min: 1, max: 7 }), async (paths, size) => {
      const order = (path: string[]): string => path.join('\0');
      const sorted = [...paths].sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));
      const tree: Record<string, Record<string, Record<string, Json[]>>> = {};
      for (const [item, [one, two, three]] of sorted.entries()) {
        tree[one] ??= {};
        tree[one][two] ??= {};
        tree[one][two][three] ??= [];
        tree[one][two][three].push(item);
      }
      async function* pages(): AsyncGenerator<Leaf[]> {
        const all = sorted.map((path, item) => ({ path, item }));
        for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
      }
      let text = '';
      for await (const part of canonicalTree(pages())) text += part;
      assert.equal(text, canonical(tree));
    }),
    { seed: SEED, numRuns: scaled(20_000) },
  );
});
