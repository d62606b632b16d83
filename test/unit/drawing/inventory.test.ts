/** Inventories: what is refused with its place, what is only doubtful, and trees of files. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readInventory } from '../../../workers/drawing/inventory/database.ts';
import { compileText, inventoryOf, layOut } from '../../support/drawing.ts';
import { EXAMPLE } from '../../support/drawing-service.ts';

test('the worked example has no finding', () => assert.deepEqual(inventoryOf(EXAMPLE).findings, []));

/** What is changed in the example, and the finding that must come of it. */
const FAULTS: readonly (readonly [string, string, string, RegExp])[] = [
  ['an unknown key', 'model: S', 'modle: S', /unknown-key .*modle: unknown key, did you mean model/],
  ['a missing key', 'model: S, ', '', /missing-key .*sw\.model: is missing/],
  ['a computed key', 'slot: 10', 'slot: 10, rack: A2', /computed-key .*rack: is computed/],
  ['a bare number for text', 'description: demo', 'description: 12', /wrong-type .*write "12" in quotes/],
  ['a bad unit', 'height: 2m,', 'height: 2 m,', /bad-value .*must be like 600mm/],
  ['a comma for a point', 'width: 600mm', 'width: "1,8m"', /bad-value/],
  ['a width of nothing', 'width: 1/3', 'width: 0', /bad-value .*at most 1/],
  ['a width without end', 'width: 1/3', 'width: 1/0', /bad-value/],
  ['a width above one', 'width: 1/3', 'width: 3/2', /bad-value/],
  [
    'an unknown type',
    'type: blade',
    'type: blad',
    /unknown-reference .*refers to blad, which is not there, did you mean blade/,
  ],
  ['an unknown rack', 'rack: A2', 'rack: A9', /unknown-reference .*A9/],
  ['a broken nodeset', 'cn[1-4]', 'cn[1-', /nodeset .*not closed/],
  ['a slot out of bounds', 'type: r42}]', 'type: r42, slot: 9998}]', /bad-value .*not between 0 and 9999/],
  ['a slot that is no number', 'slot: 10', 'slot: ten', /wrong-type .*whole number/],
  ['an angle above 360', 'depth: 1.5m}', 'depth: 1.5m, rotation: 361}', /bad-value .*360/],
  ['a boolean for a number', 'sockets: 2', 'sockets: true', /wrong-type/],
  ['a rack without height', 'height: 2m,', 'height: 0m,', /bad-value .*above 0/],
  [
    'racks as a mapping',
    'racks: [{name: "A[1-3]", type: r42}]',
    'racks: {"A[1-3]": {type: r42}}',
    /wrong-type .*must be a list/,
  ],
];

for (const [what, from, to, wanted] of FAULTS) {
  test(`${what} is refused with line and column`, () => {
    const text = EXAMPLE.replace(from, to);
    assert.notEqual(text, EXAMPLE);
    const { inventory, findings } = compileText(text);
    assert.equal(inventory, null);
    const found = findings.find(({ code, path, message }) => wanted.test(`${code} ${path}: ${message}`));
    assert.ok(found, JSON.stringify(findings));
    assert.ok(found.line > 0 && found.column > 0 && found.file === 'db.yml');
  });
}

test('a half width may be written as a decimal, and trailing words are passed over with a warning', () => {
  const { inventory, findings } = compileText(
    EXAMPLE.replace('width: 1/3', 'width: 0.5')
      .replace('width: 600mm', 'width: 600mmx')
      .replace('1.5m}', '1.5m, rotation: 90deg}'),
  );
  assert.ok(inventory);
  assert.deepEqual(
    findings.map(({ code, level }) => `${level} ${code}`),
    ['warning trailing', 'warning trailing'],
  );
});

test('lengths are truncated exactly', () => {
  const room = (width: string) =>
    inventoryOf(EXAMPLE.replace('width: 6m', `width: ${width}`)).database.datacenters[0]?.rooms[0]?.width;
  assert.deepEqual(['186.7cm', '1.005m', '6001.9mm', '8m'].map(room), [1867, 1005, 6001, 8000]);
});

const DOUBTS: readonly (readonly [string, string, string, string])[] = [
  ['overlap', 'slot: 10', 'slot: 1', 'sw1 overlaps cn1 in rack A2'],
  ['above-rack', 'slot: 10', 'slot: 43', 'sw1 reaches above the top of rack A2'],
  ['below-rack', 'slot: 10', 'slot: 0', 'sw1 stands below the bottom of rack A2'],
  [
    'slot-twice',
    '[{name: "A[1-3]", type: r42}]',
    '[{name: "A[1-3]", type: r42}, {name: A4, slot: 1, type: r42}]',
    'rack A4 stands on a slot of row A that is taken',
  ],
  [
    'rack-twice',
    '[{name: "A[1-3]", type: r42}]',
    '[{name: "A[1-3]", type: r42}, {name: A1, slot: 5, type: r42}]',
    'rack A1 is there twice',
  ],
  ['outside-room', 'width: 6m', 'width: 2m', 'rack A2 stands outside room hall in part'],
  ['equipment-twice', 'sw1:', 'cn1:', 'cn1 is there twice in infrastructure demo'],
  [
    'racks-intersect',
    'A: {position',
    'B: {position: {width: 1.1m, depth: 1.6m}, racks: [{name: B1, type: r42}]}, A: {position',
    'rack A1 intersects rack B1 of row B',
  ],
];

for (const [code, from, to, message] of DOUBTS) {
  test(`${code} is a warning, and the drawing is made all the same`, () => {
    const text = EXAMPLE.replace(from, to);
    const { inventory, findings } = compileText(text);
    assert.ok(inventory, JSON.stringify(findings));
    assert.ok(
      findings.some(one => one.code === code && one.level === 'warning' && one.message === message),
      JSON.stringify(findings),
    );
    for (const parameters of ['', 'axonometric: {enabled: yes}', 'infrastructure: {diagnostics: yes}'])
      layOut(inventory, 'infrastructure', 'demo', parameters);
    layOut(inventory, 'room', 'hall');
  });
}

function tree(files: Readonly<Record<string, string>>): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'inventory-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

const PARTS = {
  'types/racks.yml': 'r: {height: 2m, width: 600mm, depth: 1m, slots: 42u}',
  'types/misc/x.yaml': '{model: x, height: 1u}',
  'datacenters/d/rooms/h/dimensions.yml': '{width: 12m, depth: 4m}',
  'datacenters/d/rooms/h/rows/A.yml':
    '{position: {width: 1m, depth: 1m}, racks: [{name: "A[1-12]", type: r}]}',
  'infrastructures/i/description.yml': 'words',
  'infrastructures/i/layout.l/A10.yml': '{rack: A10, misc: {b: {type: x, slot: 1}}}',
  'infrastructures/i/layout.l/A2.yml': '{rack: A2, misc: {a: {type: x, slot: 1}}}',
};

test('a tree of files is one database, in natural order whatever the file system says', () => {
  const { path, remove } = tree(PARTS);
  try {
    const { inventory, findings } = readInventory(path, null);
    assert.deepEqual(findings, []);
    assert.ok(inventory);
    assert.deepEqual(
      layOut(inventory, 'infrastructure', 'i').equipment.map(one => one.name),
      ['a', 'b'],
    );
  } finally {
    remove();
  }
});

test('dot files do no harm, other files are skipped with a warning', () => {
  const { path, remove } = tree({
    ...PARTS,
    '.git/config': 'x',
    'types/.hidden.yml': ': :',
    'README.md': '# words',
  });
  try {
    const { inventory, findings } = readInventory(path, null);
    assert.ok(inventory);
    assert.deepEqual(
      findings.map(({ code, file }) => [code, file]),
      [['skipped-file', join(path, 'README.md')]],
    );
  } finally {
    remove();
  }
});

test('two files of one stem, a link in a circle and broken YAML are errors that name the file', () => {
  const { path, remove } = tree({ ...PARTS, 'types/racks.yaml': '{}', 'types/network.yml': 'a: [' });
  try {
    symlinkSync('..', join(path, 'datacenters/d/up'));
    const { inventory, findings } = readInventory(path, null);
    assert.equal(inventory, null);
    const codes = new Map(findings.map(({ code, file }) => [code, file]));
    assert.equal(codes.get('cycle'), join(path, 'datacenters/d/up'));
    assert.match(codes.get('repeated-file') ?? '', /racks\.ya?ml$/);
    assert.equal(codes.get('syntax'), join(path, 'types/network.yml'));
  } finally {
    remove();
  }
});

test('extensions add properties that are checked and shown, and refuse types that are not there', () => {
  const { path, remove } = tree({
    'db.yml': EXAMPLE.replace('model: S,', 'model: S, power: 1.2kW,'),
    'ext.yml': '_objects: {RacksDBNetworkType: {properties: {power: {type: ~watts, optional: yes}}}}'.replace(
      '~watts',
      '"~watts"',
    ),
    'bad.yml': '_objects: {RacksDBNetworkType: {properties: {power: {type: "~volts"}}}}',
  });
  try {
    assert.match(
      JSON.stringify(readInventory(join(path, 'db.yml'), null).findings),
      /power: unknown key|unknown key/,
    );
    const { inventory } = readInventory(join(path, 'db.yml'), join(path, 'ext.yml'));
    assert.equal(
      inventory?.database.infrastructures[0]?.parts[0]?.sets.network[0]?.type.item.values.get('power'),
      1200,
    );
    assert.match(
      JSON.stringify(readInventory(join(path, 'db.yml'), join(path, 'bad.yml')).findings),
      /unknown type ~volts/,
    );
  } finally {
    remove();
  }
});

test('a database of nodes without end is refused before memory is', () => {
  const many = Array.from({ length: 12 }, (_, i) => `"n${i}x[1-90000]": {type: blade, slot: 1}`).join(', ');
  const { inventory, findings } = compileText(EXAMPLE.replace('"cn[1-4]": {type: blade, slot: 1}', many));
  assert.equal(inventory, null);
  assert.ok(findings.some(({ code }) => code === 'too-large'));
});

test('names that trip objects are names like others', () => {
  const inventory = inventoryOf(
    EXAMPLE.replace('sw1:', '__proto__: {type: sw, slot: 20}, "12": {type: sw, slot: 12}, constructor:'),
  );
  const names = layOut(inventory, 'infrastructure', 'demo').equipment.map(one => one.name);
  assert.deepEqual(names.slice(4), ['__proto__', '12', 'constructor']);
});
