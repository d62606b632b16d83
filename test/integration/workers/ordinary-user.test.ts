/** The sandbox as an ordinary user: the same tests, run by a user with a range of ids and no other right. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openAttempt } from '../../support/attempt.ts';
import { preparedRoot, testCache } from '../../support/environment.ts';
import { MINI_BUILD } from '../../support/mini-package.ts';
import { ordinaryUser } from '../../support/ordinary-user.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');
/** Those that say something about ids, privileges and the end of processes. */
const PATTERN =
  'build runs as|nothing of the host|refused in a build|who installs|changes stay|fork bomb|cancel ends|exchange folder|same bytes|endless template';

let base = '';
const skip = process.getuid?.() === 0 ? false : 'needs root, to become another user';

before(async () => {
  if (skip) return;
  await preparedRoot();
  base = mkdtempSync(join(tmpdir(), 'rackwright-user-'));
  chmodSync(base, 0o755);
});
after(() => {
  if (base === '') return;
  try {
    execFileSync('umount', [join(base, 'repository')], { stdio: 'ignore' });
  } catch {
    // Mounted in a namespace that has ended.
  }
  rmSync(base, { recursive: true, force: true });
});

/** What the test of the same bytes gets when root runs it. */
async function builtAsRoot(): Promise<string> {
  const opened = await openAttempt();
  try {
    const sandbox = await opened.attempt.context.openSandbox({
      roots: [await preparedRoot()],
      work: join(opened.place, 'sandbox'),
    });
    const env = { SOURCE_DATE_EPOCH: '1767225600' };
    const { stdout } = await sandbox.run(['sh', '-c', MINI_BUILD], { capture: 65_536, env });
    return stdout.toString('utf8');
  } finally {
    await opened.close();
  }
}

test('an ordinary user builds in the same sandbox, and nothing of it is left', { skip }, async () => {
  const { name, uid, home } = ordinaryUser();
  assert.match(readFileSync('/etc/subuid', 'utf8'), new RegExp(`^${name}:\\d+:65536$`, 'm'));
  const cache = join(base, 'cache');
  // The tarball saves the minute that the environment takes; it is the same for every user.
  mkdirSync(join(cache, `uid-${uid}`, 'cache'), { recursive: true });
  const kept = join(testCache(), 'cache', 'environments');
  if (existsSync(kept)) execFileSync('cp', ['-a', kept, join(cache, `uid-${uid}`, 'cache', 'environments')]);
  execFileSync('chown', ['-R', `${uid}:${uid}`, cache]);
  const temporary = join(base, 'tmp');
  mkdirSync(temporary);
  chownSync(temporary, uid, uid);
  const repository = join(base, 'repository');
  mkdirSync(repository);
  // The checkout may lie where another user cannot look: it is shown elsewhere, in a mount namespace of the test.
  const node = process.execPath.replace(REPOSITORY, repository);
  const script = `mount --bind "${REPOSITORY}" "${repository}" && cd "${repository}" && exec setpriv --reuid=${uid} --regid=${uid} --init-groups "$@"`;
  const command = [
    node,
    '--test',
    `--test-name-pattern=${PATTERN}`,
    'test/integration/workers/sandbox.test.ts',
    'test/integration/workers/sweep.test.ts',
  ];
  const child = spawn(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...command],
    {
      env: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: home,
        TMPDIR: temporary,
        RACKWRIGHT_TEST_CACHE: cache,
        RACKWRIGHT_TEST_PACKAGE: await builtAsRoot(),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout.on('data', bytes => (output += String(bytes)));
  child.stderr.on('data', bytes => (output += String(bytes)));
  const code = await new Promise(resolve => child.once('close', resolve));
  assert.equal(code, 0, output);
  assert.match(output, /pass (1[5-9]|2\d)/);
  assert.deepEqual(
    readdirSync(temporary).filter(name => name.startsWith('rackwright-')),
    [],
  );
});
