/** What the catalogue says of a package equals what the package says itself, read by tools that we don't use for it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Catalogue } from '../../../daemon/store/catalogue.ts';
import { openDatabase } from '../../../daemon/store/database.ts';
import type { BuildSpec, CatalogueEntry, ContentEntry } from '../../../workers/job.ts';
import { deletion } from '../../../workers/jobs/registry.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { publishRpm } from '../../../workers/registry/rpm-publish.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';
import { makeRpm } from '../../support/rpms.ts';
import { tinyDeb, writeTinyDeb } from '../../support/tiny-deb.ts';

const run = (file: string, ...args: string[]): string =>
  execFileSync(file, args, { maxBuffer: 1 << 28, env: { ...process.env, LC_ALL: 'C.UTF-8' } }).toString();

/** Python's reader of tar archives: path, kind and size of each member, the root left out; a hard link is its target's. */
const LIST_TAR = `
import json, sys, tarfile
kind = lambda m: 'd' if m.isdir() else 'l' if m.issym() else 'p' if m.isfifo() else 'f'
archive = list(tarfile.open(fileobj=sys.stdin.buffer, mode='r|'))
sizes = {m.name: m.size for m in archive}
members = [['/' + m.name.removeprefix('./'), kind(m), sizes[m.linkname] if m.islnk() else m.size] for m in archive]
print(json.dumps([m for m in members if m[0] not in ('/', '/.')]))`;

const CHANGELOG = `odd (1:2.0~rc1+b1-3) bookworm; urgency=medium

  [ Jane Roe ]
  * One change
    in two lines
  * Another: it's "quoted", 100 %

 -- Jane Roe <jane@example.org>  Thu, 01 Jan 2026 12:34:56 +0100

odd (1.0-1) bookworm; urgency=low

  * Café, first

 -- José Núñez <jose@example.org>  Mon, 01 Dec 2025 00:00:00 +0000
`;

/** Files whose names trip readers of lists over. */
const NAMES = [
  'usr/share/odd/with space',
  'usr/share/odd/with -> arrow',
  'usr/share/odd/with link to x',
  'usr/share/odd/café',
  'usr/share/odd/back\\slash',
  "usr/share/odd/quote'quote",
  'usr/share/odd/100%',
];

/** A package tree with everything that a package can hold but devices. */
function makeTree(root: string): void {
  for (const [at, name] of NAMES.entries()) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), 'x'.repeat(at * 10));
  }
  mkdirSync(join(root, 'usr/share/odd/empty folder'));
  symlinkSync('../nowhere -> else', join(root, 'usr/share/odd/dangling'));
  linkSync(join(root, NAMES[2] ?? ''), join(root, 'usr/share/odd/zz-hard-link'));
  linkSync(join(root, NAMES[3] ?? ''), join(root, 'usr/share/odd/zz link to a'));
  execFileSync('mkfifo', [join(root, 'usr/share/odd/fifo')]);
}

function pairs(content: readonly ContentEntry[]): [string, string, number][] {
  return content.map(({ path, type, size }) => [path, type, size]);
}

describe('the catalogue', async () => {
  const registry = openRegistry({
    pipelines: [{}, { format: 'rpm', distribution: 'el9', tag: 'el9' }],
    keyring: { type: 'rsa', size: 2048 },
  });
  const entryOf = (format: 'deb' | 'rpm', name: string, architecture: string): CatalogueEntry => {
    const distribution = format === 'deb' ? 'bookworm' : 'el9';
    const place = { format, distribution, derivative: 'main' } as const;
    const found = registry.catalogue.reads.describe('default', place, { name, architecture });
    assert.ok(found, `${name} ${architecture} is not in the catalogue`);
    return found.entry;
  };
  const specOf = (format: string, distribution: string): BuildSpec =>
    ({ type: 'build', format, distribution, derivative: 'main' }) as BuildSpec;
  before(() => makeKeyring(registry));
  after(() => registry.close());

  test('has fields, files and changelog of a Debian package as dpkg and tar have them', async () => {
    const root = join(registry.home, 'odd-deb');
    makeTree(root);
    writeFileSync(join(root, 'usr/share/odd/tab\there'), 'no rpm may have this');
    const doc = join(root, 'usr/share/doc/odd');
    mkdirSync(doc, { recursive: true });
    writeFileSync(join(doc, 'changelog.Debian.gz'), gzipSync(CHANGELOG));
    mkdirSync(join(root, 'DEBIAN'));
    const control = [
      'Package: odd',
      'Source: odd-source (3.0)',
      'Version: 1:2.0~rc1+b1-3',
      'Architecture: amd64',
      'Maintainer: José Núñez <jose@example.org>',
      'Depends: libc6 (>= 2.36),',
      ' bash',
      'X-Site: kept',
      'Description: odd, but allowed',
      ' Text.',
      ' .',
      ' More text.',
      '',
    ].join('\n');
    writeFileSync(join(root, 'DEBIAN/control'), control);
    const file = join(registry.home, 'odd.deb');
    run('dpkg-deb', '--root-owner-group', '-b', root, file);
    const spec = specOf('deb', 'bookworm');
    await publishDeb(registry.context(spec), { artifact: 'odd', version: '2', files: [file] }, spec);
    const entry = entryOf('deb', 'odd', 'x86_64');
    const tar = execFileSync('dpkg-deb', ['--fsys-tarfile', file], { maxBuffer: 1 << 28 });
    const members = JSON.parse(execFileSync('python3', ['-c', LIST_TAR], { input: tar }).toString());
    assert.deepEqual(pairs(entry.content), members);
    assert.equal(members.length, NAMES.length + 12);
    assert.equal(entry.content.find(one => one.path.endsWith('zz-hard-link'))?.size, 20);
    assert.equal(entry.version, run('dpkg-deb', '-f', file, 'Version').trim());
    assert.deepEqual(entry.source, { name: 'odd-source', version: '3.0' });
    assert.equal(entry.size, Number(run('stat', '-c', '%s', file)));
    const own = entry.stanza.replace(/^(Filename|Size|SHA256): .*\n/gm, '');
    assert.equal(own, run('dpkg-deb', '-f', file));
    const log = join(registry.home, 'changelog');
    writeFileSync(log, CHANGELOG);
    for (const [at, change] of entry.changelog.entries()) {
      const say = (field: string): string =>
        run('dpkg-parsechangelog', '-l', log, '--offset', String(at), '--count', '1', '-S', field).trim();
      assert.equal(change.version, say('Version'));
      assert.equal(change.author, say('Maintainer'));
      assert.equal(change.date, Number(say('Timestamp')));
    }
    assert.deepEqual(
      entry.changelog.map(change => change.changes),
      [['[ Jane Roe ]', 'One change', 'in two lines', 'Another: it\'s "quoted", 100 %'], ['Café, first']],
    );
  });

  test('lists no file of a package in Contents that tar does not, and each but folders', () => {
    const entry = entryOf('deb', 'odd', 'x86_64');
    const index = join(registry.tree('deb'), 'dists/bookworm/main/Contents-amd64.gz');
    const lines = gunzipSync(execFileSync('cat', [index]))
      .toString()
      .split('\n')
      .filter(line => line !== '');
    const wanted = entry.content.filter(file => file.type !== 'd').map(file => file.path.slice(1));
    assert.deepEqual(lines.map(line => line.slice(0, line.lastIndexOf('\t'))).sort(), wanted.sort());
    assert.ok(lines.every(line => line.endsWith('\tmisc/odd')));
  });

  test('shows Debian architectures under their own names, but for the four that have others', async () => {
    const spec = specOf('deb', 'bookworm');
    const names = ['i386', 'armhf', 'ppc64el', 'riscv64', 'arm64', 'all'];
    const files = names.map(name => writeTinyDeb(registry.home, tinyDeb(`for-${name}`, '1', name)));
    await publishDeb(registry.context(spec), { artifact: 'x', version: '1', files }, spec);
    const place = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;
    const { reads } = registry.catalogue;
    const listed = reads.list('default', place, { contains: 'for-', limit: 10 }).artifacts;
    const shown = Object.fromEntries(listed.map(one => [one.name.slice(4), one.architecture]));
    const same = { i386: 'i386', armhf: 'armhf', ppc64el: 'ppc64el', riscv64: 'riscv64' };
    assert.deepEqual(shown, { ...same, arm64: 'aarch64', all: 'noarch' });
    assert.equal(entryOf('deb', 'for-i386', 'i386').version, '1');
    const found = [...reads.search('default', 'for-i', 10)].flatMap(page => page.artifacts);
    assert.deepEqual(
      found.map(one => one.architecture),
      ['i386'],
    );
    await deletion(registry.context(spec), {
      type: 'deletion',
      ...place,
      artifact: 'for-i386',
      architecture: 'i386',
      version: '1',
    });
    assert.equal(reads.describe('default', place, { name: 'for-i386', architecture: 'i386' }), null);
  });

  test('takes over artifacts that were kept under uname words', () => {
    const path = join(registry.home, 'earlier.db');
    const { store, steps } = Catalogue.migrations;
    const earlier = openDatabase(path, [{ store, steps: steps.slice(0, 3) }]);
    const place = earlier.prepare('INSERT INTO place VALUES (?, ?, ?, ?, ?)');
    const artifact = earlier.prepare(
      `INSERT INTO artifact (place, added, name, architecture, version, size, published, task, stanza, changelog, content)
       VALUES (?, 1, 'x', ?, '1', 1, 1, 't', '', x'', x'')`,
    );
    place.run(1, 'default', 'deb', 'bookworm', 'main');
    place.run(2, 'default', 'rpm', 'el9', 'main');
    for (const word of ['i686', 'armv7l', 'ppc64le', 'x86_64']) artifact.run(1, word);
    artifact.run(2, 'i686');
    earlier.close();
    const now = openDatabase(path, [Catalogue.migrations]);
    const rows = now.prepare('SELECT architecture FROM artifact ORDER BY id').all<{ architecture: string }>();
    assert.deepEqual(
      rows.map(row => row.architecture),
      ['i386', 'armhf', 'ppc64el', 'x86_64', 'i686'],
    );
    now.close();
  });

  test('has fields, files and changelog of an rpm as rpm has them', async () => {
    const files = makeRpm(registry.home, {
      name: 'odd',
      version: '2.0~rc1',
      release: '3',
      epoch: '1',
      architecture: 'x86_64',
      tree: makeTree,
    });
    const spec = specOf('rpm', 'el9');
    await publishRpm(registry.context(spec), { artifact: 'odd', version: '2', files }, spec);
    for (const [architecture, file] of [
      ['x86_64', files[0] ?? ''],
      ['src', files[1] ?? ''],
    ] as const) {
      const entry = entryOf('rpm', 'odd', architecture);
      // What -qlv shows is rendered by rpm: mode, links, owner, group, size, date, name.
      const shown = run(
        'rpm',
        '-qp',
        '--nosignature',
        '--qf',
        '[%{FILEMODES:perms} %{FILESIZES} %{FILENAMES}\n]',
        file,
      )
        .split('\n')
        .filter(line => line !== '')
        .map(line => /^(.)\S+ (\d+) (.*)$/.exec(line) ?? [])
        .map(([, kind = '', size = '', name = '']) => {
          const type = kind === '-' ? 'f' : kind;
          return [name.startsWith('/') ? name : `/${name}`, type, type === 'f' ? Number(size) : 0];
        });
      assert.deepEqual(pairs(entry.content), shown);
      assert.equal(entry.version, run('rpm', '-qp', '--nosignature', '--qf', '%{EVR}', file));
      assert.deepEqual(
        entry.changelog.map(change => change.date),
        run('rpm', '-qp', '--nosignature', '--qf', '[%{CHANGELOGTIME}\n]', file)
          .trim()
          .split('\n')
          .map(Number),
      );
      assert.ok(
        run('rpm', '-qp', '--nosignature', '--changelog', file).includes(entry.changelog[0]?.author ?? '-'),
      );
    }
    const source = entryOf('rpm', 'odd', 'src');
    assert.deepEqual(entryOf('rpm', 'odd', 'x86_64').source, { name: 'odd', version: source.version });
    assert.equal(source.files.length, 1);
  });
});
