/** Publication of rpms, as the real dnf and zypper see it. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BuildSpec, DeletionSpec, RegistrySpec } from '../../../workers/job.ts';
import { deletion, registryWork } from '../../../workers/jobs/registry.ts';
import { publishRpm } from '../../../workers/registry/rpm-publish.ts';
import { badRpmSignatures } from '../../../workers/registry/rpm-signatures.ts';
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

  test('keeps old metadata over a repair as well, and the signature of what has not changed', async () => {
    const folder = join(registry.tree('rpm'), 'el9/main');
    const named = () => readdirSync(join(folder, 'x86_64/repodata')).filter(name => /-primary/.test(name));
    const [before, signature] = [named(), readFileSync(join(folder, 'source/repodata/repomd.xml.asc'))];
    const repair: RegistrySpec = { type: 'registry', action: 'repair', ...PLACE, parameters: {} };
    // The same bytes signed by RSA within one second have the same signature.
    await sleep(1100);
    await registryWork(registry.context(repair), repair);
    assert.ok(before.length > 1 && before.every(name => named().includes(name)));
    const anew = readFileSync(join(folder, 'source/repodata/repomd.xml.asc'));
    assert.ok(!anew.equals(signature));
    const [binary = ''] = makeRpm(join(registry.home, 'tool'), { name: 'tool', version: '1' });
    await publish([binary]);
    assert.deepEqual(readFileSync(join(folder, 'source/repodata/repomd.xml.asc')), anew);
    assert.ok((await dnf.run('install', 'tool')).code === 0);
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
      flip(bytes, bytes.indexOf('Made by a test.')),
      withWord(bytes, INDEX_COUNT, 0xffffffff),
      withWord(bytes, FIRST_OFFSET, 0xffffffff),
      withWord(bytes, FIRST_OFFSET, 0x80000000),
      withWord(bytes, FIRST_OFFSET + 4, 0x7fffffff),
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

  test('finds rpms that another key signed, or none', async () => {
    const [unsigned = ''] = makeRpm(join(registry.home, 'unsigned'), { name: 'unsigned', version: '1' });
    const stranger = openRegistry({ instance: 'stranger', keyring: { type: 'rsa', size: 2048 } });
    await makeKeyring(stranger);
    const own = join(registry.tree('rpm'), 'el9/main/x86_64/Packages/hello-data-1.1-1.noarch.rpm');
    const verify: RegistrySpec = { type: 'registry', action: 'verification', ...PLACE, parameters: {} };
    assert.deepEqual(await badRpmSignatures(registry.context(verify), [own]), []);
    const [nobody = '', ...none] = await badRpmSignatures(registry.context(verify), [own, unsigned]);
    assert.match(nobody, /unsigned-1-1\.noarch\.rpm: digests OK$/);
    assert.deepEqual(none, []);
    const [other = ''] = await badRpmSignatures(stranger.context(verify), [own]);
    assert.match(other, /hello-data-1\.1-1\.noarch\.rpm: digests SIGNATURES NOT OK$/);
    stranger.close();
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

  test('takes a folder in which each architecture has the same noarch package, and one that was deleted', async () => {
    const own = openRegistry({ pipelines: [{ format: 'rpm', distribution: 'el9', tag: 'el9' }] });
    await makeKeyring(own);
    const source = join(own.home, 'in');
    const [rpm = ''] = makeRpm(join(source, 'x86_64'), { name: 'common', version: '1.0' });
    for (const architecture of ['aarch64', 'ppc64le']) {
      mkdirSync(join(source, architecture));
      copyFileSync(rpm, join(source, architecture, basename(rpm)));
    }
    const bring: RegistrySpec = { type: 'registry', action: 'import', ...PLACE, parameters: { source } };
    await registryWork(own.context(bring), bring);
    const listed = (): string[] =>
      own.catalogue.reads
        .list('default', PLACE, { limit: 9 })
        .artifacts.map(one => `${one.name} ${one.architecture}`);
    assert.deepEqual(listed(), ['common noarch', 'common src']);
    const gone = { type: 'deletion', ...PLACE, artifact: 'common', version: '1.0-1' } as const;
    for (const architecture of ['noarch', 'src']) {
      const spec = { ...gone, architecture };
      await deletion(own.context(spec), spec);
    }
    // Signed once more it would be another file than the one that a kept state holds: RSA signatures tell the time.
    await sleep(1100);
    await registryWork(own.context(bring), bring);
    assert.deepEqual(listed(), ['common noarch', 'common src']);
    const verify: RegistrySpec = { ...bring, action: 'verification', parameters: {} };
    await registryWork(own.context(verify), verify);
    makeRpm(join(source, 'x86_64'), { name: 'common', version: '2.0' });
    makeRpm(join(source, 'aarch64'), { name: 'common', version: '2.0', requires: 'bash' });
    await assert.rejects(registryWork(own.context(bring), bring), {
      reason: 'version-exists',
      message: /aarch64\/common-2\.0-1\.(noarch|src)\.rpm and x86_64\/common-2\.0-1/,
    });
    own.close();
  });

  test('is compared with the catalogue in all its indexes', async () => {
    const verify: RegistrySpec = { type: 'registry', action: 'verification', ...PLACE, parameters: {} };
    await registryWork(registry.context(verify), verify);
    const get = registry.database.prepare(
      "SELECT id, stanza FROM artifact WHERE name = 'hello-data' AND removed IS NULL",
    );
    const put = registry.database.prepare('UPDATE artifact SET stanza = ? WHERE id = ?');
    const { id, stanza } = get.get<{ id: number; stanza: string }>() ?? { id: 0, stanza: '{}' };
    for (const kind of ['primary', 'filelists', 'other']) {
      const changed = JSON.parse(stanza) as Record<string, string>;
      put.run(JSON.stringify({ ...changed, [kind]: changed[kind]?.replace('hello-data', 'hello-dada') }), id);
      registry.log.length = 0;
      await assert.rejects(registryWork(registry.context(verify), verify), { reason: 'catalogue-mismatch' });
      assert.ok(
        registry.log.some(line => line.startsWith(`error: ${kind} of `)),
        registry.log.join('\n'),
      );
    }
    put.run(stanza, id);
    await registryWork(registry.context(verify), verify);
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

/** Where the signature header, behind the 96-byte lead, has the number of its entries, and the first one's offset. */
const INDEX_COUNT = 96 + 8;
const FIRST_OFFSET = 96 + 16 + 8;

function withWord(bytes: Buffer, at: number, word: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(word, at);
  return copy;
}
