/** `rackwright draw` as users call it: files, standard streams, exit codes, and nothing half written. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EXAMPLE } from '../support/drawing-service.ts';

const MAIN = fileURLToPath(new URL('../../edge/cli/main.ts', import.meta.url));
let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'draw-cli-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
  readonly files: readonly string[];
}

/** Runs in a folder of its own that holds the example database. */
async function draw(
  args: readonly string[],
  input = '',
  inventory = EXAMPLE,
): Promise<Ended & { readonly at: string }> {
  const at = mkdtempSync(join(folder, 'run-'));
  writeFileSync(join(at, 'db.yml'), inventory);
  const child = spawn(process.execPath, [MAIN, 'draw', ...args], {
    cwd: at,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', piece => out.push(piece));
  child.stderr.on('data', piece => err.push(piece));
  const code = await new Promise<number | null>(resolve => child.on('close', resolve));
  const files = readdirSync(at).filter(name => name !== 'db.yml');
  return { code, out: Buffer.concat(out), err: Buffer.concat(err).toString(), files, at };
}

test('a picture and its coordinates are written where they belong', async () => {
  const { code, err, files, at } = await draw(['infrastructure', '--name=demo', '--db=db.yml', '-c']);
  assert.equal(code, 0, err);
  assert.equal(err, 'Generated image file ./demo.png\nGenerated coordinates file coordinates.json\n');
  assert.deepEqual(files, ['coordinates.json', 'demo.png']);
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(join(at, 'coordinates.json'), 'utf8'))), [
    'cn1',
    'cn2',
    'cn3',
    'cn4',
    'sw1',
  ]);
});

test('parameters come from standard input, the format from the output’s suffix', async () => {
  const { code, files, at } = await draw(
    ['room', '--name=hall', '--db=db.yml', '--parameters=-', '--output=plan.svg'],
    'dimensions: {width: 321}\n',
  );
  assert.equal(code, 0);
  assert.deepEqual(files, ['plan.svg']);
  assert.match(readFileSync(join(at, 'plan.svg'), 'utf8'), /width="321"/);
});

test('standard output takes the picture, messages go elsewhere', async () => {
  const { code, out, err, files } = await draw([
    'rack',
    '--name=A2',
    '--db=db.yml',
    '--output=-',
    '--format=pdf',
  ]);
  assert.deepEqual([code, out.subarray(0, 5).toString(), err, files], [0, '%PDF-', '', []]);
});

for (const [what, args, input, code, message] of [
  [
    'a misspelt parameter',
    ['infrastructure', '--name=demo', '--db=db.yml', '--parameters=-', '-c'],
    'rack: {spacin: 1}',
    1,
    /^error: Unable to load drawing parameters: rack\.spacin: unknown property \(standard input line 1, column 8\), did you mean spacing\?\n$/,
  ],
  [
    'an unknown name',
    ['room', '--name=nope', '--db=db.yml', '-c'],
    '',
    1,
    /^error: Unable to find room nope in database\n$/,
  ],
  [
    'a missing database',
    ['room', '--name=hall', '--db=nothing.yml'],
    '',
    1,
    /^error: Unable to load the inventory:\n {2}.*nothing\.yml: not there\n$/,
  ],
  [
    'a missing parameters file',
    ['room', '--name=hall', '--db=db.yml', '--parameters=no.yml'],
    '',
    1,
    /no\.yml: not there/,
  ],
  [
    'a folder that is not there',
    ['room', '--name=hall', '--db=db.yml', '--output=no/plan.png', '-c'],
    '',
    1,
    /^error: Unable to write no\/plan\.png: its folder is not there\n$/,
  ],
  ['a missing name', ['room', '--db=db.yml'], '', 2, /--name/],
  [
    'an unknown format',
    ['room', '--name=hall', '--db=db.yml', '--format=gif'],
    '',
    2,
    /unsupported image format gif/,
  ],
] as const) {
  test(`${what} ends with ${code} and leaves no file`, async () => {
    const ended = await draw(args, input);
    assert.equal(ended.code, code, ended.err);
    assert.match(ended.err, message);
    assert.deepEqual(ended.files, []);
  });
}

test('unsafe characters of names are replaced in file names', async () => {
  const { code, files, err } = await draw(
    ['infrastructure', '--name=../x', '--db=db.yml'],
    '',
    EXAMPLE.replace('{demo:', '{"../x":'),
  );
  assert.equal(code, 0, err);
  assert.deepEqual(files, ['_._x.png']);
});

test('check prints findings with their places and fails for errors only', async () => {
  const good = await draw(['check', '--db=db.yml'], '', EXAMPLE.replace('slot: 10', 'slot: 1'));
  assert.equal(good.code, 0);
  assert.match(good.out.toString(), /^warning: .*db\.yml:\d+:\d+: .*sw1 overlaps cn1 in rack A2\n/);
  const bad = await draw(['check', '--db=db.yml'], '', EXAMPLE.replace('type: sw,', 'type: nope,'));
  assert.equal(bad.code, 1);
  assert.match(bad.out.toString(), /^error: .*db\.yml:\d+:\d+: infrastructures.*nope/);
});

test('text of documents can be searched, and sheets hold whole racks', async () => {
  const { at, code, err } = await draw(
    ['infrastructure', '--name=demo', '--db=db.yml', '--output=a.pdf', '--parameters=-'],
    'pdf: {page: a4}',
  );
  assert.equal(code, 0, err);
  const text = execFileSync('pdftotext', ['-layout', join(at, 'a.pdf'), '-'], { encoding: 'utf8' });
  for (const word of ['Infrastructure demo', 'page 1 of 1', 'rack A2', 'cn1', 'sw1'])
    assert.ok(text.includes(word), `${word} in\n${text}`);
});
