/** Makes the Debian source package: orig archives, the `debian` folder, and `dpkg-source` in a sandbox. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, link, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Fault } from '../../../proto/fault.ts';
import { debPool } from '../../../proto/layout.ts';
import type { TaskContext } from '../../context.ts';
import type { BuildSpec } from '../../job.ts';
import { epochOf } from '../../registry/deb-paths.ts';
import { renderDebianChangelog } from '../../source/changelog.ts';
import { collect } from '../../source/collect.ts';
import { type ArchiveKind, recogniseArchive } from '../../source/compression.ts';
import { copyFolder } from '../../source/copying.ts';
import type { PreparedArchive, PreparedSource } from '../../source/prepared.ts';
import { readText } from '../../source/reading.ts';
import { applyLine, layoutScript, quote, treeName, withoutEpoch } from '../../source/tree.ts';
import { type Control, parseControl } from './control.ts';
import { DEFINITION, type Folders, PACKAGE, type Room } from './room.ts';

/** Endings of orig archives by what they are packed with; nothing else comes here (dpkg-source(1), format 3.0). */
const ENDINGS: Readonly<Partial<Record<ArchiveKind['compression'], string>>> = {
  gzip: 'gz',
  xz: 'xz',
  bzip2: 'bz2',
};
const QUILT = '3.0 (quilt)\n';
const EXIT_PATCH = 81;

/** A source package in its folder of the workspace. */
export interface SourcePackage {
  readonly dsc: string;
  /** Names of all files, the .dsc included. */
  readonly files: readonly string[];
}

export interface SourceBuild {
  readonly spec: BuildSpec;
  readonly source: PreparedSource;
  readonly folders: Folders;
  readonly room: Room;
}

/**
 * Lays out and builds it; nothing of it is left in the sandbox. Throws `bad-definition`, `bad-patch`, `source-changed`,
 * `build-failed`, and `unsafe-archive` or `archive-too-large` for links that can't be copied.
 */
export async function buildSourcePackage(context: TaskContext, build: SourceBuild): Promise<SourcePackage> {
  const { spec, source, room } = build;
  const { definition, package: folder } = build.folders;
  const origs = await placeOrigs(source, folder);
  await checkPool(
    context,
    spec,
    source,
    origs.map(orig => join(folder, orig.file)),
  );
  await copyFolder(source.definition, 'deb', join(definition, 'debian'), {
    bytes: context.job.settings.limits.unpacked,
    signal: context.signal,
  });
  await completeDebian(join(definition, 'debian'), spec, source);
  const exitCode = await room.shell.run(script(source, origs));
  if (exitCode === EXIT_PATCH) {
    throw new Fault('invalid', 'bad-patch', 'a patch does not apply to the source: see the output above');
  }
  if (exitCode !== 0) throw failed(`dpkg-source ended with exit code ${exitCode}: see the output above`);
  const { exchange } = room.sandbox;
  const made = await collect(exchange, folder, name => /\.dsc$|\.debian\.tar\.xz$/.test(name));
  const dsc = made.find(name => name.endsWith('.dsc'));
  if (dsc === undefined) throw failed('dpkg-source left no .dsc file');
  return { dsc, files: [...made, ...origs.map(orig => orig.file)] };
}

/** The text of debian/changelog. */
export function changelogOf(spec: BuildSpec, source: PreparedSource): string {
  return renderDebianChangelog(source.artifact, spec.distribution, source.changelog);
}

/** What the definition says of its packages. Throws `bad-layout`, `bad-package`, `bad-definition`. */
export async function readControl(source: PreparedSource): Promise<Control> {
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

/**
 * Fails before building when the pool has an orig archive of that name with other content that is still needed. One of
 * a version with another epoch is in nobody's way.
 */
async function checkPool(
  context: TaskContext,
  spec: BuildSpec,
  { artifact, version }: PreparedSource,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    const name = basename(path);
    const pool = debPool(spec.derivative, artifact, name);
    const { users } = await context.ask<'pool-file'>({ type: 'pool-file', format: 'deb', path: pool });
    const rivals = users.filter(user => epochOf(user.version) === epochOf(version.full));
    if (rivals.length === 0) continue;
    const sha256 = await digest(path);
    const other = rivals.filter(user => user.sha256 !== sha256);
    if (other.length === 0) continue;
    const where = other[0]?.isPublished ? 'is published' : 'is in a kept state of the registry';
    const needing = other.slice(0, 3).map(user => user.text);
    throw new Fault(
      'refused',
      'source-changed',
      `${name} ${where} with other content, which ${needing.join(', ')} needs: give the source a new version`,
      { file: name },
    );
  }
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function completeDebian(debian: string, spec: BuildSpec, source: PreparedSource): Promise<void> {
  const put = async (path: string, content: string | Buffer): Promise<void> => {
    const target = join(debian, path);
    // Never through a link that the definition put there.
    await rm(target, { recursive: true, force: true });
    await writeFile(target, content, { flag: 'wx', mode: 0o644 });
  };
  await put('changelog', changelogOf(spec, source));
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
    `export SOURCE_DATE_EPOCH=${source.changelog[0]?.date ?? 0}`,
    layoutScript(tree, source.archives, PACKAGE, archive => names.get(archive) ?? ''),
    `cp -R ${DEFINITION}/debian ${quote(tree)}/debian`,
    ...origs.map(({ file }) => `ln -s ${quote(`${PACKAGE}/${file}`)} ${quote(file)}`),
    ...applied(tree, source.patches),
    `dpkg-source --build ${quote(tree)}`,
    `rm -rf ${quote(tree)} ${origs.map(({ file }) => quote(file)).join(' ')}`,
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

function failed(message: string): Fault {
  return new Fault('invalid', 'build-failed', message);
}
