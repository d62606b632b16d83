/** Reading settings again: all or nothing, in force when it returns, and what waits for a restart is named. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type Home,
  makeHome,
  pretendReady,
  type RunningDaemon,
  spoolBuild,
  startDaemon,
} from '../../support/daemon.ts';
import { until } from '../../support/until.ts';

const MAIN = fileURLToPath(new URL('../../../daemon/main.ts', import.meta.url));
const HERE = { instance: 'default' };
const BEFORE = '[tasks]\nworkers = 1\nmax_workers = 1\n';
const instanceFile = (name: string): string =>
  `name: ${name}\ngpg: {name: Team, email: team@example.org}\nformats:\n  deb:\n  - {name: bookworm, env: bookworm}\n`;
const policy = (actions: string): string => `[roles]\nanonymous\n[anonymous]\nactions=${actions}\n`;

describe('a reload', () => {
  let home: Home;
  let daemon: RunningDaemon;
  let inventory = '';
  beforeEach(async () => {
    home = makeHome();
    inventory = join(home.path, 'inventory');
    home.configure('rackwright.ini', `${BEFORE}[drawing]\ndatabase = ${inventory}\n`);
    home.configure('policy.ini', policy('view-task'));
    home.configure('instances.d/default.yml', instanceFile('Before'));
    pretendReady(home);
    daemon = await startDaemon(home, { quick: true });
  });
  afterEach(async () => {
    await daemon.stop('SIGKILL');
    home.remove();
  });

  const reload = async (): Promise<string[]> =>
    (await daemon.service('DaemonService').reloadSettings({})).restart;
  const submit = async (artifact: string): Promise<string> =>
    (await daemon.service('BuildService').submitBuild(spoolBuild(home, artifact))).task;
  const state = async (task: string) =>
    (await daemon.service('TaskService').getTask({ ...HERE, task })).task?.state;
  const allowed = async (): Promise<string[]> =>
    (await daemon.service('TokenService', 'edge').whoAmI(HERE)).actions;
  const names = async (): Promise<string[]> =>
    (await daemon.service('InstanceService').listInstances({})).instances.map(instance => instance.name);

  test('puts numbers, limits, hook, level, tokens, policy and instances in force at once', async () => {
    const running = await submit('wait600000-a');
    const waiting = [await submit('wait600000-b'), await submit('wait600000-c')];
    const { token } = await daemon.service('TokenService').issueToken({ ...HERE, subject: 'jane' });
    const seen = join(home.path, 'seen');
    const hook = join(home.path, 'hook.sh');
    writeFileSync(hook, `#!/bin/sh\necho "$RACKWRIGHT_TASK_STAGE" >>${seen}\n`, { mode: 0o755 });
    home.configure(
      'rackwright.ini',
      `[tasks]\nworkers = 3\nmax_workers = 3\nhook = ${hook}\npurge = last:7\n[edge]\nmax_upload = 10\nmax_message = 9\n` +
        `[tokens]\naudience = elsewhere\n[daemon]\ndebug = yes\n[drawing]\ndatabase = ${inventory}\n`,
    );
    home.configure('policy.ini', policy('view-task,view-keyring'));
    home.configure('instances.d/default.yml', instanceFile('After'));
    home.configure('instances.d/second.yml', instanceFile('Second'));
    assert.deepEqual(await reload(), [
      '[edge]>max_upload (rackwright-edge)',
      '[edge]>max_message (rackwright-edge)',
    ]);
    for (const task of [running, ...waiting]) assert.equal(await state(task), 'TASK_STATE_RUNNING');
    await until(async () => {
      try {
        return readFileSync(seen, 'utf8') === 'start\nstart\n';
      } catch {
        return false;
      }
    });
    assert.deepEqual(await names(), ['After', 'Second']);
    assert.deepEqual((await allowed()).sort(), ['view-keyring', 'view-task']);
    await assert.rejects(submit('ok'), { reason: 'too-large' });
    const long = spoolBuild(home, 'ok', { message: 'ten bytes!' });
    await assert.rejects(daemon.service('BuildService').submitBuild(long), {
      reason: 'too-large',
      message: 'the message is longer than 9 bytes',
    });
    const call = { authorization: `Bearer ${token}` };
    await assert.rejects(daemon.service('TokenService', 'edge').whoAmI(HERE, call), { kind: 'forbidden' });
    await daemon.service('TokenService').issueToken({ instance: 'second', subject: 'jane' });
    const { task } = await daemon.service('TaskService').purgeHistory(HERE);
    const purge = await daemon.service('TaskService').getTask({ ...HERE, task });
    assert.equal(purge.task?.state, 'TASK_STATE_PENDING', 'three workers are busy');
  });

  test('goes by the formats of images at once, and warns of keys without effect', async () => {
    const deb = { ...HERE, format: 'deb' };
    const images = daemon.service('ImageService');
    await images.createImage({ ...deb, force: true });
    home.configure(
      'rackwright.ini',
      `${BEFORE}[images]\nformats = rpm\ndefs = /x\n[drawing]\ndatabase = ${inventory}\n`,
    );
    assert.deepEqual(await reload(), []);
    await assert.rejects(images.createImage({ ...deb, force: true }), {
      kind: 'refused',
      reason: 'no-image',
      message: /\[images\] formats of the settings leaves it out/,
    });
    assert.match(daemon.log(), /rackwright\.ini:6: \[images\]>defs: has no effect here: /);
  });

  test('names the keys that wait for a restart, and goes by the old ones until then', async () => {
    const elsewhere = join(home.path, 'elsewhere');
    home.configure(
      'rackwright.ini',
      `${BEFORE}workspaces = ${elsewhere}\n[dirs]\ncache = \${lib}/elsewhere\n[daemon]\nlisten = 127.0.0.1:1\n` +
        `[drawing]\ndatabase = ${inventory}\nrenderers = 5\ncors = *\n`,
    );
    const expected = [
      ...['[dirs]>cache', '[daemon]>listen', '[tasks]>workspaces'],
      ...['[drawing]>renderers', '[drawing]>cors (rackwright-edge)'],
    ];
    assert.deepEqual(await reload(), expected);
    const task = await submit('ok');
    const { task: found } = await daemon.service('TaskService').getTask({ ...HERE, task });
    assert.ok(found?.place.startsWith(join(home.path, 'lib/workspaces')));
    const words = `restart needed for: ${expected.join(', ')}`;
    assert.ok(daemon.log().includes(words), daemon.log());
    const command = spawnSync(process.execPath, [MAIN, '--home', home.path, 'reload'], { encoding: 'utf8' });
    assert.equal(command.status, 0, command.stderr);
    assert.match(command.stdout, /^restart needed for: \[dirs\]>cache, /);
  });

  test('takes nothing over when anything is faulty, and tells every fault', async () => {
    home.configure(
      'rackwright.ini',
      `[tasks]\nworkers = many\n[drawing]\ndatabase = ${inventory}\nmemory = x\n`,
    );
    home.configure('policy.ini', policy('view-task,fly'));
    home.configure('instances.d/default.yml', instanceFile('After'));
    home.configure('instances.d/broken.yml', 'name: 7\n');
    await assert.rejects(reload(), (error: Error & { reason?: string }) => {
      assert.equal(error.reason, 'bad-settings');
      assert.match(error.message, /rackwright\.ini:2: \[tasks\]>workers: "many" is not a whole number/);
      assert.match(error.message, /rackwright\.ini:5: \[drawing\]>memory: /);
      assert.match(error.message, /policy\.ini:4: \[anonymous\]>actions: unknown action fly/);
      assert.match(error.message, /broken\.yml:1:1: /);
      return true;
    });
    assert.deepEqual(await names(), ['Before']);
    assert.deepEqual(await allowed(), ['view-task']);
    const command = spawnSync(process.execPath, [MAIN, '--home', home.path, 'reload'], { encoding: 'utf8' });
    assert.equal(command.status, 1);
    assert.match(command.stderr, /\[tasks\]>workers: "many" is not a whole number/);
    home.configure('rackwright.ini', `${BEFORE}[drawing]\ndatabase = ${inventory}\n`);
    home.configure('policy.ini', policy('view-task'));
    home.configure('instances.d/broken.yml', instanceFile('Mended'));
    assert.deepEqual(await reload(), []);
    assert.deepEqual(await names(), ['Mended', 'After']);
  });

  test('keeps all as it was when the inventory is refused', async () => {
    mkdirSync(inventory);
    writeFileSync(join(inventory, 'types.yml'), 'no: [closing\n');
    home.configure('instances.d/default.yml', instanceFile('After'));
    await assert.rejects(reload(), { reason: 'bad-inventory', message: /types\.yml:\d+/ });
    assert.deepEqual(await names(), ['Before']);
  });

  test('by SIGHUP says in the log what came of it', async () => {
    const said = (words: string) => async () => daemon.log().includes(words);
    home.configure('instances.d/default.yml', instanceFile('After'));
    daemon.child.kill('SIGHUP');
    await until(said('settings reloaded'));
    assert.deepEqual(await names(), ['After']);
    home.configure('instances.d/default.yml', 'name: 7\n');
    daemon.child.kill('SIGHUP');
    await until(said('the old settings stay in force'));
    assert.match(daemon.log(), /default\.yml:1:1: /);
    assert.deepEqual(await names(), ['After']);
  });
});
