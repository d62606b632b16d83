/** Publishes images: files under names that never change their content, one signed list of their digests. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import { generationPath, osiPool } from '../../proto/layout.ts';
import type { TaskContext } from '../context.ts';
import type { BuiltArtifacts } from '../formats/format.ts';
import type { BuildSpec, CatalogueEntry, RegistryPlace } from '../job.ts';
import { copyDurably, linkFile, makeFolder, syncFolder, writeDurably } from './disk.ts';
import { distinctEntries, type ReadEntry } from './distinct.ts';
import { publishBuild, type WriteChange, writeAndSwitch } from './publish.ts';
import type { ReadProgress, StagedEntry } from './staged.ts';

/** Extensions of images as the builder names them, with what compresses them. */
const IMAGE = /\.((?:qcow2|raw|tar|cpio)(?:\.(?:gz|xz|zst|bz2))?)$/;
const MANIFEST = /\.manifest(?:\.gz)?$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9+._~-]{0,254}$/;

/** Publishes the images of a build with their manifests. Throws Faults; the registry is as before then. */
export async function publishOsi(
  context: TaskContext,
  built: BuiltArtifacts,
  spec: BuildSpec,
): Promise<void> {
  await publishBuild(context, { ...spec, format: 'osi' }, publishOsiChange, (place, staging) =>
    readImages(context, place, staging, built),
  );
}

/** Reads images into entries. Name and version come from the build, not from file names. */
async function readImages(
  context: TaskContext,
  place: RegistryPlace,
  staging: string,
  built: BuiltArtifacts,
): Promise<StagedEntry[]> {
  const stage = async (file: string) => {
    const name = basename(file);
    if (!NAME.test(name))
      throw new Fault('invalid', 'bad-package', `${name.slice(0, 200)} can't be an image's name`);
    // Numbered: those of two folders may have the same name.
    const staged = join(staging, `${built.files.indexOf(file)}-${name}`);
    const digest = await copyDurably(file, staged);
    return { path: osiPool(place.distribution, place.derivative, name), ...digest, staged };
  };
  const images = built.files.filter(file => IMAGE.test(file));
  if (images.length === 0) throw new Fault('invalid', 'bad-package', 'the build made no image to publish');
  const manifests = [];
  for (const file of built.files.filter(name => MANIFEST.test(name))) manifests.push(await stage(file));
  const entries: ReadEntry[] = [];
  for (const [index, image] of images.entries()) {
    // Manifests belong to the build: they come and go with its first image.
    const files = [await stage(image), ...(index === 0 ? manifests : [])];
    const entry: CatalogueEntry = {
      row: 0,
      ...place,
      architecture: IMAGE.exec(image)?.[1] ?? '',
      name: built.artifact,
      version: built.version,
      size: files[0]?.size ?? 0,
      source: null,
      files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
      stanza: '',
      changelog: [],
      content: [],
      published: Math.floor(Date.now() / 1000),
      task: context.job.task,
    };
    entries.push({ entry, files, from: image });
  }
  return distinctEntries(entries);
}

/**
 * Reads images of a folder that no build of ours made. Their files are called as the builder calls them,
 * `NAME_VERSION.tar`, and that is where name and version come from. Throws `bad-package` for one that isn't.
 */
export async function readImageFiles(
  context: TaskContext,
  place: RegistryPlace,
  staging: string,
  files: readonly string[],
  progress: ReadProgress = () => undefined,
): Promise<StagedEntry[]> {
  const builds = new Map<string, BuiltArtifacts & { readonly files: string[] }>();
  for (const file of files) {
    const name = basename(file);
    const extension = IMAGE.exec(name) ?? MANIFEST.exec(name);
    if (!extension) continue;
    const [, artifact, version] = /^(.+)_([^_]+)$/.exec(name.slice(0, extension.index)) ?? [];
    if (artifact === undefined || version === undefined) {
      const message = `${name.slice(0, 200)}: an image to import must be called NAME_VERSION.EXTENSION`;
      throw new Fault('invalid', 'bad-package', message);
    }
    const key = `${artifact}_${version}`;
    const build = builds.get(key) ?? { artifact, version, files: [] };
    build.files.push(file);
    builds.set(key, build);
  }
  if (builds.size === 0) throw new Fault('invalid', 'bad-package', 'there is no image to publish');
  const entries: StagedEntry[] = [];
  for (const [index, build] of [...builds.values()].entries()) {
    entries.push(...(await readImages(context, place, staging, build)));
    progress(index + 1, builds.size);
  }
  return entries;
}

/** Writes the next generation: links to the images, the list, its signature; then switches to it. */
export const publishOsiChange: WriteChange = (context, held, change) =>
  writeAndSwitch(context, held, change, async (next, signer) => {
    const folder = join(held.tree, generationPath(held.key, next.generation));
    makeFolder(dirname(folder));
    mkdirSync(folder);
    const files = new Map(
      (await next.all()).flatMap(entry => entry.files).map(file => [basename(file.path), file]),
    );
    for (const [name, file] of files) linkFile(join(held.tree, file.path), folder, name);
    const lines = [...files].map(([name, file]) => `${file.sha256} *${name}\n`);
    const list = lines.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join('');
    writeDurably(join(folder, 'SHA256SUMS.gpg'), [await signer.detach(list, false)]);
    writeDurably(join(folder, 'SHA256SUMS'), [Buffer.from(list, 'utf8')]);
    syncFolder(folder);
    syncFolder(dirname(folder));
    return createHash('sha256').update(list).digest('hex');
  });
