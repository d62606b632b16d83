/** Publishes Debian packages: pool files, indexes, signature, then one switch; and takes them out again. */
import { Fault } from '../../proto/fault.ts';
import { toDebianArchitecture } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import type { BuiltArtifacts } from '../formats/format.ts';
import type { BuildSpec, CatalogueEntry, RegistryKey, RegistryPlace, Retention } from '../job.ts';
import { writeAptGeneration } from './apt-generation.ts';
import { readManifest } from './apt-manifest.ts';
import type { ReleaseFields } from './apt-release.ts';
import { type Reading, readDeb } from './deb-package.ts';
import { readSource } from './deb-source.ts';
import {
  dropGeneration,
  fillPool,
  type HeldRegistry,
  newGeneration,
  readCatalogue,
  servedGeneration,
  switchTo,
  withRegistry,
  withStaging,
} from './publication.ts';
import { NEWEST_ONLY, superseded } from './retention.ts';
import { openSigner } from './signing.ts';
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
    const entries = await readBuilt(context, place, staging, built.files);
    await publishEntries(context, place, entries);
  });
}

/** Takes exactly one entry out of its registry. Throws `not-found` when it is no longer there. */
export async function unpublishDeb(
  context: TaskContext,
  registry: RegistryKey,
  entry: CatalogueEntry,
): Promise<void> {
  await withRegistry(context, registry, async held => {
    const live = await readCatalogue(context, held.key, { names: [entry.name] });
    const found = live.find(one => one.row === entry.row);
    if (!found) {
      throw new Fault(
        'not_found',
        'not-found',
        `${entry.name} ${entry.version} is no longer in the registry`,
      );
    }
    await publishChange(context, held, { add: [], remove: [found], live });
  });
}

async function readBuilt(
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

/** Publishes staged entries of one derivative in one switch. Those published already, with the same content, stay. */
export async function publishEntries(
  context: TaskContext,
  place: RegistryPlace,
  entries: readonly StagedEntry[],
): Promise<void> {
  await withRegistry(context, { ...place, derivative: null }, async held => {
    const names = [...new Set(entries.map(({ entry }) => entry.name))];
    const live = await readCatalogue(context, held.key, { names });
    const fresh = entries.filter(({ entry }) => !isPublished(live, entry));
    if (fresh.length === 0) {
      context.console.log('info', 'Everything is published already');
      return;
    }
    const add = fresh.map(({ entry }) => entry);
    const retention = (derivative: string): Retention => retentionOf(context, { ...place, derivative });
    const remove = superseded('deb', live, add, retention, Date.now() / 1000);
    await fillPool(context, held, fresh);
    await publishChange(context, held, { add, remove, live });
  });
  context.console.log(
    'info',
    `Published ${entries.length} artifacts in ${place.distribution}/${place.derivative}`,
  );
}

/** Whether the same artifact is there. Throws `version-exists` when it is there with other content. */
function isPublished(live: readonly CatalogueEntry[], entry: CatalogueEntry): boolean {
  const twin = live.find(
    one =>
      one.derivative === entry.derivative &&
      one.name === entry.name &&
      one.architecture === entry.architecture &&
      one.version === entry.version,
  );
  if (!twin) return false;
  const digests = (of: CatalogueEntry): string =>
    of.files
      .map(file => file.sha256)
      .sort()
      .join();
  if (digests(twin) === digests(entry)) return true;
  throw new Fault(
    'conflict',
    'version-exists',
    `${entry.name} ${entry.version} (${entry.architecture}) is published in ${entry.distribution}/${entry.derivative} with other content: raise the version`,
    { artifact: entry.name, version: entry.version },
  );
}

function retentionOf(context: TaskContext, place: RegistryPlace): Retention {
  const pipeline = context.job.instance.pipelines.find(
    one => one.format === place.format && one.distribution === place.distribution,
  );
  return pipeline?.retention[place.derivative] ?? NEWEST_ONLY;
}

/** What changes in a registry that is held. `live` are the present entries of every name that changes. */
export interface DebChange {
  readonly add: readonly CatalogueEntry[];
  readonly remove: readonly CatalogueEntry[];
  readonly live: readonly CatalogueEntry[];
}

/** Writes the next generation and switches to it. */
export async function publishChange(
  context: TaskContext,
  held: HeldRegistry,
  change: DebChange,
): Promise<void> {
  const signer = openSigner(context);
  const generation = newGeneration(context);
  const gone = new Set(change.remove.map(entry => entry.row));
  const after = (entries: readonly CatalogueEntry[]): CatalogueEntry[] => [
    ...entries.filter(entry => !gone.has(entry.row)),
    ...change.add,
  ];
  const served = servedGeneration(held);
  const manifest = served === null ? null : readManifest(held.state, held.key, served);
  let all: Promise<CatalogueEntry[]> | null = null;
  try {
    const digest = await writeAptGeneration(
      {
        registry: held.key,
        generation,
        tree: held.tree,
        state: held.state,
        release: releaseOf(context, held.key, manifest ?? { architectures: [], derivatives: [] }, change.add),
        current: manifest && served !== null ? { generation: served, manifest } : null,
        changed: [...change.add, ...change.remove],
        siblings: after(change.live),
        all: () => {
          all ??= readCatalogue(context, held.key).then(after);
          return all;
        },
      },
      signer,
    );
    const remove = change.remove.map(entry => entry.row);
    await switchTo(context, held, { generation, digest, add: change.add, remove });
  } catch (error) {
    dropGeneration(held, generation);
    throw error;
  } finally {
    signer.close();
  }
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
