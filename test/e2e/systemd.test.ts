/** The units on a booted systemd: verified, started, watched, reloaded and stopped as a site would. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

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
      execFile('bash', [BOX, 'exec', box, ...command], { timeout: 60_000 }, (error, stdout, stderr) =>
        resolve({
          code: typeof error?.code === 'number' ? error.code : error ? -1 : 0,
          output: stdout + stderr,
        }),
      );
    });
  const ask = async (...command: string[]): Promise<string> => (await inside(...command)).output.trim();
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

  test('a daemon that hangs is started again by the watchdog, and its socket stays', async () => {
    const pid = await property('rackwrightd', 'MainPID');
    // Stopping the process is what a blocked main loop looks like from outside. The unit's limit is shortened for this.
    await inside('mkdir', '-p', '/run/systemd/system/rackwrightd.service.d');
    await inside(
      'sh',
      '-c',
      'printf "[Service]\\nWatchdogSec=3\\n" >/run/systemd/system/rackwrightd.service.d/quick.conf',
    );
    await inside('systemctl', 'daemon-reload');
    await inside('systemctl', 'restart', 'rackwrightd.service');
    const again = await property('rackwrightd', 'MainPID');
    assert.notEqual(again, pid);
    await new Promise(resolve => setTimeout(resolve, 5000));
    assert.equal(await property('rackwrightd', 'MainPID'), again, 'it lives as long as it tells so');
    await inside('kill', '-STOP', again);
    const end = Date.now() + 40_000;
    while ((await property('rackwrightd', 'NRestarts')) === '0') {
      assert.ok(Date.now() < end, await ask('journalctl', '-u', 'rackwrightd', '--no-pager'));
      await new Promise(resolve => setTimeout(resolve, 500));
    }
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
