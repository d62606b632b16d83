/** Publishes Debian packages: pool files, indexes, signature, then one switch; and takes them out again. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { generationPath } from '../../proto/layout.ts';
import { toDebianArchitecture } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import type { BuiltArtifacts } from '../formats/format.ts';
import type { BuildSpec, CatalogueEntry, ChangelogEntry, RegistryKey, RegistryPlace } from '../job.ts';
import { type AptPlan, writeAptGeneration } from './apt-generation.ts';
import { readManifest } from './apt-manifest.ts';
import { dateAfter, type ReleaseFields } from './apt-release.ts';
import { type ChangelogOf, type Reading, readDeb } from './deb-package.ts';
import { settlePaths } from './deb-paths.ts';
import { readSource } from './deb-source.ts';
import { distinctEntries, type ReadEntry } from './distinct.ts';
import type { HeldRegistry } from './publication.ts';
import { type NextGeneration, publishBuild, type WriteChange, writeAndSwitch } from './publish.ts';
import type { ReadProgress, StagedEntry } from './staged.ts';

/** Packages read at once: each is three programs. */
const TOGETHER = 4;

/**
 * Publishes what a build made. Throws Faults: `bad-package`, `version-exists`, `no-keyring`, `key-expired`,
 * `signing-failed`, `disk-full`; the registry is as before then.
 */
export async function publishDeb(
  context: TaskContext,
  built: BuiltArtifacts,
  spec: BuildSpec,
): Promise<void> {
  const listings: Buffer[] = [];
  const note = (file: string, listing: Buffer): void => {
    const lines = listing.toString('latin1').replaceAll('\n', '\r\n');
    listings.push(Buffer.from(`\r\ncontents of ${file}:\r\n${lines}`, 'latin1'));
  };
  const known = built.changelog
    ? new Map([[`${built.artifact} ${built.version}`, built.changelog]])
    : new Map();
  await publishBuild(context, { ...spec, format: 'deb' }, publishAptChange, (place, staging) =>
    readDebFiles(context, place, staging, built.files, undefined, {
      onListed: note,
      changelogs: known,
    }),
  );
  // Only now: however long they are, the work is done.
  for (const listing of listings) context.console.output(listing);
}

/** Reads files of one derivative, a few side by side; what is neither .dsc nor .deb belongs to a .dsc. */
export async function readDebFiles(
  context: TaskContext,
  place: RegistryPlace,
  staging: string,
  files: readonly string[],
  progress: ReadProgress = () => undefined,
  more: Pick<Reading, 'onListed' | 'changelogs'> = {},
): Promise<StagedEntry[]> {
  const published = Math.floor(Date.now() / 1000);
  const sources = files.filter(file => file.endsWith('.dsc'));
  const wanted = [...sources, ...files.filter(file => file.endsWith('.deb'))];
  if (wanted.length === 0) throw new Fault('invalid', 'bad-package', 'the build made no package to publish');
  const reads: Promise<StagedEntry>[] = [];
  let changelogs: Promise<ReadonlyMap<string, readonly ChangelogEntry[]>> | null = null;
  const changelogOf: ChangelogOf = async ({ name, version }) => {
    // Every source is being read by now: they come first.
    changelogs ??= changelogsOf(reads.slice(0, sources.length));
    return (await changelogs).get(`${name} ${version}`) ?? null;
  };
  const read = (file: string): Promise<StagedEntry> => {
    // A folder for each: files of two packages may have the same name.
    const folder = join(staging, String(reads.length));
    mkdirSync(folder);
    const reading: Reading = { context, place, staging: folder, published, ...more };
    const one = file.endsWith('.dsc') ? readSource(reading, file) : readDeb(reading, file, changelogOf);
    reads.push(one);
    return one;
  };
  const entries: ReadEntry[] = [];
  for (let at = 0; at < wanted.length; at += TOGETHER) {
    const batch = wanted.slice(at, at + TOGETHER);
    const done = await Promise.allSettled(batch.map(read));
    for (const [index, one] of done.entries()) {
      // Thrown once none of them writes to the staging any longer.
      if (one.status === 'rejected') throw one.reason;
      entries.push({ ...one.value, from: batch[index] ?? '' });
      progress(entries.length, files.length);
    }
  }
  return distinctEntries(await settlePaths(context, entries));
}

/** Changelogs of sources by name and version. */
async function changelogsOf(
  sources: readonly Promise<StagedEntry>[],
): Promise<ReadonlyMap<string, readonly ChangelogEntry[]>> {
  const read = await Promise.allSettled(sources);
  return new Map(
    read.flatMap(one =>
      one.status === 'rejected'
        ? []
        : [[`${one.value.entry.name} ${one.value.entry.version}`, one.value.entry.changelog]],
    ),
  );
}

/** Writes the next generation of a distribution and switches to it. */
export const publishAptChange: WriteChange = (context, held, change) =>
  writeAndSwitch(context, held, change, async (next, signer) => {
    const manifest =
      next.served === null || change.anew ? null : readManifest(held.state, held.key, next.served);
    const plan: AptPlan = {
      registry: held.key,
      generation: next.generation,
      tree: held.tree,
      state: held.state,
      release: {
        ...releaseOf(context, held.key, manifest ?? (await publishedWords(next)), change.add),
        date: dateAfter(servedRelease(held, next.served), Math.floor(Date.now() / 1000)),
      },
      current: manifest && next.served !== null ? { generation: next.served, manifest } : null,
      changed: [...change.add, ...change.remove],
      siblings: next.after(change.live),
      all: next.all,
      packed: change.packed ?? new Map(),
    };
    return writeAptGeneration(plan, signer);
  });

/** Architectures and derivatives of what is published, where no manifest tells them. */
async function publishedWords(
  next: NextGeneration,
): Promise<{ readonly architectures: readonly string[]; readonly derivatives: readonly string[] }> {
  const all = await next.all();
  const words = new Set(all.map(entry => toDebianArchitecture(entry.architecture)));
  return {
    architectures: [...words].filter(word => word !== 'all' && word !== 'source'),
    derivatives: [...new Set(all.map(entry => entry.derivative))],
  };
}

/** The Release that is served; empty where there is none. */
function servedRelease(held: HeldRegistry, served: string | null): string {
  if (served === null) return '';
  try {
    return readFileSync(join(held.tree, generationPath(held.key, served), 'Release'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Architectures and derivatives once published stay in Release: clients refuse an index that silently disappears. */
function releaseOf(
  context: TaskContext,
  registry: RegistryKey,
  before: { readonly architectures: readonly string[]; readonly derivatives: readonly string[] },
  added: readonly CatalogueEntry[],
): Omit<ReleaseFields, 'date'> {
  const { instance, settings } = context.job;
  const pipeline = instance.pipelines.find(
    one => one.format === 'deb' && one.distribution === registry.distribution,
  );
  const architectures = new Set([
    ...instance.architectures.map(toDebianArchitecture),
    ...before.architectures,
    ...added
      .map(entry => toDebianArchitecture(entry.architecture))
      .filter(word => word !== 'all' && word !== 'source'),
  ]);
  const derivatives = new Set([
    ...(pipeline?.derivatives ?? ['main']),
    ...before.derivatives,
    ...added.map(entry => entry.derivative),
  ]);
  return {
    origin: instance.name.replace(/\s+/g, ' ').trim(),
    codename: registry.distribution,
    architectures: [...architectures].sort(),
    derivatives: [...derivatives],
    validFor: settings.deb.validFor,
  };
}
