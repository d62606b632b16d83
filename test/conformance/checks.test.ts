/** The tools that watch over the code, each as a test: formatting and lint, types, import rules, dead code, protos. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

function passes(command: string, ...parameters: string[]): void {
  const run = spawnSync(command, parameters, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` },
  });
  assert.equal(
    run.status,
    0,
    `${command} ${parameters.join(' ')}\n${run.error ?? ''}${run.stdout}${run.stderr}`,
  );
}

test('biome finds nothing to format or to mend', () =>
  passes('biome', 'ci', '--colors=off', '--error-on-warnings', '.'));

test('tsc finds no type error', () => passes('tsc', '--noEmit'));

test('no import breaks the rules of the house', () =>
  passes(
    'depcruise',
    '--config',
    '.dependency-cruiser.mjs',
    'proto',
    'systemd',
    'workers',
    'daemon',
    'edge',
  ));

test('knip finds no dead file, export or package', () => passes('knip', '--config', '.knip.json'));

test('buf lint has no complaint about the protos', () => passes('buf', 'lint', '.', '--config', '.buf.yaml'));

test('no proto breaks what was released', () =>
  passes('buf', 'breaking', '.', '--config', '.buf.yaml', '--against', 'proto/released.binpb'));

test('the shell scripts parse', () => {
  for (const script of ['systemd/bootstrap.sh', 'proto/generate.sh', '.ci/run']) passes('sh', '-n', script);
});

test('the committed message types are those of the protos', () => {
  const fresh = mkdtempSync(join(tmpdir(), 'rackwright-types-'));
  try {
    passes('sh', 'proto/generate.sh', fresh);
    const committed = join(root, 'proto/types');
    const names = (folder: string): string[] =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => relative(folder, join(entry.parentPath, entry.name)))
        .sort();
    assert.deepEqual(names(committed), names(fresh));
    for (const name of names(fresh)) {
      assert.equal(
        readFileSync(join(committed, name), 'utf8'),
        readFileSync(join(fresh, name), 'utf8'),
        name,
      );
    }
  } finally {
    rmSync(fresh, { recursive: true });
  }
});

test('no source file is longer than 300 lines, no joiner than 200', () => {
  const long: string[] = [];
  for (const folder of ['proto', 'systemd', 'workers', 'daemon', 'edge']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = relative(root, join(entry.parentPath, entry.name));
      if (!/\.tsx?$/.test(path) || path.startsWith('proto/types/') || path.startsWith('edge/web/dist/'))
        continue;
      const lines = readFileSync(join(root, path), 'utf8').split('\n').length - 1;
      const limit = /^(daemon\/(daemon|core\/scheduler)|edge\/edge)\.ts$/.test(path) ? 200 : 300;
      if (lines > limit) long.push(`${path}: ${lines}`);
    }
  }
  assert.deepEqual(long, []);
});
