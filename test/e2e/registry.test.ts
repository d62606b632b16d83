/** The registry through the running pair: imported, listed, served, kept and taken back, read while it changes. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Connection, connect } from '../../proto/rpc.ts';
import { type Client, loadProtocol } from '../../proto/services.ts';
import { openAptClient } from '../support/apt-client.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { makeRpm } from '../support/rpms.ts';
import { random, SEED, scaled } from '../support/scale.ts';
import { tinyDeb, writeTinyDeb } from '../support/tiny-deb.ts';
import { newCount, type ReadTarget, readUntil } from '../support/torn-reads.ts';

const INSTANCE = `name: Example site
gpg: {name: Example team, email: team@example.org}
formats:
  deb:
  - {name: stable, env: bookworm, tag: deb12}
  rpm:
  - {name: el9, env: rocky-9, tag: el9}
  osi:
  - {name: ci}
derivatives:
  extra: {}
`;

describe('the registry of a running daemon', () => {
  const home = mkdtempSync(join(tmpdir(), 'rw-e2e-'));
  let pair: Pair;
  let connection: Connection;
  let registry: Client<'RegistryService'>;
  let tasks: Client<'TaskService'>;
  let keyring = '';
  let number = 0;
  const deb = { instance: 'site', format: 'deb', distribution: 'stable', derivative: 'main' };
  const rpm = { ...deb, format: 'rpm', distribution: 'el9' };
  const osi = { ...deb, format: 'osi', distribution: 'ci' };

  before(async () => {
    mkdirSync(join(home, 'etc/instances.d'), { recursive: true });
    writeFileSync(join(home, 'etc/instances.d/site.yml'), INSTANCE);
    writeFileSync(join(home, 'etc/rackwright.ini'), '[keyring]\ntype = ed25519\n');
    pair = await startPair({ home });
    connection = connect(loadProtocol(), `unix:${pair.controlSocket}`);
    registry = connection.service('RegistryService');
    tasks = connection.service('TaskService');
  });
  after(async () => {
    connection?.close();
    await pair?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  /** Waits for a task's end; throws its reason when it failed. */
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

  async function importDeb(name: string, version: string): Promise<void> {
    const folder = join(home, `in-${number++}`);
    mkdirSync(folder);
    writeTinyDeb(folder, tinyDeb(name, version));
    await finish(await registry.importArtifacts({ place: deb, source: folder }));
    rmSync(folder, { recursive: true });
  }

  async function importRpm(name: string, version: string): Promise<void> {
    const folder = join(home, `in-${number++}`);
    makeRpm(folder, { name, version });
    await finish(await registry.importArtifacts({ place: rpm, source: folder }));
    rmSync(folder, { recursive: true });
  }

  async function importImage(name: string, version: string): Promise<void> {
    const folder = join(home, `in-${number++}`);
    mkdirSync(folder);
    writeFileSync(join(folder, `${name}_${version}.tar`), `${name} ${version}`);
    await finish(await registry.importArtifacts({ place: osi, source: folder }));
    rmSync(folder, { recursive: true });
  }

  async function list(place: typeof deb): Promise<string[]> {
    const names: string[] = [];
    for await (const page of registry.listArtifacts({ place })) {
      names.push(...page.artifacts.map(one => `${one.name} ${one.version}`));
    }
    return names;
  }

  test('takes packages in, lists, describes and finds them', async () => {
    await importDeb('hello', '1-1');
    await importDeb('hello-world', '1-1');
    assert.deepEqual((await registry.listFormats({ instance: 'site' })).formats, ['deb']);
    assert.deepEqual((await registry.listDistributions({ instance: 'site', format: 'deb' })).distributions, [
      'stable',
    ]);
    assert.deepEqual(await list(deb), ['hello 1-1', 'hello-world 1-1']);
    const parts = [];
    const wanted = { place: deb, architecture: 'x86_64', name: 'hello' };
    for await (const { part } of registry.describeArtifact(wanted)) parts.push(part);
    assert.equal(parts[0]?.artifact?.version, '1-1');
    assert.ok(parts.some(part => part?.content?.some(file => file.path === '/usr/share/hello')));
    const found = [];
    for await (const page of registry.searchArtifacts({ instance: 'site', contains: 'o-w' }))
      found.push(...page.matches);
    assert.deepEqual(
      found.map(one => `${one.place?.distribution} ${one.artifact?.name}`),
      ['stable hello-world'],
    );
  });

  test('is a source of apt at the address of the edge', async () => {
    const response = await fetch(`${pair.url}/site/keyring.asc`);
    assert.equal(response.status, 200);
    keyring = join(home, 'key.asc');
    writeFileSync(keyring, await response.text());
    const apt = openAptClient(`deb [signed-by=${keyring}] ${pair.url}/site/deb stable main extra`);
    const updated = await apt.run('apt-get', 'update');
    assert.equal(updated.code, 0, updated.output);
    assert.doesNotMatch(updated.output, /^[WE]:/m);
    const download = await apt.run('apt-get', 'download', 'hello');
    assert.equal(download.code, 0, download.output);
    apt.close();
  });

  test('keeps a snapshot, promotes, goes back, and tells the difference', async () => {
    await finish(await registry.createSnapshot({ place: deb, name: 'one' }));
    await importDeb('hello', '2-1');
    await finish(
      await registry.promote({
        place: { ...deb, derivative: 'extra' },
        from: deb,
        snapshot: 'one',
        artifact: 'hello',
      }),
    );
    assert.deepEqual(await list({ ...deb, derivative: 'extra' }), ['hello 1-1']);
    const differences = [];
    for await (const page of registry.compareGenerations({ place: deb, from: 'one' }))
      differences.push(...page.differences);
    assert.deepEqual(
      differences
        .map(
          one =>
            `${one.added ? '+' : '-'} ${one.artifact?.name} ${one.artifact?.version} ${one.place?.derivative}`,
        )
        .sort(),
      ['+ hello 1-1 extra', '+ hello 2-1 main', '- hello 1-1 main'],
    );
    const apt = openAptClient(`deb [signed-by=${keyring}] ${pair.url}/site/deb/snapshots/one stable main`);
    const updated = await apt.run('apt-get', 'update');
    assert.equal(updated.code, 0, updated.output);
    apt.close();
    await finish(await registry.rollBack({ place: deb, to: 'one' }));
    assert.deepEqual(await list(deb), ['hello 1-1', 'hello-world 1-1']);
    await finish(await registry.verifyRegistry({ place: deb }));
    const { generations } = await registry.listGenerations({ place: deb });
    assert.deepEqual(
      generations.filter(one => one.snapshots.length > 0).map(one => one.snapshots),
      [['one']],
    );
    await assert.rejects(registry.createSnapshot({ place: deb, name: 'one' }), { reason: 'already-there' });
    await assert.rejects(registry.rollBack({ place: deb, to: 'none' }), { reason: 'not-found' });
  });

  test('deletes one artifact, once', async () => {
    const one = { place: deb, architecture: 'x86_64', name: 'hello-world', version: '1-1' };
    await assert.rejects(registry.deleteArtifact({ ...one, version: '' }), { reason: 'bad-input' });
    await assert.rejects(registry.deleteArtifact({ ...one, version: '9' }), { reason: 'not-found' });
    const twice = await Promise.allSettled([registry.deleteArtifact(one), registry.deleteArtifact(one)]);
    const ends = await Promise.allSettled(
      twice.flatMap(answer => (answer.status === 'fulfilled' ? [finish(answer.value)] : [])),
    );
    assert.equal(ends.filter(end => end.status === 'fulfilled').length, 1);
    assert.deepEqual(await list(deb), ['hello 1-1']);
  });

  test('deletes one rpm and one image, and leaves what stands beside them', async () => {
    await importRpm('tool', '0.1');
    await importRpm('gone', '0.1');
    await finish(
      await registry.deleteArtifact({ place: rpm, architecture: 'noarch', name: 'gone', version: '0.1-1' }),
    );
    assert.deepEqual(await list(rpm), ['gone 0.1-1', 'tool 0.1-1', 'tool 0.1-1']);
    const repomd = await fetch(`${pair.url}/site/rpm/el9/main/x86_64/repodata/repomd.xml`);
    assert.equal(repomd.status, 200);
    const [, primary] = /href="([^"]*-primary\.xml\.gz)"/.exec(await repomd.text()) ?? [];
    const index = await fetch(`${pair.url}/site/rpm/el9/main/x86_64/${primary}`);
    const xml = gunzipSync(Buffer.from(await index.arrayBuffer())).toString('utf8');
    assert.match(xml, /<name>tool<\/name>/);
    assert.doesNotMatch(xml, /<name>gone<\/name>/);
    await finish(await registry.verifyRegistry({ place: rpm }));

    await importImage('node', '1.0');
    await importImage('node', '1.1');
    await finish(
      await registry.deleteArtifact({ place: osi, architecture: 'tar', name: 'node', version: '1.1' }),
    );
    assert.deepEqual(await list(osi), ['node 1.0']);
    await assert.rejects(importImage('', '1.2'), /NAME_VERSION\.EXTENSION/);
    const sums = await (await fetch(`${pair.url}/site/osi/ci/main/SHA256SUMS`)).text();
    assert.match(sums, /^[0-9a-f]{64} \*node_1\.0\.tar\n$/);
    await finish(await registry.verifyRegistry({ place: osi }));
  });

  test(`is never seen torn: ${scaled(100_000)} reads of its indexes while it changes (seed ${SEED})`, async () => {
    const url = `${pair.url}/site`;
    const index = 'main/binary-amd64/Packages.gz';
    const targets: ReadTarget[] = [
      { url: `${url}/deb`, kind: 'apt-by-hash', suite: 'stable', index },
      { url: `${url}/deb`, kind: 'apt-plain', suite: 'stable', index },
      { url: `${url}/rpm`, kind: 'dnf', suite: 'el9/main/x86_64', index: 'repodata/primary.xml.gz' },
    ];
    await importRpm('tool', '1');
    const dice = random(SEED);
    const counts = targets.map(newCount);
    const total = (): number => counts.reduce((sum, one) => sum + one.reads, 0);
    const wanted = (): boolean => total() < scaled(100_000);
    const readers = targets.flatMap((target, at) =>
      Array.from({ length: 8 }, () =>
        readUntil(target, counts[at] ?? newCount(), wanted, () => Math.floor(dice() * 150)),
      ),
    );
    for (let version = 10; wanted(); version++) {
      await Promise.all([importDeb('hello', `${version}-1`), importRpm('tool', String(version))]);
    }
    await Promise.all(readers);
    for (const [at, count] of counts.entries()) {
      assert.equal(count.failed, 0, `${targets[at]?.kind}: ${count.first}`);
      assert.ok(count.seen.size > 1, `${targets[at]?.kind} saw ${count.seen.size} states only`);
    }
  });
});
