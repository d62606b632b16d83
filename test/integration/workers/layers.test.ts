/** Build dependencies in cached layers, by the real apt over a repository of ours, and what remains of failures. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Fault } from '../../../proto/fault.ts';
import { createDebEnvironment, updateDebEnvironment } from '../../../workers/formats/deb/environment.ts';
import type { PipelineSlice } from '../../../workers/job.ts';
import { type AptSource, openBuildSandbox } from '../../../workers/sandbox/layers.ts';
import { lockExclusive, lockShared, tryLockAlone } from '../../../workers/sandbox/lock.ts';
import { type OpenAttempt, openAttempt } from '../../support/attempt.ts';
import { hostArchitecture, hostPipeline, preparedRoot, testCache } from '../../support/environment.ts';
import { openLosableDisk } from '../../support/losable-disk.ts';

let root = '';
let base = '';
before(async () => {
  root = await preparedRoot();
  base = mkdtempSync(join(tmpdir(), 'rackwright-layers-'));
  mkdirSync(join(base, 'repository'));
});
after(() => rmSync(base, { recursive: true, force: true }));

/** Puts a package into the repository of the test and indexes it; `script` is run when it has been installed. */
function addPackage(name: string, version: string, more = '', script = ''): void {
  const tree = join(base, 'tree', name);
  mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
  mkdirSync(join(tree, 'usr/share/layers'), { recursive: true });
  writeFileSync(join(tree, 'usr/share/layers', name), `${version}\n`);
  const control = `Package: ${name}\nVersion: ${version}\nArchitecture: all\nMaintainer: T <t@example.org>\nDescription: test\n${more}`;
  writeFileSync(join(tree, 'DEBIAN/control'), control);
  if (script !== '') writeFileSync(join(tree, 'DEBIAN/postinst'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  execFileSync(
    'dpkg-deb',
    ['--root-owner-group', '-b', tree, join(base, 'repository', `${name}_${version}_all.deb`)],
    {
      stdio: 'ignore',
    },
  );
  const index = execFileSync('dpkg-scanpackages', ['-m', '.'], {
    cwd: join(base, 'repository'),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  writeFileSync(join(base, 'repository', 'Packages'), index);
}

/** The repository as a further source, as it is now. apt keeps what it fetches by `copy:`, as from any mirror. */
function source(scheme: 'file' | 'copy' = 'file'): AptSource {
  const packages = execFileSync('cat', [join(base, 'repository', 'Packages')]);
  return {
    name: 'test',
    text: `Types: deb\nURIs: ${scheme}:/srv/${scheme}\nSuites: ./\nTrusted: yes\n`,
    preferences: 'Package: *\nPin: origin ""\nPin-Priority: 1000\n',
    keyring: null,
    folder: { from: join(base, 'repository'), to: `/srv/${scheme}` },
    digest: createHash('sha256').update(packages).digest('hex'),
  };
}

async function attempt<T>(work: (opened: OpenAttempt) => Promise<T>, folder = base): Promise<T> {
  const opened = await openAttempt({ base: folder });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

let count = 0;
/** Opens a sandbox with dependencies and runs a script in it. */
async function withDependencies(
  opened: OpenAttempt,
  dependencies: readonly string[],
  script: string,
  conflicts: readonly string[] = [],
  scheme: 'file' | 'copy' = 'file',
): Promise<string> {
  const sandbox = await openBuildSandbox(opened.attempt.context, {
    environmentRoot: root,
    dependencies,
    conflicts,
    aptSources: [source(scheme)],
    work: join(opened.place, `sandbox-${count++}`),
  });
  try {
    const { stdout } = await sandbox.run(['sh', '-c', script], { capture: 65_536 });
    return stdout.toString('utf8');
  } finally {
    await sandbox.close();
  }
}

test('dependencies are there, versions, alternatives and architectures are understood', async () => {
  addPackage('layer-a', '2.0', 'Depends: layer-b\n');
  addPackage('layer-b', '1.0');
  await attempt(async opened => {
    const wanted = ['layer-a (>= 1.5)', 'absent | layer-b', 'absent [hurd-any]', 'absent <stage1>'];
    const out = await withDependencies(
      opened,
      wanted,
      'cat /usr/share/layers/*; ls /srv /run/rackwright-apt /etc/apt/sources.list.d 2>/dev/null; find /tmp -type f',
    );
    assert.match(out, /^2\.0\n1\.0\n/);
    assert.doesNotMatch(out, /extra\.sources|test\.sources/);
  });
});

test('the second build with the same dependencies installs nothing, in whatever order they are named', async () => {
  await attempt(async opened => {
    await withDependencies(opened, ['layer-b', 'layer-a'], 'true');
    const before = readdirSync(join(base, 'cache/layers')).length;
    const out = await withDependencies(opened, [' layer-a', 'layer-b '], 'cat /usr/share/layers/layer-b');
    assert.equal(out, '1.0\n');
    assert.equal(readdirSync(join(base, 'cache/layers')).length, before);
    assert.match(
      opened
        .frames()
        .map(frame => frame.payload.toString())
        .join('\n'),
      /installed already/,
    );
  });
});

test('what installing one package runs reaches no package or list that was fetched for others', async () => {
  addPackage('layer-good', '1.0');
  const poison = `for each in /var/cache/apt/archives /var/lib/apt/lists; do find "$each" -type f -exec dd if=/dev/zero of={} bs=1 count=9 conv=notrunc ';'; echo evil >"$each/evil_1_all.deb"; done\ntrue`;
  addPackage('layer-evil', '1.0', 'Depends: layer-good\n', poison);
  await attempt(opened => withDependencies(opened, ['layer-evil'], 'true', [], 'copy'));
  const stores = join(base, 'cache/apt');
  const files = readdirSync(stores, { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    files.filter(name => name.endsWith('evil_1_all.deb')),
    [],
  );
  const kept = files.find(name => name.endsWith('/archives/layer-good_1.0_all.deb'));
  assert.ok(kept, 'it is kept, for the next layer');
  const original = readFileSync(join(base, 'repository/layer-good_1.0_all.deb'));
  assert.deepEqual(readFileSync(join(stores, kept)), original);
  addPackage('layer-later', '1.0', 'Depends: layer-good\n');
  await attempt(async opened => {
    const out = await withDependencies(opened, ['layer-later'], 'ls /usr/share/layers', [], 'copy');
    assert.equal(out, 'layer-good\nlayer-later\n');
  });
});

const needsRoot = process.getuid?.() === 0 ? false : 'needs root, to mount a disk whose power can be lost';
test('a layer that is there after a loss of power is whole', { skip: needsRoot }, async () => {
  addPackage('layer-large', '1.0');
  const disk = openLosableDisk('ext4');
  try {
    await attempt(opened => withDependencies(opened, ['layer-large'], 'true'), disk.folder);
    // The daemon syncs its own files all the time, and names of files reach the disk along with them.
    writeFileSync(join(disk.folder, 'other'), 'x', { flush: true });
    disk.losePower();
    const layers = join(disk.folder, 'cache/layers');
    const [layer = ''] = readdirSync(layers).filter(name => existsSync(join(layers, name, 'layer.json')));
    assert.match(readFileSync(join(layers, layer, 'layer.json'), 'utf8'), /layer-large/);
    const file = join(layers, layer, 'upper/usr/share/layers/layer-large');
    assert.equal(readFileSync(file, 'utf8'), '1.0\n');
  } finally {
    disk.close();
  }
});

test('layers that were not used for longest go, whatever a removal that was cut short has left', async () => {
  addPackage('layer-d', '1.0');
  const layers = join(base, 'cache/layers');
  const before = readdirSync(layers).length;
  const names = Array.from({ length: 201 }, (_, at) => `old${at}`);
  for (const name of [...names, ...names.map(each => `.old-${each}/left`)]) {
    mkdirSync(join(layers, name), { recursive: true });
    // As a loss of power has left some: without content.
    writeFileSync(join(layers, name, 'layer.json'), name === 'old0' ? '' : '{"bytes":1}\n');
    utimesSync(join(layers, name, 'layer.json'), 1, 1);
  }
  try {
    await attempt(opened => withDependencies(opened, ['layer-d'], 'true'));
    const left = readdirSync(layers).filter(name => !name.startsWith('.'));
    assert.equal(left.length, 200);
    assert.equal(left.filter(name => !name.startsWith('old')).length, before + 1);
    assert.equal(readdirSync(layers).length, left.length + names.length);
  } finally {
    for (const name of readdirSync(layers))
      if (/^(\.old-)?old/.test(name)) rmSync(join(layers, name), { recursive: true });
  }
});

test('a newer package in the repository makes a new layer', async () => {
  await attempt(async opened => {
    addPackage('layer-b', '1.1');
    assert.equal(
      await withDependencies(opened, ['layer-a', 'layer-b'], 'cat /usr/share/layers/layer-b'),
      '1.1\n',
    );
  });
});

test('two builds that need the same layer at once make it once', async () => {
  addPackage('layer-c', '1.0');
  const outs = await Promise.all(
    [1, 2, 3].map(() =>
      attempt(opened => withDependencies(opened, ['layer-c'], 'cat /usr/share/layers/layer-c')),
    ),
  );
  assert.deepEqual(outs, ['1.0\n', '1.0\n', '1.0\n']);
  assert.equal(readdirSync(join(base, 'cache/layers')).filter(name => name.startsWith('.')).length, 0);
});

test('what cannot be satisfied is named, and leaves no layer', async () => {
  const before = readdirSync(join(base, 'cache/layers')).length;
  await attempt(async opened => {
    await assert.rejects(
      () => withDependencies(opened, ['layer-b', 'layer-nowhere (>= 3)'], 'true'),
      (fault: Fault) => fault.reason === 'build-failed' && /layer-nowhere/.test(fault.message),
    );
    await assert.rejects(
      () => withDependencies(opened, ['layer-b'], 'true', ['layer-b']),
      (fault: Fault) => fault.reason === 'build-failed',
    );
  });
  assert.equal(readdirSync(join(base, 'cache/layers')).length, before);
});

test('a package that has gone from its mirror fails as mirror, naming the address', async () => {
  addPackage('layer-gone', '1.0');
  rmSync(join(base, 'repository', 'layer-gone_1.0_all.deb'));
  await attempt(async opened => {
    await assert.rejects(
      () => withDependencies(opened, ['layer-gone'], 'true'),
      (fault: Fault) => fault.reason === 'mirror' && String(fault.details.url).includes('layer-gone'),
    );
  });
});

test('without a root the environment is named', async () => {
  await attempt(async opened => {
    await assert.rejects(
      () =>
        openBuildSandbox(opened.attempt.context, {
          environmentRoot: join(base, 'images/x/deb.img/rackwright-sid-amd64/root'),
          dependencies: [],
          work: join(opened.place, 'w'),
        }),
      (fault: Fault) => fault.reason === 'no-environment' && /sid-amd64/.test(fault.message),
    );
  });
});

test('an environment is made from its kept tarball, and replaced while a build uses the old one', async () => {
  const store = join(testCache(), 'cache/environments');
  mkdirSync(join(base, 'cache'), { recursive: true });
  cpSync(store, join(base, 'cache/environments'), { recursive: true, preserveTimestamps: true });
  const key = {
    format: 'deb',
    environment: hostPipeline().environment ?? '',
    architecture: hostArchitecture(),
  } as const;
  const target = join(base, 'images/test/deb.img/rackwright-x/root');
  const environment = { ...key, pipeline: hostPipeline(), target };
  await attempt(async opened => {
    const { context } = opened.attempt;
    await createDebEnvironment(context, environment);
    const words = opened
      .frames()
      .map(frame => frame.payload.toString())
      .join('\n');
    assert.match(words, /Taking the kept environment/);
    assert.doesNotMatch(words, /running apt-get update/);
    const sandbox = await openBuildSandbox(context, {
      environmentRoot: target,
      dependencies: [],
      work: join(opened.place, 's'),
    });
    await createDebEnvironment(context, environment);
    assert.equal(readdirSync(join(target, '..')).filter(name => name.startsWith('root-')).length, 2);
    assert.equal((await sandbox.run(['dpkg', '--version'])).exitCode, 0);
    await sandbox.close();
    await createDebEnvironment(context, environment);
    assert.equal(readdirSync(join(target, '..')).filter(name => name.startsWith('root-')).length, 1);
  });
});

test('an environment whose mirror is down fails as mirror, and the old root stays', async () => {
  const target = join(base, 'images/test/deb.img/rackwright-x/root');
  const pipeline: PipelineSlice = { ...hostPipeline(), mirror: 'http://127.0.0.1:9/debian' };
  const key = {
    format: 'deb',
    environment: pipeline.environment ?? '',
    architecture: hostArchitecture(),
  } as const;
  await attempt(async opened => {
    await assert.rejects(
      () => updateDebEnvironment(opened.attempt.context, { ...key, pipeline, target }),
      (fault: Fault) =>
        fault.reason === 'mirror' && String(fault.details.url).startsWith('http://127.0.0.1:9/'),
    );
  });
  assert.ok(existsSync(join(target, 'usr/bin/dpkg')));
});

test('an architecture that this machine cannot run is refused in words', async () => {
  const key = {
    format: 'deb',
    environment: hostPipeline().environment ?? '',
    architecture: 'mips64',
  } as const;
  await attempt(async opened => {
    const target = join(base, 'images/test/deb.img/rackwright-mips/root');
    await assert.rejects(
      () => createDebEnvironment(opened.attempt.context, { ...key, pipeline: hostPipeline(), target }),
      (fault: Fault) => fault.reason === 'no-environment' && /mips64.*qemu-user-static/.test(fault.message),
    );
  });
});

test('locks exclude, share, and are freed', async () => {
  const name = join(base, 'lock');
  const first = await lockShared(name);
  const second = await lockShared(name);
  assert.equal(await tryLockAlone(name), null);
  first();
  assert.equal(await tryLockAlone(name), null);
  second();
  const alone = await tryLockAlone(name);
  assert.ok(alone);
  alone();
  const exclusive = await lockExclusive(name);
  const waiting = new AbortController();
  const other = lockExclusive(name, waiting.signal);
  setTimeout(() => waiting.abort(new Error('enough')), 150);
  await assert.rejects(() => other, /enough/);
  exclusive();
  (await lockExclusive(name))();
});
