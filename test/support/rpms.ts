/** Makes small rpms for tests, by rpmbuild. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RpmRecipe {
  readonly name: string;
  readonly version: string;
  readonly release?: string;
  /** `noarch` unless told. */
  readonly architecture?: string;
  readonly requires?: string;
  readonly epoch?: string;
  /** Fills the package's tree with more files, below `/usr/share/NAME`. */
  readonly tree?: (root: string) => void;
}

/** Builds many rpms that hold one file each, as packages of one source: rpmbuild takes no time for each then. */
export function makeManyRpms(folder: string, count: number): string[] {
  const top = mkdtempSync(join(tmpdir(), 'rw-rpm-'));
  try {
    const names = Array.from({ length: count }, (_, index) => `p${index}`);
    const each = (lines: (name: string) => readonly string[]): string[] => names.flatMap(lines);
    const spec = [
      ...[
        'Name: many',
        'Version: 1',
        'Release: 1',
        'Summary: many packages',
        'License: MIT',
        'BuildArch: noarch',
      ],
      ...['%description', 'Made by a test.'],
      ...each(name => [
        `%package -n ${name}`,
        `Summary: test package ${name}`,
        `%description -n ${name}`,
        'One.',
      ]),
      '%install',
      ...each(name => [`install -D /dev/null %{buildroot}/usr/share/${name}/data`]),
      ...each(name => [`%files -n ${name}`, `/usr/share/${name}`]),
    ];
    writeFileSync(join(top, 'many.spec'), `${spec.join('\n')}\n`);
    execFileSync('rpmbuild', ['-bb', '--define', `_topdir ${top}`, join(top, 'many.spec')], {
      stdio: 'pipe',
    });
    mkdirSync(folder, { recursive: true });
    return names.map(name => {
      const to = join(folder, `${name}-1-1.noarch.rpm`);
      copyFileSync(join(top, 'RPMS/noarch', `${name}-1-1.noarch.rpm`), to);
      return to;
    });
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** Builds binary and source rpm into `folder`; answers their paths, the source last. */
export function makeRpm(folder: string, recipe: RpmRecipe): string[] {
  const { name, version, release = '1', architecture = 'noarch', requires, epoch, tree } = recipe;
  const top = mkdtempSync(join(tmpdir(), 'rw-rpm-'));
  try {
    const spec = [
      `Name: ${name}`,
      `Version: ${version}`,
      `Release: ${release}`,
      ...(epoch === undefined ? [] : [`Epoch: ${epoch}`]),
      `Summary: test package ${name}`,
      'License: MIT',
      ...(architecture === 'noarch' ? ['BuildArch: noarch'] : []),
      ...(requires === undefined ? [] : [`Requires: ${requires}`]),
      '%global debug_package %{nil}',
      '%description',
      'Made by a test.',
      '%install',
      `mkdir -p %{buildroot}/usr/share/${name}`,
      ...(tree ? [`cp -a ${top}/tree/. %{buildroot}/`] : []),
      `echo ${version}-${release} > %{buildroot}/usr/share/${name}/data`,
      '%files',
      `/usr/share/${name}`,
      '%changelog',
      `* Thu Jan 01 2026 Jane Roe <jane@example.org> ${version}-${release}`,
      "- First build, it's fine",
      '',
    ].join('\n');
    writeFileSync(join(top, `${name}.spec`), spec);
    tree?.(join(top, 'tree'));
    const target = architecture === 'noarch' ? [] : ['--target', architecture];
    execFileSync('rpmbuild', ['-ba', ...target, '--define', `_topdir ${top}`, join(top, `${name}.spec`)], {
      stdio: 'pipe',
    });
    mkdirSync(folder, { recursive: true });
    const found = readdirSync(top, { withFileTypes: true, recursive: true })
      .filter(entry => entry.name.endsWith('.rpm'))
      .map(entry => join(entry.parentPath, entry.name))
      .sort((a, b) => Number(a.includes('.src.rpm')) - Number(b.includes('.src.rpm')));
    return found.map(path => {
      const to = join(folder, path.split('/').at(-1) ?? '');
      copyFileSync(path, to);
      return to;
    });
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}
