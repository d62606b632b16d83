/** Patches as commits: read, edited in a shell of the test's, and written back. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, it } from 'node:test';
import { type CliHome, type CliRun, openCliHome } from '../../support/cli.ts';

let home: CliHome;
let upstream: Server;
let asked = 0;

function write(path: string, text: string, mode = 0o644): string {
  const file = join(home.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const read = (path: string): string => readFileSync(join(home.path, path), 'utf8');
const list = (path: string): string[] => readdirSync(join(home.path, path)).sort();

/** Runs the verb with a shell that does what `script` says. */
function edit(script: string, ...more: string[]): Promise<CliRun> {
  const shell = write('shell', `#!/bin/sh\nset -e\n${script}\n`, 0o755);
  return home.run(['patches', '-a', 'hello', '-n', 'Jane Roe', '-e', 'jane@example.org', ...more], {
    env: { SHELL: shell },
  });
}

before(async () => {
  home = openCliHome();
  write('upstream/hello-1.0/hello.c', 'one\ntwo\nthree\n');
  write('upstream/hello-1.0/debian/rules', 'of upstream\n');
  execFileSync('tar', ['-czf', join(home.path, 'hello-1.0.tar.gz'), '-C', join(home.path, 'upstream'), '.']);
  const archive = readFileSync(join(home.path, 'hello-1.0.tar.gz'));
  upstream = createServer((request, response) => {
    asked++;
    if (request.url !== '/hello-1.0.tar.gz') return response.writeHead(404).end('<p>gone</p>');
    return response.end(archive);
  });
  await new Promise<void>(done => upstream.listen(0, '127.0.0.1', done));
  const { port } = upstream.address() as AddressInfo;
  const sum = createHash('sha256').update(archive).digest('hex');
  write(
    'hello/artifact.yml',
    `version: 1.0\nsource: http://127.0.0.1:${port}/hello-{{ version }}.tar.gz\nchecksums: {1.0: {sha256: ${sum}}}\ndeb: {release: 1}\n`,
  );
  write(
    'hello/patches/1.0/0001-second-line',
    'Description: says more\nAuthor: Joe <joe@example.org>\n\n--- a/hello.c\n+++ b/hello.c\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n',
  );
});
after(() => {
  upstream.close();
  home.remove();
});

it('leaves everything as it is where nothing was changed', async () => {
  const earlier = read('hello/patches/1.0/0001-second-line');
  const { code, stderr } = await edit(
    'test "$(git log --format=%s | tr "\\n" ,)" = second-line,upstream,; test ! -e debian; grep -q TWO hello.c',
  );
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^hello with one patch as commits on the tag "upstream"\..*\nNo patch has changed\n$/);
  assert.equal(read('hello/patches/1.0/0001-second-line'), earlier);
});

it('writes commits back as patches, a generic one apart, headers kept', async () => {
  const { code, stdout, stderr } = await edit(
    `printf 'one\\nTWO\\nTHREE\\n' > hello.c; git commit -qam 'Third line!' -m 'Forwarded: no'
     echo docs > README; git add README; git commit -qm 'Add docs' -m 'Generic: yes'`,
  );
  assert.equal(code, 0, stderr);
  assert.equal(
    stdout,
    'patches/1.0/0001-second-line\npatches/1.0/0002-third-line\npatches/generic/0001-add-docs\n',
  );
  assert.match(
    read('hello/patches/1.0/0001-second-line'),
    /^Description: says more\nAuthor: Joe <joe@example\.org>\n\ndiff --git/,
  );
  assert.match(
    read('hello/patches/1.0/0002-third-line'),
    /^Forwarded: no\nAuthor: Jane Roe <jane@example\.org>\n\ndiff --git [\s\S]*\n-three\n\+THREE\n$/,
  );
  assert.doesNotMatch(read('hello/patches/generic/0001-add-docs'), /Generic/);
});

it('applies what it wrote, generic ones first, and removes what was dropped', async () => {
  const { code, stdout, stderr } = await edit(
    'test "$(git log --format=%s | tr "\\n" ,)" = third-line,second-line,add-docs,upstream,; git reset -q --hard HEAD~1',
  );
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'patches/generic/0001-add-docs\npatches/1.0/0001-second-line\n');
  assert.deepEqual(list('hello/patches/1.0'), ['0001-second-line']);
});

it('keeps the names of patches that were not changed, and gives new ones numbers that no template has', async () => {
  const diff = (name: string): string => `--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+${name}\n`;
  const patch = (file: string, header = ''): string =>
    write(`hello/patches/1.0/${file}`, `${header}Author: Joe <joe@example.org>\n\n${diff(file)}`);
  patch('0005-CVE-2024_Fix.patch');
  const template = patch('0006-versioned', 'Template: yes\n');
  const rendered = readFileSync(template, 'utf8');
  patch('0007-Last');
  const add = (title: string): string => `echo "${title}" > "${title}"; git add .; git commit -qm "${title}"`;
  const appended = await edit(add('New one'));
  assert.equal(appended.code, 0, appended.stderr);
  const kept = ['0001-second-line', '0005-CVE-2024_Fix.patch', '0006-versioned', '0007-Last'];
  assert.deepEqual(list('hello/patches/1.0'), [...kept, '0008-new-one']);
  // Before the last but two: its number would be the template's, so those behind make room.
  const inserted = await edit(
    `git branch -q all; git reset -q --hard HEAD~2; ${add('Between')}; git cherry-pick all~1 all >/dev/null 2>&1`,
  );
  assert.equal(inserted.code, 0, inserted.stderr);
  const order = ['0005-CVE-2024_Fix.patch', '0006-versioned', '0007-between', '0008-last', '0009-new-one'];
  assert.deepEqual(list('hello/patches/1.0'), ['0001-second-line', ...order]);
  const dropped = await edit('git reset -q --hard HEAD~3');
  assert.equal(dropped.code, 0, dropped.stderr);
  assert.deepEqual(list('hello/patches/1.0'), kept.slice(0, 3));
  assert.equal(readFileSync(template, 'utf8'), rendered);
  assert.equal((await edit('git reset -q --hard HEAD~1')).code, 0);
  execFileSync('rm', [template]);
});

it('fetches the source once and keeps it', () => {
  assert.equal(asked, 1);
  assert.deepEqual(list('.cache/rackwright/hello'), ['hello-1.0.tar.gz']);
});

it('keeps a tree whose changes were not committed, and says where', async () => {
  const { code, stderr } = await edit('echo work > new.c');
  assert.equal(code, 1);
  const [, folder = ''] = /(\/\S+) holds changes that are not committed; it is kept/.exec(stderr) ?? [];
  assert.equal(readFileSync(join(folder, 'new.c'), 'utf8'), 'work\n');
  execFileSync('rm', ['-r', dirname(folder)]);
});

it('names a patch that does not apply and a source that is not there', async () => {
  const patch = write(
    'hello/patches/1.0/0002-stale',
    '--- a/hello.c\n+++ b/hello.c\n@@ -1 +1 @@\n-nothing like it\n+x\n',
  );
  const stale = await edit('true');
  assert.equal(stale.code, 1);
  assert.ok(stale.stderr.includes(`${patch} does not apply`), stale.stderr);
  write(
    'other/artifact.yml',
    'version: 9\nsource: http://127.0.0.1:1/x-{{ version | upper }}.tar.gz\ndeb: {release: 1}\n',
  );
  const other = await home.run(['patches', '-a', 'other', '-n', 'J', '-e', 'j@x']);
  assert.match(other.stderr, /needs the server's templates: give the source with --sources/);
  assert.equal(other.code, 1);
});
