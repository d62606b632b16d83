/** Several versions of a package kept side by side: listed, installed and gone back to by the real clients. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BuildSpec, RegistrySpec } from '../../../workers/job.ts';
import { registryWork } from '../../../workers/jobs/registry.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { publishRpm } from '../../../workers/registry/rpm-publish.ts';
import { openAptClient } from '../../support/apt-client.ts';
import { makeDeb, makeRevision, makeSource } from '../../support/debs.ts';
import { openDnf, openZypper } from '../../support/dnf-client.ts';
import { makeKeyring, openRegistry } from '../../support/registry.ts';
import { makeRpm } from '../../support/rpms.ts';
import { serveTree, type TreeServer } from '../../support/tree-server.ts';

describe('a registry that keeps the last two versions', async () => {
  const retention = { main: { last: 2, newer: 0 } };
  const registry = openRegistry({
    pipelines: [{ retention }, { format: 'rpm', distribution: 'el9', tag: 'el9', retention }],
    keyring: { type: 'rsa', size: 2048 },
  });
  const keyring = join(registry.settings.dirs.keyring, 'default');
  const servers: TreeServer[] = [];
  const serve = async (format: string): Promise<string> => {
    const server = await serveTree(registry.tree(format));
    servers.push(server);
    return server.url;
  };
  before(() => makeKeyring(registry));
  after(async () => {
    for (const server of servers) await server.close();
    registry.close();
  });

  async function verify(format: 'deb' | 'rpm', distribution: string): Promise<void> {
    const place = { format, distribution, derivative: 'main', parameters: {} } as const;
    const spec: RegistrySpec = { type: 'registry', action: 'verification', ...place };
    await registryWork(registry.context(spec), spec);
  }

  test('offers both to apt, with their sources, and no third one', async () => {
    const spec = { type: 'build', format: 'deb', distribution: 'bookworm', derivative: 'main' } as BuildSpec;
    for (const version of ['1-1', '1:0.5-1', '1:0.5-2']) {
      const files = [
        makeSource(registry.home, 'hello', version),
        makeDeb(registry.home, { name: 'hello', version, architecture: 'amd64' }),
      ];
      await publishDeb(registry.context(spec), { artifact: 'hello', version, files }, spec);
    }
    const line = `deb [signed-by=${keyring}/public.gpg] ${await serve('deb')} bookworm main`;
    const apt = openAptClient(`${line}\n${line.replace('deb ', 'deb-src ')}`);
    const update = await apt.run('apt-get', 'update');
    assert.doesNotMatch(update.output, /^[WE]:/m);
    const { output } = await apt.run('apt-cache', 'madison', 'hello');
    const listed = output.split('\n').flatMap(row => row.split('|')[1]?.trim() ?? []);
    assert.deepEqual([...new Set(listed)], ['1:0.5-2', '1:0.5-1']);
    for (const version of ['1:0.5-2', '1:0.5-1']) {
      const download = await apt.run('apt-get', 'download', `hello=${version}`);
      assert.equal(download.code, 0, download.output);
      const source = await apt.run('apt-get', 'source', '--download-only', `hello=${version}`);
      assert.equal(source.code, 0, source.output);
    }
    apt.close();
    await verify('deb', 'bookworm');
  });

  test('offers two epochs of one version to apt, with their sources, also when promoted', async () => {
    const spec = { type: 'build', format: 'deb', distribution: 'bookworm', derivative: 'main' } as BuildSpec;
    const make = (version: string, text: string): string[] => {
      const folder = mkdtempSync(join(registry.home, 'epoch-'));
      const files = { 'usr/share/ep/data': text };
      return [
        makeRevision(folder, 'ep', version, text),
        makeDeb(folder, { name: 'ep', version, architecture: 'amd64', files }),
      ];
    };
    // Later epochs first come by themselves, then together with another one.
    for (const files of [
      make('1.0-1', 'none\n'),
      [...make('2:1.0-1', 'two\n'), ...make('1:1.0-1', 'one\n')],
    ]) {
      await publishDeb(registry.context(spec), { artifact: 'ep', version: '1', files }, spec);
    }
    const from = { instance: 'default', distribution: 'bookworm', derivative: 'main', artifact: 'ep' };
    const promotion: RegistrySpec = {
      ...{ type: 'registry', action: 'promotion', format: 'deb', distribution: 'bookworm' },
      ...{ derivative: 'extra', parameters: from },
    };
    await registryWork(registry.context(promotion), promotion);
    const url = await serve('deb');
    for (const [component, wanted] of [
      ['main', ['2:1.0-1', '1:1.0-1']],
      ['extra', ['2:1.0-1']],
    ] as const) {
      const line = `deb [signed-by=${keyring}/public.gpg] ${url} bookworm ${component}`;
      const apt = openAptClient(`${line}\n${line.replace('deb ', 'deb-src ')}`);
      await apt.run('apt-get', 'update');
      for (const version of wanted) {
        const download = await apt.run('apt-get', 'download', `ep=${version}`);
        assert.equal(download.code, 0, download.output);
        const source = await apt.run('apt-get', 'source', '--download-only', `ep=${version}`);
        assert.equal(source.code, 0, source.output);
      }
      apt.close();
    }
    await verify('deb', 'bookworm');
  });

  test('lets dnf and zypper go back to the version before', async () => {
    const spec = { type: 'build', format: 'rpm', distribution: 'el9', derivative: 'main' } as BuildSpec;
    for (const version of ['1.0', '1.1', '1.2']) {
      const files = makeRpm(registry.home, { name: 'hello', version });
      await publishRpm(registry.context(spec), { artifact: 'hello', version, files }, spec);
    }
    const repository = { url: `${await serve('rpm')}/el9/main/x86_64/`, key: join(keyring, 'public.asc') };
    const dnf = openDnf(repository);
    const said = (root: string): string => readFileSync(join(root, 'usr/share/hello/data'), 'utf8').trim();
    for (const [verb, version] of [
      ['install', '1.2-1'],
      ['downgrade', '1.1-1'],
      ['upgrade', '1.2-1'],
    ] as const) {
      const done = await dnf.run(verb, 'hello');
      assert.equal(done.code, 0, done.output);
      assert.equal(said(dnf.root), version);
    }
    assert.notEqual((await dnf.run('downgrade', 'hello-1.0-1')).code, 0);
    dnf.close();
    const zypper = await openZypper(repository);
    assert.equal((await zypper.run('install', 'hello')).code, 0);
    const back = await zypper.run('install', '--oldpackage', 'hello=1.1-1');
    assert.equal(back.code, 0, back.output);
    assert.equal(said(zypper.root), '1.1-1');
    zypper.close();
    await verify('rpm', 'el9');
  });
});
