/** Publication of Debian packages, as the real apt sees it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BuildSpec, DeletionSpec } from '../../../workers/job.ts';
import { deletion } from '../../../workers/jobs/registry.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { type AptClient, openAptClient } from '../../support/apt-client.ts';
import { makeDeb, makeSource } from '../../support/debs.ts';
import { makeKeyring, openRegistry, type RegistryHome } from '../../support/registry.ts';
import { serveTree, type TreeServer } from '../../support/tree-server.ts';

const PLACE = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;

function buildSpec(derivative = 'main'): BuildSpec {
  return {
    type: 'build',
    ...PLACE,
    derivative,
    architectures: ['x86_64'],
    artifact: 'hello',
    author: 'Jane Roe',
    email: 'jane@example.org',
    message: 'First build',
    definition: '/nowhere',
    sources: [],
  };
}

async function publish(registry: RegistryHome, files: string[], derivative = 'main'): Promise<void> {
  const spec = buildSpec(derivative);
  await publishDeb(registry.context(spec), { artifact: 'hello', version: '1', files }, spec);
}

function deletionOf(artifact: string, architecture: string, version: string): DeletionSpec {
  return { type: 'deletion', ...PLACE, artifact, architecture, version };
}

function sourceLine(registry: RegistryHome, url: string, components = 'main extra'): string {
  return `deb [signed-by=${registry.settings.dirs.keyring}/default/public.gpg] ${url} bookworm ${components}`;
}

describe('an apt registry', async () => {
  const registry = openRegistry();
  let server: TreeServer;
  let apt: AptClient;
  before(async () => {
    await makeKeyring(registry);
    server = await serveTree(registry.tree('deb'));
    const line = sourceLine(registry, server.url);
    apt = openAptClient(`${line}\n${line.replace('deb ', 'deb-src ')}`);
  });
  after(async () => {
    apt.close();
    await server.close();
    registry.close();
  });

  test('serves binaries and sources that apt verifies and downloads', async () => {
    const files = [
      makeSource(registry.home, 'hello', '2.10-1'),
      makeDeb(registry.home, { name: 'hello', version: '2.10-1', architecture: 'amd64' }),
      makeDeb(registry.home, { name: 'hello-doc', version: '2.10-1', source: 'hello' }),
    ];
    await publish(registry, files);
    const update = await apt.run('apt-get', 'update');
    assert.equal(update.code, 0, update.output);
    assert.doesNotMatch(update.output, /^[WE]:/m);
    const download = await apt.run('apt-get', 'download', 'hello', 'hello-doc');
    assert.equal(download.code, 0, download.output);
    const source = await apt.run('apt-get', 'source', '--download-only', 'hello');
    assert.equal(source.code, 0, source.output);
    assert.deepEqual(
      readFileSync(join(apt.folder, 'download/hello_2.10-1_amd64.deb')),
      readFileSync(files[1] ?? ''),
    );
    assert.ok(server.asked.some(path => path.includes('/by-hash/SHA256/')));
  });

  test('is verified by Release and Release.gpg where no InRelease can be had', async () => {
    const older = openAptClient(sourceLine(registry, server.url, 'main'));
    server.tamper = path => (path.endsWith('/InRelease') ? 404 : null);
    const update = await older.run('apt-get', 'update');
    server.tamper = null;
    assert.equal(update.code, 0, update.output);
    assert.ok(server.asked.some(path => path.endsWith('/Release.gpg')));
    assert.match((await older.run('apt-cache', 'policy', 'hello')).output, /Candidate: 2\.10-1/);
    older.close();
  });

  test('lists and describes what it holds', () => {
    const { reads } = registry.catalogue;
    assert.deepEqual(
      reads
        .list('default', PLACE, { limit: 10 })
        .artifacts.map(one => [one.name, one.architecture, one.size > 0]),
      [
        ['hello', 'src', false],
        ['hello', 'x86_64', true],
        ['hello-doc', 'noarch', true],
      ],
    );
    const source = reads.describe('default', PLACE, { name: 'hello', architecture: 'src' });
    assert.deepEqual(
      source?.binaries.map(one => one.name),
      ['hello', 'hello-doc'],
    );
    assert.deepEqual(source?.entry.changelog, [
      {
        author: 'Jane Roe <jane@example.org>',
        changes: ['First build'],
        date: 1767225600,
        version: '2.10-1',
      },
    ]);
    const doc = reads.describe('default', PLACE, { name: 'hello-doc', architecture: 'noarch' });
    assert.deepEqual(doc?.source, { name: 'hello', architecture: 'src', version: '2.10-1', size: 0 });
    assert.deepEqual(doc?.entry.content.at(-1), { path: '/usr/share/hello-doc/data', type: 'f', size: 7 });
  });

  test('gives up what writes its fields in another case, or an architecture by another name', async () => {
    const own = openRegistry();
    await makeKeyring(own);
    const write = (version: string): string[] => {
      const folder = mkdtempSync(join(own.home, 'odd-'));
      const control = `package: odd\nversion: ${version}\narchitecture: amd64\nmaintainer: x <x@y.z>\ndescription: odd\n`;
      const dsc = makeSource(folder, 'src', version);
      writeFileSync(dsc, readFileSync(dsc, 'utf8').replace('Version:', 'version:'));
      const named = { version, architecture: 'noarch' };
      return [
        ...[makeDeb(folder, { name: 'odd', version, architecture: 'amd64', control }), dsc],
        ...[makeDeb(folder, { name: 'named', ...named }), makeDeb(folder, { name: 'stays', ...named })],
      ];
    };
    for (const version of ['1', '2']) await publish(own, write(version));
    for (const [name, architecture] of [
      ['odd', 'x86_64'],
      ['named', 'noarch'],
    ] as const) {
      const spec = deletionOf(name, architecture, '2');
      await deletion(own.context(spec), spec);
    }
    const main = join(own.tree('deb'), 'dists/bookworm/main');
    const listed = (path: string): string[] =>
      [...readFileSync(join(main, path), 'utf8').matchAll(/^(?:package|version): (.*)$/gim)].map(
        match => match[1] ?? '',
      );
    assert.deepEqual(listed('binary-amd64/Packages'), ['stays', '2']);
    assert.deepEqual(listed('source/Sources'), ['src', '2']);
    own.close();
  });

  test('refuses a binary package that calls its architecture what sources have', async () => {
    for (const architecture of ['source', 'src']) {
      const deb = makeDeb(registry.home, { name: 'wrong', version: '1', architecture });
      await assert.rejects(publish(registry, [deb]), { reason: 'bad-package', message: /Architecture/ });
    }
  });

  test('replaces a version by the next and keeps the old index readable by content', async () => {
    const held = readdirSync(join(registry.tree('deb'), 'by-hash/bookworm/SHA256'));
    await publish(registry, [
      makeDeb(registry.home, { name: 'hello', version: '2.10-2', architecture: 'amd64' }),
    ]);
    await apt.run('apt-get', 'update');
    const policy = await apt.run('apt-cache', 'policy', 'hello');
    assert.match(policy.output, /Candidate: 2\.10-2/);
    assert.doesNotMatch(policy.output, /2\.10-1/);
    const now = readdirSync(join(registry.tree('deb'), 'by-hash/bookworm/SHA256'));
    assert.ok(held.every(name => now.includes(name)) && now.length > held.length);
  });

  test('tells which package has a file, as apt-file asks apt for it', async () => {
    // The index targets that the package apt-file sets up for apt.
    const target = 'Acquire::IndexTargets::deb::Contents-deb';
    const searching = openAptClient(sourceLine(registry, server.url, 'main'), [
      `${target}::MetaKey=$(COMPONENT)/Contents-$(ARCHITECTURE)`,
      `${target}::ShortDescription=Contents`,
      `${target}::Description=$(COMPONENT) Contents`,
      `${target}::KeepCompressed=true`,
    ]);
    const update = await searching.run('apt-get', 'update');
    assert.doesNotMatch(update.output, /^[WE]:/m);
    const found = await searching.run(
      'apt-get',
      'indextargets',
      '--format',
      '$(FILENAME)',
      'Created-By: Contents-deb',
    );
    const lines = execFileSync('/usr/lib/apt/apt-helper', ['cat-file', found.output.trim()])
      .toString()
      .split('\n');
    searching.close();
    const wanted = ['hello_2.10-2_amd64', 'hello-doc_2.10-1_all'].flatMap(file => {
      const listed = execFileSync('dpkg-deb', ['-c', join(registry.home, `${file}.deb`)]).toString();
      const paths = [...listed.matchAll(/^-.* \.\/(.*)$/gm)].map(match => match[1]);
      return paths.map(path => `${path}\tmisc/${file.split('_')[0]}`);
    });
    assert.deepEqual(lines.filter(line => line !== '').sort(), wanted.sort());
    assert.ok(wanted.length >= 2);
  });

  test('refuses other content under a published version and keeps serving the first', async () => {
    const path = join(registry.tree('deb'), 'pool/main/h/hello/hello_2.10-2_amd64.deb');
    const served = readFileSync(path);
    const other = makeDeb(registry.home, {
      name: 'hello',
      version: '2.10-2',
      architecture: 'amd64',
      files: { 'usr/share/hello/data': 'other\n' },
    });
    await assert.rejects(publish(registry, [other]), { reason: 'version-exists' });
    assert.deepEqual(readFileSync(path), served);
  });

  test('publishes into a derivative of its own component', async () => {
    await publish(
      registry,
      [makeDeb(registry.home, { name: 'tool', version: '1-1', architecture: 'amd64' })],
      'extra',
    );
    await apt.run('apt-get', 'update');
    const policy = await apt.run('apt-cache', 'policy', 'tool');
    assert.match(policy.output, /bookworm\/extra amd64 Packages/);
    assert.deepEqual(registry.catalogue.reads.derivatives('default', 'deb', 'bookworm'), ['extra', 'main']);
  });

  test('deletes exactly what was named, once', async () => {
    const wrong = deletionOf('hello', 'x86_64', '2.10-1');
    await assert.rejects(deletion(registry.context(wrong), wrong), { reason: 'not-found' });
    const right = deletionOf('hello', 'x86_64', '2.10-2');
    await deletion(registry.context(right), right);
    await assert.rejects(deletion(registry.context(right), right), { reason: 'not-found' });
    await apt.run('apt-get', 'update');
    const policy = await apt.run('apt-cache', 'policy', 'hello', 'hello-doc');
    assert.doesNotMatch(policy.output, /^hello:$/m);
    assert.match(policy.output, /^hello-doc:$/m);
    // The file leaves after the index, by a later collection.
    assert.ok(existsSync(join(registry.tree('deb'), 'pool/main/h/hello/hello_2.10-2_amd64.deb')));
  });

  test('is refused by apt with another key, with a tampered index, and without a signature', async () => {
    const stranger = openRegistry({ instance: 'stranger' });
    await makeKeyring(stranger);
    const keyring = join(stranger.settings.dirs.keyring, 'stranger/public.gpg');
    const wrong = openAptClient(`deb [signed-by=${keyring}] ${server.url} bookworm main`);
    const unsigned = await wrong.run('apt-get', 'update');
    assert.notEqual(unsigned.code, 0);
    assert.match(unsigned.output, /NO_PUBKEY|not signed/);
    wrong.close();
    stranger.close();
    const tampered = openAptClient(sourceLine(registry, server.url, 'main'));
    server.tamper = path => (/Packages|by-hash/.test(path) ? Buffer.from('Package: evil\n') : null);
    const index = await tampered.run('apt-get', 'update');
    assert.notEqual(index.code, 0);
    assert.match(index.output, /Hash Sum mismatch|unexpected size/);
    server.tamper = path => (/InRelease$|Release\.gpg$/.test(path) ? Buffer.from('') : null);
    const bare = await tampered.run('apt-get', 'update');
    assert.notEqual(bare.code, 0);
    server.tamper = null;
    tampered.close();
  });
});
