/** The registry through the running pair: imported, listed, served, kept and taken back. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { makeDeb } from '../support/debs.ts';
import { DEB, RegistryPair, RPM } from '../support/registry-pair.ts';
import { makeRpm } from '../support/rpms.ts';
import { openSmallDisk } from '../support/small-disk.ts';

describe('the registry of a running daemon', () => {
  let site: RegistryPair;
  let registry: RegistryPair['registry'];
  const deb = DEB;
  const rpm = RPM;
  const osi = { ...deb, format: 'osi', distribution: 'ci' };

  before(async () => {
    site = await RegistryPair.open();
    registry = site.registry;
  });
  after(() => site.close());

  const finish = (answer: { task: string }): Promise<void> => site.finish(answer);
  const importDeb = (name: string, version: string): Promise<void> => site.importDeb(name, version);

  const importRpm = (name: string, version: string): Promise<void> =>
    site.import(rpm, folder => makeRpm(folder, { name, version }));

  const importImage = (name: string, version: string): Promise<void> =>
    site.import(osi, folder => writeFileSync(join(folder, `${name}_${version}.tar`), `${name} ${version}`));

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
    const apt = await site.openApt();
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
    const apt = await site.openApt('/snapshots/one');
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
    // Who asks again under the same key is told of the first, even though what was to go has gone.
    await importDeb('short-lived', '1-1');
    const keyed = { ...one, name: 'short-lived', idempotencyKey: 'once' };
    const first = await registry.deleteArtifact(keyed);
    await finish(first);
    assert.deepEqual(await registry.deleteArtifact(keyed), first);
    await assert.rejects(registry.deleteArtifact({ ...keyed, version: '2-1' }), { reason: 'already-there' });
    assert.deepEqual(await list(deb), ['hello 1-1']);
  });

  test('deletes one rpm and one image, and leaves what stands beside them', async () => {
    await importRpm('tool', '0.1');
    await importRpm('gone', '0.1');
    await finish(
      await registry.deleteArtifact({ place: rpm, architecture: 'noarch', name: 'gone', version: '0.1-1' }),
    );
    assert.deepEqual(await list(rpm), ['gone 0.1-1', 'tool 0.1-1', 'tool 0.1-1']);
    const repomd = await fetch(`${site.pair.url}/site/rpm/el9/main/x86_64/repodata/repomd.xml`);
    assert.equal(repomd.status, 200);
    const [, primary] = /href="([^"]*-primary\.xml\.gz)"/.exec(await repomd.text()) ?? [];
    const index = await fetch(`${site.pair.url}/site/rpm/el9/main/x86_64/${primary}`);
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
    const sums = await (await fetch(`${site.pair.url}/site/osi/ci/main/SHA256SUMS`)).text();
    assert.match(sums, /^[0-9a-f]{64} \*node_1\.0\.tar\n$/);
    await finish(await registry.verifyRegistry({ place: osi }));
  });

  test('apt fetches a version whose epoch is in the name of its file', async () => {
    await importDeb('epoch', '1-1');
    await importDeb('epoch', '1:1-1');
    const apt = await site.openApt();
    await apt.run('apt-get', 'update');
    const download = await apt.run('apt-get', 'download', '--print-uris', 'epoch=1:1-1');
    assert.match(download.output, /epoch_1%253a1-1_amd64\.deb/);
    assert.equal((await apt.run('apt-get', 'download', 'epoch=1:1-1')).code, 0);
    apt.close();
  });
});

test('a registry whose disk fills up during an import serves what it had, and goes on without restart', async context => {
  if (process.getuid?.() !== 0) return context.skip('mounting a small file system needs root');
  const disk = openSmallDisk(48, 20_000);
  const site = await RegistryPair.open('', disk.folder);
  const outside = mkdtempSync(join(tmpdir(), 'rw-outside-'));
  try {
    await site.importDeb('hello', '1-1');
    const files = { 'usr/share/big': randomBytes(30_000_000).toString('base64') };
    for (const name of ['big', 'bigger']) makeDeb(outside, { name, version: '1-1', files });
    const { task } = await site.registry.importArtifacts({ place: DEB, source: outside });
    await assert.rejects(site.finish({ task }), /no space is left on the disk/);
    const { task: failed } = await site.tasks.getTask({ instance: 'site', task });
    assert.equal(failed?.cause, 'disk-full');
    const apt = await site.openApt();
    assert.equal((await apt.run('apt-get', 'update')).code, 0);
    assert.match((await apt.run('apt-cache', 'policy', 'hello')).output, /Candidate: 1-1/);
    await site.importDeb('hello', '2-1');
    assert.equal((await apt.run('apt-get', 'update')).code, 0);
    assert.match((await apt.run('apt-cache', 'policy', 'hello')).output, /Candidate: 2-1/);
    apt.close();
    await site.finish(await site.registry.verifyRegistry({ place: DEB }));
  } finally {
    await site.stop();
    disk.close();
    rmSync(outside, { recursive: true });
  }
});
