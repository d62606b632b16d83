/** Writers of sample definitions, and the archives that carry them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Where downloads of tests are kept between runs. */
const CACHE = process.env.RACKWRIGHT_TEST_CACHE ?? join(process.env.HOME ?? '/tmp', '.cache/rackwright-test');

/** An archive to send with a build. */
export interface SourceFile {
  readonly id: string;
  readonly path: string;
}

/** A definition on disk and the sources to send with it. */
export interface Sample {
  readonly artifact: string;
  /** Folder of the definition. */
  readonly folder: string;
  readonly sources: readonly SourceFile[];
}

/** Writes files by path below a folder; those with a `#!` become executable. */
export function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    if (content.startsWith('#!')) chmodSync(join(folder, path), 0o755);
  }
}

/** Packs a folder's content as the client does: members `.`, `./artifact.yml`, …; or under one top directory. */
export function pack(folder: string, archive: string, top?: string): string {
  mkdirSync(dirname(archive), { recursive: true });
  const transform = top === undefined ? [] : ['--transform', `s,^\\.,${top},`];
  execFileSync('tar', [
    ...transform,
    '--sort=name',
    '--owner=0',
    '--group=0',
    '-caf',
    archive,
    '-C',
    folder,
    '.',
  ]);
  return archive;
}

/** The definition of GNU hello in docs/examples, with its tarball from Debian's archive. */
export function helloSample(work: string): Sample {
  const folder = join(work, 'hello-sources');
  const script = join(ROOT, 'test/support/fetch-hello.sh');
  const path = execFileSync('sh', [script, folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
  return { artifact: 'hello', folder: join(ROOT, 'docs/examples/hello'), sources: [{ id: 'hello', path }] };
}

/** The definition of greeter in docs/examples, its own source packed as that version. */
export function greeterSample(work: string, version = '1.0'): Sample {
  const example = join(ROOT, 'docs/examples/greeter');
  const folder = join(work, 'greeter');
  cpSync(example, folder, { recursive: true, filter: from => basename(from) !== 'src' });
  const path = pack(join(example, 'src'), join(work, `greeter-${version}.tar.xz`), `greeter-${version}`);
  return { artifact: 'greeter', folder, sources: [{ id: 'greeter', path }] };
}

/** The smallest definition that builds: one architecture-independent package that installs one file. */
export function tinySample(
  work: string,
  artifact: string,
  options: {
    readonly version?: string;
    readonly files?: Readonly<Record<string, string>>;
    readonly upstream?: Readonly<Record<string, string>>;
  } = {},
): Sample {
  const { version = '1.0', files = {}, upstream = { 'data.txt': 'data\n' } } = options;
  const folder = join(work, `${artifact}-definition`);
  rmSync(folder, { recursive: true, force: true });
  writeTree(folder, {
    'artifact.yml': `source: https://example.org/${artifact}-{{ version }}.tar.xz\ndeb:\n  release: 1\n`,
    'deb/control': `Source: ${artifact}\nSection: misc\nPriority: optional\nMaintainer: Team <team@example.org>\nBuild-Depends: debhelper-compat (= 13)\nStandards-Version: 4.6.2\nRules-Requires-Root: no\n\nPackage: ${artifact}\nArchitecture: all\nDepends: \${misc:Depends}\nDescription: sample\n A sample.\n`,
    'deb/rules': '#!/usr/bin/make -f\n\n%:\n\tdh $@\n',
    'deb/install': `data.txt usr/share/${artifact}\n`,
    ...files,
  });
  const source = join(work, `${artifact}-source`);
  rmSync(source, { recursive: true, force: true });
  writeTree(source, upstream);
  const path = pack(source, join(work, `${artifact}-${version}.tar.xz`), `${artifact}-${version}`);
  return { artifact, folder, sources: [{ id: artifact, path }] };
}

/** A definition whose rules only pack one file: what its build takes is what building takes at least. */
export function quickSample(work: string, artifact: string): Sample {
  return tinySample(work, artifact, {
    files: {
      'deb/rules': `#!/usr/bin/make -f
build build-arch build-indep clean binary-arch:
binary: binary-indep
binary-indep:
\tmkdir -p debian/${artifact}/DEBIAN debian/${artifact}/usr/share/${artifact}
\tcp data.txt debian/${artifact}/usr/share/${artifact}/
\tdpkg-gencontrol -Pdebian/${artifact}
\tdpkg-deb --root-owner-group --build debian/${artifact} ..
.PHONY: build build-arch build-indep clean binary binary-arch binary-indep
`,
    },
  });
}

/**
 * Repackages a Debian source package as a definition: its `debian/` as `deb/`, its upstream archives as sources, its
 * revision as the release, since its packages may ask for a revision of each other. The package comes from Debian's
 * archive and is kept in the cache.
 */
export function debianSample(work: string, name: string): Sample {
  const store = join(CACHE, 'sources');
  execFileSync('sh', [join(ROOT, 'test/support/fetch-source.sh'), store, name], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const files = readdirSync(join(store, name));
  const dsc = files.find(file => file.endsWith('.dsc'));
  if (dsc === undefined) throw new Error(`Debian's archive gave no .dsc of ${name}`);
  const text = readFileSync(join(store, name, dsc), 'utf8');
  const version = /^Version: (.*)$/m.exec(text)?.[1] ?? '';
  const [, upstream = version, revision = '1'] = /^(.*)-([^-]*)$/.exec(version) ?? [];
  const origs = files.filter(file => /\.orig(-[A-Za-z0-9-]+)?\.tar\.[a-z0-9]+$/.test(file));
  if (origs.length === 0) throw new Error(`${name} has no upstream archive`);
  const folder = join(work, `${name}-definition`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const debian = files.find(file => /\.debian\.tar\.[a-z0-9]+$/.test(file));
  if (debian === undefined) throw new Error(`${name} is not of format 3.0 (quilt)`);
  execFileSync('tar', ['-xf', join(store, name, debian), '-C', folder]);
  execFileSync('mv', [join(folder, 'debian'), join(folder, 'deb')]);
  const sources = origs.map(orig => {
    const component = /\.orig-([A-Za-z0-9-]+)\.tar/.exec(orig)?.[1];
    const id = component ?? name;
    const ending = orig.slice(orig.indexOf('.tar'));
    const path = join(work, `${name}-sources`, `${id}-${plain(upstream)}${ending}`);
    mkdirSync(dirname(path), { recursive: true });
    cpSync(join(store, name, orig), path);
    return { id, path };
  });
  const lines = sources.map(({ id }) => `  ${id}: https://example.org/${id}-{{ version }}.tar`).join('\n');
  writeFileSync(join(folder, 'artifact.yml'), `sources:\n${lines}\ndeb:\n  release: "${revision}"\n`);
  return { artifact: name, folder, sources };
}

function plain(version: string): string {
  return version.replace(/^\d+:/, '');
}
