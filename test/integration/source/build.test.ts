/** Builds through the workers' real entry: sandbox, dpkg, catalogue and registry are the real ones. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildSample, createEnvironment, runTaskIn, sha256, type TaskRun } from '../../support/build.ts';
import { pack, type Sample, tinySample, writeTree } from '../../support/definitions.ts';
import { testCache } from '../../support/environment.ts';
import { openRegistry, type RegistryHome } from '../../support/registry.ts';

let home: RegistryHome;
let work: string;

before(async () => {
  work = mkdtempSync(join(tmpdir(), 'rw-build-'));
  const path = join(work, 'home');
  // Environment and layers are kept between runs: they are the same, and making them takes a minute.
  const kept = join(testCache(), 'source');
  const dirs = {
    ...{ registry: join(path, 'registry'), run: join(path, 'run'), tmp: join(path, 'tmp') },
    ...{ keyring: join(path, 'keyring'), cache: join(kept, 'cache'), images: join(kept, 'images') },
  };
  for (const folder of Object.values(dirs)) mkdirSync(folder, { recursive: true });
  const fresh = openRegistry({ home: path });
  fresh.close();
  home = openRegistry({ home: path, settings: { ...fresh.settings, dirs } });
  const made = await runTaskIn(home, { type: 'keyring-creation' });
  assert.equal(made.outcome.result, 'success', made.log.join('\n'));
  if (!existsSync(join(dirs.images, 'default/deb.img/rackwright-bookworm-amd64/root')))
    await createEnvironment(home);
});
after(() => {
  home?.close();
  rmSync(work, { recursive: true, force: true });
});

function told(run: TaskRun): string {
  return [...run.log, run.output].join('\n');
}

function succeeded(run: TaskRun): void {
  assert.equal(run.outcome.result, 'success', told(run));
}

function failedWith(run: TaskRun, reason: string, message: RegExp): void {
  assert.equal(run.outcome.fault?.reason, reason, told(run));
  assert.match(run.outcome.fault?.message ?? '', message);
  assert.ok(
    run.log.some(line => line.startsWith('40:') && message.test(line)),
    'a level 40 line says why',
  );
  assert.equal(run.log.at(-1), `20:Task failed: ${reason}`);
}

/** Content of an installed file, read out of a published package. */
function fileIn(pattern: RegExp, path: string): string {
  const pool = readdirSync(home.tree('deb'), { recursive: true, encoding: 'utf8' });
  const deb = pool.find(file => pattern.test(file));
  assert.ok(deb, `${pattern} is published; there are ${pool.filter(file => file.endsWith('.deb'))}`);
  const target = mkdtempSync(join(work, 'extracted-'));
  execFileSync('dpkg-deb', ['--extract', join(home.tree('deb'), deb), target]);
  return readFileSync(join(target, path), 'utf8');
}

/** A definition that uses everything: two sources, one of them a zip, templates, renaming, patches, a prescript. */
function richSample(): Sample {
  const base = tinySample(work, 'rich', {
    version: '1.2~rc1',
    upstream: { 'data.txt': 'one\n', 'debian/stray': 'upstream packaging\n' },
  });
  const patch = (header: string, from: string, to: string): string =>
    `${header}\n--- a/data.txt\n+++ b/data.txt\n@@ -1 +1 @@\n-${from}\n+${to}\n`;
  writeTree(base.folder, {
    'artifact.yml':
      'sources:\n  rich: https://example.org/rich.tar.xz\n  lib.x: https://example.org/lib.zip\ndeb: {release: 1}\n',
    'deb/install': 'data.txt made.txt usr/share/rich\nlib.x/inner.txt usr/share/rich\n',
    'deb/docs.j2': '{% if version.major == 1 %}\nHINTS\n{% endif %}\n',
    'deb/links': 'usr/share/rich/data.txt usr/share/rich/again.txt\n',
    rename: 'deb/links deb/rich.links\nabsent there\nodd\n',
    'patches/generic/0002-second': patch(
      'Description: x\nTemplate: yes',
      'two',
      '{{ version.main }} {{ version.release }} {{ version.build }}',
    ),
    'patches/generic/0001-first': patch(
      'Description: x\nFormats: deb\nDistributions: trixie bookworm',
      'one',
      'two',
    ),
    'patches/generic/0000-other': patch('Formats: rpm', 'nothing', 'fits'),
    'patches/1.2~rc1/0001-last': '--- /dev/null\n+++ b/HINTS\n@@ -0,0 +1 @@\n+news\n',
    'pre.sh':
      '#PRESCRIPT_DEPS bc\nset -e\necho "2+3" | bc >made.txt\ntest -f lib.x/inner.txt && test "$RACKWRIGHT_SOURCE_DIR" = "$PWD"\ntest ! -e debian\nenv >&2\n',
  });
  const zip = join(work, 'lib.x-4.5~rc1_b.zip');
  execFileSync('python3', [
    '-c',
    'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1],"w");z.writestr("top/inner.txt","inner\\n");z.close()',
    zip,
  ]);
  return { ...base, sources: [...base.sources, { id: 'lib.x', path: zip }] };
}

describe('builds', () => {
  test('a definition that uses everything becomes what it says', async () => {
    const run = await buildSample(home, richSample(), { message: 'Many\n\nthings' });
    succeeded(run);
    assert.equal(run.facts[0]?.version, '1.2~rc1-1.deb12');
    assert.deepEqual(
      run.facts[0]?.archives?.map(archive => archive.id),
      ['rich', 'lib.x'],
    );
    assert.equal(fileIn(/rich_.*_all\.deb$/, 'usr/share/rich/data.txt'), '1.2~rc1 1 -1\n');
    assert.equal(fileIn(/rich_.*_all\.deb$/, 'usr/share/rich/inner.txt'), 'inner\n');
    assert.equal(fileIn(/rich_.*_all\.deb$/, 'usr/share/rich/made.txt'), '5\n');
    assert.equal(fileIn(/rich_.*_all\.deb$/, 'usr/share/doc/rich/HINTS'), 'news\n');
    assert.equal(fileIn(/rich_.*_all\.deb$/, 'usr/share/rich/again.txt'), '1.2~rc1 1 -1\n');
    const pool = readdirSync(join(home.tree('deb'), 'pool/main/r/rich')).sort();
    assert.deepEqual(pool, [
      'rich_1.2~rc1-1.deb12.debian.tar.xz',
      'rich_1.2~rc1-1.deb12.dsc',
      'rich_1.2~rc1-1.deb12_all.deb',
      'rich_1.2~rc1.orig-libx-45rc1b.tar.xz',
      'rich_1.2~rc1.orig.tar.xz',
    ]);
    const debian = execFileSync(
      'tar',
      [
        '-xOf',
        join(home.tree('deb'), 'pool/main/r/rich', pool[0]!),
        'debian/patches/series',
        'debian/changelog',
      ],
      { encoding: 'utf8' },
    );
    assert.match(
      debian,
      /0001-first\n0002-second\n1\.2~rc1-0001-last|0001-first\n0002-second\n.*0001-last\n9998-rackwright-supplementary-sources-symlinks\n9999-rackwright-prescript\n/,
    );
    assert.match(
      debian,
      new RegExp(`\\* Many\\n {2}\\* things\\n {2}\\* Rackwright task ${run.job.task}@Example site\\n`),
    );
    assert.ok(run.log.some(line => line.startsWith('30:rename:2: there is no absent')));
    assert.ok(run.log.some(line => line.startsWith('30:rename:3: "odd"')));
    assert.doesNotMatch(
      run.output,
      /RACKWRIGHT_(?!SOURCE_DIR)|TOKEN|NODE_|PASSPHRASE|GNUPG/,
      'R36: nothing of the daemon is in the environment',
    );
  });

  test('the same input gives the same bytes, and a rebuild counts', async () => {
    const sample = tinySample(work, 'steady');
    // Same task id and time, as when a build is run again after a crash: the changelog names both.
    const options = { submission: 1_767_225_600, task: crypto.randomUUID() };
    const first = await buildSample(home, sample, options);
    succeeded(first);
    // The catalogue says "nothing published" again, so that even the version is the same.
    const answer = (question: { type: string }): unknown =>
      question.type === 'published-source' ? { source: null, versions: [] } : undefined;
    const second = await buildSample(home, sample, { ...options, answer });
    const [one, two] = [first, second].map(run => {
      const results = join(run.job.place, 'results');
      return readdirSync(results).map(name => `${sha256(join(results, name))} ${name}`);
    });
    assert.ok(one!.length > 0);
    assert.deepEqual(two, one);
    const again = await buildSample(home, sample);
    succeeded(again);
    assert.equal(again.facts[0]?.version, '1.0-1.deb12+build0');
    assert.match(fileInChangelog('steady'), /First build[\s\S]*\+build0|\+build0[\s\S]*First build/);
  });

  test('a published package satisfies the dependencies of the next build, and wins over the distribution', async () => {
    const sample = tinySample(work, 'leaner');
    const control = readFileSync(join(sample.folder, 'deb/control'), 'utf8');
    writeTree(sample.folder, {
      'deb/control': control.replace(
        'debhelper-compat (= 13)',
        'debhelper-compat (= 13), steady (>= 1.0-1.deb12)',
      ),
      'deb/rules':
        '#!/usr/bin/make -f\n\n%:\n\tdh $@\n\noverride_dh_auto_build:\n\tcat /usr/share/steady/data.txt >>data.txt\n',
    });
    succeeded(await buildSample(home, sample));
    assert.equal(fileIn(/leaner_.*_all\.deb$/, 'usr/share/leaner/data.txt'), 'data\ndata\n');
  });

  test('other content under a published name is refused before anything is built', async () => {
    const sample = tinySample(work, 'steady', { upstream: { 'data.txt': 'changed\n' } });
    const run = await buildSample(home, sample);
    failedWith(run, 'source-changed', /steady_1\.0\.orig\.tar\.xz is published with other content/);
    assert.ok(!run.steps.some(step => step.startsWith('build for')));
  });

  test('a prescript packs directories as archives of their own', async () => {
    const sample = tinySample(work, 'vendored');
    writeTree(sample.folder, {
      'deb/install': 'data.txt vendor/lib.js usr/share/vendored\n',
      'pre.sh':
        '#PRESCRIPT_TARBALLS vendor\nset -e\nmkdir vendor\necho code >vendor/lib.js\nhead -c 5000 /dev/urandom >vendor/blob\n',
    });
    const run = await buildSample(home, sample, { submission: 1_767_225_600 });
    succeeded(run);
    assert.equal(fileIn(/vendored_.*_all\.deb$/, 'usr/share/vendored/lib.js'), 'code\n');
    const name = `vendored_1.0.orig-vendor-20260101-${run.job.task.slice(0, 8)}.tar.xz`;
    assert.ok(readdirSync(join(home.tree('deb'), 'pool/main/v/vendored')).includes(name));
  });

  test('a prescript may clone repositories: their files are in the patch, also over one that upstream sent', async () => {
    const clone = (folder: string, content: string): string =>
      `mkdir -p ${folder}\n(cd ${folder} && git init -q . && echo ${content} >lib.c && git add . && git -c user.name=a -c user.email=a@b commit -qm one)\n`;
    const sample = tinySample(work, 'cloned', {
      upstream: {
        'data.txt': 'data\n',
        'old/lib.c': 'old\n',
        'old/.git/HEAD': 'ref: refs/heads/main\n',
        'old/.git/objects/x': '',
        'old/.git/refs/x': '',
      },
    });
    writeTree(sample.folder, {
      'deb/install': 'third/lib/lib.c usr/share/cloned\nold usr/share/cloned\n',
      'pre.sh': `set -e\n${clone('third/lib', 'new')}${clone('old', 'newer')}`,
    });
    succeeded(await buildSample(home, sample));
    assert.equal(fileIn(/cloned_.*_all\.deb$/, 'usr/share/cloned/lib.c'), 'new\n');
    assert.equal(fileIn(/cloned_.*_all\.deb$/, 'usr/share/cloned/old/lib.c'), 'newer\n');
  });
});

describe('failures say what and where', () => {
  const cases: [string, Readonly<Record<string, string>>, string, RegExp][] = [
    [
      'a build that fails',
      { 'deb/rules': '#!/usr/bin/make -f\n%:\n\t@echo this rule fails; false\n' },
      'build-failed',
      /amd64 ended with exit code/,
    ],
    [
      'a patch that does not apply',
      { 'patches/generic/0001-x': '--- a/data.txt\n+++ b/data.txt\n@@ -1 +1 @@\n-other\n+new\n' },
      'bad-patch',
      /does not apply/,
    ],
    ['a prescript that fails', { 'pre.sh': 'exit 3\n' }, 'prescript-failed', /pre\.sh failed/],
    [
      'a template that fails',
      { 'deb/x.j2': 'a\n{{ version.constructor }}\n' },
      'bad-template',
      /deb\/x\.j2: line 2/,
    ],
    [
      'a dependency that does not exist',
      {
        'deb/control':
          'Source: broken\nMaintainer: T <t@e.org>\nBuild-Depends: no-such-package-anywhere\n\nPackage: broken\nArchitecture: all\nDescription: x\n',
      },
      'build-failed',
      /no-such-package-anywhere/,
    ],
    [
      'a source of another name',
      { 'deb/control': 'Source: other\n\nPackage: other\nArchitecture: all\n' },
      'bad-definition',
      /"other"/,
    ],
    [
      'R33: a control file with a field twice',
      { 'deb/control': 'Source: broken\nSource: x\n' },
      'bad-package',
      /deb\/control:2/,
    ],
    [
      'a result that is a link',
      {
        'deb/rules':
          '#!/usr/bin/make -f\n%:\n\tln -sf /etc/passwd ../evil_1_all.deb\n\techo evil_1_all.deb misc optional >debian/files\n',
      },
      'build-failed',
      /evil_1_all\.deb is no plain file/,
    ],
  ];
  for (const [name, files, reason, message] of cases) {
    test(name, async () => {
      const run = await buildSample(home, tinySample(work, 'broken', { files }));
      failedWith(run, reason, message);
      assert.ok(!existsSync(join(home.tree('deb'), 'pool/main/b/broken')), 'nothing is published');
      const left = readdirSync(run.job.place).filter(entry =>
        /^(build|environment|prescript-sandbox|lintian)/.test(entry),
      );
      assert.deepEqual(left, [], 'no sandbox is left');
    });
  }

  test('reports come after publication; lintian only where the settings want it', async () => {
    const shown = await buildSample(home, tinySample(work, 'reported'));
    succeeded(shown);
    const published = shown.log.findIndex(line => /^20:published reported /.test(line));
    const asked = shown.log.findIndex(line => /^20:lintian \(informative\)/.test(line));
    assert.ok(published >= 0 && asked > published, shown.log.join('\n'));
    assert.match(shown.output, /contents of reported_[^:]*_all\.deb:\r?\n.*\.\//);
    const deb = { ...home.settings.deb, lintian: false };
    const quiet = { ...home, settings: { ...home.settings, deb } };
    const unseen = await buildSample(quiet, tinySample(work, 'unreported'));
    succeeded(unseen);
    assert.ok(unseen.log.includes('20:lintian is switched off in the settings ([format:deb] lintian = no)'));
    assert.ok(!unseen.log.some(line => /informative/.test(line)));
    assert.match(unseen.output, /contents of unreported_/);
  });

  test('a source that the definition does not name, and one that is missing', async () => {
    const sample = tinySample(work, 'lonely');
    const more = { ...sample, sources: [...sample.sources, { id: 'extra', path: sample.sources[0]!.path }] };
    failedWith(
      await buildSample(home, more),
      'no-source',
      /"extra" was sent, which artifact\.yml does not name/,
    );
    failedWith(
      await buildSample(home, { ...sample, sources: [] }),
      'no-source',
      /no version of "lonely" for derivative main/,
    );
  });

  test('a hostile definition archive fails the task and leaves nothing', async () => {
    const folder = join(work, 'hostile');
    mkdirSync(folder, { recursive: true });
    cpSync(tinySample(work, 'hostile').folder, folder, { recursive: true });
    execFileSync('ln', ['-sf', '/etc/passwd', join(folder, 'deb/passwd')]);
    const sample = { artifact: 'hostile', folder, sources: tinySample(work, 'hostile').sources };
    failedWith(await buildSample(home, sample), 'unsafe-archive', /deb\/passwd.* out of the tree/);
    const definition = pack(tinySample(work, 'hostile').folder, join(work, 'fine.tar.gz'));
    assert.ok(existsSync(definition));
  });

  test('a definition brings nothing of the host along, nor itself without end', async () => {
    const renamed = tinySample(work, 'leaky', { files: { rename: 'x/y/later deb/later\n' } });
    mkdirSync(join(renamed.folder, 'x/y'), { recursive: true });
    // Made only after renaming, in the place of the task.
    symlinkSync('../../source-package', join(renamed.folder, 'x/y/later'));
    failedWith(await buildSample(home, renamed), 'unsafe-archive', /deb\/later leads out of the definition/);
    const circle = tinySample(work, 'leaky', { files: { 'shared/file': 'x' } });
    symlinkSync('../shared', join(circle.folder, 'deb/shared'));
    symlinkSync('.', join(circle.folder, 'shared/again'));
    failedWith(await buildSample(home, circle), 'unsafe-archive', /leads in a circle/);
    const doubled = tinySample(work, 'leaky', { files: { 's29/file': 'x'.repeat(100_000) } });
    for (let at = 0; at < 29; at++) {
      mkdirSync(join(doubled.folder, `s${at}`));
      for (const name of ['a', 'b']) symlinkSync(`../s${at + 1}`, join(doubled.folder, `s${at}`, name));
    }
    symlinkSync('../s0', join(doubled.folder, 'deb/x'));
    const limits = { ...home.settings.limits, unpacked: 1_000_000 };
    const bounded = { ...home, settings: { ...home.settings, limits } };
    failedWith(await buildSample(bounded, doubled), 'archive-too-large', /more than 1000000 bytes/);
  });
});

function fileInChangelog(name: string): string {
  const pool = join(home.tree('deb'), 'pool/main', name[0]!, name);
  const newest = readdirSync(pool).find(file => file.includes('+build0') && file.endsWith('.deb'))!;
  const target = mkdtempSync(join(work, 'changelog-'));
  execFileSync('dpkg-deb', ['--extract', join(pool, newest), target]);
  return execFileSync('gunzip', ['-c', join(target, `usr/share/doc/${name}/changelog.Debian.gz`)], {
    encoding: 'utf8',
  });
}
