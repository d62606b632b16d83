/** Finds the archives of a build: those sent with the request, the others by download; vets each. */
import { copyFile, link, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import type { FormatName } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import type { BuildSpec } from '../job.ts';
import { convertToTarXz, type VettedArchive, vetSource } from './archives.ts';
import type { ArchiveKind } from './compression.ts';
import type { Definition, SourceDefinition } from './definition.ts';
import { checkUrl, fetchCached } from './download.ts';
import type { PreparedArchive } from './prepared.ts';
import type { TemplateRenderer } from './templates.ts';
import { checkMain, checkSupplementary } from './versions.ts';

/** Endings of archives' names, the longest first. */
const ENDING = /\.(?:tar\.(?:xz|gz|bz2|zst|lzma)|tar|tgz|tbz2?|txz|zip)$/i;
/** Names under which a source is stored; they go into file names of packages. */
const FILENAME = /^[A-Za-z0-9_][A-Za-z0-9+._~%@=,-]{0,199}$/;

/** The archives of a build, the main one first, and the main version. */
export interface FoundSources {
  readonly main: string;
  readonly archives: readonly PreparedArchive[];
}

type Sent = BuildSpec['sources'][number];

/** What vetting finds of each archive that was sent, by its path. */
export type VettedSources = ReadonlyMap<string, Promise<VettedArchive>>;

/** Begins to vet the archives that were sent: for these nothing of the definition need be known. */
export function vetSent(context: TaskContext, spec: BuildSpec, signal: AbortSignal): VettedSources {
  const vetted = new Map<string, Promise<VettedArchive>>();
  for (const { path, filename } of spec.sources) {
    if (vetted.has(path)) continue;
    const found = vet(context, path, basename(filename), signal);
    // A definition with a fault is told of first.
    found.catch(() => undefined);
    vetted.set(path, found);
  }
  return vetted;
}

function vet(context: TaskContext, path: string, label: string, signal: AbortSignal): Promise<VettedArchive> {
  return vetSource(path, { unpacked: context.job.settings.limits.unpacked, signal, label });
}

/** Brings every source into the workspace. Throws `no-source`, `bad-checksum`, `download`, and what vetting finds. */
export async function findSources(
  context: TaskContext,
  spec: BuildSpec,
  definition: Definition,
  renderer: TemplateRenderer,
  vetted: VettedSources,
): Promise<FoundSources> {
  const sent = new Map(spec.sources.map(source => [source.id, source]));
  for (const id of sent.keys()) {
    if (!definition.sources.has(id)) {
      const known = [...definition.sources.keys()].join(', ') || 'none';
      throw noSource(`a source "${id}" was sent, which ${definition.file} does not name (it names ${known})`);
    }
  }
  if (definition.sources.size === 0) return withoutSources(spec, definition);
  const ids = [...definition.sources.keys()].sort(
    (a, b) => Number(b === spec.artifact) - Number(a === spec.artifact),
  );
  const archives: PreparedArchive[] = [];
  let main = '';
  for (const id of ids) {
    const source = definition.sources.get(id);
    if (!source) continue;
    const given = sent.get(id);
    const version = given
      ? sentVersion(given, id === spec.artifact ? spec.format : null)
      : pinnedVersion(id, source, spec, definition);
    if (id === spec.artifact) main = version;
    const path = given
      ? given.path
      : await download(context, spec, definition, id, source, version, renderer);
    const filename = given ? basename(given.filename) : basename(path);
    const stem = id === spec.artifact ? null : stemOf(filename);
    const twin = archives.find(other => other.path === path || (stem !== null && other.stem === stem));
    if (twin || stem === '')
      throw noSource(`source "${id}": its file name ${filename} gives no folder name of its own`);
    const { kind } = await (vetted.get(path) ?? vet(context, path, filename, context.signal));
    const packing = kind.compression === 'none' ? kind.container : kind.compression;
    context.console.log(
      'info',
      `source ${id} ${version}: ${filename} (${packing})${given ? ', sent with the request' : ''}`,
    );
    archives.push({ id, path: await packed(context, spec, path, filename, kind), stem });
  }
  return { main, archives };
}

/** Packings that Debian's format, rpm and the tar of a bare environment all read. */
const COMMON: readonly string[] = ['gzip', 'xz', 'bzip2'];

/** Path of the archive, packed again as tar.xz where it is zip, zstd or plain. */
async function packed(
  context: TaskContext,
  spec: BuildSpec,
  path: string,
  filename: string,
  kind: ArchiveKind,
): Promise<string> {
  if (spec.format === 'osi' || (kind.container === 'tar' && COMMON.includes(kind.compression))) return path;
  const folder = join(context.job.place, 'sources');
  await mkdir(folder, { recursive: true });
  const target = join(folder, `${filename.replace(ENDING, '')}.packed.tar.xz`);
  await rm(target, { force: true });
  context.console.log('info', `packing ${filename} again as tar.xz`);
  await convertToTarXz(path, kind, target, context.signal);
  return target;
}

function withoutSources(spec: BuildSpec, definition: Definition): FoundSources {
  if (spec.format !== 'osi') {
    throw noSource(`${definition.file}: names no source, which a build of format ${spec.format} needs`);
  }
  const main = definition.versions.get(spec.derivative);
  if (main === undefined)
    throw noSource(`${definition.file}: gives no version for derivative ${spec.derivative}`);
  checkMain(main, definition.file, [spec.format]);
  return { main, archives: [] };
}

/** The folder of a supplementary source: its file name without ending, `/` as `-`, letters, digits and `-` kept. */
export function stemOf(filename: string): string {
  return filename
    .replace(ENDING, '')
    .replaceAll('/', '-')
    .replace(/[^A-Za-z0-9-]/g, '');
}

/**
 * The version in a sent file's name: `{id}`, one character, version, ending. `format` is the one whose main version it
 * becomes, null for a source beside the main one. Throws `bad-version`.
 */
export function sentVersion(sent: Pick<Sent, 'id' | 'filename'>, format: FormatName | null): string {
  const name = basename(sent.filename);
  const bare = name.replace(ENDING, '');
  const where = `source "${sent.id}", file name ${name}`;
  if (
    bare === name ||
    !bare.startsWith(sent.id) ||
    bare.length < sent.id.length + 2 ||
    !FILENAME.test(name)
  ) {
    throw new Fault(
      'invalid',
      'bad-version',
      `${where}: no version in it; expected ${sent.id}-VERSION.tar.xz or another archive's ending`,
    );
  }
  const version = bare.slice(sent.id.length + 1);
  if (format === null) checkSupplementary(version, where);
  else checkMain(version, where, [format]);
  return version;
}

function pinnedVersion(
  id: string,
  source: SourceDefinition,
  spec: BuildSpec,
  definition: Definition,
): string {
  const version = source.versions.get(spec.derivative);
  // The definition may have been read for other formats as well, that take more.
  if (version !== undefined && id === spec.artifact) checkMain(version, definition.file, [spec.format]);
  if (version !== undefined) return version;
  throw noSource(
    `${definition.file}: gives no version of "${id}" for derivative ${spec.derivative}, and no archive of it was sent`,
  );
}

async function download(
  context: TaskContext,
  spec: BuildSpec,
  definition: Definition,
  id: string,
  source: SourceDefinition,
  version: string,
  renderer: TemplateRenderer,
): Promise<string> {
  const render = async (template: string): Promise<string> =>
    template.includes('{')
      ? renderer.render(`${definition.file} (source "${id}")`, template, { version })
      : template;
  const where = `${definition.file}: source "${id}"`;
  const url = checkUrl(await render(source.url), where);
  const filename = source.filename === null ? lastSegment(url) : await render(source.filename);
  if (!FILENAME.test(filename)) {
    throw new Fault(
      'invalid',
      'bad-definition',
      `${where}: "${filename.slice(0, 200)}" is no name for a stored file`,
    );
  }
  const checksums = source.checksums.get(version) ?? {};
  const algorithms = Object.keys(checksums);
  if (algorithms.length === 0) {
    throw new Fault(
      'invalid',
      'bad-checksum',
      `${where}: no checksum is given for version ${version}, downloads need one`,
    );
  }
  if (algorithms.length === 1 && algorithms[0] === 'sha1') {
    context.console.log('warning', `${where}: sha1 alone proves little; add sha256`);
  }
  const { cache } = context.job.settings.dirs;
  const cached = join(cache, context.job.instance.id, spec.artifact, filename);
  await fetchCached({
    ...{ url: url.href, checksums, path: cached, signal: context.signal, task: context.job.task },
    tell: text => context.console.log('info', text),
  });
  const folder = join(context.job.place, 'sources');
  await mkdir(folder, { recursive: true });
  return linkInto(cached, join(folder, filename));
}

function lastSegment(url: URL): string {
  const segment = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Links a cached file into the workspace, or copies it where they are on different file systems. */
async function linkInto(from: string, to: string): Promise<string> {
  // An interrupted first attempt may have left it there.
  await rm(to, { force: true });
  try {
    await link(from, to);
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK'].includes(errorCode(error))) throw error;
    await copyFile(from, to);
  }
  return to;
}

function noSource(message: string): Fault {
  return new Fault('invalid', 'no-source', message);
}
