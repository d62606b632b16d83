/** The verbs over the socket and over HTTP: the same questions, the same answers, word for word. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { encodeBytes, encodeEnd, encodeLog } from '../../../proto/frame.ts';
import { CLI_MAIN, type CliHome, type CliRun, cliEnvironment, openCliHome } from '../../support/cli.ts';
import { startTestEdge, type TestEdge } from '../../support/edge-home.ts';
import { scriptedTask } from '../../support/scripted-daemon.ts';

const RUNNING = '11111111-0000-4000-8000-000000000001';
const PENDING = '11111111-0000-4000-8000-000000000002';
const GOOD = '11111111-0000-4000-8000-000000000003';
const BAD = '11111111-0000-4000-8000-000000000004';

let edge: TestEdge;
let home: CliHome;

before(async () => {
  edge = await startTestEdge();
  home = openCliHome();
  const place = { format: 'deb', distribution: 'bookworm', derivative: 'main' };
  edge.world.artifacts.push(
    { ...place, architecture: 'src', name: 'hello', version: '2.10-1.deb12', size: 0 },
    { ...place, architecture: 'x86_64', name: 'hello', version: '2.10-1.deb12', size: 26 },
    { ...place, architecture: 'noarch', name: 'libg++', version: '1:1.0+b1', size: 7 },
  );
  edge.world.tasks.push(
    scriptedTask({ id: RUNNING, state: 'TASK_STATE_RUNNING', started: 1_767_225_700 }),
    scriptedTask({ id: PENDING, position: 1, reason: 'waits for a slot' }),
    scriptedTask({
      id: GOOD,
      state: 'TASK_STATE_FINISHED',
      result: 'TASK_RESULT_SUCCESS',
      ended: 1_767_225_800,
    }),
    scriptedTask({
      id: BAD,
      state: 'TASK_STATE_FINISHED',
      result: 'TASK_RESULT_FAILED',
      reason: 'dpkg-buildpackage ended with 2',
      cause: 'build-failed',
    }),
  );
  edge.world.journals.set(GOOD, [
    encodeLog('info', 'Building hello'),
    encodeLog('debug', 'a detail'),
    ...encodeBytes(Buffer.from('checking…\r\n\x1b[31mdone\x1b[0m\r\n')),
    encodeEnd(true),
    null,
  ]);
  edge.world.journals.set(BAD, [
    encodeLog('error', 'no rule to make target'),
    encodeEnd(false, 'dpkg-buildpackage ended with 2'),
    null,
  ]);
});
after(async () => {
  assert.deepEqual(edge.bugs, []);
  await edge.stop();
  home.remove();
});

for (const way of ['socket', 'http'] as const) {
  describe(`over ${way}`, () => {
    const run = (...parameters: string[]): Promise<CliRun> =>
      home.run(parameters, {
        env: {
          RACKWRIGHT_URI: way === 'http' ? `${edge.url}/default/` : join(edge.home, 'run/edge.sock'),
          RACKWRIGHT_TOKEN: 'good.admin.token',
        },
      });
    const ok = async (...parameters: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(...parameters);
      assert.equal(code, 0, stderr);
      return stdout;
    };

    it('lists running and pending tasks in blocks', async () => {
      const shown = await ok('list');
      assert.match(shown, /^Running tasks:\n- id: 11111111-0000-4000-8000-000000000001\n {2}user: jane\n/);
      assert.match(shown, /\nPending tasks:\n- id: 11111111-0000-4000-8000-000000000002\n/);
      assert.match(shown, /\n {2}submission: {2}2026-01-01 00:00:00\n/);
      assert.match(shown, /\n {2}reason: waits for a slot\n/);
    });

    it('gives the same lists as JSON, in the documented shape', async () => {
      const { running, pending } = JSON.parse(await ok('list', '--json'));
      assert.equal(running[0].id, RUNNING);
      assert.equal(running[0].artifact, 'hello');
      assert.deepEqual(pending[0].archives, []);
      assert.equal(pending[0].state, 'pending');
    });

    it('shows the history, newest first as the server has it, and no more than asked for', async () => {
      assert.match(await ok('history'), /^Finished tasks:\n- id: 11111111-0000-4000-8000-000000000003\n/);
      const limited = JSON.parse(await ok('history', 'list', '--limit', '1', '--json'));
      assert.equal(limited.length, 1);
    });

    it('watches: output to stdout as it came, messages to stderr, 0 for success', async () => {
      const { code, stdout, stderr } = await run('watch', GOOD);
      assert.equal(stdout, 'checking…\r\n\x1b[31mdone\x1b[0m\r\n');
      assert.match(stderr, /^Building hello\nTask succeeded \([\d.]+s\)\n$/);
      assert.equal(code, 0);
    });

    it('shows debugging messages when asked for', async () => {
      const { stderr } = await run('watch', GOOD, '--debug');
      assert.match(stderr, /^Building hello\ndebug: a detail\n/);
    });

    it('ends with 3 when the watched task failed, and says why, without a colour', async () => {
      const { code, stderr } = await run('watch', BAD);
      assert.match(
        stderr,
        /^error: no rule to make target\nTask failed: dpkg-buildpackage ended with 2 \([\d.]+s\)\n$/,
      );
      assert.equal(code, 3);
    });

    it('does not say that the task succeeded when its reader leaves before the end', async () => {
      const long = randomUUID();
      edge.world.tasks.push(scriptedTask({ id: long, state: 'TASK_STATE_RUNNING' }));
      // More than a pipe holds, of a task that goes on.
      const lines = Array.from({ length: 200 }, () => [...encodeBytes(Buffer.from('line\r\n'.repeat(500)))]);
      edge.world.journals.set(long, lines.flat());
      const uri = way === 'http' ? `${edge.url}/default/` : join(edge.home, 'run/edge.sock');
      const command = `set -o pipefail; '${process.execPath}' '${CLI_MAIN}' watch ${long} | head -n 1; exit $?`;
      const env = cliEnvironment(home.path, { RACKWRIGHT_URI: uri, RACKWRIGHT_TOKEN: 'good.admin.token' });
      const shell = spawn('bash', ['-c', command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const [code] = await once(shell, 'close');
      assert.equal(code, 4);
    });

    it('watches as JSON, one event a line', async () => {
      const { code, stdout } = await run('watch', BAD, '--json');
      const events = stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line));
      assert.deepEqual(events.at(-1), {
        event: 'end',
        task: BAD,
        result: 'failed',
        reason: 'dpkg-buildpackage ended with 2',
      });
      assert.deepEqual(events[0], { event: 'message', level: 40, text: 'no rule to make target' });
      assert.equal(code, 3);
    });

    it('answers 1 for a task that is not there', async () => {
      const { code, stderr } = await run('watch', '99999999-0000-4000-8000-000000000000');
      assert.equal(code, 1);
      assert.match(stderr, /^rackwright: .*no such task/);
    });

    it('lists a distribution, all of it or what contains a text', async () => {
      assert.equal(
        await ok('registry', '-d', 'bookworm', '-a', 'libg+'),
        '- name: libg++\n  architecture: noarch\n  version: 1:1.0+b1\n  size: 7\n',
      );
      assert.equal(JSON.parse(await ok('registry', 'list', '-d', 'bookworm', '--json')).length, 3);
    });

    it('shows an artifact whole', async () => {
      const shown = await ok('registry', 'show', '-d', 'bookworm', '-a', 'hello');
      assert.match(shown, /^- name: hello\n {2}architecture: x86_64\n/);
      assert.match(shown, /\n {2}source:\n {2}- name: hello\n {4}architecture: src\n/);
      assert.match(shown, /\n {4}author: Jané <jane@example\.org>\n {4}changes:\n {4}- First build\n/);
      assert.match(shown, /\n {2}- f +26 \/usr\/bin\/hello\n/);
    });

    it('searches every distribution', async () => {
      assert.match(await ok('registry', 'search', 'hell'), /^deb bookworm main:\n- name: hello\n/);
      const { code, stderr } = await run('registry', 'search', 'nothing-like-it');
      assert.equal(code, 0);
      assert.match(stderr, /No artifact's name contains "nothing-like-it"/);
    });

    it('deletes exactly what fits, each in its own task', async () => {
      edge.world.deleted.length = 0;
      const { code, stdout, stderr } = await run(
        'registry',
        'delete',
        '-d',
        'bookworm',
        '-a',
        'hello',
        '--batch',
      );
      assert.equal(code, 0, stderr);
      assert.match(
        stdout,
        /^Submitted hello 2\.10-1\.deb12 \(src\) deletion task [0-9a-f-]{36}\nSubmitted hello/,
      );
      assert.equal(edge.world.deleted.length, 2);
      const none = await run('registry', 'delete', '-d', 'bookworm', '-a', 'hell', '--exact', '--batch');
      assert.equal(none.code, 1);
      assert.equal(edge.world.deleted.length, 2);
    });

    it('lists the states of a registry and what two of them differ in', async () => {
      assert.equal(
        await ok('registry', 'states', '-d', 'bookworm'),
        '- name: 7\n  created: 1970-01-01 00:00:05\n  superseded: the present state\n  task: t\n  snapshots: stable\n',
      );
      assert.equal(
        await ok('registry', 'diff', 'stable', '-d', 'bookworm'),
        '+ hello stable (x86_64) main\n',
      );
      assert.deepEqual(JSON.parse(await ok('registry', 'diff', '7', '-d', 'bookworm', '--json')), {
        added: [{ architecture: 'x86_64', name: 'hello', version: '7', size: 1, derivative: 'main' }],
        removed: [],
      });
      assert.equal((await run('registry', 'diff', '-d', 'bookworm')).code, 2);
    });

    it('turns each change of a registry into exactly that task', async () => {
      const place = { instance: 'default', format: 'deb', distribution: 'bookworm', derivative: 'main' };
      const keys = join(home.path, 'keys.asc');
      writeFileSync(keys, 'ARMORED');
      const source = {
        source: 'https://e.org/deb',
        suite: 's',
        components: ['main', 'extra'],
        keys: 'ARMORED',
      };
      const from = { ...place, instance: 'other', derivative: 'extra' };
      const wish = { from, snapshot: 'stable', artifact: 'hello', version: '1' };
      const origin = ['--from-instance', 'other', '--from-derivative', 'extra', '--snapshot', 'stable'];
      const what = ['-a', 'hello', '--artifact-version', '1'];
      const rows: [string[], string, object][] = [
        [['snapshot', 'stable'], 'createSnapshot', { name: 'stable' }],
        [['snapshot-delete', 'stable'], 'deleteSnapshot', { name: 'stable' }],
        [['promote', ...origin, ...what], 'promote', wish],
        [['rollback', '7'], 'rollBack', { to: '7' }],
        [
          ['import', 'https://e.org/deb', '--suite', 's', '--components', 'main,extra', '--keys', keys],
          'importArtifacts',
          source,
        ],
        [['verify'], 'verifyRegistry', {}],
        [['repair'], 'repairRegistry', {}],
        [['collect'], 'collectRegistry', {}],
        [['retain'], 'retainArtifacts', {}],
      ];
      for (const [words, method, expected] of rows) {
        const shown = await ok('registry', ...words, '-d', 'bookworm', '--batch');
        assert.match(shown, /^Submitted .* task [0-9a-f-]{36}\n$/, words.join(' '));
        const change = JSON.parse(JSON.stringify(edge.world.changes.at(-1)));
        assert.deepEqual(change, { [method]: { place, ...expected, idempotencyKey: '' } });
      }
      const event = await ok('registry', 'verify', '-d', 'bookworm', '--batch', '--json');
      assert.equal(JSON.parse(event).event, 'submitted');
    });

    it('gives a registry its update notices, and takes them away', async () => {
      const file = join(home.path, 'updateinfo.xml');
      writeFileSync(file, '<updates/>');
      const verb = ['registry', 'updateinfo', '-d', 'bookworm', '--batch'];
      for (const [words, bytes] of [
        [[file], '<updates/>'],
        [['--remove'], ''],
      ] as const) {
        assert.match(await ok(...verb, ...words), /^Submitted update notices task [0-9a-f-]{36}\n$/);
        const { uploadUpdateInfo } = JSON.parse(JSON.stringify(edge.world.changes.at(-1)));
        assert.equal(uploadUpdateInfo.request.place.derivative, 'main');
        assert.equal(uploadUpdateInfo.bytes, bytes);
      }
      assert.equal((await run(...verb)).code, 2);
      assert.equal((await run(...verb, join(home.path, 'absent'))).code, 1);
    });

    it('shows what retention would take out, and tries other rules only so', async () => {
      const shown = await run('registry', 'retain', '-d', 'bookworm', '--dry-run');
      assert.equal(
        shown.stdout,
        '- name: hello\n  architecture: x86_64\n  version: 1\n  size: 1\n' +
          '  published: 1970-01-01 00:00:05\n  newer versions: 3\n  stays in: stable\n',
      );
      assert.equal(shown.stderr, '1 artifact would go: the newest 3 versions are kept\n');
      const tried = ['registry', 'retain', '-d', 'bookworm', '--last', '2', '--newer', '30d'];
      const { rule } = JSON.parse(await ok(...tried, '--dry-run', '--json'));
      assert.deepEqual(rule, { last: 2, newer: 2_592_000 });
      const changes = edge.world.changes.length;
      assert.equal((await run(...tried)).code, 2);
      assert.equal((await run('registry', 'retain', '-d', 'bookworm', '--dry-run', '--newer', '3x')).code, 2);
      assert.equal(edge.world.changes.length, changes);
    });

    it('asks where a promotion comes from, and what a version is of', async () => {
      for (const words of [[], ['--from-derivative', 'extra', '--artifact-version', '1']]) {
        assert.equal((await run('registry', 'promote', '-d', 'bookworm', ...words)).code, 2);
      }
    });

    it('names what there is where a distribution is not', async () => {
      const { code, stderr } = await run('registry', '-d', 'bokworm');
      assert.equal(code, 1);
      assert.match(stderr, /no distribution bokworm \(did you mean bookworm\?\); there is bookworm, ci/);
    });

    it('shows and exports the key', async () => {
      assert.match(
        await ok('keyring'),
        /^userid: Ops <ops@example\.org>\nid: A\nfingerprint: AA\nalgorithm: rsa4096\n/,
      );
      assert.equal(await ok('keyring', 'export'), '-----BEGIN PGP PUBLIC KEY BLOCK-----\n');
    });

    it('submits renewals, purges, retries and images', async () => {
      edge.world.changes.length = 0;
      assert.match(
        await ok('keyring', 'renew', '--duration', '1y', '--batch'),
        /^Submitted keyring renewal task /,
      );
      assert.match(
        await ok('history', 'purge', '--policy', 'each:5', '--batch'),
        /^Submitted history purge task /,
      );
      assert.match(await ok('retry', BAD, '--batch'), /^Submitted retry task /);
      assert.match(
        await ok('images', 'create', '-f', 'deb', '--force', '--batch'),
        /^Submitted deb image creation task /,
      );
      const environments = await ok('images', 'env-create', '-d', 'bookworm', '--batch');
      assert.match(environments, /^Submitted deb bookworm x86_64 .*\nSubmitted deb bookworm aarch64 /);
      const seen = JSON.stringify(edge.world.changes);
      for (const word of [
        '"duration":"1y"',
        '"policy":"each:5"',
        '"force":true',
        '"architecture":"aarch64"',
      ]) {
        assert.ok(seen.includes(word), `${word} in ${seen}`);
      }
    });

    it('makes the images of what the server builds, and says which it leaves unmade', async () => {
      const { code, stdout, stderr } = await run('images', 'create', '--batch');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^Submitted deb image creation task \S+\n$/);
      assert.match(stderr, /^No osi image creation: this version can't build format osi yet; .*\n$/);
      const alone = await run('images', 'create', '-f', 'osi', '--batch');
      assert.equal(alone.code, 1);
      assert.match(alone.stderr, /can't build format osi yet/);
    });

    it('issues, lists and revokes tokens', async () => {
      assert.equal(await ok('tokens', 'generate', '--subject', 'ci'), 'a.b.c\n');
      assert.match(await ok('tokens', 'list', '--issued'), /^- id: j\n {2}user: jane\n/);
      assert.match((await run('tokens', 'revoke', 'j')).stderr, /^Revoked token j\n$/);
    });

    it('cancels', async () => {
      assert.match((await run('cancel', RUNNING)).stderr, /^Cancelling task 11111111/);
      assert.equal((await run('cancel', '99999999-0000-4000-8000-000000000000')).code, 1);
    });
  });
}

describe('over HTTP only', () => {
  it('finds the instance itself where the address names none', async () => {
    const { code, stdout, stderr } = await home.run(['--uri', edge.url, 'registry', '-d', 'bookworm']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /name: hello/);
  });

  it('asks which instance when there are several and none is called default', async () => {
    const others = ['east', 'west'].map(id => ({ id, name: id, userid: 'Ops <ops@example.org>' }));
    const kept = edge.world.instances.splice(0, 1, ...others);
    try {
      const { code, stderr } = await home.run(['--uri', edge.url, 'list']);
      assert.equal(code, 1);
      assert.match(stderr, /does not say which instance \(it has east, west\); add --instance NAME/);
      assert.equal((await home.run(['--uri', edge.url, 'list', '--instance', 'east'])).code, 0);
    } finally {
      edge.world.instances.splice(0, 2, ...kept);
    }
  });

  it("says in the server's words what it may not do", async () => {
    const { code, stderr } = await home.run([
      '--uri',
      `${edge.url}/default`,
      'keyring',
      'renew',
      '--duration',
      '1y',
    ]);
    assert.equal(code, 1);
    assert.match(stderr, /^rackwright: anonymous .*edit-keyring\n$/);
  });

  it('refuses a shell, which needs the socket', async () => {
    const { code, stderr } = await home.run([
      '--uri',
      `${edge.url}/default`,
      'images',
      'env-shell',
      '-d',
      'bookworm',
    ]);
    assert.equal(code, 2);
    assert.match(stderr, /a shell needs the daemon's socket/);
  });
});
