/** SIGHUP of the edge: settings anew, all or nothing, and in its log what waits for a restart. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readTokenKey } from '../../../edge/auth/key.ts';
import { issueToken } from '../../../edge/auth/token.ts';
import { type Home, makeHome } from '../../support/daemon.ts';
import { until } from '../../support/until.ts';

const MAIN = fileURLToPath(new URL('../../../edge/main.ts', import.meta.url));
const edgeIni = (lines: string): string => `[edge]\nhost = 127.0.0.1\nport = 0\nmetrics = yes\n${lines}`;
const gatewayIni = (more = ''): string =>
  `[service]\nport = 0\n[agents]\nurl = http://127.0.0.1:1\n[authentication]\nenabled = no\n[jwt]\nkey = \${state_dir}/jwt.key\n${more}`;
const agentIni = (more = ''): string =>
  '[service]\ncluster = demo\nport = 0\n[slurmrestd]\nuri = http://127.0.0.1:1\njwt_mode = static\njwt_token = x\n' +
  `[jwt]\nkey = \${state_dir}/jwt.key\n[policy]\nroles = \${config_dir}/roles.ini\n${more}`;
const roles = (actions: string): string => `[roles]\nuser=ALL\n[user]\nactions=${actions}\n`;

describe('an edge that is told to reload', () => {
  let home: Home;
  let edge: ChildProcess;
  let ended: Promise<number | null>;
  let said = '';
  /** Addresses of build service, gateway and agent. */
  const urls: string[] = [];

  before(async () => {
    home = makeHome();
    mkdirSync(join(home.path, 'lib'), { recursive: true });
    writeFileSync(join(home.path, 'lib/jwt.key'), randomBytes(32), { mode: 0o600 });
    home.configure('rackwright.ini', edgeIni(''));
    home.configure('gateway.ini', gatewayIni());
    home.configure('agent.ini', agentIni());
    home.configure('roles.ini', roles('view-jobs'));
    edge = spawn(process.execPath, [MAIN, '--home', home.path], { stdio: ['ignore', 'pipe', 'pipe'] });
    ended = new Promise(resolve => edge.once('exit', resolve));
    edge.stderr?.on('data', chunk => {
      said += chunk;
    });
    createInterface({ input: edge.stdout! }).on('line', line => urls.push(line.replace('listening ', '')));
    await until(() => urls.length > 0);
    await until(async () => (await metrics()) === 200);
  });
  after(async () => {
    edge.kill('SIGKILL');
    await ended;
    home.remove();
  });

  const metrics = async (): Promise<number> => (await fetch(`${urls[0]}/metrics`)).status;
  const permissions = async (): Promise<string[]> => {
    const keys = [readTokenKey(join(home.path, 'lib/jwt.key'), 'HS256')];
    const issue = issueToken({ algorithm: 'HS256', audience: 'slurm-web', keys, now: Date.now }, 1);
    const { token } = await issue('ann', []);
    const answers = await Promise.all(
      urls.map(url =>
        fetch(`${url}/agent/v6.0.0/permissions`, { headers: { authorization: `Bearer ${token}` } }),
      ),
    );
    const answer = answers.find(one => one.status === 200);
    assert.ok(answer);
    return ((await answer.json()) as { actions: string[] }).actions;
  };
  /** Tells it, and waits for its word in the log; what it has said since. */
  const reload = async (word: RegExp): Promise<string> => {
    const before = said.length;
    edge.kill('SIGHUP');
    await until(() => word.test(said.slice(before)));
    return said.slice(before);
  };

  test('and has nothing new to read says no more than that', async () => {
    assert.doesNotMatch(await reload(/settings reloaded/), /restart/);
  });

  test('takes over whose metrics they are, and the roles of the agent', async () => {
    home.configure('rackwright.ini', edgeIni('metrics_restrict = 192.0.2.0/24\n'));
    home.configure('roles.ini', roles('view-jobs,view-nodes'));
    assert.doesNotMatch(await reload(/settings reloaded/), /restart/);
    assert.equal(await metrics(), 403);
    assert.deepEqual(await permissions(), ['jobs-view', 'nodes-view', 'view-jobs', 'view-nodes']);
    home.configure('rackwright.ini', edgeIni(''));
    await reload(/settings reloaded/);
    assert.equal(await metrics(), 200);
  });

  test('names what waits for a restart, and goes on as it was there', async () => {
    home.configure('rackwright.ini', edgeIni('instance = other\n'));
    home.configure('gateway.ini', gatewayIni('duration = 3\n'));
    writeFileSync(join(home.path, 'lib/jwt.key'), randomBytes(32), { mode: 0o600 });
    const log = await reload(/restart needed for/);
    assert.match(
      log,
      /restart needed for: \[edge\]>instance, gateway\.ini \[jwt\]>duration, gateway\.ini: keys and secrets, agent\.ini: keys and secrets\n/,
    );
    assert.equal((await fetch(`${urls[0]}/version`)).status, 200);
  });

  test('keeps all settings when one file is broken, and tells every fault', async () => {
    home.configure('rackwright.ini', edgeIni('metrics_restrict = 192.0.2.0/24\nlisting = perhaps\n'));
    home.configure('agent.ini', agentIni('[metrics]\nenabled = perhaps\n'));
    const log = await reload(/the old settings stay in force/);
    assert.match(log, /rackwright\.ini:6: \[edge\]>listing: /);
    assert.match(log, /agent\.ini:\d+: \[metrics\]>enabled: /);
    assert.equal(await metrics(), 200);
  });

  /** As the unit's ExecReload does. */
  const command = async (...words: string[]): Promise<{ code: unknown; told: string }> => {
    const child = spawn(process.execPath, [MAIN, '--home', home.path, ...words], { stdio: 'pipe' });
    let told = '';
    child.stderr.on('data', chunk => {
      told += chunk;
    });
    return { code: await new Promise(resolve => child.once('close', resolve)), told };
  };

  test('by systemd is not told when there are faults: the command fails with every one of them', async () => {
    const before = said.length;
    const { code, told } = await command('reload', `${edge.pid}`);
    assert.equal(code, 1);
    assert.match(told, /rackwright\.ini:6: \[edge\]>listing: /);
    assert.equal(said.length, before);
    assert.equal((await command('check')).code, 1);
  });

  test('by systemd is told when there are none', async () => {
    home.configure('rackwright.ini', edgeIni('metrics_restrict = 192.0.2.0/24\n'));
    home.configure('agent.ini', agentIni());
    assert.deepEqual(await command('reload', `${edge.pid}`), { code: 0, told: '' });
    await until(async () => (await metrics()) === 403);
    const { code, told } = await command('reload', '0');
    assert.deepEqual([code, told], [1, 'reload PID: the process id of the edge\n']);
  });

  test('and then to stop ends in order', async () => {
    edge.kill('SIGTERM');
    assert.equal(await ended, 0);
  });
});
