/** Instances as files on a disk: what can't be read is a fault of that file, and the others load. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Definitions } from '../../../daemon/store/definitions.ts';

const GOOD =
  'name: Good\ngpg: {name: Team, email: team@example.org}\nformats: {deb: [{name: bookworm, env: bookworm}]}\n';
const FALLBACK = {
  id: 'default',
  name: '',
  gpg: { name: '', email: '' },
  pipelines: [],
  extends: {},
  architectures: [],
  limits: {},
};

let folder = '';
let told: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-instances-'));
  told = [];
  writeFileSync(join(folder, 'good.yml'), GOOD);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (at = folder): Definitions =>
  new Definitions({ folder: at, host: 'x86_64', fallback: FALLBACK, warn: text => told.push(text) });
const ids = (definitions: Definitions): string[] => definitions.all().map(({ id }) => id);

test('a folder, a link to nothing, a pipe and a huge file are told by name, and the other instances are there', () => {
  mkdirSync(join(folder, 'weird.yml'));
  symlinkSync(join(folder, 'nothing'), join(folder, 'gone.yml'));
  execFileSync('mkfifo', [join(folder, 'pipe.yml')]);
  writeFileSync(join(folder, 'huge.yml'), '#'.repeat(2_000_000));
  const definitions = open();
  assert.deepEqual(ids(definitions), ['good']);
  assert.deepEqual(told, [
    `instance refused: ${folder}/gone.yml: can't be read (ENOENT)`,
    `instance refused: ${folder}/huge.yml: is over 1048576 bytes`,
    `instance refused: ${folder}/pipe.yml: is not a regular file`,
    `instance refused: ${folder}/weird.yml: is not a regular file`,
  ]);
});

test('a reload that finds one is refused whole, and the old ones stay', () => {
  const definitions = open();
  symlinkSync(join(folder, 'nothing'), join(folder, 'gone.yml'));
  writeFileSync(join(folder, 'second.yml'), GOOD);
  assert.throws(() => definitions.prepare(), { reason: 'bad-settings', message: /gone\.yml: can't be read/ });
  assert.deepEqual(ids(definitions), ['good']);
});

test('a folder of instances that is none is told in a sentence', () => {
  assert.throws(() => open(join(folder, 'good.yml')), {
    reason: 'bad-settings',
    message: /can't be read \(ENOTDIR\)/,
  });
});
