/** The main journey with the command line alone, on the real pair: build, watch, look, delete, over both transports. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BUILD_LIMIT, type CliHome, type CliRun, openCliHome } from '../support/cli.ts';
import { testCache } from '../support/environment.ts';
import { type Pair, startPair } from '../support/pair.ts';

const GREETER = fileURLToPath(new URL('../../docs/examples/greeter', import.meta.url));
const POLICY = `[roles]
anonymous
builders=jane
[anonymous]
actions=view-pipeline,view-registry,view-task,view-keyring
[builders]
actions=build,edit-registry,edit-task
`;

let home: string;
let user: CliHome;
let pair: Pair;
/** Runs the command against the socket or the REST interface. */
const run = { socket: call, http: call } as { socket: typeof call; http: typeof call };

function call(...parameters: string[]): Promise<CliRun> {
  throw new Error(`not started: ${parameters}`);
}

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'rackwright-journey-'));
  user = openCliHome();
  mkdirSync(join(home, 'etc'));
  // What takes a minute to make is kept between runs.
  writeFileSync(join(home, 'etc/rackwright.ini'), `[dirs]\ncache = ${join(testCache(), 'journey')}\n`);
  writeFileSync(join(home, 'etc/policy.ini'), POLICY);
  pair = await startPair({ home });
  const uri = `${pair.url}/default`;
  run.socket = (...parameters) =>
    user.run(['--uri', pair.controlSocket, ...parameters], { limit: BUILD_LIMIT });
  run.http = (...parameters) => user.run(['--uri', uri, ...parameters], { limit: BUILD_LIMIT });
  const token = await run.socket('tokens', 'generate', '--subject', 'jane', '--days', '1');
  assert.equal(token.code, 0, token.stderr);
  const saved = await user.run(['tokens', 'save', '--uri', uri], { input: token.stdout });
  assert.match(saved.stderr, /^Saved the token of jane for http/);
  const rules = { broken: 'echo this rule fails; false', endless: 'exec sleep 3600' };
  cpSync(GREETER, join(user.path, 'defs/greeter'), { recursive: true });
  for (const [name, rule] of Object.entries(rules)) {
    const folder = join(user.path, `defs/greeter-${name}`);
    cpSync(GREETER, folder, { recursive: true });
    writeFileSync(join(folder, 'deb/rules'), `#!/usr/bin/make -f\n%:\n\t@${rule}\n`);
  }
});
after(async () => {
  const code = await pair?.stop();
  user?.remove();
  if (home) rmSync(home, { recursive: true, force: true });
  assert.equal(code, 0, pair?.log());
});

const build = (...more: string[]): string[] => [
  ...['build', '-b', 'defs', '-n', 'Jane Roe', '-e', 'jane@example.org', '-m', 'By the journey'],
  ...['--sources', `1.0@${join(GREETER, 'src')}`, ...more],
];

for (const way of ['socket', 'http'] as const) {
  describe(`over ${way}`, () => {
    let task = '';

    it('builds, shows the build and ends with 0', async () => {
      const { code, stdout, stderr } = await run[way](...build('-a', 'greeter'));
      assert.equal(code, 0, stdout + stderr);
      task = /^Submitted greeter build task ([0-9a-f-]{36})$/m.exec(stderr)?.[1] ?? '';
      assert.match(stdout, /dpkg-deb.*building package/);
      assert.match(stderr, /\nTask succeeded \(/);
    });

    it('shows the same output to who comes late', async () => {
      const { code, stdout } = await run[way]('watch', task);
      assert.equal(code, 0);
      assert.match(stdout, /dpkg-deb.*building package/);
      const finished = JSON.parse((await run[way]('history', '--json')).stdout).find(
        (seen: { id: string }) => seen.id === task,
      );
      assert.equal(finished.result, 'success');
      assert.equal(finished.user, way === 'http' ? 'jane' : userInfo().username);
    });

    it('finds the packages in the registry', async () => {
      const listed = await run[way]('registry', '-d', pair.distribution, '--json');
      const names = JSON.parse(listed.stdout).map(
        (found: { name: string; architecture: string }) => `${found.name} ${found.architecture}`,
      );
      for (const name of ['greeter src', 'greeter x86_64', 'greeter-phrases noarch'])
        assert.ok(names.includes(name), listed.stdout);
      const shown = await run[way]('registry', 'show', '-d', pair.distribution, '-a', 'greeter');
      assert.match(
        shown.stdout,
        /\n {4}author: Jane Roe <jane@example\.org>\n {4}changes:\n {4}- By the journey\n/,
      );
      assert.match(shown.stdout, /\n {2}- f +\d+ \/usr\/bin\/greeter\n/);
      assert.match(
        (await run[way]('registry', 'search', 'phrases')).stdout,
        /^deb \w+ main:\n- name: greeter-phrases\n/,
      );
      assert.match((await run[way]('keyring', 'export')).stdout, /^-----BEGIN PGP PUBLIC KEY BLOCK-----/);
    });

    it('deletes one package and leaves the others', async () => {
      const deleted = await run[way](
        'registry',
        'delete',
        '-d',
        pair.distribution,
        '-a',
        'greeter-phrases',
        '--exact',
      );
      assert.equal(deleted.code, 0, deleted.stderr);
      const left = JSON.parse((await run[way]('registry', '-d', pair.distribution, '--json')).stdout);
      assert.ok(!left.some((found: { name: string }) => found.name === 'greeter-phrases'));
      assert.ok(left.some((found: { name: string }) => found.name === 'greeter'));
    });

    it('ends with 3 and the reason where a build fails', async () => {
      const { code, stdout, stderr } = await run[way](...build('-a', 'greeter', '-s', 'greeter-broken'));
      assert.equal(code, 3, stderr);
      assert.match(stdout, /this rule fails/);
      assert.match(stderr, /\nerror: .*\nTask failed/);
    });

    it('cancels a build, which its watcher sees as 3', async () => {
      // One that can't end by itself before the other command has begun.
      const submitted = await run[way](...build('-a', 'greeter', '-s', 'greeter-endless', '--batch'));
      const id = /task ([0-9a-f-]{36})\n$/.exec(submitted.stdout)?.[1] ?? '';
      const [watched, cancelled] = await Promise.all([run[way]('watch', id), run[way]('cancel', id)]);
      assert.equal(cancelled.code, 0, cancelled.stderr);
      assert.equal(watched.code, 3, watched.stderr);
      assert.match(watched.stderr, /Task was cancelled/);
    });
  });
}
