/** Publication of rpms, as the real dnf and zypper see it. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BuildSpec, DeletionSpec, RegistrySpec } from '../../../workers/job.ts';
import { deletion, registryWork } from '../../../workers/jobs/registry.ts';
import { publishRpm } from '../../../workers/registry/rpm-publish.ts';
import { openDnf, openZypper, type RpmClient } from '../../support/dnf-client.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';
import { makeRpm } from '../../support/rpms.ts';
import { serveTree, type TreeServer } from '../../support/tree-server.ts';

const PLACE = { format: 'rpm', distribution: 'el9', derivative: 'main' } as const;
const SPEC = { type: 'build', ...PLACE } as BuildSpec;

describe('an rpm registry', async () => {
  const registry = openRegistry({
    pipelines: [{ format: 'rpm', distribution: 'el9', tag: 'el9' }],
    architectures: ['x86_64', 'aarch64'],
    // What a default instance has: rpm of older systems checks RSA only.
    keyring: { type: 'rsa', size: 2048 },
  });
  let server: TreeServer;
  let dnf: RpmClient;
  const key = (): string => join(registry.settings.dirs.keyring, 'default/public.asc');
  const publish = (files: string[]): Promise<void> =>
    publishRpm(registry.context(SPEC), { artifact: 'x', version: '1', files }, SPEC);
  before(async () => {
    await makeKeyring(registry);
    server = await serveTree(registry.tree('rpm'));
    dnf = openDnf({ url: `${server.url}/el9/main/x86_64/`, key: key() });
  });
  after(async () => {
    dnf.close();
    await server.close();
    registry.close();
  });

  test('serves signed packages behind signed metadata that dnf installs', async () => {
    await publish([
      ...makeRpm(registry.home, { name: 'hello-data', version: '1.0' }),
      ...makeRpm(registry.home, {
        name: 'hello',
        version: '1.0',
        architecture: 'x86_64',
        requires: 'hello-data',
      }),
    ]);
    const installed = await dnf.run('install', 'hello');
    assert.equal(installed.code, 0, installed.output);
    assert.equal(readFileSync(join(dnf.root, 'usr/share/hello-data/data'), 'utf8'), '1.0-1\n');
  });

  test('upgrades to the next version, and tells which package has a file', async () => {
    await publish(makeRpm(registry.home, { name: 'hello-data', version: '1.1' }));
    const upgraded = await dnf.run('upgrade');
    assert.equal(upgraded.code, 0, upgraded.output);
    assert.equal(readFileSync(join(dnf.root, 'usr/share/hello-data/data'), 'utf8'), '1.1-1\n');
    const provides = await dnf.run('repoquery', '--file', '/usr/share/hello/data', '--qf', '%{name}');
    assert.match(provides.output, /^hello$/m, provides.output);
  });

  test('describes packages as rpm itself does', () => {
    const { reads } = registry.catalogue;
    const list = reads.list('default', PLACE, { limit: 10 }).artifacts;
    assert.deepEqual(
      list.map(one => `${one.name} ${one.architecture} ${one.version}`),
      ['hello src 1.0-1', 'hello x86_64 1.0-1', 'hello-data noarch 1.1-1', 'hello-data src 1.1-1'],
    );
    const data = reads.describe('default', PLACE, { name: 'hello-data', architecture: 'noarch' });
    assert.deepEqual(data?.entry.changelog, [
      {
        author: 'Jane Roe <jane@example.org>',
        changes: ["First build, it's fine"],
        date: 1767268800,
        version: '1.1-1',
      },
    ]);
    assert.deepEqual(data?.entry.content, [
      { path: '/usr/share/hello-data', type: 'd', size: 0 },
      { path: '/usr/share/hello-data/data', type: 'f', size: 6 },
    ]);
    assert.equal(data?.source?.size, list.at(-1)?.size);
    assert.ok((data?.source?.size ?? 0) > 0);
  });

  test('has each noarch package in the index of every architecture, and keeps old metadata', async () => {
    for (const word of ['x86_64', 'aarch64']) {
      assert.ok(
        existsSync(join(registry.tree('rpm'), `el9/main/${word}/Packages/hello-data-1.1-1.noarch.rpm`)),
      );
    }
    const repodata = readdirSync(join(registry.tree('rpm'), 'el9/main/x86_64/repodata'));
    assert.equal(repodata.filter(name => name.endsWith('-primary.xml.gz')).length, 2);
  });

  test('is installed by zypper too', async () => {
    const zypper = await openZypper({ url: `${server.url}/el9/main/x86_64/`, key: key() });
    const installed = await zypper.run('install', '--no-recommends', 'hello-data');
    assert.equal(installed.code, 0, installed.output);
    assert.equal(readFileSync(join(zypper.root, 'usr/share/hello-data/data'), 'utf8'), '1.1-1\n');
    zypper.close();
  });

  test('refuses another build under a published version', async () => {
    const again = makeRpm(registry.home, { name: 'hello-data', version: '1.1', release: '1' });
    await assert.rejects(publish(again), { reason: 'version-exists' });
  });

  test('refuses a broken rpm and leaves everything as it was', async () => {
    const [path = ''] = makeRpm(join(registry.home, 'broken'), { name: 'broken', version: '1' });
    const bytes = readFileSync(path);
    const repomd = readFileSync(join(registry.tree('rpm'), 'el9/main/x86_64/repodata/repomd.xml'));
    for (const damage of [
      bytes.subarray(0, 900),
      Buffer.from('no rpm at all'),
      flip(bytes, bytes.length - 40),
      hugeIndex(bytes),
    ]) {
      writeFileSync(path, damage);
      await assert.rejects(publish([path]), { reason: 'bad-package' });
    }
    assert.deepEqual(readFileSync(join(registry.tree('rpm'), 'el9/main/x86_64/repodata/repomd.xml')), repomd);
  });

  test('deletes exactly what was named and verifies afterwards', async () => {
    const spec: DeletionSpec = {
      type: 'deletion',
      ...PLACE,
      artifact: 'hello',
      architecture: 'x86_64',
      version: '1.0-1',
    };
    await deletion(registry.context(spec), spec);
    const left = registry.catalogue.reads.list('default', PLACE, { limit: 10 }).artifacts;
    assert.ok(!left.some(one => one.name === 'hello' && one.architecture === 'x86_64'));
    assert.ok(left.some(one => one.name === 'hello' && one.architecture === 'src'));
    const verify: RegistrySpec = { type: 'registry', action: 'verification', ...PLACE, parameters: {} };
    await registryWork(registry.context(verify), verify);
  });

  test('is imported by another instance, which signs anew', async () => {
    const other = openRegistry({
      instance: 'other',
      pipelines: [{ format: 'rpm', distribution: 'el9', tag: 'el9' }],
    });
    await makeKeyring(other);
    const parameters = { source: `${server.url}/el9/main/x86_64`, keys: readFileSync(key(), 'utf8') };
    const spec: RegistrySpec = { type: 'registry', action: 'import', ...PLACE, parameters };
    await registryWork(other.context(spec), spec);
    const [entry] = other.catalogue.reads.list('other', PLACE, { limit: 5 }).artifacts;
    assert.equal(`${entry?.name} ${entry?.version}`, 'hello-data 1.1-1');
    other.close();
  });

  test('is refused by dnf with another key and with tampered metadata', async () => {
    const stranger = openRegistry({ instance: 'stranger', keyring: { type: 'rsa', size: 2048 } });
    await makeKeyring(stranger);
    const wrong = openDnf({
      url: `${server.url}/el9/main/x86_64/`,
      key: join(stranger.settings.dirs.keyring, 'stranger/public.asc'),
    });
    const refused = await wrong.run('install', 'hello-data');
    assert.notEqual(refused.code, 0);
    assert.match(refused.output, /GPG|signature/i);
    wrong.close();
    stranger.close();
    const tampered = openDnf({ url: `${server.url}/el9/main/x86_64/`, key: key() });
    server.tamper = path => (path.endsWith('-primary.xml.gz') ? Buffer.from('evil') : null);
    const bad = await tampered.run('install', 'hello-data');
    assert.notEqual(bad.code, 0);
    server.tamper = null;
    tampered.close();
  });
});

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}

/** Sets the count of index entries in the signature header (behind the 96-byte lead) to its maximum. */
function hugeIndex(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(0xffffffff, 96 + 8);
  return copy;
}
