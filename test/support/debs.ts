/** Makes small Debian packages for tests, by the real tools. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface DebRecipe {
  readonly name: string;
  readonly version: string;
  readonly architecture?: string;
  readonly depends?: string;
  readonly source?: string;
  /** Path inside to text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Replaces the whole control file. */
  readonly control?: string;
}

/** Builds a package into `folder`; answers its path. */
export function makeDeb(folder: string, recipe: DebRecipe): string {
  const root = mkdtempSync(join(tmpdir(), 'rw-deb-'));
  try {
    const { name, version, architecture = 'all', depends, source } = recipe;
    const control =
      recipe.control ??
      [
        `Package: ${name}`,
        ...(source === undefined ? [] : [`Source: ${source}`]),
        `Version: ${version}`,
        `Architecture: ${architecture}`,
        'Maintainer: Example team <team@example.org>',
        ...(depends === undefined ? [] : [`Depends: ${depends}`]),
        'Section: misc',
        'Priority: optional',
        `Description: test package ${name}`,
        ' Made by a test.',
        '',
      ].join('\n');
    mkdirSync(join(root, 'DEBIAN'), { mode: 0o755 });
    writeFileSync(join(root, 'DEBIAN/control'), control);
    for (const [path, text] of Object.entries(
      recipe.files ?? { [`usr/share/${name}/data`]: `${version}\n` },
    )) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
    }
    const path = join(folder, `${name}_${version.replace(/^\d+:/, '')}_${architecture}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--nocheck', '-b', root, path], {
      stdio: 'pipe',
    });
    return path;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Makes a native source package without running a build; answers the path of its .dsc. */
export function makeSource(folder: string, name: string, version: string): string {
  const bare = version.replace(/^\d+:/, '');
  const top = `${name}-${bare}`;
  const tar = pack(folder, `${name}_${bare}.tar.gz`, {
    [`${top}/debian/changelog`]: changelog(name, version),
  });
  return writeDsc(folder, name, version, 'native', [tar]);
}

/** The same of an upstream archive, which all revisions with that text share, and a Debian one. */
export function makeRevision(folder: string, name: string, version: string, text = 'upstream\n'): string {
  const bare = version.replace(/^\d+:/, '');
  const main = bare.replace(/-[^-]*$/, '');
  const files = [
    pack(folder, `${name}_${main}.orig.tar.gz`, { [`${name}-${main}/README`]: text }),
    pack(folder, `${name}_${bare}.debian.tar.gz`, { 'debian/changelog': changelog(name, version) }),
  ];
  return writeDsc(folder, name, version, 'quilt', files);
}

function changelog(name: string, version: string): string {
  return `${name} (${version}) bookworm; urgency=medium\n\n  * First build\n\n -- Jane Roe <jane@example.org>  Thu, 01 Jan 2026 00:00:00 +0000\n`;
}

/** The same files make the same archive. */
function pack(folder: string, archive: string, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'rw-src-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const options = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--use-compress-program=gzip -n'];
  execFileSync('tar', ['-C', root, ...options, '-cf', join(folder, archive), ...readdirSync(root)]);
  rmSync(root, { recursive: true, force: true });
  return archive;
}

function writeDsc(
  folder: string,
  name: string,
  version: string,
  kind: 'native' | 'quilt',
  archives: readonly string[],
): string {
  const line = (algorithm: string): string[] =>
    archives.map(file => {
      const bytes = readFileSync(join(folder, file));
      return ` ${createHash(algorithm).update(bytes).digest('hex')} ${bytes.length} ${file}`;
    });
  const dsc = join(folder, `${name}_${version.replace(/^\d+:/, '')}.dsc`);
  writeFileSync(
    dsc,
    [
      `Format: 3.0 (${kind})`,
      `Source: ${name}`,
      `Binary: ${name}`,
      'Architecture: all',
      `Version: ${version}`,
      'Maintainer: Example team <team@example.org>',
      'Package-List:',
      ` ${name} deb misc optional arch=all`,
      'Checksums-Sha1:',
      ...line('sha1'),
      'Checksums-Sha256:',
      ...line('sha256'),
      'Files:',
      ...line('md5'),
      '',
    ].join('\n'),
  );
  return dsc;
}
