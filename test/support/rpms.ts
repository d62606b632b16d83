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
}

/** Builds binary and source rpm into `folder`; answers their paths, the source last. */
export function makeRpm(folder: string, recipe: RpmRecipe): string[] {
  const { name, version, release = '1', architecture = 'noarch', requires } = recipe;
  const top = mkdtempSync(join(tmpdir(), 'rw-rpm-'));
  try {
    const spec = [
      `Name: ${name}`,
      `Version: ${version}`,
      `Release: ${release}`,
      `Summary: test package ${name}`,
      'License: MIT',
      ...(architecture === 'noarch' ? ['BuildArch: noarch'] : []),
      ...(requires === undefined ? [] : [`Requires: ${requires}`]),
      '%global debug_package %{nil}',
      '%description',
      'Made by a test.',
      '%install',
      `mkdir -p %{buildroot}/usr/share/${name}`,
      `echo ${version}-${release} > %{buildroot}/usr/share/${name}/data`,
      '%files',
      `/usr/share/${name}`,
      '%changelog',
      `* Thu Jan 01 2026 Jane Roe <jane@example.org> ${version}-${release}`,
      "- First build, it's fine",
      '',
    ].join('\n');
    writeFileSync(join(top, `${name}.spec`), spec);
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
