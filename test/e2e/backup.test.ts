/** A backup of the running pair in one file, taken while it publishes, and put back after everything is gone. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Connection, connect } from '../../proto/rpc.ts';
import { type Client, loadProtocol } from '../../proto/services.ts';
import { openAptClient } from '../support/apt-client.ts';
import { openCliHome } from '../support/cli.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { makeSiteHome, startSite } from '../support/site.ts';
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
    // What waited when the backup was taken runs again; its journal is there once it has begun.
    for (const { id } of known) await finish({ task: id });
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

/** Where the last member of a tar archive begins, in bytes. */
function lastMember(file: string): number {
  const listed = execFileSync('tar', ['--list', '--block-number', `--file=${file}`]).toString();
  const blocks = [...listed.matchAll(/^block (\d+): (?!\*\*)/gm)].map(match => Number(match[1]));
  return Math.max(...blocks) * 512;
}

const WITH_RPM = `${INSTANCE}  rpm:
  - {name: el9, env: rocky-9, tag: el9}
`;

describe('a backup put back in another place', () => {
  let home = '';
  let parent = '';
  let file = '';
  const cli = openCliHome();
  const rpm = { ...PLACE, format: 'rpm', distribution: 'el9' };
  let given = '';

  before(async () => {
    home = makeSiteHome({ 'instances.d/site.yml': WITH_RPM });
    parent = dirname(home);
    file = join(parent, 'site.tar');
    const registry = join(parent, 'registries');
    writeFileSync(
      join(home, 'etc/rackwright.ini'),
      `[keyring]\ntype = ed25519\n[dirs]\nregistry = ${registry}\n[edge]\npolicy = ${home}/etc/policy.ini\n`,
    );
    writeFileSync(
      join(home, 'etc/policy.ini'),
      '[roles]\nanonymous\n[anonymous]\nactions=view-registry,view-keyring\n',
    );
    const site = await startSite(home);
    await site.importPackages(PLACE, 'first 1-1');
    await site.finish('site', await site.registry.createSnapshot({ place: PLACE, name: 'kept' }));
    await site.importPackages(PLACE, 'second 1-1');
    await site.importPackages(rpm, 'third 1.0');
    const notice = '<updates><update><id>EX-1</id></update></updates>';
    async function* parts() {
      yield { request: { place: rpm } };
      yield { chunk: Buffer.from(notice) };
    }
    const { task } = await site.registry.uploadUpdateInfo(parts());
    given = task;
    await site.finish('site', { task });
    const { code, stderr } = await cli.run(['--uri', site.pair.controlSocket, 'backup', file]);
    assert.equal(code, 0, stderr);
    await site.stop();
  });
  after(() => {
    cli.remove();
    rmSync(parent, { recursive: true, force: true });
  });

  test('says which folder has no place there, and leaves nothing', async () => {
    const other = join(parent, 'other');
    const { code, stderr } = await cli.run(['restore', file, '--home', other]);
    assert.equal(code, 1);
    assert.match(stderr, /registries was named by a setting: say where it goes with --map \S+registries=NEW/);
    assert.ok(!existsSync(other));
    for (const words of [
      ['--map', '/a=/b'],
      ['--home', other, '--system'],
      ['--home', other, '--map', 'a=/b'],
    ])
      assert.equal((await cli.run(['restore', file, ...words])).code, 2, words.join(' '));
  });

  test('is refused when its end is missing, which tar does not tell of', async () => {
    const other = join(parent, 'other');
    const cut = join(parent, 'cut.tar');
    writeFileSync(cut, readFileSync(file).subarray(0, lastMember(file)));
    execFileSync('tar', ['--list', `--file=${cut}`], { stdio: 'pipe' });
    const words = ['--home', other, '--map', `${join(parent, 'registries')}=${join(parent, 'cut')}`];
    const { code, stderr } = await cli.run(['restore', cut, ...words]);
    assert.equal(code, 1);
    assert.match(stderr, /cut\.tar is cut off/);
    assert.ok(!existsSync(other) && !existsSync(join(parent, 'cut')));
  });

  test('that fails half way leaves nothing either, and can be tried again', async () => {
    const other = join(parent, 'other');
    const registries = join(parent, 'other-registries');
    const words = ['--home', other, '--map', `${join(parent, 'registries')}=${registries}`];
    const damaged = join(parent, 'damaged.tar');
    const bytes = readFileSync(file);
    // The head of the last member: tar finds out when it has put back all before.
    bytes.fill('x', lastMember(file), lastMember(file) + 100);
    writeFileSync(damaged, bytes);
    const failed = await cli.run(['restore', damaged, ...words]);
    assert.equal(failed.code, 1, failed.stderr);
    assert.deepEqual(readdirSync(registries), []);
    assert.ok(!existsSync(join(other, 'lib/state.db')));
    const { code, stderr } = await cli.run(['restore', file, ...words]);
    assert.equal(code, 0, stderr);
  });

  test('serves, verifies and goes on there, while what it was taken from is untouched', async () => {
    const other = join(parent, 'other');
    renameSync(join(parent, 'registries'), join(parent, 'away'));
    renameSync(home, join(parent, 'away-home'));
    const ini = readFileSync(join(other, 'etc/rackwright.ini'), 'utf8');
    assert.match(ini, new RegExp(`^registry = ${parent}/other-registries$`, 'm'));
    assert.match(ini, new RegExp(`^policy = ${other}/etc/policy\\.ini$`, 'm'));
    const site = await startSite(other);
    try {
      for (const place of [PLACE, rpm])
        await site.finish('site', await site.registry.verifyRegistry({ place }));
      assert.deepEqual(await site.list(PLACE), ['first 1-1 x86_64', 'second 1-1 x86_64']);
      const { tasks } = await site.tasks.listTasks({ instance: 'site' });
      for (const { id, place, io } of tasks) {
        assert.equal(place, join(other, 'lib/workspaces/site', id));
        assert.ok(io);
        assert.ok(io.console.startsWith(other), io.console);
        assert.ok(io.journal.startsWith(place) && existsSync(io.journal), io.journal);
      }
      const lines = await site.journal('site', given);
      assert.ok(lines.includes('el9/main has 1 update notices now'), lines.join('\n'));
      // Its file is found where it lies now.
      await site.finish('site', await site.tasks.retryTask({ instance: 'site', task: given }));
      await site.finish('site', await site.registry.rollBack({ place: PLACE, to: 'kept' }));
      await site.importPackages(PLACE, 'after 1-1');
      assert.deepEqual(await site.list(PLACE), ['after 1-1 x86_64', 'first 1-1 x86_64']);
    } finally {
      await site.stop();
    }
    assert.ok(!existsSync(join(parent, 'registries')) && !existsSync(home));
  });
});
