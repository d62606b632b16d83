/** What is read, renamed and copied of a definition on disk: its own files byte by byte, and nothing of the host. */
import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Fault } from '../../../proto/fault.ts';
import type { Sandbox, TaskContext } from '../../../workers/context.ts';
import type { BuildSpec } from '../../../workers/job.ts';
import { copyFolder } from '../../../workers/source/copying.ts';
import { selectPatches } from '../../../workers/source/patches.ts';
import { parseRules, runPrescript } from '../../../workers/source/prescript.ts';
import { readBytes, readFolder, readTemplate, readText } from '../../../workers/source/reading.ts';
import { applyRenaming } from '../../../workers/source/renaming.ts';
import { TemplateRenderer } from '../../../workers/source/templates.ts';
import { writeTree } from '../../support/definitions.ts';

const work = mkdtempSync(join(tmpdir(), 'rw-definitions-'));
const { signal } = new AbortController();
const renderer = new TemplateRenderer(signal);
after(() => {
  renderer.close();
  rmSync(work, { recursive: true, force: true });
});

/** A place with a definition in it, and beside it what is the host's. */
function definition(
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>> = {},
): string {
  const folder = join(mkdtempSync(join(work, 'place-')), 'definition');
  writeTree(folder, { 'artifact.yml': 'x', ...files });
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(target, join(folder, path));
  }
  return folder;
}

function secretBeside(folder: string): void {
  writeTree(join(dirname(folder), 'Y'), { key: 'the key of the host', control: 'Source: x', 'a.j2': 'x' });
}

function refused(reason: string, message: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    assert.ok(!error.message.includes(work), 'no path of the machine is told');
    return true;
  };
}

describe('links of a definition', () => {
  const options = { bytes: 0, signal };

  test('never bring anything of the host along, whatever let them pass before', async () => {
    const ways: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      direct: { 'deb/run': '../../Y' },
      // Each but the last stays inside if it is read as a text.
      chained: { 'deb/run': '../in/up/Y', 'in/up': 'top/..', 'in/top': '..' },
      absolute: { 'deb/run': join(work, 'Y') },
    };
    for (const [way, links] of Object.entries(ways)) {
      const folder = definition({ 'deb/control': 'x' }, links);
      secretBeside(folder);
      const copy = join(dirname(folder), 'debian');
      await assert.rejects(
        copyFolder(folder, 'deb', copy, options),
        refused('unsafe-archive', /^deb\/run leads out of the definition$/),
        way,
      );
      assert.ok(!existsSync(join(copy, 'run')), way);
      await assert.rejects(readText(folder, 'deb/run/key'), refused('unsafe-archive', /leads out/), way);
      await assert.rejects(readFolder(folder, 'deb/run'), refused('unsafe-archive', /leads out/), way);
    }
    const whole = definition({}, { deb: '../Y' });
    secretBeside(whole);
    const copy = join(dirname(whole), 'debian');
    await assert.rejects(
      copyFolder(whole, 'deb', copy, options),
      refused('unsafe-archive', /^deb leads out/),
    );
  });

  test('lead to files and folders elsewhere in it, which are copied, and stay links else', async () => {
    const folder = definition(
      { 'deb/control': 'c', 'deb/rules': '#!x', 'shared/a': 'a', 'shared/deep/b': '#!b' },
      {
        ...{ 'deb/folder': '../shared', 'deb/file': '../shared/deep/b', 'shared/again': 'a' },
        ...{ 'deb/near': 'control', 'deb/copyright': '../COPYING' },
      },
    );
    const copy = join(dirname(folder), 'debian');
    await copyFolder(folder, 'deb', copy, options);
    const text = (name: string): string => readFileSync(join(copy, name), 'utf8');
    assert.deepEqual(['folder/a', 'folder/again', 'folder/deep/b', 'file', 'control'].map(text), [
      'a',
      'a',
      '#!b',
      '#!b',
      'c',
    ]);
    assert.equal(readlinkSync(join(copy, 'near')), 'control');
    assert.equal(readlinkSync(join(copy, 'copyright')), '../COPYING');
    const modes = ['control', 'rules', 'file'].map(name => lstatSync(join(copy, name)).mode & 0o777);
    assert.deepEqual(modes, [0o644, 0o755, 0o755]);
  });

  test('in a circle are unsafe where the folder must be copied', async () => {
    const circles: Readonly<Record<string, string>>[] = [
      { 'deb/x': '../shared', 'shared/a': '.' },
      { 'deb/x': '../shared', 'shared/a': '../other', 'other/b': '../shared' },
      { 'deb/x': '..' },
      { 'deb/x': '../l', l: 'm', m: 'l' },
    ];
    for (const links of circles) {
      const folder = definition({ 'deb/control': 'x', 'shared/file': 'x' }, links);
      const made = copyFolder(folder, 'deb', join(dirname(folder), 'debian'), options);
      await assert.rejects(made, refused('unsafe-archive', /leads in a circle/), JSON.stringify(links));
    }
    const loop = definition({}, { 'artifact.yaml': 'artifact.yaml' });
    await assert.rejects(readText(loop, 'artifact.yaml'), refused('unsafe-archive', /leads in a circle/));
  });

  /** Thirty folders, each with two links to the next: 2^29 copies of what is in the last. */
  function doubling(): string {
    const links: Record<string, string> = { 'deb/x': '../s0' };
    for (let at = 0; at < 29; at++) for (const name of ['a', 'b']) links[`s${at}/${name}`] = `../s${at + 1}`;
    return definition({ 'deb/control': 'x', 's29/file': 'x'.repeat(100_000) }, links);
  }

  test('that multiply what there is end by their number, their bytes, or cancel', async () => {
    const folder = doubling();
    const copy = (name: string, limits: { bytes: number; entries?: number }, until = signal): Promise<void> =>
      copyFolder(folder, 'deb', join(dirname(folder), name), { ...limits, signal: until });
    await assert.rejects(
      copy('bytes', { bytes: 1_000_000 }),
      refused('archive-too-large', /more than 1000000 bytes/),
    );
    const abort = new AbortController();
    const pending = copy('cancelled', { bytes: 0 }, abort.signal);
    setTimeout(() => abort.abort(new Fault('cancelled', 'cancelled', 'cancelled by jane')), 50);
    await assert.rejects(pending, refused('cancelled', /jane/));
    await assert.rejects(
      copy('number', { bytes: 0, entries: 2000 }),
      refused('archive-too-large', /more than 2000 files/),
    );
  });

  test('that make paths too long for any file are a fault of the definition', async () => {
    const name = 'n'.repeat(200);
    const links: Record<string, string> = { 'deb/x': '../s0' };
    for (let at = 0; at < 30; at++) links[`s${at}/${name}`] = `../s${at + 1}`;
    const folder = definition({ 'deb/control': 'x', 's30/file': 'x' }, links);
    const made = copyFolder(folder, 'deb', join(dirname(folder), 'debian'), options);
    await assert.rejects(made, refused('unsafe-archive', /too long/));
    const long = definition({}, { 'pre.sh': 'n'.repeat(300) });
    assert.equal(await readBytes(long, 'pre.sh'), null, 'leads to nothing');
  });
});

describe('renaming rules', () => {
  async function rename(folder: string, rules: string): Promise<string[]> {
    const told: string[] = [];
    await applyRenaming(folder, rules, 'rename', text => told.push(text), signal);
    return told;
  }

  test('may not move a link to where it leads out, whether or not its goal is there yet', async () => {
    for (const isThere of [true, false]) {
      const folder = definition({ 'deb/control': 'x' }, { 'x/y/l': '../../Y' });
      if (isThere) secretBeside(folder);
      await assert.rejects(
        rename(folder, 'x/y/l deb/l\n'),
        refused('unsafe-archive', /^deb\/l leads out of the definition once renamed$/),
      );
    }
    const through = definition({ 'a/b/c': 'x' }, { 'a/b/up': '../..', 'deb/l': '../a/b/up/Y' });
    await assert.rejects(rename(through, 'a/b/up a/up\n'), refused('unsafe-archive', /leads out/));
    const fine = definition({}, { 'x/y/l': '../absent', 'x/y/loop': 'loop' });
    assert.deepEqual(await rename(fine, 'x/y z\n'), []);
    assert.equal(readlinkSync(join(fine, 'z/l')), '../absent');
  });

  test('that no file system can follow are a fault with their line', async () => {
    const long = 'n'.repeat(300);
    const bad: [string, string, RegExp][] = [
      [`artifact.yml ${long}`, 'bad-definition', /^rename:2: can not be renamed \(ENAMETOOLONG\)$/],
      [`artifact.yml ${'d/'.repeat(2100)}x`, 'bad-definition', /^rename:2: .*\(ENAMETOOLONG\)$/],
      ['artifact.yml b\0c', 'bad-definition', /^rename:2: holds a NUL$/],
      ['a\0b c', 'bad-definition', /^rename:2: holds a NUL$/],
      ['x artifact.yml/x/y', 'bad-definition', /^rename:2: can not be renamed \(E/],
      ['artifact.yml nowhere/x', 'bad-definition', /^rename:2: can not be renamed \(E/],
      ['artifact.yml loop/x', 'unsafe-archive', /^rename:2: a link on the way leads in a circle$/],
      ['loop/x y', 'unsafe-archive', /^rename:2: a link on the way leads in a circle$/],
    ];
    for (const [rule, reason, message] of bad) {
      const folder = definition({ x: 'x' }, { nowhere: 'absent', loop: 'loop' });
      await assert.rejects(rename(folder, `\n${rule}\n`), refused(reason, message), rule.slice(0, 40));
    }
  });

  test('whose first name can not be there are passed over as any that is not', async () => {
    const folder = definition({});
    const long = 'n'.repeat(300);
    assert.deepEqual(await rename(folder, `artifact.yml/a/b c\n${long} c\nartifact.yml d\n`), [
      'rename:1: there is no artifact.yml/a/b: passed over',
      `rename:2: there is no ${long.slice(0, 100)}: passed over`,
    ]);
    assert.deepEqual(readdirSync(folder), ['d']);
  });
});

describe('patches and templates', () => {
  const spec = { format: 'deb', distribution: 'bookworm' } as BuildSpec;
  const version = {
    ...{ main: '1', release: '1', dist: null, build: -1, full: '1-1', fullrelease: '1' },
  };
  const latin = Buffer.from('--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+caf\xe9 \ufeff\n', 'latin1');

  async function select(folder: string): Promise<Buffer[]> {
    const target = join(dirname(folder), 'selected');
    const tell = (): void => undefined;
    const paths = await selectPatches({ spec, version, definition: folder, target, renderer, tell });
    return paths.map(path => readFileSync(path));
  }

  test('a patch is taken byte by byte, whatever it is written in', async () => {
    const folder = definition({ 'patches/generic/0000-other': 'Formats: rpm\n' });
    const header = Buffer.from('Description: caf\xe9\nFormats: deb\n', 'latin1');
    const patch = Buffer.concat([header, latin]);
    writeFileSync(join(folder, 'patches/generic/0001-latin'), patch);
    const marked = Buffer.from('\ufeff--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+\ufeffx\r\n');
    writeFileSync(join(folder, 'patches/generic/0002-marked'), marked);
    assert.deepEqual(await select(folder), [patch, marked]);
  });

  test('a patch may be larger than a document, up to a limit of its own', async () => {
    const folder = definition({});
    const large = Buffer.concat([latin, Buffer.alloc(3 * 1024 * 1024, 'x\n')]);
    mkdirSync(join(folder, 'patches/1'), { recursive: true });
    writeFileSync(join(folder, 'patches/1/0001-large'), large);
    assert.ok((await select(folder))[0]?.equals(large));
    writeFileSync(join(folder, 'patches/1/0001-large'), Buffer.alloc(64 * 1024 * 1024 + 1));
    await assert.rejects(
      select(folder),
      refused('bad-patch', /^patches\/1\/0001-large is larger than 67108864 bytes$/),
    );
  });

  test('links that name one patch many times end by their bytes', async () => {
    const folder = definition({});
    mkdirSync(join(folder, 'patches/generic'), { recursive: true });
    writeFileSync(join(folder, 'patch'), Buffer.alloc(60 * 1024 * 1024));
    for (let at = 0; at < 9; at++) symlinkSync('../../patch', join(folder, `patches/generic/000${at}`));
    await assert.rejects(select(folder), refused('bad-patch', /of more than 536870912 bytes/));
    rmSync(dirname(folder), { recursive: true });
  });

  test('a template that is no UTF-8 is refused, instead of rendered with other letters', async () => {
    const folder = definition({ 'patches/generic/0000-fine': 'Template: yes\n\n{{ version.main }} é\n' });
    assert.equal(String((await select(folder))[0]), 'Template: yes\n\n1 é\n');
    const patch = Buffer.concat([Buffer.from('Template: yes\n\n'), latin]);
    writeFileSync(join(folder, 'patches/generic/0001-x'), patch);
    await assert.rejects(
      select(folder),
      refused('bad-template', /^template patches\/generic\/0001-x: is no UTF-8$/),
    );
    writeFileSync(join(folder, 'x.j2'), latin);
    await assert.rejects(
      readTemplate(folder, 'x.j2'),
      refused('bad-template', /^template x\.j2: is no UTF-8/),
    );
    writeFileSync(join(folder, 'x.j2'), '\ufeffmarked');
    assert.equal(await readTemplate(folder, 'x.j2'), '\ufeffmarked', 'a mark of byte order is kept');
  });
});

describe('prescripts', () => {
  /** Runs one in a sandbox of the test's own, that leaves `result` as the changes; answers what it was given. */
  async function run(script: Buffer, result: string): Promise<Buffer> {
    const place = mkdtempSync(join(work, 'prescript-'));
    const version = {
      ...{ main: '1', release: '1', dist: null, build: -1, full: '1-1', fullrelease: '1' },
    };
    const spec = { format: 'deb', distribution: 'bookworm', artifact: 'x' } as BuildSpec;
    const context = { job: { submission: 0, task: 'x' } } as TaskContext;
    let given = Buffer.alloc(0);
    const sandbox: Sandbox = {
      ...{ exchange: join(place, 'exchange'), layer: '' },
      run: async (_command, options) => {
        given = readFileSync(join(options?.binds?.[0]?.from ?? '', 'pre.sh'));
        writeTree(join(place, 'exchange/out'), { '9999-rackwright-prescript': result });
        return { exitCode: 0, stdout: Buffer.alloc(0) };
      },
      close: async () => undefined,
    };
    const rules = parseRules(script.toString('utf8'), spec);
    await runPrescript(context, {
      ...{ spec, version, script, rules, archives: [], patches: [] },
      ...{ target: join(place, 'target'), open: async () => sandbox },
    });
    return given;
  }

  test('reach the sandbox byte by byte', async () => {
    const script = Buffer.from('echo caf\xe9 >x\n', 'latin1');
    assert.deepEqual(await run(script, ''), script);
  });

  test('that leave a repository as a submodule fail, since its files would be lost', async () => {
    const before = 'diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+a\n';
    const clone =
      'diff --git a/lib b/lib\nnew file mode 160000\n--- /dev/null\n+++ b/lib\n@@ -0,0 +1 @@\n+Subproject commit 1\n';
    await assert.rejects(
      run(Buffer.from('x'), before + clone),
      refused('prescript-failed', /left a repository .*\(a\/lib b\/lib\)/),
    );
    const text = `${before}diff --git a/b b/b\nnew file mode 100644\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+new file mode 160000\n`;
    await run(Buffer.from('x'), text);
  });
});
