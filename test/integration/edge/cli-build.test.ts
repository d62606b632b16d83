/** Builds from a directory: what is packed, what is sent over socket and HTTP, and what is told before anything is. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type CliHome, type CliRun, openCliHome } from '../../support/cli.ts';
import { type CliDaemon, startCliDaemon } from '../../support/cli-daemon.ts';
import { startTestEdge, type TestEdge } from '../../support/edge-home.ts';

const WHO = ['-n', 'Jané Roe', '-e', 'jane@example.org'];

let home: CliHome;
let daemon: CliDaemon;
let edge: TestEdge;

function write(path: string, text: string): string {
  const file = join(home.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

before(async () => {
  home = openCliHome();
  daemon = await startCliDaemon(home.path);
  edge = await startTestEdge();
  mkdirSync(temporary());
  write(
    'defs/hello/artifact.yml',
    'version: 2.10\nsource: https://example.org/hello-{{ version }}.tar.gz\ndeb: {release: 1}\n',
  );
  write('defs/hello/deb/control', 'Source: hello\n\nPackage: hello\nArchitecture: any\n');
  write('defs/hello/.git/config', 'never sent\n');
  write('defs/pure/artifact.yml', 'version: 1.10\ndeb: {release: 1}\n');
  write('defs/pure/deb/control', 'Source: pure\n\nPackage: pure\nArchitecture: all\n');
  write(
    'defs/pair/artifact.yml',
    'sources: {pair: "https://x/pair", extra: "https://x/extra"}\nversions: {pair: 1.0, extra: 2.0}\ndeb: {release: 1}\n',
  );
  write('defs/broken/artifact.yml', 'deb: {release: 1}\ndeb: [\n');
  write('defs/empty/README', 'no definition here\n');
  write('src/hello.c', 'int main;\n');
  write('src/doc/a b.txt', 'text\n');
  write('src/debian/rules', 'upstream packaging\n');
  write('src/.gitignore', '*.o\nbuilt/\n');
  write('src/hello.o', 'object\n');
  write('src/built/out', 'object\n');
  symlinkSync('./hello.c', join(home.path, 'src/link'));
  execFileSync('git', ['init', '-q', join(home.path, 'src')]);
});
after(async () => {
  await daemon.stop();
  await edge.stop();
  home.remove();
});

/** For temporary files of these tests' own: /tmp holds those of everybody. */
const temporary = (): string => join(home.path, 'tmp');
const socket = (...parameters: string[]): Promise<CliRun> =>
  home.run(['--uri', daemon.socket, 'build', '-b', 'defs', ...parameters], { env: { TMPDIR: temporary() } });
const http = (...parameters: string[]): Promise<CliRun> =>
  home.run(['--uri', `${edge.url}/default`, 'build', '-b', 'defs', ...parameters], {
    env: { RACKWRIGHT_TOKEN: 'good.admin.token', TMPDIR: temporary() },
  });

function members(archive: Buffer): string[] {
  return execFileSync('tar', ['--list', '--xz', '--file', '-'], { input: archive, encoding: 'utf8' })
    .trim()
    .split('\n');
}

describe('a build over the socket', () => {
  it('sends the definition, shows the build and ends with its result', async () => {
    const { code, stdout, stderr } = await socket('-a', 'hello', ...WHO, '-m', 'First build');
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'made\n');
    assert.match(stderr, /^Submitted hello build task [0-9a-f-]{36}\nBuilding\nTask succeeded/);
    const { request, files, login } = daemon.received.at(-1)!;
    assert.deepEqual(members(files[0]!), ['./', './artifact.yml', './deb/', './deb/control']);
    assert.equal(request.format, 'deb');
    assert.equal(request.distribution, 'bookworm');
    assert.equal(request.author, 'Jané Roe');
    assert.deepEqual(request.architectures, ['x86_64', 'aarch64']);
    assert.ok(request.idempotencyKey.length > 20);
    assert.ok(login);
  });

  it('asks for one architecture only where packages are the same for all', async () => {
    const { stdout, code } = await socket('-a', 'pure', ...WHO, '-m', 'x', '--batch');
    assert.equal(code, 0);
    assert.match(stdout, /^Submitted pure build task [0-9a-f-]{36}\n$/);
    assert.deepEqual(daemon.received.at(-1)?.request.architectures, ['x86_64']);
  });

  it('packs sources under their version, without git, debian and what git ignores', async () => {
    const { code, stderr } = await socket(
      '-a',
      'hello',
      ...WHO,
      '-m',
      'x',
      '--batch',
      '--sources',
      '2.11~rc1@src',
    );
    assert.equal(code, 0, stderr);
    const { request, files } = daemon.received.at(-1)!;
    assert.deepEqual(
      request.sources.map(source => [source.id, source.file?.filename]),
      [['hello', 'hello-2.11~rc1.tar.xz']],
    );
    const top = 'hello-2.11~rc1/';
    assert.deepEqual(members(files[1]!), [
      top,
      `${top}doc/`,
      `${top}doc/a b.txt`,
      `${top}hello.c`,
      `${top}link`,
    ]);
    const list = execFileSync('tar', ['--list', '--verbose', '--xz', '--file', '-'], {
      input: files[1]!,
      encoding: 'utf8',
    });
    assert.match(list, /link -> \.\/hello\.c/);
    await socket('-a', 'hello', ...WHO, '-m', 'x', '--batch', '--include-git-untracked', '--sources', 'src');
    const whole = daemon.received.at(-1)!;
    assert.equal(whole.request.sources[0]?.file?.filename, 'hello-2.10.tar.xz');
    assert.ok(members(whole.files[1]!).includes('hello-2.10/hello.o'));
    assert.ok(!members(whole.files[1]!).some(name => name.includes('.git')));
  });

  it('takes an archive as it is, with the version that its name tells', async () => {
    const archive = write('hello_2.12.orig.tar.gz', 'any bytes');
    const { code, stderr } = await socket('-a', 'hello', ...WHO, '-m', 'x', '--batch', '--sources', archive);
    assert.equal(code, 0, stderr);
    const { request, files } = daemon.received.at(-1)!;
    assert.equal(request.sources[0]?.file?.filename, 'hello-2.12.tar.gz');
    assert.equal(files[1]?.toString(), 'any bytes');
  });

  it('takes name, address, message and place of definitions from the preferences', async () => {
    const preferences = write(
      'prefs.ini',
      `[user]\nname = Joe\nemail = joe@example.org\n[prefs]\nuri = ${daemon.socket}\nbasedir = ~/defs\nmessage = Rebuild\n`,
    );
    const { code, stderr } = await home.run(
      ['--preferences', preferences, 'build', '-a', 'hello', '--batch'],
      { cwd: '/' },
    );
    assert.equal(code, 0, stderr);
    const { author, email, message } = daemon.received.at(-1)!.request;
    assert.deepEqual(
      { author, email, message },
      { author: 'Joe', email: 'joe@example.org', message: 'Rebuild' },
    );
  });

  it('leaves no archive behind', () => {
    assert.deepEqual(readdirSync(temporary()), []);
  });
});

describe('a build over HTTP', () => {
  it('sends the same form as the existing client, and a key that makes its repetition harmless', async () => {
    const { code, stdout, stderr } = await http(
      '-a',
      'hello',
      ...WHO,
      '-m',
      'Line one\nLine two',
      '--batch',
      '--sources',
      '2.11@src',
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Submitted hello build task /);
    const request = edge.world.submitted.at(-1)!;
    assert.equal(request.author, 'Jané Roe');
    assert.equal(request.message, 'Line one\nLine two');
    assert.deepEqual(request.architectures, ['x86_64', 'aarch64']);
    assert.equal(request.sources[0]?.file?.filename, 'hello-2.11.tar.xz');
    assert.ok(request.idempotencyKey.length > 20);
    const taken = readFileSync(join(edge.home, 'lib/taken', request.definition?.spool ?? ''));
    assert.ok(members(taken).includes('./artifact.yml'));
  });

  it('warns that a build can not be interactive there, and builds', async () => {
    const { code, stderr } = await http('-a', 'hello', ...WHO, '-m', 'x', '--batch', '-i');
    assert.equal(code, 0);
    assert.match(stderr, /^warning: .* is an HTTP address, so the build can't be interactive\n/);
  });

  it("gives the server's word on who may not build", async () => {
    const { code, stderr } = await home.run([
      '--uri',
      `${edge.url}/default`,
      'build',
      '-b',
      'defs',
      '-a',
      'hello',
      ...WHO,
      '-m',
      'x',
    ]);
    assert.equal(code, 1);
    assert.match(stderr, /^rackwright: anonymous .*build\n$/);
  });
});

describe('what is told before anything is sent', () => {
  const refusals: [name: string, parameters: string[], code: number, told: RegExp][] = [
    ['a directory that is not there', ['-a', 'nothing', '-m', 'x'], 1, /defs\/nothing is no directory/],
    ['a directory without definition', ['-a', 'empty', '-m', 'x'], 1, /defs\/empty holds no artifact\.yml/],
    [
      'a broken definition, with its line',
      ['-a', 'broken', '-m', 'x'],
      1,
      /broken\/artifact\.yml:2:1: .*unique/,
    ],
    [
      'an unknown source',
      ['-a', 'pair', '-m', 'x', '--sources', 'other#1.0@src'],
      2,
      /pair has no source other, only pair, extra/,
    ],
    [
      'a source given twice',
      ['-a', 'pair', '-m', 'x', '--sources', '1@src', 'pair#2@src'],
      2,
      /source pair is given twice/,
    ],
    [
      'sources that are not there',
      ['-a', 'hello', '-m', 'x', '--sources', 'gone'],
      1,
      /gone: there is no such directory or archive/,
    ],
    [
      'an unknown derivative',
      ['-a', 'hello', '-m', 'x', '--derivative', 'maim'],
      1,
      /hello has no derivative maim \(did you mean main\?\)/,
    ],
    ['an unknown distribution', ['-a', 'hello', '-m', 'x', '-d', 'bookwurm'], 1, /did you mean bookworm/],
    ['a missing message', ['-a', 'hello'], 2, /-m/],
    ['a missing artifact', ['-m', 'x'], 2, /--artifact/],
    [
      'a name that leaves the directory',
      ['-a', '../hello', '-m', 'x'],
      2,
      /can't be the name of an artifact/,
    ],
  ];
  for (const [name, parameters, code, told] of refusals) {
    it(name, async () => {
      const count = daemon.received.length;
      const run = await socket(...WHO, ...parameters);
      assert.match(run.stderr, told);
      assert.equal(run.code, code);
      assert.equal(daemon.received.length, count);
    });
  }
});

describe('an interactive task', () => {
  it('sends what is typed and shows what is answered', async () => {
    const run = await home.run(
      ['--uri', daemon.socket, 'images', 'env-shell', '-d', 'bookworm', '-a', 'x86_64', '--', 'ls', '-l'],
      { input: 'echo hi; exit\n' },
    );
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.stdout, '# echo hi; exit\n');
    assert.match(
      run.stderr,
      /^Submitted deb bookworm x86_64 shell task [0-9a-f-]{36}\nShell\nTask succeeded\n$/,
    );
    assert.ok(daemon.typed.includes('1:echo hi; exit\n'));
    assert.deepEqual((daemon.shells.at(-1) as { command: string[] }).command, ['ls', '-l']);
  });

  it("tells the end of a pipe as a terminal's Ctrl-D", async () => {
    const run = await home.run(['--uri', daemon.socket, 'images', 'env-shell', '-a', 'x86_64'], {
      input: '',
    });
    assert.equal(run.code, 0, run.stderr);
    assert.ok(daemon.typed.includes('1:\x04'));
  });

  it('is refused where the options fit several environments', async () => {
    const run = await home.run(['--uri', daemon.socket, 'images', 'env-shell']);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /fit more than one: deb bookworm x86_64; deb bookworm aarch64/);
  });
});
