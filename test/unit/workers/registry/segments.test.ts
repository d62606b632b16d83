/** Segments: whatever changes come, the index is what it would be if made at once. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Landing } from '../../../../workers/registry/landing.ts';
import { compareKeys, GZIP, SegmentStore, ZSTD } from '../../../../workers/registry/segments.ts';
import { readUnpacked } from '../../../../workers/registry/unpack.ts';
import { random, SEED, scaled } from '../../../support/scale.ts';

const folder = mkdtempSync(join(tmpdir(), 'rw-segments-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Records as lines `key text`. */
const split = (text: string) =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => ({ key: line.split(' ')[0] ?? '', text: `${line}\n` }));

test(`a segmented index equals the whole one after any changes (seed ${SEED})`, async () => {
  const dice = random(SEED);
  const model = new Map<string, string>();
  let segments = new SegmentStore(folder, new Landing(folder, 'x'), GZIP).create([]);
  // Long lines, so that segments split often.
  const line = (key: string): string => `${key} ${'x'.repeat(Math.floor(dice() * 60_000))}\n`;
  for (let round = 0; round < scaled(2000, 0.05); round++) {
    const changes = new Map<string, string | null>();
    for (let index = Math.floor(dice() * 8); index >= 0; index--) {
      const key = `k${Math.floor(dice() * 200)}`;
      changes.set(key, dice() < 0.35 ? null : line(key));
    }
    for (const [key, text] of changes) {
      if (text === null) model.delete(key);
      else model.set(key, text);
    }
    const landing = new Landing(folder, 'new');
    const store = new SegmentStore(folder, landing, GZIP);
    segments = store.update(segments, changes, split);
    // What is new can be read before it lands, and after.
    if (dice() < 0.5) await landing.land();
    const pieces = segments.map(segment => store.read(segment));
    const wanted = [...model]
      .sort(([a], [b]) => compareKeys(a, b))
      .map(([, text]) => text)
      .join('');
    assert.ok(Buffer.concat(pieces.map(piece => piece.plain)).toString() === wanted, `round ${round}`);
    const packed = Buffer.concat(pieces.map(piece => piece.packed));
    assert.ok(packed.length === 0 || gunzipSync(packed).toString() === wanted, `round ${round}, gzip`);
    // The same segments, packed another way only now.
    const other = new SegmentStore(folder, landing, ZSTD);
    const frames = join(folder, 'frames');
    writeFileSync(frames, Buffer.concat(segments.map(segment => other.read(segment).packed)));
    assert.ok(readUnpacked(frames, 1 << 30).toString() === wanted, `round ${round}, zstd`);
    await landing.land();
  }
  assert.ok(segments.length > 3);
});
