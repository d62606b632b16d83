/** What an rpm registry's metadata can be beyond lists of packages: packed by zstd, with update notices. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { BuildSpec, RegistrySpec, WorkerSettings } from '../../../workers/job.ts';
import { registryWork } from '../../../workers/jobs/registry.ts';
import { publishRpm } from '../../../workers/registry/rpm-publish.ts';
import { openDnf, openZypper } from '../../support/dnf-client.ts';
import { makeKeyring, openRegistry, type RegistryHome } from '../../support/registry.ts';
import { makeRpm } from '../../support/rpms.ts';
import { serveTree, type TreeServer } from '../../support/tree-server.ts';

const PLACE = { format: 'rpm', distribution: 'el9', derivative: 'main' } as const;

async function publish(registry: RegistryHome, files: string[], derivative = 'main'): Promise<void> {
  const spec = { type: 'build', ...PLACE, derivative } as BuildSpec;
  await publishRpm(registry.context(spec), { artifact: 'x', version: '1', files }, spec);
}

async function act(
  registry: RegistryHome,
  action: RegistrySpec['action'],
  more: Partial<RegistrySpec> = {},
): Promise<void> {
  const spec: RegistrySpec = { type: 'registry', action, ...PLACE, parameters: {}, ...more };
  await registryWork(registry.context(spec), spec);
}

const key = (registry: RegistryHome): string =>
  join(registry.settings.dirs.keyring, registry.instance.id, 'public.asc');

/** Metadata of a kind that an architecture's repodata holds. */
function files(registry: RegistryHome, kind: string, architecture = 'x86_64'): string[] {
  const repodata = join(registry.tree('rpm'), 'el9/main', architecture, 'repodata');
  return readdirSync(repodata).filter(name => name.includes(`-${kind}.xml`));
}

/** What dnf says with the options. */
async function ask(url: string, registry: RegistryHome, ...words: string[]): Promise<string> {
  const dnf = openDnf({ url, key: key(registry) });
  const { code, output } = await dnf.run(...words);
  dnf.close();
  assert.equal(code, 0, output);
  return output;
}

describe('indexes packed by zstd', async () => {
  const rpm: { -readonly [K in keyof WorkerSettings['rpm']]: WorkerSettings['rpm'][K] } = {
    repositories: {},
    modules: [],
    prescriptDeps: [],
    compression: 'gz',
  };
  const registry = openRegistry({
    pipelines: [{ format: 'rpm', distribution: 'el9', tag: 'el9' }],
    keyring: { type: 'rsa', size: 2048 },
    settings: { rpm },
  });
  let server: TreeServer;
  before(async () => {
    await makeKeyring(registry);
    server = await serveTree(registry.tree('rpm'));
  });
  after(async () => {
    await server.close();
    registry.close();
  });
  const url = (): string => `${server.url}/el9/main/x86_64/`;

  test('are read by dnf and zypper, which install from them', async () => {
    rpm.compression = 'zstd';
    await publish(registry, makeRpm(registry.home, { name: 'hello', version: '1.0' }));
    // A second publication makes frames of their own out of segments.
    await publish(registry, makeRpm(registry.home, { name: 'world', version: '1.0', requires: 'hello' }));
    assert.match(files(registry, 'primary').join(), /\.zst/);
    const dnf = openDnf({ url: url(), key: key(registry) });
    const installed = await dnf.run('install', 'world');
    assert.equal(installed.code, 0, installed.output);
    assert.equal(readFileSync(join(dnf.root, 'usr/share/hello/data'), 'utf8'), '1.0-1\n');
    const owner = await dnf.run('repoquery', '--file', '/usr/share/world/data', '--qf', '%{name}');
    assert.match(owner.output, /^world$/m);
    dnf.close();
    const zypper = await openZypper({ url: url(), key: key(registry) });
    const also = await zypper.run('install', '--no-recommends', 'world');
    assert.equal(also.code, 0, also.output);
    zypper.close();
    await act(registry, 'verification');
  });

  test('follow the setting with the next publication, both ways, and those that it supersedes stay', async () => {
    rpm.compression = 'gz';
    const [source = ''] = makeRpm(registry.home, { name: 'third', version: '1.0' }).slice(-1);
    // Only the sources change; the others are packed anew all the same.
    await publish(registry, [source]);
    const repomd = (): string =>
      readFileSync(join(registry.tree('rpm'), 'el9/main/x86_64/repodata/repomd.xml'), 'utf8');
    assert.doesNotMatch(repomd(), /\.zst"/);
    assert.equal(files(registry, 'primary').filter(name => name.endsWith('.zst')).length, 2);
    await act(registry, 'verification');
    assert.match(await ask(url(), registry, 'list', '--available'), /^world\.noarch/m);
    rpm.compression = 'zstd';
    await act(registry, 'repair');
    assert.doesNotMatch(repomd(), /\.gz"/);
    await act(registry, 'verification');
    rpm.compression = 'gz';
    await act(registry, 'repair');
    await act(registry, 'verification');
  });
});

const notice = (
  id: string,
  name: string,
  version: string,
  title = 'Title',
): string => `<update from="team@example.org"
  status="final" type="security" version="1"><id>${id}</id><title>${title}</title><issued date="2026-01-01 00:00:00"/>
  <severity>Important</severity><description>Why</description><pkglist><collection short="c"><name>c</name>
  <package name="${name}" version="${version}" release="1" epoch="0" arch="noarch" src="${name}-${version}-1.src.rpm">
  <filename>${name}-${version}-1.noarch.rpm</filename></package></collection></pkglist></update>`;
const updateinfo = (...notices: string[]): Buffer =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<updates>${notices.join('\n')}</updates>\n`);

describe('update notices', async () => {
  const pipelines = [{ format: 'rpm', distribution: 'el9', tag: 'el9' } as const];
  const registry = openRegistry({
    pipelines,
    architectures: ['x86_64', 'aarch64'],
    keyring: { type: 'rsa', size: 2048 },
  });
  let server: TreeServer;
  before(async () => {
    await makeKeyring(registry);
    server = await serveTree(registry.tree('rpm'));
    await publish(registry, [
      ...makeRpm(registry.home, { name: 'hello', version: '2.0' }),
      ...makeRpm(registry.home, { name: 'world', version: '1.0' }),
    ]);
  });
  after(async () => {
    await server.close();
    registry.close();
  });

  /** What dnf says of the notices of all packages that it has installed. */
  async function updates(words: string[], path: string, of: RegistryHome, at: TreeServer): Promise<string> {
    const dnf = openDnf({ url: `${at.url}${path}/x86_64/`, key: key(of) });
    try {
      const installed = await dnf.run('--setopt=strict=0', 'install', 'hello', 'world', 'local');
      assert.equal(installed.code, 0, installed.output);
      const { code, output } = await dnf.run('updateinfo', ...words, '--all');
      assert.equal(code, 0, output);
      return output;
    } finally {
      dnf.close();
    }
  }

  /** Ids that `dnf updateinfo list` shows. */
  async function listed(path = '/el9/main', of = registry, at = server): Promise<string[]> {
    const output = await updates(['list'], path, of, at);
    return [...output.matchAll(/\b(EX-\d+)\s/g)].map(match => match[1] ?? '').sort();
  }

  async function give(content: Buffer | null): Promise<void> {
    const file = join(registry.home, 'given');
    if (content !== null) writeFileSync(file, content);
    await act(registry, 'updateinfo', content === null ? {} : { file });
  }

  test('that are given are seen by dnf, and stay over publications', async () => {
    await give(gzipSync(updateinfo(notice('EX-1', 'hello', '2.0'))));
    assert.deepEqual(await listed(), ['EX-1']);
    for (const word of ['x86_64', 'aarch64']) assert.equal(files(registry, 'updateinfo', word).length, 1);
    assert.equal(files(registry, 'updateinfo', 'source').length, 0);
    await publish(registry, makeRpm(registry.home, { name: 'third', version: '1.0' }));
    assert.deepEqual(await listed(), ['EX-1']);
    await act(registry, 'verification');
    const info = await updates(['info'], '/el9/main', registry, server);
    assert.match(info, /Update ID: EX-1[\s\S]*Severity: Important/);
  });

  test('are replaced by the next ones, whose predecessors stay readable for a while', async () => {
    await act(registry, 'snapshot', { parameters: { name: 'one' } });
    await give(updateinfo(notice('EX-2', 'hello', '2.0'), notice('EX-3', 'world', '1.0')));
    assert.deepEqual(await listed(), ['EX-2', 'EX-3']);
    assert.equal(files(registry, 'updateinfo').length, 2);
    await give(updateinfo(notice('EX-2', 'hello', '2.0'), notice('EX-3', 'world', '1.0')));
    assert.equal(registry.log.at(-1), 'info: The update notices are these already');
  });

  test('are those of the snapshot in a snapshot, and after going back to it', async () => {
    assert.deepEqual(await listed('/snapshots/one/el9/main'), ['EX-1']);
    // Nothing but the notices differs.
    await act(registry, 'rollback', { parameters: { to: 'one' } });
    assert.deepEqual(await listed(), ['EX-1']);
    await assert.rejects(act(registry, 'rollback', { parameters: { to: 'one' } }), {
      reason: 'already-there',
    });
    await act(registry, 'verification');
  });

  test('go along with the packages that they name when those are promoted', async () => {
    await give(updateinfo(notice('EX-2', 'hello', '2.0'), notice('EX-3', 'world', '1.0')));
    const parameters = { instance: 'default', distribution: 'el9', derivative: 'main', artifact: 'world' };
    await act(registry, 'promotion', { derivative: 'extra', parameters });
    assert.deepEqual(await listed('/el9/extra'), ['EX-3']);
  });

  test('come with a repository that is imported, beside those that are there', async t => {
    const other = openRegistry({ instance: 'other', pipelines, keyring: { type: 'rsa', size: 2048 } });
    await makeKeyring(other);
    const mirror = await serveTree(other.tree('rpm'));
    t.after(async () => {
      await mirror.close();
      other.close();
    });
    const folder = join(registry.home, 'folder');
    mkdirSync(join(folder, 'repodata'), { recursive: true });
    makeRpm(folder, { name: 'local', version: '1.0' });
    const packed = gzipSync(updateinfo(notice('EX-9', 'local', '1.0')));
    writeFileSync(join(folder, 'repodata', `${'0'.repeat(64)}-updateinfo.xml.gz`), packed);
    await act(other, 'import', { parameters: { source: folder } });
    assert.deepEqual(await listed('/el9/main', other, mirror), ['EX-9']);
    const keys = readFileSync(key(registry), 'utf8');
    const source = `${server.url}/el9/main/x86_64`;
    await act(other, 'import', { parameters: { source, keys } });
    assert.deepEqual(await listed('/el9/main', other, mirror), ['EX-2', 'EX-3', 'EX-9']);
    // Again, with nothing new but a notice.
    await give(updateinfo(notice('EX-2', 'hello', '2.0', 'New'), notice('EX-4', 'world', '1.0')));
    await act(other, 'import', { parameters: { source, keys } });
    assert.deepEqual(await listed('/el9/main', other, mirror), ['EX-2', 'EX-3', 'EX-4', 'EX-9']);
    await act(other, 'import', { parameters: { source, keys } });
    assert.equal(other.log.at(-2), 'info: Everything is published already');
    await act(other, 'verification');
  });

  test('survive a lost manifest and a repair, which says so when they are lost themselves', async () => {
    rmSync(join(registry.settings.dirs.registry, 'default/state/rpm/manifests'), { recursive: true });
    await publish(registry, makeRpm(registry.home, { name: 'fourth', version: '1.0' }));
    assert.deepEqual(await listed(), ['EX-2', 'EX-4']);
    const damage = (word: string): void => {
      for (const name of files(registry, 'updateinfo', word)) {
        const path = join(registry.tree('rpm'), 'el9/main', word, 'repodata', name);
        rmSync(path);
        writeFileSync(path, 'damaged');
      }
    };
    damage('aarch64');
    await assert.rejects(act(registry, 'verification'), { reason: 'catalogue-mismatch' });
    await act(registry, 'repair');
    await act(registry, 'verification');
    assert.deepEqual(await listed(), ['EX-2', 'EX-4']);
    for (const word of ['x86_64', 'aarch64']) damage(word);
    await act(registry, 'repair');
    assert.ok(registry.log.includes('warning: The update notices are lost: give them again'));
    await act(registry, 'verification');
    assert.deepEqual(await listed(), []);
  });

  test('that no client could read are refused, and nothing is changed; without any they go', async () => {
    await give(updateinfo(notice('EX-5', 'world', '1.0')));
    for (const [bad, reason] of [
      [Buffer.from('<updates><update></updates>'), 'bad-input'],
      [Buffer.from('no xml'), 'bad-input'],
      [gzipSync('<updates/>').subarray(0, 20), 'bad-package'],
    ] as const) {
      await assert.rejects(give(bad), { reason });
    }
    assert.deepEqual(await listed(), ['EX-5']);
    await give(null);
    assert.deepEqual(await listed(), []);
    await act(registry, 'verification');
  });
});
