/** The units on a booted systemd: verified, started, watched, reloaded and stopped as a site would. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BOX = join(ROOT, 'test/support/systemd-box.sh');
const UNITS = [
  'rackwrightd.service',
  'rackwrightd.socket',
  'rackwright-edge.service',
  'rackwright-edge.socket',
  'rackwright-build.slice',
];

describe('the units', () => {
  const box = mkdtempSync(join(tmpdir(), 'rwbox-'));
  /** Runs a command inside; exit code and both outputs. */
  const inside = (...command: string[]): Promise<{ code: number; output: string }> =>
    new Promise(resolve => {
      execFile('bash', [BOX, 'exec', box, ...command], { timeout: 300_000 }, (error, stdout, stderr) =>
        resolve({
          code: typeof error?.code === 'number' ? error.code : error ? -1 : 0,
          output: stdout + stderr,
        }),
      );
    });
  const ask = async (...command: string[]): Promise<string> => (await inside(...command)).output.trim();
  /** Waits until a unit's journal has it: journald takes in what was written a little later. */
  const logged = (unit: string, words: RegExp): Promise<void> =>
    until(async () => words.test(await ask('journalctl', '-u', unit, '--no-pager')));
  const property = (unit: string, name: string): Promise<string> =>
    ask('systemctl', 'show', '--value', '-p', name, unit);

  before(async () => {
    const units = join(box, 'upper/etc/systemd/system');
    mkdirSync(units, { recursive: true });
    for (const unit of UNITS) cpSync(join(ROOT, 'systemd', unit), join(units, unit));
    for (const kind of ['sysusers', 'tmpfiles']) {
      mkdirSync(join(box, `upper/etc/${kind}.d`), { recursive: true });
      cpSync(join(ROOT, `systemd/rackwright.${kind}.conf`), join(box, `upper/etc/${kind}.d/rackwright.conf`));
    }
    execFileSync('bash', [BOX, 'start', box, `${ROOT}:/usr/lib/rackwright`]);
    assert.equal((await inside('systemd-sysusers')).code, 0);
    assert.equal((await inside('systemd-tmpfiles', '--create', 'rackwright.conf')).code, 0);
  });
  after(() => {
    execFileSync('bash', [BOX, 'stop', box]);
    rmSync(box, { recursive: true, force: true });
  });

  test('systemd-analyze verify has no complaint about any of them', async () => {
    const verified = await inside('systemd-analyze', 'verify', ...UNITS);
    assert.equal(verified.output.trim(), '');
    assert.equal(verified.code, 0);
  });

  test('the daemon starts on its socket, tells that it is ready and what it does', async () => {
    const started = await inside('systemctl', 'start', 'rackwrightd.socket', 'rackwrightd.service');
    assert.equal(
      started.code,
      0,
      `${started.output}\n${await ask('journalctl', '-u', 'rackwrightd', '--no-pager')}`,
    );
    assert.equal(await property('rackwrightd', 'ActiveState'), 'active');
    assert.match(await property('rackwrightd', 'StatusText'), /^\d+ running, \d+ waiting$/);
    const [mode, owner] = (await ask('stat', '-c', '%a %U:%G', '/run/rackwright/control.sock')).split(' ');
    assert.deepEqual([mode, owner], ['660', 'rackwright:rackwright']);
    assert.equal(
      await ask('stat', '-c', '%a %U:%G', '/run/rackwright/edge.sock'),
      '660 rackwright:rackwright-edge',
    );
    assert.equal(
      await ask('stat', '-c', '%a %U:%G', '/var/lib/rackwright/spool'),
      '3770 rackwright:rackwright-edge',
    );
  });

  test('the daemon sits in a leaf of the group that was handed to it, and groups of tasks may lie beside', async () => {
    const own = await ask('cat', `/proc/${await property('rackwrightd', 'MainPID')}/cgroup`);
    const path = /^0::(\/.*\/rackwrightd\.service)\/daemon$/m.exec(own)?.[1];
    assert.ok(path, own);
    const mount = (await ask('findmnt', '-n', '-o', 'TARGET', '-t', 'cgroup2')).split('\n')[0];
    assert.equal(await ask('cat', `${mount}${path}/cgroup.procs`), '', 'an inner group holds no process');
    const beside = `${mount}${path}/task`;
    const made = await inside(
      'setpriv',
      '--reuid=rackwright',
      '--clear-groups',
      '--',
      'sh',
      '-c',
      `mkdir ${beside} && rmdir ${beside}`,
    );
    assert.equal(made.code, 0, made.output);
  });

  test('a reload puts settings in force, and fails with every fault when they are bad', async () => {
    const write = (text: string) => inside('sh', '-c', `printf '${text}' >/etc/rackwright/rackwright.ini`);
    const journal = () => ask('journalctl', '-u', 'rackwrightd', '--no-pager');
    await write('[tasks]\\nworkers = 2\\n[dirs]\\ntmp = /tmp\\n');
    assert.equal((await inside('systemctl', 'reload', 'rackwrightd')).code, 0, await journal());
    await logged('rackwrightd', /restart needed for: \[dirs\]>tmp/);
    await write('[tasks]\\nworkers = many\\n');
    assert.notEqual((await inside('systemctl', 'reload', 'rackwrightd')).code, 0);
    await logged('rackwrightd', /rackwright\.ini:2: \[tasks\]>workers: "many" is not a whole number/);
    assert.equal(await property('rackwrightd', 'ActiveState'), 'active');
    await inside('rm', '/etc/rackwright/rackwright.ini');
    assert.equal((await inside('systemctl', 'reload', 'rackwrightd')).code, 0, await journal());
  });

  test('the command line reaches it over the control socket', async () => {
    const node = '/usr/lib/rackwright/node_modules/.bin/node';
    const listed = await inside(node, '/usr/lib/rackwright/edge/cli/main.ts', 'list');
    assert.equal(listed.code, 0, listed.output);
    assert.match(listed.output, /No running task/);
  });

  test('the edge starts, answers, and may not open the control socket', async () => {
    const started = await inside('systemctl', 'start', 'rackwright-edge.socket', 'rackwright-edge.service');
    assert.equal(
      started.code,
      0,
      `${started.output}\n${await ask('journalctl', '-u', 'rackwright-edge', '--no-pager')}`,
    );
    assert.equal(await ask('curl', '-sf', 'http://127.0.0.1:5000/version'), 'Rackwright v0.1.0');
    const instances = await ask('curl', '-sf', 'http://127.0.0.1:5000/instances.json');
    assert.match(instances, /"id":"default"/);
    const knock = await inside(
      'setpriv',
      '--reuid=rackwright-edge',
      '--regid=rackwright-edge',
      '--init-groups',
      'test',
      '-w',
      '/run/rackwright/control.sock',
    );
    assert.notEqual(knock.code, 0);
  });

  test('the edge reloads, too, stays the same process, and fails the reload with every fault', async () => {
    const write = (text: string) => inside('sh', '-c', `printf '${text}' >/etc/rackwright/rackwright.ini`);
    const journal = () => ask('journalctl', '-u', 'rackwright-edge', '--no-pager');
    const pid = await property('rackwright-edge', 'MainPID');
    await write('[edge]\\nlisting = no\\ninstance = other\\n');
    assert.equal((await inside('systemctl', 'reload', 'rackwright-edge')).code, 0, await journal());
    await logged('rackwright-edge', /restart needed for: \[edge\]>instance/);
    await write('[edge]\\nlisting = perhaps\\n');
    assert.notEqual((await inside('systemctl', 'reload', 'rackwright-edge')).code, 0);
    await logged('rackwright-edge', /rackwright\.ini:2: \[edge\]>listing: /);
    await inside('rm', '/etc/rackwright/rackwright.ini');
    assert.equal((await inside('systemctl', 'reload', 'rackwright-edge')).code, 0, await journal());
    assert.equal(await property('rackwright-edge', 'MainPID'), pid);
  });

  test('a daemon that hangs is started again by the watchdog, and its socket stays', async () => {
    const pid = await property('rackwrightd', 'MainPID');
    // Stopping the process is what a blocked main loop looks like from outside. The unit's limits are shortened for this.
    const limits = '[Service]\\nWatchdogSec=10\\nTimeoutAbortSec=2\\n';
    await inside('mkdir', '-p', '/run/systemd/system/rackwrightd.service.d');
    await inside('sh', '-c', `printf '${limits}' >/run/systemd/system/rackwrightd.service.d/quick.conf`);
    await inside('systemctl', 'daemon-reload');
    await inside('systemctl', 'restart', 'rackwrightd.service');
    const again = await property('rackwrightd', 'MainPID');
    assert.notEqual(again, pid);
    // Three of them last longer than it may be silent.
    const signs = new Set<string>();
    await until(async () => signs.add(await property('rackwrightd', 'WatchdogTimestampMonotonic')).size > 3);
    assert.equal(await property('rackwrightd', 'MainPID'), again, 'it lives as long as it tells so');
    await inside('kill', '-STOP', again);
    await until(async () => (await property('rackwrightd', 'NRestarts')) !== '0', 300_000);
    const node = '/usr/lib/rackwright/node_modules/.bin/node';
    const listed = await inside(node, '/usr/lib/rackwright/edge/cli/main.ts', 'list');
    assert.equal(listed.code, 0, listed.output);
  });

  test('both stop in order', async () => {
    for (const unit of ['rackwright-edge.service', 'rackwrightd.service']) {
      assert.equal((await inside('systemctl', 'stop', unit)).code, 0);
      assert.equal(
        await property(unit, 'Result'),
        'success',
        await ask('journalctl', '-u', unit, '--no-pager'),
      );
    }
  });
});
