/** What must hold of any inventory's drawing, on inventories made at random. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boxes, inventoryOf, layOut, squareMeasure, textsOf } from '../../support/drawing.ts';
import { SEED, scaled } from '../../support/scale.ts';

const RUNS = { seed: SEED, numRuns: scaled(2000, 0.05) };

/** A site whose racks hold sets that never overlap: each takes levels of its own. */
const site = fc
  .record({
    divisor: fc.integer({ min: 1, max: 10 }),
    height: fc.integer({ min: 1, max: 4 }),
    counts: fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 8 }),
    racks: fc.integer({ min: 1, max: 6 }),
    rows: fc.integer({ min: 1, max: 4 }),
    reversed: fc.boolean(),
    width: fc.integer({ min: 200, max: 3000 }),
    tall: fc.integer({ min: 200, max: 3000 }),
  })
  .map(spec => {
    const lines: string[] = [];
    const rowLines: string[] = [];
    for (let row = 0; row < spec.rows; row++)
      rowLines.push(
        `R${row}: {position: {width: 1m, depth: ${1 + row * 2}m}, reversed: ${spec.reversed}, racks: [{name: "R${row}-[1-${spec.racks}]", type: r}]}`,
      );
    let set = 0;
    for (let row = 0; row < spec.rows; row++)
      for (let rack = 1; rack <= spec.racks; rack++) {
        let slot = 1;
        const sets: string[] = [];
        for (const count of spec.counts) {
          const levels = Math.ceil(count / spec.divisor) * spec.height;
          if (slot + levels - 1 > 48) break;
          sets.push(`"e${++set}x[1-${count}]": {type: t, slot: ${slot}}`);
          slot += levels;
        }
        if (sets.length > 0) lines.push(`{rack: "R${row}-${rack}", nodes: {${sets.join(', ')}}}`);
      }
    const text = `types:
  nodes: {t: {model: t, height: ${spec.height}u, width: 1/${spec.divisor}, cpu: {model: c, sockets: 1, cores: 1}, ram: {dimm: 1, size: 1GB}}}
  racks: {r: {height: 2200mm, width: 600mm, depth: 1m, slots: 48u}}
datacenters: {d: {rooms: {h: {dimensions: {width: 20m, depth: 20m}, rows: {${rowLines.join(', ')}}}}}}
infrastructures: {i: {description: i, layout: [${lines.join(', ')}]}}`;
    return {
      text,
      lines: lines.length,
      dimensions: `dimensions: {width: ${spec.width}, height: ${spec.tall}}`,
    };
  })
  .filter(({ lines }) => lines > 0);

function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    // Small pages are refused, in words.
    if (!/leave no room/.test(String(error))) throw error;
  }
}

test('no equipment lies outside its rack, and none overlaps another', () => {
  fc.assert(
    fc.property(site, fc.constantFrom('front', 'rear'), fc.boolean(), ({ text, dimensions }, face, perfect) =>
      attempt(() => {
        const inventory = inventoryOf(text);
        assert.deepEqual(inventory.findings, []);
        const drawing = layOut(
          inventory,
          'infrastructure',
          'i',
          `${dimensions}\ninfrastructure: {face: ${face}}\ngeneral: {pixel_perfect: ${perfect}}`,
        );
        const racks = new Map(drawing.racks.map(rack => [rack.name, rack.box]));
        const slack = perfect ? 2 : 0.001;
        const inRack = new Map<string, (readonly number[])[]>();
        for (const { rack, box } of drawing.equipment) {
          const [x = 0, y = 0, w = 0, h = 0] = racks.get(rack) ?? [];
          assert.ok(box[0] >= x - slack && box[0] + box[2] <= x + w + slack, `${box} leaves ${[x, y, w, h]}`);
          assert.ok(box[1] >= y - slack && box[1] + box[3] <= y + h + slack, `${box} leaves ${[x, y, w, h]}`);
          inRack.set(rack, [...(inRack.get(rack) ?? []), box]);
        }
        for (const all of inRack.values())
          for (const [index, a] of all.entries())
            for (const b of all.slice(index + 1)) {
              const [ax = 0, ay = 0, aw = 0, ah = 0] = a;
              const [bx = 0, by = 0, bw = 0, bh = 0] = b;
              const apart =
                ax + aw <= bx + 0.001 ||
                bx + bw <= ax + 0.001 ||
                ay + ah <= by + 0.001 ||
                by + bh <= ay + 0.001;
              assert.ok(apart, `${a} overlaps ${b}`);
            }
      }),
    ),
    RUNS,
  );
});

test('pixel perfect coordinates are whole numbers', () => {
  fc.assert(
    fc.property(site, ({ text, dimensions }) =>
      attempt(() => {
        const drawing = layOut(
          inventoryOf(text),
          'infrastructure',
          'i',
          `${dimensions}\ngeneral: {pixel_perfect: yes}`,
        );
        for (const [name, box] of boxes(drawing)) assert.ok(box.every(Number.isInteger), `${name} ${box}`);
      }),
    ),
    RUNS,
  );
});

test('no rack leaves an axonometric image, and images keep within the dimensions', () => {
  fc.assert(
    fc.property(
      site,
      fc.integer({ min: 0, max: 90 }),
      fc.integer({ min: 0, max: 89 }),
      ({ text, dimensions }, x, z) =>
        attempt(() => {
          const drawing = layOut(
            inventoryOf(text),
            'infrastructure',
            'i',
            `${dimensions}\naxonometric: {enabled: yes, angles: {x: ${x}, z: ${z}}}`,
          );
          const [, width, height] = /width: (\d+), height: (\d+)/.exec(dimensions) ?? [];
          assert.ok(drawing.width <= Number(width) && drawing.height <= Number(height));
          for (const { box, name } of drawing.racks) {
            const inside =
              box[0] >= -1 &&
              box[1] >= -1 &&
              box[0] + box[2] <= drawing.width + 1.5 &&
              box[1] + box[3] <= drawing.height + 1.5;
            assert.ok(inside, `${name} ${box} leaves ${drawing.width} x ${drawing.height}`);
          }
        }),
    ),
    RUNS,
  );
});

test('no label is wider or higher than its box', () => {
  fc.assert(
    fc.property(site, ({ text, dimensions }) =>
      attempt(() => {
        const drawing = layOut(
          inventoryOf(text),
          'infrastructure',
          'i',
          `${dimensions}\nrow: {labels: no}`,
          squareMeasure,
        );
        const sizes = new Map(drawing.equipment.map(({ name, box }) => [name, box]));
        for (const { text: label, size } of textsOf(drawing)) {
          const box = sizes.get(label);
          if (!box) continue;
          assert.ok(
            size.width < Math.max(box[2], box[3]) && size.ascent + size.descent < Math.min(box[2], box[3]),
          );
        }
      }),
    ),
    RUNS,
  );
});
