/** Drawing parameters: defaults, both spellings, types and bounds, places of faults, and no request changing another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../proto/fault.ts';
import { PARAMETERS, type Property, type RackRule, type Section } from '../../../proto/parameters.ts';
import { readParameters } from '../../../workers/drawing/parameters.ts';

type Request = Parameters<typeof readParameters>[0];

function read(parameters: string, more: Partial<Request> = {}) {
  return readParameters({ parameters, syntax: 'yaml', settings: [], defaults: [], source: null, ...more })
    .parameters;
}

function refusal(parameters: string, more: Partial<Request> = {}): Fault {
  try {
    read(parameters, more);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error(`${parameters} was taken`);
}

for (const nothing of ['', '# only a comment\n', 'null', '{}', '[]', 'rack:\n', 'rack: null\nroom: ~']) {
  test(`${JSON.stringify(nothing)} means all defaults`, () => {
    const { dimensions, margin, rack, infrastructure, axonometric } = read(nothing);
    assert.deepEqual({ ...dimensions }, { width: 1200, height: 1200 });
    assert.deepEqual({ ...margin }, { top: 30, left: 30 });
    assert.equal(rack.u_height, 44.45);
    assert.deepEqual([rack.spacing, rack.offset, rack.label_offset, rack.pane_width], [3, 20, 20, 40]);
    assert.equal(infrastructure.equipment_tags, null);
    assert.deepEqual({ ...axonometric.angles }, { x: 30, z: 30 });
  });
}

test('the seed’s names and the tool’s are equal, and both together an error', () => {
  assert.equal(read('rooms: {racks_labels: off}').room.racks_labels, false);
  assert.equal(read('room: {racks_labels: no}').room.racks_labels, false);
  assert.deepEqual(read('infrastructures: {equipment_tags: [a]}').infrastructure.equipment_tags, ['a']);
  assert.match(refusal('rooms: {}\nroom: {}').message, /room: means the same as rooms/);
});

test('faults are told all at once, each with path, line, column and the nearest name', () => {
  const fault = refusal('general:\n  pixel_perfect: maybe\nrack:\n  u_heigth: 3\n');
  assert.equal(
    fault.message,
    'Unable to load drawing parameters: general.pixel_perfect: must be true or false, not "maybe" (line 2, column 18); rack.u_heigth: unknown property (line 4, column 3), did you mean u_height?',
  );
  assert.deepEqual(JSON.parse(String(fault.details.errors))[1], {
    path: 'rack.u_heigth',
    line: 4,
    column: 3,
    message: 'unknown property, did you mean u_height?',
  });
});

test('whole floats are integers and integers are floats, but booleans and texts are neither', () => {
  const { dimensions, rack } = read('dimensions: {width: 800.0}\nrack: {u_height: 44}');
  assert.deepEqual([dimensions.width, rack.u_height], [800, 44]);
  for (const bad of [
    '0',
    '-1',
    '.nan',
    '.inf',
    '1.0e+9',
    '1000000000',
    '1.5',
    '"12"',
    'true',
    '[1]',
    '{a: 1}',
    'null',
    '12px',
  ])
    assert.match(
      refusal(`dimensions: {width: ${bad}}`).message,
      /^Unable to load drawing parameters: dimensions\.width: must be/,
      bad,
    );
});

test('colours have six or eight digits in either case, and a forgotten quote is explained', () => {
  assert.deepEqual(
    read('colors: {racks: [{frame: "#fF0000"}, {frame: "#00000080"}]}').colors.racks.map(
      rule => (rule as RackRule).frame,
    ),
    [
      [1, 0, 0, 1],
      [0, 0, 0, 128 / 255],
    ],
  );
  for (const bad of ['"#12"', '"#GGGGGG"', 'red', '"#1234567"', '5'])
    assert.match(refusal(`colors: {racks: [{frame: ${bad}}]}`).message, /frame: must be a colour/);
  assert.match(
    refusal('colors:\n  racks:\n    - frame: #333333\n').message,
    /comment: put it in quotes \(line 3/,
  );
});

test('every property of the table takes its bounds and refuses what lies beyond', () => {
  let checked = 0;
  const walk = (section: Section, path: string[]): void => {
    for (const [name, field] of Object.entries(section.fields) as [string, Property | Section][]) {
      const nested = (text: string): string =>
        [...path, name].reduceRight((inner, key) => `{${key}: ${inner}}`, text);
      if (field.type === 'section') walk(field, [...path, name]);
      else if (field.type === 'int' || field.type === 'float') {
        read(nested(String(field.min)));
        read(nested(String(field.max)));
        for (const beyond of [field.min - 1, field.max + 1])
          assert.match(refusal(nested(String(beyond))).message, new RegExp(`${name}: must be between`));
        checked++;
      } else if (field.type === 'choice') {
        for (const value of field.values) read(nested(`"${value}"`));
        assert.match(refusal(nested('"other"')).message, new RegExp(`${name}: must be `));
        checked++;
      } else if (field.type === 'bool') {
        read(nested('yes'));
        assert.match(refusal(nested('1')).message, new RegExp(`${name}: must be true or false`));
        checked++;
      }
    }
  };
  walk(PARAMETERS, []);
  assert.ok(checked >= 46, `${checked}`);
});

test('a query expresses properties by their types, and wins over a document', () => {
  const settings = [
    ['rack.u_height', '44.5'],
    ['infrastructure.equipment_tags', 'a,b'],
    ['general.pixel_perfect', 'true'],
    ['colors.racks.0.frame', '#555555'],
    ['overlay.states.cn[1-2].x', 'IDLE+DRAIN'],
    ['general.title', '12'],
  ] as const;
  const found = read('rack: {u_height: 50, spacing: 9}', { settings });
  assert.equal(found.rack.u_height, 44.5);
  assert.equal(found.rack.spacing, 9);
  assert.deepEqual(found.infrastructure.equipment_tags, ['a', 'b']);
  assert.equal(found.general.pixel_perfect, true);
  assert.equal(found.general.title, '12');
  assert.deepEqual(found.colors.racks[0]?.frame, [1 / 3, 1 / 3, 1 / 3, 1]);
  assert.deepEqual([...found.overlay.states], [['cn[1-2].x', ['IDLE', 'DRAIN']]]);
  assert.match(refusal('', { settings: [['rack.u_height', '-44.5']] }).message, /between 1 and 1000/);
});

test('defaults lie beneath: the request wins, lists are replaced, nothing persists', () => {
  const defaults = [
    { source: 'site', text: 'rack: {spacing: 9, offset: 1}\ninfrastructure: {equipment_tags: [compute]}' },
  ];
  const first = read('rack: {spacing: 4}\ninfrastructure: {equipment_tags: [gpu, x]}', { defaults });
  assert.deepEqual([first.rack.spacing, first.rack.offset], [4, 1]);
  assert.deepEqual(first.infrastructure.equipment_tags, ['gpu', 'x']);
  const second = read('', { defaults });
  assert.deepEqual([second.rack.spacing, second.infrastructure.equipment_tags], [9, ['compute']]);
  assert.equal(read('').rack.spacing, 3);
  assert.throws(() => Object.assign(first.rack, { spacing: 1 }), TypeError);
});

test('anchors, merges and repeated keys are read as YAML 1.1 has them', () => {
  const found = read(
    'x: &x {width: 700}\n'.replace('x: &x', 'dimensions: &x') +
      'margin: {top: 1, top: 2}\nrack: {<<: {spacing: 8}, offset: 5}',
  );
  assert.deepEqual(
    [found.dimensions.width, found.margin.top, found.rack.spacing, found.rack.offset],
    [700, 2, 8, 5],
  );
});

/** A list of ten times what the letter before stands for; of `z` for the first. */
function bombOf(letter: string, at: number): string {
  const before = at === 0 ? 'z' : String.fromCharCode(letter.charCodeAt(0) - 1);
  return `${letter}: &${letter} [${Array(10).fill(`*${before}`).join()}]`;
}

for (const [what, text] of [
  ['a custom tag', 'rack: !!python/object:os.system {}'],
  ['several documents', '---\nrack: {}\n---\nrack: {}'],
  ['an anchor within itself', 'rack: &a {x: *a}'],
  // A thousand million values: the memory would end if they were made.
  ['a bomb of aliases', `z: &z x\n${[...'abcdefghi'].map(bombOf).join('\n')}`],
  ['depth', `rack: ${'['.repeat(5000)}${']'.repeat(5000)}`],
  ['size', `# ${'x'.repeat(1024 * 1024)}`],
  ['a link that runs script', 'svg: {link_template: "javascript:alert(1)"}'],
  ['a link to another host without a scheme', 'svg: {link_template: "//evil.example/"}'],
  ['a list for a section', 'rack: [1]'],
  ['the prototype', '{"__proto__": {"x": 1}, "constructor": {}}'],
] as const) {
  test(`${what} is refused in words`, () => {
    assert.match(refusal(text).message, /^Unable to load drawing parameters: /);
    assert.equal(({} as { x?: unknown }).x, undefined);
  });
}

test('JSON is JSON: its faults have a place too', () => {
  assert.equal(read('{"rack":{"u_height":4.45e1}}', { syntax: 'json' }).rack.u_height, 44.5);
  assert.match(refusal('{"rack":\n {"spacing": yes}}', { syntax: 'json' }).message, /line 2, column 1\d/);
  assert.match(refusal('rack: {spacing: 1}', { syntax: 'json' }).message, /line 1, column 1/);
});
