/** Downloads obey the policy: apt and dnf get packages with a token as password, and nothing without. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Connection, connect } from '../../proto/rpc.ts';
import { type Client, loadProtocol } from '../../proto/services.ts';
import { openAptClient } from '../support/apt-client.ts';
import { openDnf } from '../support/dnf-client.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { makeRpm } from '../support/rpms.ts';
import { tinyDeb, writeTinyDeb } from '../support/tiny-deb.ts';

const INSTANCE = `name: Example site
gpg: {name: Example team, email: team@example.org}
formats:
  deb:
  - {name: stable, env: bookworm, tag: deb12}
  rpm:
  - {name: el9, env: rocky-9, tag: el9}
`;
const POLICY = `[roles]
anonymous
readers=jane
[anonymous]
actions=view-keyring
[readers]
actions=view-registry
`;

describe('a registry that is not for everybody', () => {
  const home = mkdtempSync(join(tmpdir(), 'rw-policy-'));
  let pair: Pair;
  let connection: Connection;
  let tasks: Client<'TaskService'>;
  let token = '';
  let key = '';

  before(async () => {
    mkdirSync(join(home, 'etc/instances.d'), { recursive: true });
    writeFileSync(join(home, 'etc/instances.d/site.yml'), INSTANCE);
    writeFileSync(join(home, 'etc/policy.ini'), POLICY);
    pair = await startPair({ home });
    connection = connect(loadProtocol(), `unix:${pair.controlSocket}`);
    tasks = connection.service('TaskService');
    const folder = join(home, 'in');
    makeRpm(folder, { name: 'hello', version: '1' });
    writeTinyDeb(folder, tinyDeb('hello', '1-1'));
    const registry = connection.service('RegistryService');
    const place = { instance: 'site', derivative: 'main' };
    for (const [format, distribution] of [
      ['deb', 'stable'],
      ['rpm', 'el9'],
    ] as const) {
      const { task } = await registry.importArtifacts({
        place: { ...place, format, distribution },
        source: folder,
      });
      await finish(task);
    }
    token = (await connection.service('TokenService').issueToken({ instance: 'site', subject: 'jane' }))
      .token;
    key = join(home, 'key.asc');
    writeFileSync(key, await (await fetch(`${pair.url}/site/keyring.asc`)).text());
  });
  after(async () => {
    connection?.close();
    await pair?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function finish(id: string): Promise<void> {
    for (;;) {
      const { task } = await tasks.getTask({ instance: 'site', task: id });
      if (task?.state === 'TASK_STATE_FINISHED') {
        assert.equal(task.result, 'TASK_RESULT_SUCCESS', task.reason);
        return;
      }
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }

  test('gives apt everything with a token as password, and nothing without', async () => {
    for (const password of [token, `${token.slice(0, -4)}AAAA`, null]) {
      const apt = openAptClient(`deb [signed-by=${key}] ${pair.url}/site/deb stable main`);
      if (password !== null) {
        const line = `machine ${pair.url}/ login jane password ${password}\n`;
        writeFileSync(join(apt.folder, 'etc/auth.conf'), line, { mode: 0o600 });
      }
      const update = await apt.run('apt-get', 'update');
      if (password === token) {
        assert.doesNotMatch(update.output, /^[WE]:/m);
        assert.equal((await apt.run('apt-get', 'download', 'hello')).code, 0);
      } else {
        assert.match(update.output, /403 +Forbidden/);
        assert.notEqual(update.code, 0);
      }
      apt.close();
    }
  });

  test('gives dnf everything with a token as password, and nothing without', async () => {
    const url = `${pair.url}/site/rpm/el9/main/x86_64/`;
    const dnf = openDnf({ url, key, login: { username: 'jane', password: token } });
    const installed = await dnf.run('install', 'hello');
    assert.equal(installed.code, 0, installed.output);
    dnf.close();
    const stranger = openDnf({ url, key });
    const refused = await stranger.run('install', 'hello');
    assert.match(refused.output, /403/);
    assert.notEqual(refused.code, 0);
    stranger.close();
  });

  test('shows neither files nor folders nor lists to others', async () => {
    const paths = [
      'deb/dists/stable/InRelease',
      'deb/pool/',
      'rpm/el9/main/',
      'registry.json',
      'search.json?artifact=h',
    ];
    for (const path of paths) {
      assert.equal((await fetch(`${pair.url}/site/${path}`)).status, 403, path);
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await fetch(`${pair.url}/site/${path}`, { headers })).status, 200, path);
    }
  });
});
