/** Publishes rpms: signed each, with repodata signed as a whole, then one switch; and takes them out again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import type { BuiltArtifacts } from '../formats/format.ts';
import type { BuildSpec, CatalogueEntry, RegistryPlace } from '../job.ts';
import { keyringPath } from './keyring.ts';
import { type HeldRegistry, readCatalogue, servedGeneration, withStaging } from './publication.ts';
import {
  type Change,
  entriesAfter,
  placeAndWrite,
  publishBuild,
  type WriteChange,
  writeAndSwitch,
} from './publish.ts';
import { type RpmPlan, writeRpmGeneration } from './rpm-generation.ts';
import { type RpmManifest, readRpmManifest } from './rpm-manifest.ts';
import { lacking, spread, withSpread } from './rpm-noarch.ts';
import { readRpms } from './rpm-package.ts';
import { GZIP, ZSTD } from './segments.ts';
import { openSigner, type Signer } from './signing.ts';
import type { ReadProgress, StagedEntry } from './staged.ts';

/** Publishes what a build made, source rpm included. Throws Faults; the registry is as before then. */
export async function publishRpm(
  context: TaskContext,
  built: BuiltArtifacts,
  spec: BuildSpec,
): Promise<void> {
  await publishBuild(context, { ...spec, format: 'rpm' }, publishRpmChange, (place, staging, signer) =>
    readRpmFiles(context, place, staging, built.files, undefined, signer),
  );
}

/** Reads the rpms among files and signs them, with a signer that is open already where there is one. */
export async function readRpmFiles(
  context: TaskContext,
  place: RegistryPlace,
  staging: string,
  files: readonly string[],
  progress: ReadProgress = () => undefined,
  opened?: Signer,
): Promise<StagedEntry[]> {
  const rpms = files.filter(file => file.endsWith('.rpm'));
  if (rpms.length === 0) throw new Fault('invalid', 'bad-package', 'there is no rpm to publish');
  const signer = opened ?? openSigner(context);
  try {
    const published = Math.floor(Date.now() / 1000);
    const { architectures } = context.job.instance;
    return await readRpms({ context, place, staging, published, architectures, signer, progress }, rpms);
  } finally {
    if (!opened) await signer.close();
  }
}

/** Writes the next generation of a derivative and switches to it. */
export const publishRpmChange: WriteChange = async (context, held, change) => {
  const served = servedGeneration(held);
  const manifest = served === null ? null : readRpmManifest(held.state, held.key, served);
  const before = manifest?.architectures ?? {};
  const architectures = architecturesOf(context.job.instance.architectures, before, change.add);
  // An index that is made anew lists all that is there, where an architecture came later than the packages, too.
  const isOld = !change.anew && architectures.every(word => Object.hasOwn(before, word));
  const next = isOld ? change.add : entriesAfter(change, await readCatalogue(context, held.key));
  const short = next.filter(entry => lacking(held.key, entry, architectures).length > 0);
  if (short.length === 0) return writeRpmChange(context, held, change, { architectures, manifest });
  await withStaging(
    context,
    'rpm',
    async staging => {
      const spreads = spread(context, held, short, architectures, staging);
      await placeAndWrite(context, held, [...spreads.values()], () =>
        writeRpmChange(context, held, withSpread(change, spreads), { architectures, manifest }),
      );
    },
    'noarch',
  );
};

function writeRpmChange(
  context: TaskContext,
  held: HeldRegistry,
  change: Change,
  { architectures, manifest }: Pick<RpmPlan, 'architectures'> & { readonly manifest: RpmManifest | null },
): Promise<void> {
  return writeAndSwitch(context, held, change, async (next, signer) => {
    const { instance, settings } = context.job;
    const plan: RpmPlan = {
      registry: held.key,
      generation: next.generation,
      tree: held.tree,
      state: held.state,
      date: Math.floor(Date.now() / 1000),
      architectures,
      served: next.served,
      current: manifest && next.served !== null ? { generation: next.served, manifest } : null,
      anew: change.anew ?? false,
      packing: settings.rpm.compression === 'zstd' ? ZSTD : GZIP,
      ...(change.notices === undefined ? {} : { notices: change.notices }),
      add: change.add,
      remove: change.remove,
      all: next.all,
      publicKey: readFileSync(join(keyringPath(settings.dirs.keyring, instance.id), 'public.asc')),
    };
    return writeRpmGeneration(plan, signer);
  });
}

function architecturesOf(
  own: readonly string[],
  before: Readonly<Record<string, unknown>>,
  added: readonly CatalogueEntry[],
): string[] {
  const words = new Set([
    ...own,
    ...Object.keys(before).filter(word => word !== 'source'),
    ...added.map(entry => entry.architecture).filter(word => word !== 'noarch' && word !== 'src'),
  ]);
  return [...words].sort();
}
