/** A backup of the running pair in one file, taken while it publishes, and put back after everything is gone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Connection, connect } from '../../proto/rpc.ts';
import { type Client, loadProtocol } from '../../proto/services.ts';
import { openAptClient } from '../support/apt-client.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { tinyDeb, writeTinyDeb } from '../support/tiny-deb.ts';

const CLI = fileURLToPath(new URL('../../edge/cli/main.ts', import.meta.url));
const PLACE = { instance: 'site', format: 'deb', distribution: 'stable', derivative: 'main' };
const INSTANCE = `name: Example site
gpg: {name: Example team, email: team@example.org}
formats:
  deb:
  - {name: stable, env: bookworm, tag: deb12}
`;

describe('a backup of a running site', () => {
  const parent = mkdtempSync(join(tmpdir(), 'rw-bak-'));
  const home = join(parent, 'home');
  const file = join(parent, 'site.tar');
  let pair: Pair;
  let connection: Connection;
  let registry: Client<'RegistryService'>;
  let tasks: Client<'TaskService'>;
  let number = 0;
  const acknowledged: string[] = [];
  let inBackup: string[] = [];

  async function start(): Promise<void> {
    pair = await startPair({ home });
    connection = connect(loadProtocol(), `unix:${pair.controlSocket}`);
    registry = connection.service('RegistryService');
    tasks = connection.service('TaskService');
  }
  async function stop(): Promise<void> {
    connection?.close();
    await pair?.stop();
  }
  before(async () => {
    mkdirSync(join(home, 'etc/instances.d'), { recursive: true });
    writeFileSync(join(home, 'etc/instances.d/site.yml'), INSTANCE);
    writeFileSync(join(home, 'etc/rackwright.ini'), '[keyring]\ntype = ed25519\n');
    await start();
  });
  after(async () => {
    await stop();
    rmSync(parent, { recursive: true, force: true });
  });

  async function finish({ task: id }: { task: string }): Promise<void> {
    for (;;) {
      const { task } = await tasks.getTask({ instance: 'site', task: id });
      if (task?.state === 'TASK_STATE_FINISHED') {
        assert.equal(task.result, 'TASK_RESULT_SUCCESS', `${task.name}: ${task.reason}`);
        return;
      }
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }

  async function publish(name: string): Promise<void> {
    const folder = join(parent, `in-${number++}`);
    mkdirSync(folder);
    writeTinyDeb(folder, tinyDeb(name, '1-1'));
    await finish(await registry.importArtifacts({ place: PLACE, source: folder }));
    acknowledged.push(name);
  }

  async function list(): Promise<string[]> {
    const names: string[] = [];
    for await (const page of registry.listArtifacts({ place: PLACE })) {
      names.push(...page.artifacts.map(one => one.name));
    }
    return names;
  }

  function rackwright(...parameters: string[]): Promise<{ status: number | null; stderr: string }> {
    const child = spawn(process.execPath, [CLI, '--uri', pair.controlSocket, ...parameters], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', chunk => {
      stderr += chunk;
    });
    return new Promise(resolve => child.once('close', status => resolve({ status, stderr })));
  }

  test('is taken while packages are published, and has all that was acknowledged before it', async () => {
    await publish('first');
    await finish(await registry.createSnapshot({ place: PLACE, name: 'kept' }));
    await publish('second');
    const known = [...acknowledged];
    let over = false;
    const publishing = (async () => {
      while (!over) await publish(`during-${number}`);
    })();
    const taken = await rackwright('backup', file);
    over = true;
    await publishing;
    assert.equal(taken.status, 0, taken.stderr);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(join(home, 'lib/registry')).filter(name => name.startsWith('.')),
      [],
    );
    await publish('later');
    inBackup = known;
    const again = await rackwright('backup', file);
    assert.equal(again.status, 1);
    assert.match(again.stderr, /is there already/);
  });

  test('that dies half way lets publications go on', async () => {
    const other = connect(loadProtocol(), `unix:${pair.controlSocket}`);
    const over = new AbortController();
    const held = other.service('DaemonService').holdForBackup({}, { signal: over.signal });
    const first = await held[Symbol.asyncIterator]().next();
    assert.ok(!first.done && existsSync(join(first.value.stage, 'state.db')));
    let published = false;
    const publishing = publish('held').then(() => {
      published = true;
    });
    await new Promise(resolve => setTimeout(resolve, 1500));
    assert.ok(!published, 'it published while the registries were held');
    over.abort();
    other.close();
    await publishing;
    rmSync(first.value.stage, { recursive: true });
  });

  test('is not put back over what is there', async () => {
    await stop();
    const refused = await rackwright('restore', file);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /is not empty/);
  });

  test('is whole when it is put back: verified, with its key, its snapshot and its history', async () => {
    const modes = (): number[] =>
      ['keyring', 'tokens', 'registry'].map(name => statSync(join(home, 'lib', name)).mode);
    const before = modes();
    renameSync(home, join(parent, 'lost'));
    const restored = await rackwright('restore', file);
    assert.equal(restored.status, 0, restored.stderr);
    assert.deepEqual(modes(), before);
    await start();
    await finish(await registry.verifyRegistry({ place: PLACE }));
    const names = await list();
    for (const name of inBackup) assert.ok(names.includes(name), name);
    assert.ok(!names.includes('later'));
    const key = join(parent, 'key.asc');
    writeFileSync(key, await (await fetch(`${pair.url}/site/keyring.asc`)).text());
    for (const [path, name] of [
      ['', 'second'],
      ['/snapshots/kept', 'first'],
    ]) {
      const apt = openAptClient(`deb [signed-by=${key}] ${pair.url}/site/deb${path} stable main`);
      const updated = await apt.run('apt-get', 'update');
      assert.equal(updated.code, 0, updated.output);
      assert.doesNotMatch(updated.output, /^[WE]:/m);
      const download = await apt.run('apt-get', 'download', name ?? '');
      assert.equal(download.code, 0, download.output);
      apt.close();
    }
    const { tasks: known } = await tasks.listTasks({ instance: 'site' });
    assert.ok(known.length > 3);
    for (const task of known.slice(-3)) {
      assert.ok(existsSync(join(home, 'lib/workspaces/site', task.id, 'task.journal')), task.id);
    }
    // The keys are those of before: what is published now is signed by them.
    await publish('after');
    assert.ok((await list()).includes('after'));
  });

  test('tells when the file is none, and when no daemon answers', async () => {
    const wrong = join(parent, 'wrong.tar');
    writeFileSync(wrong, 'no archive');
    const refused = await rackwright('restore', wrong);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /wrong\.tar|not look like a tar/);
    await stop();
    const away = await rackwright('backup', join(parent, 'never.tar'));
    assert.equal(away.status, 1);
    assert.match(away.stderr, /control\.sock/);
    assert.ok(!existsSync(join(parent, 'never.tar')) && !existsSync(join(parent, 'never.tar.part')));
  });
});
