/** States of a registry: snapshots, promotion, rollback, comparison, checks and repair, import and images. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BuildSpec, RegistryKey, RegistrySpec } from '../../../workers/job.ts';
import { deletion, registryWork } from '../../../workers/jobs/registry.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { expired } from '../../../workers/registry/collection.ts';
import { publishOsi } from '../../../workers/registry/osi-publish.ts';
import { openAptClient } from '../../support/apt-client.ts';
import { makeDeb, makeSource } from '../../support/debs.ts';
import { makeKeyring, openRegistry, type RegistryHome } from '../../support/registry.ts';
import { SEED_SPEC } from '../../support/seed-apt.ts';
import { serveTree, type TreeServer } from '../../support/tree-server.ts';

const KEY: RegistryKey = { format: 'deb', distribution: 'bookworm', derivative: null };

async function publish(registry: RegistryHome, files: string[], derivative = 'main'): Promise<void> {
  const spec = { type: 'build', format: 'deb', distribution: 'bookworm', derivative } as BuildSpec;
  await publishDeb(registry.context(spec), { artifact: 'x', version: '1', files }, spec);
}

async function act(
  registry: RegistryHome,
  action: RegistrySpec['action'],
  parameters: Record<string, string> = {},
  place: Partial<RegistrySpec> = {},
): Promise<void> {
  const spec: RegistrySpec = {
    type: 'registry',
    action,
    format: 'deb',
    distribution: 'bookworm',
    derivative: 'main',
    parameters,
    ...place,
  };
  await registryWork(registry.context(spec), spec);
}

function versions(registry: RegistryHome, derivative = 'main', distribution = 'bookworm'): string[] {
  const place = { format: 'deb', distribution, derivative } as const;
  return registry.catalogue.reads
    .list(registry.instance.id, place, { limit: 100 })
    .artifacts.map(one => `${one.name} ${one.version} ${one.architecture}`);
}

function filesOf(folder: string): string[] {
  return readdirSync(folder).map(name => join(folder, name));
}

describe('states of a registry', async () => {
  const registry = openRegistry({
    pipelines: [{}, { distribution: 'trixie', tag: 'deb13', environment: 'trixie' }],
  });
  let server: TreeServer;
  const client = (path: string, suite = 'bookworm', components = 'main extra') =>
    openAptClient(
      `deb [signed-by=${registry.settings.dirs.keyring}/default/public.gpg] ${server.url}${path} ${suite} ${components}`,
    );
  before(async () => {
    await makeKeyring(registry);
    server = await serveTree(registry.tree('deb'));
    await publish(registry, [
      makeSource(registry.home, 'hello', '1-1'),
      makeDeb(registry.home, { name: 'hello', version: '1-1', architecture: 'amd64' }),
    ]);
  });
  after(async () => {
    await server.close();
    registry.close();
  });

  test('a snapshot is served by apt at its own address while the registry moves on', async () => {
    await act(registry, 'snapshot', { name: 'first' });
    await publish(registry, [
      makeSource(registry.home, 'hello', '1-2'),
      makeDeb(registry.home, { name: 'hello', version: '1-2', architecture: 'amd64' }),
    ]);
    const now = client('');
    const then = client('/snapshots/first');
    for (const apt of [now, then]) {
      const updated = await apt.run('apt-get', 'update');
      assert.doesNotMatch(updated.output, /^[WE]:/m);
    }
    assert.match((await now.run('apt-cache', 'policy', 'hello')).output, /Candidate: 1-2/);
    assert.match((await then.run('apt-cache', 'policy', 'hello')).output, /Candidate: 1-1/);
    const download = await then.run('apt-get', 'download', 'hello');
    assert.equal(download.code, 0, download.output);
    now.close();
    then.close();
  });

  test('a snapshot is never replaced', async () => {
    await assert.rejects(act(registry, 'snapshot', { name: 'first' }), { reason: 'already-there' });
  });

  test('two states are compared', () => {
    const found = [...registry.catalogue.generations.compare('default', KEY, 'first', null)];
    assert.deepEqual(
      found.map(one => `${one.added ? '+' : '-'} ${one.name} ${one.version} ${one.architecture}`).sort(),
      ['+ hello 1-2 src', '+ hello 1-2 x86_64', '- hello 1-1 src', '- hello 1-1 x86_64'],
    );
  });

  test('a source is promoted with its binaries into another derivative and distribution', async () => {
    const from = { instance: 'default', distribution: 'bookworm', derivative: 'main', artifact: 'hello' };
    await act(registry, 'promotion', from, { derivative: 'extra' });
    await act(registry, 'promotion', { ...from, snapshot: 'first' }, { distribution: 'trixie' });
    assert.deepEqual(versions(registry, 'extra'), ['hello 1-2 src', 'hello 1-2 x86_64']);
    assert.deepEqual(versions(registry, 'main', 'trixie'), ['hello 1-1 src', 'hello 1-1 x86_64']);
    const apt = client('', 'trixie', 'main');
    await apt.run('apt-get', 'update');
    const download = await apt.run('apt-get', 'download', 'hello=1-1');
    assert.equal(download.code, 0, download.output);
    apt.close();
    const missing = act(registry, 'promotion', { ...from, artifact: 'absent' }, { derivative: 'extra' });
    await assert.rejects(missing, { reason: 'not-found' });
  });

  test('the registry goes back to a snapshot and forth again', async () => {
    const before = registry.catalogue.generations.kept('default', KEY)[0]?.name ?? '';
    await act(registry, 'rollback', { to: 'first' });
    assert.deepEqual(versions(registry), ['hello 1-1 src', 'hello 1-1 x86_64']);
    assert.deepEqual(versions(registry, 'extra'), []);
    await assert.rejects(act(registry, 'rollback', { to: 'first' }), { reason: 'already-there' });
    await act(registry, 'verification');
    await act(registry, 'rollback', { to: before });
    assert.deepEqual(versions(registry), ['hello 1-2 src', 'hello 1-2 x86_64']);
    assert.deepEqual(versions(registry, 'extra'), ['hello 1-2 src', 'hello 1-2 x86_64']);
    await act(registry, 'verification');
    await assert.rejects(act(registry, 'rollback', { to: 'nothing' }), { reason: 'not-found' });
  });

  test('verification finds what was changed behind its back, and repair makes it whole', async () => {
    const generation = readlinkSync(join(registry.tree('deb'), 'dists/bookworm'));
    const index = join(registry.tree('deb'), 'dists', generation, 'main/binary-amd64/Packages.gz');
    const bytes = readFileSync(index);
    // A file of its own: the index by content is the same file under another name.
    rmSync(index);
    writeFileSync(index, bytes.subarray(0, 40));
    await assert.rejects(act(registry, 'verification'), { reason: 'catalogue-mismatch' });
    assert.ok(
      registry.log.some(line => line.includes('main/binary-amd64/Packages.gz is not what Release says')),
    );
    const file = join(registry.tree('deb'), 'pool/extra/h/hello/hello_1-2_amd64.deb');
    // Promotion made a second name of the same file: damage this one only.
    const damaged = Buffer.concat([readFileSync(file), Buffer.from('x')]);
    rmSync(file);
    writeFileSync(file, damaged);
    await assert.rejects(act(registry, 'verification'), { reason: 'catalogue-mismatch' });
    assert.ok(
      registry.log.some(line => line.includes('hello_1-2_amd64.deb has other content than published')),
    );
    await act(registry, 'repair');
    await act(registry, 'verification');
    assert.deepEqual(versions(registry, 'extra'), ['hello 1-2 src']);
  });

  test('repair replaces what the disk has damaged or lost below the indexes', async () => {
    await publish(registry, [
      makeDeb(registry.home, { name: 'healed', version: '1-1', architecture: 'amd64' }),
    ]);
    const generation = readlinkSync(join(registry.tree('deb'), 'dists/bookworm'));
    const packed = readFileSync(
      join(registry.tree('deb'), 'dists', generation, 'main/binary-amd64/Packages.gz'),
    );
    const digest = createHash('sha256').update(packed).digest('hex');
    const segments = join(registry.tree('state'), 'deb/segments');
    // In place, as a disk does it: all names of the file show it.
    for (const path of [
      join(registry.tree('deb'), 'by-hash/bookworm/SHA256', digest),
      ...filesOf(segments),
    ]) {
      writeFileSync(path, 'damaged');
    }
    await assert.rejects(act(registry, 'verification'), { reason: 'catalogue-mismatch' });
    await act(registry, 'repair');
    await act(registry, 'verification');
    for (const path of filesOf(segments)) rmSync(path);
    await publish(registry, [
      makeDeb(registry.home, { name: 'healed', version: '1-2', architecture: 'amd64' }),
    ]);
    await act(registry, 'verification');
  });

  test('what a snapshot holds outlives deletion and retention, and goes once it is dropped', async () => {
    const place = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;
    const spec = {
      type: 'deletion',
      ...place,
      artifact: 'hello',
      architecture: 'x86_64',
      version: '1-2',
    } as const;
    await deletion(registry.context(spec), spec);
    await act(registry, 'retention');
    const then = client('/snapshots/first');
    await then.run('apt-get', 'update');
    assert.equal((await then.run('apt-get', 'download', 'hello')).code, 0);
    then.close();
    await act(registry, 'snapshot', { name: 'first', drop: 'yes' });
    assert.ok(!existsSync(join(registry.tree('deb'), 'snapshots/first')));
    assert.throws(() => registry.catalogue.generations.numberOf('default', KEY, 'first'), {
      reason: 'not-found',
    });
  });

  test('verification looks at kept states and snapshots too, and nothing broken is gone back to or promoted', async () => {
    const tree = registry.tree('deb');
    await publish(registry, [makeDeb(registry.home, { name: 'broken', version: '1' })]);
    await act(registry, 'snapshot', { name: 'whole' });
    const { name = '' } = registry.catalogue.generations.kept('default', KEY)[0] ?? {};
    await publish(registry, [makeDeb(registry.home, { name: 'broken', version: '2' })]);
    await act(registry, 'verification');
    /** What verification says of a file that holds something else, and of nothing else. */
    const findings = async (path: string, content: Buffer | null): Promise<string> => {
      // Put back as it was: indexes by content are further names of the same files.
      const aside = join(registry.home, 'aside');
      renameSync(path, aside);
      if (content !== null) writeFileSync(path, content);
      registry.log.length = 0;
      await assert.rejects(act(registry, 'verification'), { reason: 'catalogue-mismatch' });
      renameSync(aside, path);
      return registry.log.filter(line => line.startsWith('error')).join('\n');
    };
    const generation = join(tree, 'generations/bookworm', name);
    const damage = Buffer.from('damaged');
    for (const [path, text] of [
      [
        join(tree, 'pool/main/b/broken/broken_1_all.deb'),
        /^error: pool\/.*broken_1_all\.deb has other content than published: a kept state/,
      ],
      [join(generation, 'Release'), /^error: snapshot whole: the signature of .*Release is not good/m],
      [join(generation, 'InRelease'), /^error: snapshot whole: the signature is not good/],
      [
        join(generation, 'main/binary-amd64/Packages.gz'),
        /^error: snapshot whole: main\/binary-amd64\/Packages\.gz is not what Release says$/,
      ],
    ] as const) {
      assert.match(await findings(path, damage), text);
    }
    assert.match(
      await findings(join(generation, 'Release.gpg'), null),
      /^error: snapshot whole: the signature of .*Release is not good/,
    );
    // Text that gpg passes over is not what the key has signed.
    const current = join(tree, 'dists/bookworm/InRelease');
    const forged = Buffer.concat([Buffer.from('Origin: forged\n\n'), readFileSync(current)]);
    assert.match(
      await findings(current, forged),
      /^error: the signature is not good: .*something beside it$/,
    );
    const stray = join(tree, 'pool/main/s/stray.deb');
    mkdirSync(dirname(stray), { recursive: true });
    writeFileSync(stray, '');
    await act(registry, 'verification');
    assert.ok(registry.log.some(line => /^info: Nothing .*pool\/main\/s\/stray\.deb/.test(line)));
    rmSync(stray);
    const file = join(tree, 'pool/main/b/broken/broken_1_all.deb');
    const bytes = readFileSync(file);
    writeFileSync(file, damage);
    const mismatch = {
      reason: 'catalogue-mismatch',
      message: /broken_1_all\.deb has other content than published/,
    };
    await assert.rejects(act(registry, 'rollback', { to: 'whole' }), mismatch);
    const from = { instance: 'default', distribution: 'bookworm', derivative: 'main', artifact: 'broken' };
    await assert.rejects(
      act(registry, 'promotion', { ...from, snapshot: 'whole' }, { derivative: 'extra' }),
      mismatch,
    );
    assert.ok(versions(registry).includes('broken 2 noarch'));
    writeFileSync(file, bytes);
    await act(registry, 'snapshot', { name: 'whole', drop: 'yes' });
    await act(registry, 'verification');
  });

  test('what a kept state holds is not replaced: another content needs another version, which a rebuild gets', async () => {
    const deb = (text: string): string =>
      makeDeb(mkdtempSync(join(registry.home, 'held-')), {
        name: 'held',
        version: '1-1',
        files: { data: text },
      });
    await publish(registry, [makeSource(registry.home, 'held', '1-1'), deb('first')]);
    const before = registry.catalogue.generations.kept('default', KEY)[0]?.name ?? '';
    const place = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;
    for (const architecture of ['src', 'noarch']) {
      const spec = { type: 'deletion', ...place, artifact: 'held', architecture, version: '1-1' } as const;
      await deletion(registry.context(spec), spec);
    }
    await assert.rejects(publish(registry, [deb('second')]), {
      reason: 'version-exists',
      message:
        'a kept state of the registry still holds held_1-1_all.deb with other content (as held 1-1 (bookworm/main)): raise the version',
    });
    const asked = { type: 'published-source', ...place, artifact: 'held' } as const;
    assert.deepEqual(registry.catalogue.answer('default', asked), { source: null, versions: ['1-1'] });
    await act(registry, 'rollback', { to: before });
    await act(registry, 'verification');
    await act(registry, 'retention');
  });

  test('a folder of packages is imported', async () => {
    const folder = join(registry.home, 'import/sub');
    mkdirSync(folder, { recursive: true });
    for (let index = 0; index < 5; index++) makeDeb(folder, { name: `imported${index}`, version: '1' });
    const steps: string[] = [];
    const spec: RegistrySpec = { ...SEED_SPEC, parameters: { source: join(registry.home, 'import') } };
    const progress = (step: string, done: number, total: number) => steps.push(`${step} ${done}/${total}`);
    await registryWork(Object.assign(registry.context(spec), { progress }), spec);
    assert.equal(versions(registry).filter(line => line.startsWith('imported')).length, 5);
    assert.deepEqual(
      steps.filter(step => step.startsWith('reading')),
      [1, 2, 3, 4, 5].map(done => `reading ${done}/5`),
    );
    await act(registry, 'verification');
    await assert.rejects(act(registry, 'import', { source: join(registry.home, 'nowhere') }), {
      reason: 'not-found',
    });
  });

  test('a signed apt repository on the network is imported, one with another key is not', async () => {
    const other = openRegistry({ instance: 'other' });
    await makeKeyring(other);
    const keys = readFileSync(join(registry.settings.dirs.keyring, 'default/public.asc'), 'utf8');
    const from = { source: `${server.url}/`, suite: 'bookworm', components: 'main' };
    const wrong = readFileSync(join(other.settings.dirs.keyring, 'other/public.asc'), 'utf8');
    await assert.rejects(act(other, 'import', { ...from, keys: wrong }), { reason: 'bad-package' });
    await assert.rejects(act(other, 'import', from), { reason: 'bad-input' });
    await act(other, 'import', { ...from, keys });
    assert.deepEqual(versions(other), versions(registry));
    await act(other, 'verification');
    other.close();
  });
});

test('verification holds a registry for a moment, not while files are read', async () => {
  const asked: string[] = [];
  const registry = openRegistry({
    ask: ({ type }, answer) => {
      asked.push(type);
      return answer();
    },
  });
  await makeKeyring(registry);
  await publish(registry, [makeDeb(registry.home, { name: 'quick', version: '1' })]);
  asked.length = 0;
  await act(registry, 'verification');
  assert.deepEqual(asked.slice(0, 4), ['lock', 'generations', 'unlock', 'catalogue']);
  assert.equal(asked.lastIndexOf('lock'), 0);
  registry.close();
});

describe('old states', () => {
  const day = 86_400;
  const generation = (name: string, superseded: number | null, snapshots: string[] = []) => ({
    name,
    created: 0,
    superseded,
    task: 't',
    snapshots,
  });

  test('go after seven days, but for the newest three and what a snapshot holds', () => {
    const now = 100 * day;
    const list = [
      generation('current', null),
      generation('a', now - 20 * day),
      generation('b', now - 30 * day),
      generation('c', now - 6 * day),
      generation('d', now - 8 * day),
      generation('e', now - 90 * day, ['kept']),
      generation('f', now - 99 * day),
    ];
    assert.deepEqual(expired(list, now), ['d', 'f']);
  });
});

describe('images', async () => {
  const registry = openRegistry({ pipelines: [{ format: 'osi', distribution: 'ci', environment: null }] });
  const place = { format: 'osi', distribution: 'ci', derivative: 'main' } as const;
  before(() => makeKeyring(registry));
  after(() => registry.close());
  const spec = { type: 'build', ...place } as BuildSpec;

  async function publishImage(version: string, ...extensions: string[]): Promise<void> {
    const files = [...extensions, 'manifest'].map(extension => {
      const file = join(registry.home, `node_${version}.${extension}`);
      writeFileSync(file, `${version} ${extension}`);
      return file;
    });
    await publishOsi(registry.context(spec), { artifact: 'node', version, files }, spec);
  }

  test('are listed by extension with one signed list of digests, and all kept', async () => {
    await publishImage('1.0', 'tar', 'raw.xz');
    await publishImage('1.1', 'tar');
    const folder = join(registry.tree('osi'), 'ci/main');
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder, stdio: 'pipe' });
    const keyring = join(registry.settings.dirs.keyring, 'default/public.gpg');
    execFileSync('gpgv', ['--keyring', keyring, 'SHA256SUMS.gpg', 'SHA256SUMS'], {
      cwd: folder,
      stdio: 'pipe',
    });
    assert.deepEqual(
      registry.catalogue.reads
        .list('default', place, { limit: 9 })
        .artifacts.map(one => [one.architecture, one.version]),
      [
        ['raw.xz', '1.0'],
        ['tar', '1.0'],
        ['tar', '1.1'],
      ],
    );
    assert.ok(readdirSync(folder).includes('node_1.0.manifest'));
  });

  test('that lie in two folders are one, unless they differ', async () => {
    const source = join(registry.home, 'images');
    for (const folder of ['a', 'b']) {
      mkdirSync(join(source, folder), { recursive: true });
      writeFileSync(join(source, folder, 'disk_1.0.raw'), 'the same');
    }
    const spec: RegistrySpec = { type: 'registry', action: 'import', ...place, parameters: { source } };
    await registryWork(registry.context(spec), spec);
    writeFileSync(join(source, 'b/disk_1.0.raw'), 'another');
    await assert.rejects(registryWork(registry.context(spec), spec), {
      reason: 'version-exists',
      message: /a\/disk_1\.0\.raw and b\/disk_1\.0\.raw$/,
    });
  });

  test('lose their line when one is deleted, and the list is signed again', async () => {
    const gone = {
      type: 'deletion',
      ...place,
      artifact: 'node',
      architecture: 'tar',
      version: '1.1',
    } as const;
    await deletion(registry.context(gone), gone);
    const sums = readFileSync(join(registry.tree('osi'), 'ci/main/SHA256SUMS'), 'utf8');
    assert.doesNotMatch(sums, /node_1\.1/);
    assert.match(sums, /^[0-9a-f]{64} \*node_1\.0\.tar$/m);
    const verify: RegistrySpec = { type: 'registry', action: 'verification', ...place, parameters: {} };
    await registryWork(registry.context(verify), verify);
  });
});
