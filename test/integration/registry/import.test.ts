/** Imports: of signed repositories on the network, which may lie, and of folders as others left them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Fault } from '../../../proto/fault.ts';
import type { RegistrySpec } from '../../../workers/job.ts';
import { registryWork } from '../../../workers/jobs/registry.ts';
import { findFiles } from '../../../workers/registry/folder.ts';
import { openSigner } from '../../../workers/registry/signing.ts';
import { makeDeb, makeRevision, makeSource } from '../../support/debs.ts';
import { makeKeyring, openRegistry, type RegistryHome } from '../../support/registry.ts';
import { SEED_SPEC } from '../../support/seed-apt.ts';
import { serveTree, type TreeServer } from '../../support/tree-server.ts';

async function importFrom(registry: RegistryHome, parameters: Record<string, string>): Promise<void> {
  const spec: RegistrySpec = { ...SEED_SPEC, parameters };
  await registryWork(registry.context(spec), spec);
}

function versions(registry: RegistryHome): string[] {
  const place = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;
  return registry.catalogue.reads
    .list(registry.instance.id, place, { limit: 100 })
    .artifacts.map(one => `${one.name} ${one.version} ${one.architecture}`);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('an apt repository on the network', async () => {
  const origin = openRegistry();
  const own = openRegistry({ instance: 'own' });
  let server: TreeServer;
  let from: Record<string, string>;
  before(async () => {
    await makeKeyring(origin);
    await makeKeyring(own);
    server = await serveTree(origin.tree('deb'));
    await importFrom(origin, { source: join(makeDeb(origin.home, { name: 'honest', version: '1' }), '..') });
    const keys = readFileSync(join(origin.settings.dirs.keyring, 'default/public.asc'), 'utf8');
    from = { source: server.url, suite: 'bookworm', keys };
  });
  after(async () => {
    await server.close();
    own.close();
    origin.close();
  });

  /** What somebody between us and the repository serves: a list of their own, beside the honest one. */
  function forge(place: (forged: Buffer, honest: Buffer) => Buffer): TreeServer['tamper'] {
    const deb = readFileSync(makeDeb(own.home, { name: 'forged', version: '1' }));
    const packages = gzipSync(`Package: forged\nFilename: pool/forged.deb\nSHA256: ${sha256(deb)}\n`);
    const index = 'main/binary-all/Packages.gz';
    const release = `Components: main\nSHA256:\n ${sha256(packages)} ${packages.length} ${index}\n`;
    return path => {
      if (path.endsWith(index)) return packages;
      if (path.endsWith('forged.deb')) return deb;
      if (!path.endsWith('/InRelease')) return null;
      return place(Buffer.from(release), readFileSync(join(origin.tree('deb'), path)));
    };
  }

  test('is trusted for what its signature covers only, whatever stands around that', async () => {
    for (const place of [
      (forged: Buffer, honest: Buffer) =>
        Buffer.concat([Buffer.from('\n'), forged, Buffer.from('\n'), honest]),
      (forged: Buffer, honest: Buffer) => Buffer.concat([honest, forged]),
      (forged: Buffer, honest: Buffer) => Buffer.concat([honest, Buffer.from('\n'), forged, honest]),
      (forged: Buffer, honest: Buffer) =>
        Buffer.from(honest.toString().replace('\n\n', `\n \n${forged}\n\n`)),
      (forged: Buffer) => forged,
    ]) {
      server.tamper = forge(place);
      await assert.rejects(importFrom(own, from), { reason: 'bad-package' });
    }
    server.tamper = null;
    assert.deepEqual(versions(own), []);
  });

  test('with Release and Release.gpg only is imported, unless the signature is of something else', async () => {
    server.tamper = path => (path.endsWith('/InRelease') ? 404 : null);
    const honest = server.tamper;
    for (const bad of ['Release', 'Release.gpg']) {
      server.tamper = path =>
        path.endsWith(`/${bad}`)
          ? readFileSync(join(origin.tree('deb'), 'dists/bookworm/InRelease'))
          : honest(path);
      await assert.rejects(importFrom(own, from), { reason: 'bad-package' });
    }
    server.tamper = honest;
    await importFrom(own, from);
    server.tamper = null;
    assert.deepEqual(versions(own), ['honest 1 noarch']);
  });

  test('is taken at its fields, not at what a description has that looks like one', async () => {
    const folder = join(origin.home, 'odd');
    mkdirSync(folder);
    const forged = ['one\u2028Filename: evil.deb', ' two\u2029Filename: evil.deb'].join('\n');
    const fields = 'package: odd\nVersion: 1\nArchitecture: all\nMaintainer: x <x@y.z>\n';
    makeDeb(folder, { name: 'odd', version: '1', control: `${fields}Description: ${forged}\n` });
    await importFrom(origin, { source: folder });
    await importFrom(own, from);
    assert.deepEqual(versions(own), ['honest 1 noarch', 'odd 1 noarch']);
  });
});

describe('a folder', async () => {
  const registry = openRegistry();
  const folder = join(registry.home, 'in');
  before(() => makeKeyring(registry));
  after(() => registry.close());

  test('that is none, or that is not there, is told from one that holds nothing', async () => {
    mkdirSync(join(folder, 'empty/deeper'), { recursive: true });
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const [source, reason, message] of [
      [file, 'bad-input', /is not a folder$/],
      [`${file}/below`, 'bad-input', /is not a folder$/],
      [join(folder, 'nowhere'), 'not-found', /is not there$/],
      [join(folder, 'empty'), 'not-found', /holds nothing to import$/],
      [join(folder, 'x'.repeat(300)), 'bad-input', /can't be read/],
    ] as const) {
      await assert.rejects(importFrom(registry, { source }), (fault: Fault) => {
        assert.match(fault.message, message);
        return fault.reason === reason;
      });
    }
  });

  test('is left when its links lead out of where it must lie, and links in it are not followed', async () => {
    const [outside, root] = [join(registry.home, 'outside'), join(registry.home, 'root')];
    mkdirSync(outside);
    mkdirSync(root);
    makeDeb(outside, { name: 'foreign', version: '1' });
    symlinkSync(outside, join(root, 'out'));
    await assert.rejects(importFrom(registry, { source: join(root, 'out'), root }), { reason: 'not-found' });
    await assert.rejects(importFrom(registry, { source: root, root }), { reason: 'not-found' });
    makeDeb(root, { name: 'own', version: '1' });
    await importFrom(registry, { source: root, root });
    assert.deepEqual(versions(registry), ['own 1 noarch']);
  });

  test('is looked through until the task is ended', async () => {
    mkdirSync(join(folder, 'wide'));
    for (let at = 0; at < 20; at++) writeFileSync(join(folder, 'wide', `${at}.deb`), '');
    const abort = new AbortController();
    abort.abort(new Error('ended'));
    await assert.rejects(findFiles(folder, /\.deb$/, abort.signal), /ended/);
  });
});

describe('a pool of packages', async () => {
  const all = { main: { last: 0, newer: 0 } };
  const registry = openRegistry({ pipelines: [{ retention: all }] });
  let number = 0;
  /** A new folder and folders in it. */
  const folder = (...subs: string[]): string[] => {
    const top = join(registry.home, `pool-${number++}`);
    const paths = ['', ...subs].map(sub => join(top, sub));
    for (const path of paths) mkdirSync(path, { recursive: true });
    return paths;
  };
  const verify = (): Promise<void> => {
    const spec: RegistrySpec = { ...SEED_SPEC, action: 'verification' };
    return registryWork(registry.context(spec), spec);
  };
  before(() => makeKeyring(registry));
  after(() => registry.close());

  test('may hold revisions that share an archive, and the same package in two folders', async () => {
    const [source = '', a = '', b = ''] = folder('a', 'b');
    makeRevision(a, 'pk', '1.0-1');
    makeRevision(a, 'pk', '1.0-2');
    makeRevision(b, 'pk', '1.0-3');
    copyFileSync(makeDeb(a, { name: 'twin', version: '1' }), join(b, 'twin_1_all.deb'));
    await importFrom(registry, { source });
    assert.deepEqual(versions(registry), ['pk 1.0-1 src', 'pk 1.0-2 src', 'pk 1.0-3 src', 'twin 1 noarch']);
    await verify();
  });

  test('is refused where a .dsc names a file twice, or itself, or what is a link', async () => {
    const bad: Record<string, [RegExp, (source: string, dsc: string) => void]> = {
      twice: [/bad_1\.tar\.gz is there twice/, (_, dsc) => rewrite(dsc, lines => [lines, lines])],
      itself: [
        /bad_1\.dsc is there twice/,
        (_, dsc) => rewrite(dsc, lines => [lines, ` ${'0'.repeat(64)} 1 bad_1.dsc\n`]),
      ],
      'under its name in the pool': [
        /bad_1\.dsc is there twice/,
        (source, dsc) => {
          renameSync(dsc, join(source, 'other.dsc'));
          rewrite(join(source, 'other.dsc'), lines => [lines, ` ${'0'.repeat(64)} 1 bad_1.dsc\n`]);
        },
      ],
      'a link': [
        /bad_1\.tar\.gz is a symbolic link/,
        source => {
          renameSync(join(source, 'bad_1.tar.gz'), join(source, 'elsewhere'));
          symlinkSync('elsewhere', join(source, 'bad_1.tar.gz'));
        },
      ],
    };
    const rewrite = (dsc: string, listed: (lines: string) => string[]): void => {
      const text = readFileSync(dsc, 'utf8');
      writeFileSync(
        dsc,
        text.replace(/(?<=Checksums-Sha256:\n)(?: .*\n)+/, lines => listed(lines).join('')),
      );
    };
    for (const [what, [message, spoil]] of Object.entries(bad)) {
      const [source = ''] = folder();
      spoil(source, makeSource(source, 'bad', '1'));
      await assert.rejects(importFrom(registry, { source }), { reason: 'bad-package', message }, what);
    }
  });

  test('is refused where two files that would be one differ, naming both', async () => {
    const [source = '', a = '', b = ''] = folder('a', 'b');
    makeDeb(a, { name: 'odd', version: '1' });
    makeDeb(b, { name: 'odd', version: '1', files: { other: 'other' } });
    await assert.rejects(importFrom(registry, { source }), (fault: Fault) => {
      assert.match(fault.message, /^odd 1 \(noarch\) .* a\/odd_1_all\.deb and b\/odd_1_all\.deb$/);
      return fault.reason === 'version-exists';
    });
    const [origs = '', c = '', d = ''] = folder('c', 'd');
    makeRevision(c, 'changed', '1.0-1');
    makeRevision(d, 'changed', '1.0-2', 'other upstream\n');
    await assert.rejects(importFrom(registry, { source: origs }), (fault: Fault) => {
      assert.match(
        fault.message,
        /^changed_1\.0\.orig\.tar\.gz .* c\/changed_1\.0-1\.dsc and d\/changed_1\.0-2\.dsc$/,
      );
      return fault.reason === 'version-exists';
    });
  });

  test('gives the changelog of a source to what was built from that version of it only', async () => {
    const [source = ''] = folder();
    makeSource(source, 'logged', '1-1');
    makeDeb(source, { name: 'logged-bin', version: '1-1+b1', source: 'logged (1-1)' });
    makeDeb(source, { name: 'logged-old', version: '0-1', source: 'logged' });
    makeDeb(source, { name: 'stranger', version: '1-1' });
    await importFrom(registry, { source });
    const place = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;
    const changes = (name: string): number | undefined =>
      registry.catalogue.reads.describe('default', place, { name, architecture: 'noarch' })?.entry.changelog
        .length;
    assert.deepEqual(['logged-bin', 'logged-old', 'stranger'].map(changes), [1, 0, 0]);
  });

  test('on the network may have files of one name in two folders', async () => {
    const debs = ['1', '2'].map(version =>
      readFileSync(makeDeb(folder()[0] ?? '', { name: 'same', version })),
    );
    const packages = debs.map(
      (deb, at) => `Package: same\nFilename: ./${at}/same.deb\nSHA256: ${sha256(deb)}\n`,
    );
    const index = Buffer.from(packages.join('\n'));
    const signer = openSigner(registry.context(SEED_SPEC));
    const path = 'main/binary-all/Packages';
    const release = `Components: main\nSHA256:\n ${sha256(index)} ${index.length} ${path}\n`;
    const { inline } = await signer.signText(Promise.resolve(release));
    await signer.close();
    const server = await serveTree(registry.home);
    server.tamper = asked => {
      const at = /^\/(\d)\/same\.deb$/.exec(asked)?.[1];
      return at !== undefined
        ? (debs[Number(at)] ?? 404)
        : asked.endsWith(path)
          ? index
          : asked.endsWith('InRelease')
            ? inline
            : 404;
    };
    const keys = readFileSync(join(registry.settings.dirs.keyring, 'default/public.asc'), 'utf8');
    await importFrom(registry, { source: server.url, keys }).finally(() => server.close());
    assert.deepEqual(
      versions(registry).filter(line => line.startsWith('same')),
      ['same 1 noarch', 'same 2 noarch'],
    );
  });
});
