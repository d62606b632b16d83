/** Documents made to hurt: no crash, no bug, bounded work, whatever parameters or inventories say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../proto/fault.ts';
import { PARAMETERS, type Property, type Section } from '../../../proto/parameters.ts';
import { ink, plan } from '../../../workers/drawing/draw.ts';
import { compileText, createMeasure, flatten, inventoryOf, requestFor } from '../../support/drawing.ts';
import { EXAMPLE } from '../../support/drawing-service.ts';
import { random, SEED, scaled } from '../../support/scale.ts';

const NASTY = [
  '0',
  '-1',
  '1e9',
  '.nan',
  '.inf',
  '"12"',
  'true',
  'null',
  '[]',
  '{}',
  '[[]]',
  '"#12"',
  '"#ff0000"',
  '#ff0000',
  '"#FF000080"',
  'yes',
  '~',
  '1.5',
  '20000',
  '1',
  '9999999999999999999',
  '"\\u0000"',
  '"{name}"',
  '*a',
  '&a x',
  '!x y',
  '<<',
  '"n[1-3]"',
  '"n[1-"',
  '[a, b]',
  '[1, null]',
  '{"n[1-9]": DOWN, x: [A, B]}',
  '{x: 1e400}',
  '"é漢字🙂"',
  "'\u202eabc'",
  '0x10',
  '010',
  '1:30',
  '2024-01-01',
] as const;

type Random = () => number;
const pick = <T>(all: readonly T[], next: Random): T => all[Math.floor(next() * all.length)] as T;

function leaves(section: Section, path: string[] = []): { path: string[]; field: Property }[] {
  return (Object.entries(section.fields) as [string, Property | Section][]).flatMap(([name, field]) =>
    field.type === 'section' ? leaves(field, [...path, name]) : [{ path: [...path, name], field }],
  );
}
const LEAVES = leaves(PARAMETERS);

/** A value that the property takes. */
function fitting(field: Property, next: Random): string {
  switch (field.type) {
    case 'bool':
      return pick(['yes', 'no'], next);
    case 'int':
    case 'float':
      return String(Math.round(field.min + next() ** 4 * (field.max - field.min)));
    case 'choice':
      return pick(field.values, next);
    case 'color':
      return '"#A0B1C2D3"';
    case 'tags':
      return '[a, b]';
    case 'rules':
      return '[{}, {type: blade, tags: [a]}]';
    case 'states':
      return '{"cn[1-3]": DOWN, cn4: [IDLE, DRAIN]}';
    case 'numbers':
      return '{"cn[1-4]": 5}';
    case 'optional':
      return '{label: load, unit: "%", values: {"cn[1-4]": 50, sw1: 1}}';
    case 'str':
      return pick(['words', 'sans-serif', '"{name}"', '"A[1-3]"'], next);
  }
}

function document(next: Random): string {
  if (next() < 0.1)
    return Array.from({ length: Math.floor(next() * 200) }, () =>
      String.fromCharCode(32 + Math.floor(next() * 95)),
    )
      .join('')
      .replace(/~/g, '\n');
  const sections = new Map<string, string[]>();
  for (let count = Math.floor(next() * 6); count >= 0; count--) {
    const { path, field } = pick(LEAVES, next);
    const value = next() < 0.75 ? fitting(field, next) : pick(NASTY, next);
    const [root = '', ...rest] = path;
    sections.set(root, [
      ...(sections.get(root) ?? []),
      rest.reduceRight((inner, key) => `{${key}: ${inner}}`, value).slice(1, -1) || value,
    ]);
  }
  const text = [...sections].map(([root, all]) => `${root}: {${all.join(', ')}}`).join('\n');
  if (next() < 0.15) {
    const at = Math.floor(next() * text.length);
    return (
      text.slice(0, at) +
      pick(['{', '}', ':', '\n', '\t', '[', '"', '&', '*', '\ufeff', '\u0000'], next) +
      text.slice(at + Math.floor(next() * 3))
    );
  }
  return text;
}

/** Shapes that the example's few things may be drawn as: time and memory go with them. */
const MAX_SHAPES = 2000;

/** Draws; a fault that was foreseen is an answer, anything else is thrown with what brought it. */
function attempt(work: () => void, text: string): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Fault && error.kind !== 'internal') return false;
    throw new Error(`${(error as Error).stack}\n--- after:\n${text}`);
  }
}

test('fuzzed parameters draw or are refused in words', t => {
  const count = scaled(100_000, 0.02);
  t.diagnostic(`seed ${SEED}, ${count} documents`);
  const next = random(SEED);
  const inventory = inventoryOf(EXAMPLE);
  const measure = createMeasure();
  let drawn = 0;
  let inked = 0;
  let shapes = 0;
  for (let i = 0; i < count; i++) {
    const text = document(next);
    const format = pick(['png', 'svg', 'pdf'] as const, next);
    const [entity, name] = pick(
      [
        ['infrastructure', 'demo'],
        ['room', 'hall'],
        ['rack', 'A2'],
      ] as const,
      next,
    );
    const good = attempt(() => {
      const planned = plan(inventory, requestFor(entity, name, text, { format }), measure);
      assert.ok(planned.drawing.width >= 1 && planned.drawing.height >= 1);
      assert.ok(planned.drawing.width <= 20_000 && planned.drawing.height <= 20_000);
      shapes = Math.max(shapes, flatten(planned.drawing.shapes).length);
      assert.ok(shapes <= MAX_SHAPES, `${shapes} shapes`);
      // Ink is dear: small ones of one in ten.
      if (i % 10 === 0 && planned.drawing.width * planned.drawing.height < 4e6) {
        assert.ok(ink(planned).image.length > 0);
        inked++;
      }
    }, text);
    if (good) drawn++;
  }
  t.diagnostic(`${drawn} were laid out of up to ${shapes} shapes, ${inked} inked`);
  assert.ok(drawn > count / 10 && drawn < count, `${drawn} of ${count}`);
});

const WORDS = [
  '0u',
  '1u',
  '47u',
  '9999u',
  '1/7',
  '2/3',
  'full',
  '0',
  '1/0',
  '-1',
  'n[1-40]',
  'A[1-3]',
  'A2',
  'x',
  'null',
  '[]',
  '{}',
  '12',
  'true',
  '90',
  '361',
  '0mm',
  '5m',
  '99999999999m',
  '"\\u202e"',
  '&a',
  '*a',
  '!!set',
  '9998',
  '-5',
  'n[1-99999]',
] as const;

test('fuzzed inventories load or are refused with a place', t => {
  const count = scaled(10_000, 0.05);
  t.diagnostic(`seed ${SEED}, ${count} inventories`);
  const next = random(SEED + 1);
  const measure = createMeasure();
  // Values are what is changed: the example has about a hundred.
  const spots = [...EXAMPLE.matchAll(/(?<=[:[] ?)"?[\w./[\]-]+"?(?=[,}\]])|"[^"]+"/g)];
  let good = 0;
  for (let i = 0; i < count; i++) {
    let text = EXAMPLE;
    for (let changes = Math.floor(next() * 3); changes >= 0; changes--) {
      const spot = pick(spots, next);
      text = text.slice(0, spot.index) + pick(WORDS, next) + text.slice(spot.index + spot[0].length);
    }
    attempt(() => {
      const { inventory, findings } = compileText(text);
      if (!inventory) {
        assert.ok(findings.some(({ level, message }) => level === 'error' && message !== ''));
        return;
      }
      good++;
      for (const infrastructure of inventory.database.infrastructures)
        for (const parameters of [
          'infrastructure: {other_racks: yes, discard_empty_racks: no}',
          'axonometric: {enabled: yes}',
        ])
          attempt(
            () =>
              void plan(inventory, requestFor('infrastructure', infrastructure.name, parameters), measure),
            text,
          );
      for (const datacenter of inventory.database.datacenters)
        for (const room of datacenter.rooms)
          attempt(() => void plan(inventory, requestFor('room', room.name), measure), text);
    }, text);
  }
  t.diagnostic(`${good} were good`);
  assert.ok(good > 0 && good < count);
});
