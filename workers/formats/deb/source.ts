/** Makes the Debian source package: orig archives, the `debian` folder, and `dpkg-source` in the sandbox. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { errorCode, Fault } from '../../../proto/fault.ts';
import { debPool } from '../../../proto/layout.ts';
import type { Sandbox, TaskContext } from '../../context.ts';
import type { BuildSpec } from '../../job.ts';
import { renderDebianChangelog } from '../../source/changelog.ts';
import { collect } from '../../source/collect.ts';
import { type ArchiveKind, recogniseArchive } from '../../source/compression.ts';
import { readText } from '../../source/definition.ts';
import type { PreparedArchive, PreparedSource } from '../../source/prepared.ts';
import { applyLine, layoutScript, quote, treeName, withoutEpoch } from '../../source/tree.ts';
import { type Control, parseControl } from './control.ts';

/** Where the sandbox shows the inputs. */
export const INPUT = '/mnt/source';
/** Endings of orig archives by what they are packed with; nothing else comes here (dpkg-source(1), format 3.0). */
const ENDINGS: Readonly<Partial<Record<ArchiveKind['compression'], string>>> = {
  gzip: 'gz',
  xz: 'xz',
  bzip2: 'bz2',
};
const QUILT = '3.0 (quilt)\n';
const EXIT_PATCH = 81;

/** A source package in a folder of the workspace. */
export interface SourcePackage {
  readonly control: Control;
  /** Folder that holds the .dsc and all its files, readable for the build user. */
  readonly folder: string;
  readonly dsc: string;
  /** Names of all files, the .dsc included. */
  readonly files: readonly string[];
}

/** Lays out and builds it. Throws `bad-definition`, `bad-package`, `bad-patch`, `source-changed`, `build-failed`. */
export async function buildSourcePackage(
  context: TaskContext,
  spec: BuildSpec,
  source: PreparedSource,
  openSandbox: () => Promise<Sandbox>,
): Promise<SourcePackage> {
  const control = await readControl(source);
  const input = await freshFolder(join(context.job.place, 'source-input'));
  const folder = await freshFolder(join(context.job.place, 'source-package'));
  const origs = await placeOrigs(source, folder);
  await checkPool(
    context,
    spec,
    control.source,
    origs.map(orig => join(folder, orig.file)),
  );
  await copyDebian(source.definition, join(source.definition, 'deb'), join(input, 'debian'));
  await completeDebian(join(input, 'debian'), control.source, spec, source);
  const sandbox = await openSandbox();
  try {
    const { exitCode } = await sandbox.run(['sh', '-c', script(source, origs)], {
      env: { SOURCE_DATE_EPOCH: String(source.changelog[0]?.date ?? 0) },
      binds: [
        { from: input, to: INPUT },
        { from: folder, to: '/mnt/origs' },
      ],
    });
    if (exitCode === EXIT_PATCH) {
      throw new Fault('invalid', 'bad-patch', 'a patch does not apply to the source: see the output above');
    }
    if (exitCode !== 0) throw failed(`dpkg-source ended with exit code ${exitCode}: see the output above`);
    const made = await collect(sandbox.exchange, folder, name => /\.dsc$|\.debian\.tar\.xz$/.test(name));
    const dsc = made.find(name => name.endsWith('.dsc'));
    if (dsc === undefined) throw failed('dpkg-source left no .dsc file');
    return { control, folder, dsc, files: [...made, ...origs.map(orig => orig.file)] };
  } finally {
    await sandbox.close();
  }
}

async function readControl(source: PreparedSource): Promise<Control> {
  const text = await readText(source.definition, 'deb/control');
  if (text === null) {
    throw new Fault('invalid', 'bad-layout', 'the definition has no deb/control (nor a deb/control.j2)');
  }
  const control = parseControl(text, 'deb/control');
  if (control.source !== source.artifact) {
    throw new Fault(
      'invalid',
      'bad-definition',
      `deb/control: its Source is "${control.source}", but the artifact is "${source.artifact}": they must be the same`,
    );
  }
  return control;
}

interface Orig {
  readonly archive: PreparedArchive;
  readonly file: string;
}

/** Gives each archive its orig name. */
async function placeOrigs(source: PreparedSource, folder: string): Promise<Orig[]> {
  const origs: Orig[] = [];
  const base = `${source.artifact}_${withoutEpoch(source.version.main)}.orig`;
  for (const archive of source.archives) {
    const { compression } = await recogniseArchive(archive.path);
    const file = `${base}${archive.stem === null ? '' : `-${archive.stem}`}.tar.${ENDINGS[compression] ?? 'xz'}`;
    const target = join(folder, file);
    await link(archive.path, target).catch(() => copyFile(archive.path, target));
    await chmod(target, 0o644);
    origs.push({ archive, file });
  }
  return origs;
}

/** Fails before building when the pool has an orig archive of that name with other content that is still needed. */
async function checkPool(
  context: TaskContext,
  spec: BuildSpec,
  source: string,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    const name = basename(path);
    const pool = debPool(spec.derivative, source, name);
    const { sha256, usedBy } = await context.ask<'pool-file'>({
      type: 'pool-file',
      format: 'deb',
      path: pool,
    });
    if (sha256 === null || usedBy.length === 0 || sha256 === (await digest(path))) continue;
    throw new Fault(
      'refused',
      'source-changed',
      `${name} is published with other content, which ${usedBy.slice(0, 3).join(', ')} needs: give the source a new version`,
      { file: name },
    );
  }
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/**
 * Copies `deb/` as `debian/`. A link to elsewhere in the definition is copied as what it leads to, since it would lead
 * nowhere from its new place; others stay links.
 */
async function copyDebian(root: string, from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o755 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [path, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyDebian(root, path, target);
    else if (entry.isSymbolicLink()) await copyLink(root, path, target);
    else {
      await copyFile(path, target);
      await chmod(target, ((await lstat(path)).mode & 0o100) !== 0 ? 0o755 : 0o644);
    }
  }
}

async function copyLink(root: string, path: string, target: string): Promise<void> {
  const real = await realpath(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ELOOP') return null;
    throw new Fault('invalid', 'unsafe-archive', `${relative(root, path)} is a link that leads in a circle`);
  });
  const outside = real !== null && relative(await realpath(join(root, 'deb')), real).startsWith('..');
  if (!outside) await symlink(await readlink(path), target);
  else if ((await lstat(real)).isDirectory()) await copyDebian(root, real, target);
  else await copyFile(real, target);
}

async function completeDebian(
  debian: string,
  name: string,
  spec: BuildSpec,
  source: PreparedSource,
): Promise<void> {
  const put = async (path: string, content: string | Buffer): Promise<void> => {
    const target = join(debian, path);
    // Never through a link that the definition put there.
    await rm(target, { recursive: true, force: true });
    await writeFile(target, content, { flag: 'wx', mode: 0o644 });
  };
  await put('changelog', renderDebianChangelog(name, spec.distribution, source.changelog));
  await ensureFolder(join(debian, 'source'));
  await put('source/format', QUILT);
  if (source.patches.length === 0) return;
  await rm(join(debian, 'patches'), { recursive: true, force: true });
  await mkdir(join(debian, 'patches'));
  for (const path of source.patches) await put(`patches/${basename(path)}`, await readFile(path));
  await put('patches/series', `${source.patches.map(path => basename(path)).join('\n')}\n`);
}

async function ensureFolder(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isDirectory()) return;
  await rm(path, { force: true });
  await mkdir(path);
}

function script(source: PreparedSource, origs: readonly Orig[]): string {
  const tree = treeName(source.artifact, source.version);
  const names = new Map(origs.map(({ archive, file }) => [archive, file]));
  return [
    'set -e; umask 022',
    layoutScript(tree, source.archives, '/mnt/origs', archive => names.get(archive) ?? ''),
    `cp -R ${INPUT}/debian ${quote(tree)}/debian`,
    ...origs.map(({ file }) => `ln -s ${quote(`/mnt/origs/${file}`)} ${quote(file)}`),
    ...applied(tree, source.patches),
    `dpkg-source --build ${quote(tree)}`,
  ].join('\n');
}

/** Applies the patches and leaves quilt's record of it: dpkg-source would take a failing one for applied already. */
function applied(tree: string, patches: readonly string[]): string[] {
  if (patches.length === 0) return [];
  const series = patches.map(path => basename(path));
  return [
    `cd ${quote(tree)}`,
    ...series.map(name => applyLine(`debian/patches/${name}`, EXIT_PATCH)),
    'rm -rf .pc && mkdir .pc && echo 2 >.pc/.version',
    `printf '%s\\n' ${series.map(quote).join(' ')} >.pc/applied-patches`,
    'cd ..',
  ];
}

/** An empty folder of the workspace that the build user may read; what an interrupted attempt left goes. */
async function freshFolder(path: string): Promise<string> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { mode: 0o755 });
  await chmod(path, 0o755);
  return path;
}

function failed(message: string): Fault {
  return new Fault('invalid', 'build-failed', message);
}
