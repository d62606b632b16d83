/** Every coordinate of inventories that were computed by hand from the documented formulas. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { positionOf } from '../../../workers/drawing/position.ts';
import { boxes, flatten, inventoryOf, layOut } from '../../support/drawing.ts';
import { EXAMPLE } from '../../support/drawing-service.ts';

const SIZE = 'dimensions: {width: 666, height: 1100}';
const example = inventoryOf(EXAMPLE);

function close(actual: readonly number[] | undefined, wanted: readonly number[]): void {
  assert.ok(actual);
  wanted.forEach((value, index) => {
    assert.ok(Math.abs((actual[index] ?? Number.NaN) - value) < 0.001, `${actual} is not ${wanted}`);
  });
}

test('the worked example is drawn flat as documented', () => {
  const drawing = layOut(example, 'infrastructure', 'demo', SIZE);
  assert.deepEqual([drawing.width, drawing.height], [666, 1100]);
  const found = boxes(drawing);
  close(found.get('cn1'), [353, 1047.775, 86.667, 22.225]);
  close(found.get('cn2'), [439.667, 1047.775, 86.667, 22.225]);
  close(found.get('cn3'), [526.333, 1047.775, 86.667, 22.225]);
  close(found.get('cn4'), [353, 1025.55, 86.667, 22.225]);
  close(found.get('sw1'), [353, 847.75, 260, 22.225]);
});

test('the worked example is drawn pixel perfect as documented, in whole numbers', () => {
  const found = boxes(layOut(example, 'infrastructure', 'demo', `${SIZE}\ngeneral: {pixel_perfect: yes}`));
  assert.deepEqual(found.get('cn1'), [354, 1048, 86, 22]);
  assert.deepEqual(found.get('cn2'), [441, 1048, 86, 22]);
  assert.deepEqual(found.get('cn4'), [354, 1026, 86, 22]);
  assert.deepEqual(found.get('sw1'), [353, 850, 260, 22]);
});

test('the worked example is drawn axonometric as documented', () => {
  const drawing = layOut(example, 'infrastructure', 'demo', 'axonometric: {enabled: true}');
  assert.deepEqual([drawing.width, drawing.height], [808, 1200]);
  const found = boxes(drawing);
  close(found.get('cn1'), [587.968, 1144.68, 68.095, 17.463]);
  close(found.get('cn2'), [646.94, 1110.633, 68.095, 17.463]);
  close(found.get('cn4'), [587.968, 1127.218, 68.095, 17.463]);
  close(found.get('sw1'), [587.968, 987.518, 204.286, 17.463]);
});

test('pixel_perfect has no effect in axonometric drawings', () => {
  const plain = layOut(example, 'infrastructure', 'demo', 'axonometric: {enabled: true}');
  const perfect = layOut(
    example,
    'infrastructure',
    'demo',
    '{axonometric: {enabled: true}, general: {pixel_perfect: true}}',
  );
  assert.deepEqual(perfect, plain);
});

test('the worked example’s room is drawn as documented', () => {
  const drawing = layOut(example, 'room', 'hall');
  assert.deepEqual([drawing.width, drawing.height], [1200, 820]);
  assert.deepEqual(
    drawing.racks.map(({ name, box }) => [name, ...box]),
    [
      ['A1', 220, 315, 114, 190],
      ['A2', 334, 315, 114, 190],
      ['A3', 448, 315, 114, 190],
    ],
  );
});

test('shapes of a flat rack are painted in the documented order, places and colours', () => {
  const drawing = layOut(
    example,
    'infrastructure',
    'demo',
    `${SIZE}\ninfrastructure: {equipment_labels: no}\nrow: {labels: no}\nrack: {labels: no}`,
  );
  // Without labels: hw = 60, k = min(600/1200, 1040/2000) = 0.5; baseline = 30 + 1000.
  const shapes = flatten(drawing.shapes);
  const rects = shapes
    .slice(0, 6)
    .map(shape =>
      shape.kind === 'rect' || shape.kind === 'outline'
        ? [shape.kind, shape.x, shape.y, shape.w, shape.h]
        : [shape.kind],
    );
  assert.deepEqual(rects.slice(0, 3), [
    ['outline', 332.5, 29.5, 301, 1000],
    ['rect', 333, 30, 20, 999],
    ['rect', 613, 30, 20, 999],
  ]);
  const [chassis, background, border] = shapes.slice(3, 6);
  assert.ok(chassis?.kind === 'rect' && background?.kind === 'rect' && border?.kind === 'outline');
  close([chassis.x, chassis.y, chassis.w, chassis.h], [353, 1007.775, 260, 22.225]);
  close([background.x, background.w], [353, 86.667]);
  close([border.x, border.y, border.w, border.h], [353.5, 1007.275, 86.667, 22.225]);
  close(chassis.fill, [63 / 255, 63 / 255, 63 / 255, 1]);
  close(background.fill, [0.6, 0.6, 0.6, 1]);
});

const ROWS = `types:
  racks: {a: {height: 2m, width: 600mm, depth: 1m, slots: 40u}, b: {height: 1m, width: 1m, depth: 1.2m, slots: 20u}}
  misc: {x: {model: x, height: 1u}}
datacenters: {d: {rooms: {r: {dimensions: {width: 10m, depth: 5m}, rows: {
  A: {position: {width: 1m, depth: 1m}, racks: [{name: "A[0-1]", slot: 2, type: a}, {name: A5, slot: 5, type: b}]},
  B: {position: {width: 8m, depth: 1m, rotation: 90}, reversed: true, racks: [{name: "B[1-3]", type: a}]}}}}}}
infrastructures: {i: {description: i, layout: [
  {rack: A5, misc: {"x[1-3]": {type: x, slot: 1}}},
  {rack: B1, misc: {y1: {type: x, slot: 20}}}]}}
`;
const rows = inventoryOf(ROWS);

test('empty slots of a room are as wide as the rack nearest below, else the first type', () => {
  // k = min(1140/10000, 1140/5000) = 0.114; int(68.4) = 68 twice before A0, its own 68, then slot 4 after A1.
  const drawing = layOut(rows, 'room', 'r');
  assert.deepEqual([drawing.width, drawing.height], [1200, 630]);
  const box = new Map(drawing.racks.map(rack => [rack.name, rack.box]));
  assert.deepEqual(box.get('A0'), [144 + 136, 144, 68, 114]);
  assert.deepEqual(box.get('A1'), [144 + 204, 144, 68, 114]);
  assert.deepEqual(box.get('A5'), [144 + 340, 144, 114, 136]);
  // Turned by 90° about (942, 144): x runs down, depth runs left.
  assert.deepEqual(box.get('B1'), [942 - 114, 144, 114, 68]);
  assert.deepEqual(box.get('B3'), [942 - 114, 144 + 136, 114, 68]);
});

test('rows of an infrastructure stack, reversed ones mirrored', () => {
  // W(A) = 600 + 600 + 1000 = 2200, W(B), reversed, slot >= 0 = 1800; H = 1000 + 2000; ww = 60 + 3·2; hw = 60 + 40 + 60.
  const drawing = layOut(rows, 'infrastructure', 'i');
  const k = Math.min((1200 - 66) / 2200, (1200 - 160) / 3000);
  assert.deepEqual([drawing.width, drawing.height], [Math.trunc(k * 2200 + 66), Math.trunc(k * 3000 + 160)]);
  const racks = new Map(drawing.racks.map(rack => [rack.name, rack.box]));
  assert.equal(racks.get('A5')?.[0], 30 + 2 * (Math.trunc(600 * k) + 3));
  assert.equal(racks.get('B1')?.[0], 30 + 2 * (Math.trunc(600 * k) + 3));
  const baseline = 30 + 40 + Math.trunc(1000 * k) + 60 + Math.trunc(2000 * k);
  close([(racks.get('B1')?.[1] ?? 0) + (racks.get('B1')?.[3] ?? 0)], [baseline]);
  close(boxes(drawing).get('y1'), [
    30 + 2 * (Math.trunc(600 * k) + 3) + 40 * k,
    baseline - 20 * 44.45 * k,
    520 * k,
    44.45 * k,
  ]);
});

test('positions use exact fractions: two thirds leave room for one a level', () => {
  const third = { height: 1, width: { p: 2, q: 3 } };
  assert.deepEqual(
    [0, 1, 2].map(index => positionOf(index, third, 5, 1)),
    [
      { width: 0, height: 4 },
      { width: 0, height: 5 },
      { width: 0, height: 6 },
    ],
  );
  const tenth = { height: 7, width: { p: 1, q: 10 } };
  assert.deepEqual(positionOf(19, tenth, 1, 1), { width: 9, height: 7 });
  assert.deepEqual(positionOf(0, tenth, 3, 0), { width: 0, height: 3 });
});

test('other racks are drawn once each, as closed doors', () => {
  const drawing = layOut(rows, 'infrastructure', 'i', 'infrastructure: {other_racks: yes}');
  assert.deepEqual(
    drawing.racks.map(rack => rack.name),
    ['A0', 'A1', 'A5', 'B1', 'B2', 'B3'],
  );
  assert.deepEqual(
    drawing.racks.filter(rack => rack.used).map(rack => rack.name),
    ['A5', 'B1'],
  );
  assert.equal(drawing.racks[0]?.door.length, 4);
});

test('unselected equipment is left out, or a ghost without label', () => {
  const tagged = inventoryOf(EXAMPLE.replace('{type: blade, slot: 1}', '{type: blade, slot: 1, tags: [c]}'));
  const without = layOut(tagged, 'infrastructure', 'demo', 'infrastructure: {equipment_tags: [c]}');
  assert.deepEqual([...boxes(without).keys()], ['cn1', 'cn2', 'cn3', 'cn4']);
  assert.equal(without.equipment.length, 4);
  const ghosts = layOut(
    tagged,
    'infrastructure',
    'demo',
    'infrastructure: {equipment_tags: [c], ghost_unselected: yes}',
  );
  assert.deepEqual(
    ghosts.equipment.filter(one => one.ghost).map(one => one.name),
    ['sw1'],
  );
  assert.throws(
    () => layOut(tagged, 'infrastructure', 'demo', 'infrastructure: {equipment_tags: []}'),
    /^Fault: Unable to find racks to draw with filters provided in drawing parameters$/,
  );
});

test('dimensions that leave nothing are refused with the least that works, which then works', () => {
  for (const [entity, name, parameters] of [
    ['infrastructure', 'demo', ''],
    ['infrastructure', 'demo', 'axonometric: {enabled: yes}'],
    ['room', 'hall', ''],
    [
      'infrastructure',
      'demo',
      'margin: {top: 0, left: 0}\nrow: {labels: no}\nrack: {labels: no, spacing: 0}',
    ],
  ] as const) {
    const refused = (() => {
      try {
        layOut(example, entity, name, `${parameters}\ndimensions: {width: 1, height: 1}`);
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    })();
    const [, width, height] = /no room for the drawing, (\d+) x (\d+) px are the least/.exec(refused) ?? [];
    assert.ok(width && height, refused);
    const least = layOut(
      example,
      entity,
      name,
      `${parameters}\ndimensions: {width: ${width}, height: ${height}}`,
    );
    assert.ok(least.width >= 1 && least.height >= 1);
  }
});

test('posts that leave nothing between them are refused by name', () => {
  assert.throws(
    () => layOut(example, 'infrastructure', 'demo', 'rack: {pane_width: 300}'),
    /rack\.pane_width: two posts of 300 mm leave no room in rack A2/,
  );
  layOut(example, 'infrastructure', 'demo', 'rack: {pane_width: 299}');
});

test('a rack whose corner would leave an axonometric image makes it grow', () => {
  // A far lower row whose rack stands high above the first drawn one.
  const text = `types:
  racks: {s: {height: 1m, width: 600mm, depth: 1m, slots: 20u}, t: {height: 3m, width: 2m, depth: 1m, slots: 60u}}
  misc: {x: {model: x, height: 1u}}
datacenters: {d: {rooms: {r: {dimensions: {width: 30m, depth: 5m}, rows: {
  A: {position: {width: 1m, depth: 1m}, racks: [{name: A1, type: s}, {name: "A[2-9]", slot: 1, type: t}]}}}}}}
infrastructures: {i: {description: i, layout: [{rack: A1, misc: {x1: {type: x, slot: 1}}}, {rack: A9, misc: {x2: {type: x, slot: 1}}}]}}
`;
  const drawing = layOut(inventoryOf(text), 'infrastructure', 'i', 'axonometric: {enabled: yes}');
  for (const { box } of drawing.racks) {
    assert.ok(box[0] >= -0.5 && box[1] >= -0.5, `${box}`);
    assert.ok(box[0] + box[2] <= drawing.width + 0.5 && box[1] + box[3] <= drawing.height + 0.5, `${box}`);
  }
});
