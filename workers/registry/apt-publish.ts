/** Publishes Debian packages: pool files, indexes, signature, then one switch; and takes them out again. */
import { Fault } from '../../proto/fault.ts';
import { toDebianArchitecture } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import type { BuiltArtifacts } from '../formats/format.ts';
import type { BuildSpec, CatalogueEntry, RegistryKey, RegistryPlace } from '../job.ts';
import { type AptPlan, writeAptGeneration } from './apt-generation.ts';
import { readManifest } from './apt-manifest.ts';
import type { ReleaseFields } from './apt-release.ts';
import { type Reading, readDeb } from './deb-package.ts';
import { readSource } from './deb-source.ts';
import { withStaging } from './publication.ts';
import {
  type NextGeneration,
  publishEntries,
  removeEntry,
  type WriteChange,
  writeAndSwitch,
} from './publish.ts';
import type { StagedEntry } from './staged.ts';

/**
 * Publishes what a build made. Throws Faults: `bad-package`, `version-exists`, `no-keyring`, `key-expired`,
 * `signing-failed`, `disk-full`; the registry is as before then.
 */
export async function publishDeb(
  context: TaskContext,
  built: BuiltArtifacts,
  spec: BuildSpec,
): Promise<void> {
  const { distribution, derivative } = spec;
  const place: RegistryPlace = { format: 'deb', distribution, derivative };
  await withStaging(context, 'deb', async staging => {
    const entries = await readDebFiles(context, place, staging, built.files);
    await publishEntries(context, place, entries, publishAptChange);
  });
}

/** Takes exactly one entry out of its registry. Throws `not-found` when it is no longer there. */
export async function unpublishDeb(
  context: TaskContext,
  registry: RegistryKey,
  entry: CatalogueEntry,
): Promise<void> {
  await removeEntry(context, registry, entry, publishAptChange);
}

/** Reads files of one derivative; what is neither .dsc nor .deb belongs to a .dsc. */
export async function readDebFiles(
  context: TaskContext,
  place: RegistryPlace,
  staging: string,
  files: readonly string[],
): Promise<StagedEntry[]> {
  const reading: Reading = { context, place, staging, published: Math.floor(Date.now() / 1000) };
  const sources: StagedEntry[] = [];
  for (const file of files.filter(name => name.endsWith('.dsc')))
    sources.push(await readSource(reading, file));
  const entries = [...sources];
  for (const file of files.filter(name => name.endsWith('.deb'))) {
    const staged = await readDeb(
      reading,
      file,
      sources.length === 1 ? (sources[0]?.entry.changelog ?? null) : null,
    );
    entries.push(staged);
  }
  if (entries.length === 0) throw new Fault('invalid', 'bad-package', 'the build made no package to publish');
  return entries;
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
      release: releaseOf(context, held.key, manifest ?? (await publishedWords(next)), change.add),
      current: manifest && next.served !== null ? { generation: next.served, manifest } : null,
      changed: [...change.add, ...change.remove],
      siblings: next.after(change.live),
      all: next.all,
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

/** Architectures and derivatives once published stay in Release: clients refuse an index that silently disappears. */
function releaseOf(
  context: TaskContext,
  registry: RegistryKey,
  before: { readonly architectures: readonly string[]; readonly derivatives: readonly string[] },
  added: readonly CatalogueEntry[],
): ReleaseFields {
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
    date: Math.floor(Date.now() / 1000),
    validFor: settings.deb.validFor,
  };
}
