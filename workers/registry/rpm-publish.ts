/** Publishes rpms: signed each, with repodata signed as a whole, then one switch; and takes them out again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import type { BuiltArtifacts } from '../formats/format.ts';
import type { BuildSpec, CatalogueEntry, RegistryKey, RegistryPlace } from '../job.ts';
import { keyringPath } from './keyring.ts';
import { withStaging } from './publication.ts';
import { publishEntries, removeEntry, type WriteChange, writeAndSwitch } from './publish.ts';
import { type RpmPlan, readRpmManifest, writeRpmGeneration } from './rpm-generation.ts';
import { readRpms } from './rpm-package.ts';
import { openSigner } from './signing.ts';
import type { StagedEntry } from './staged.ts';

/** Publishes what a build made, source rpm included. Throws Faults; the registry is as before then. */
export async function publishRpm(
  context: TaskContext,
  built: BuiltArtifacts,
  spec: BuildSpec,
): Promise<void> {
  const { distribution, derivative } = spec;
  const place: RegistryPlace = { format: 'rpm', distribution, derivative };
  await withStaging(context, 'rpm', async staging => {
    const entries = await readRpmFiles(context, place, staging, built.files);
    await publishEntries(context, place, entries, publishRpmChange);
  });
}

/** Takes exactly one entry out of its registry. Throws `not-found` when it is no longer there. */
export async function unpublishRpm(
  context: TaskContext,
  registry: RegistryKey,
  entry: CatalogueEntry,
): Promise<void> {
  await removeEntry(context, registry, entry, publishRpmChange);
}

/** Reads and signs the rpms among files. */
export async function readRpmFiles(
  context: TaskContext,
  place: RegistryPlace,
  staging: string,
  files: readonly string[],
): Promise<StagedEntry[]> {
  const rpms = files.filter(file => file.endsWith('.rpm'));
  if (rpms.length === 0) throw new Fault('invalid', 'bad-package', 'there is no rpm to publish');
  const signer = openSigner(context);
  try {
    const published = Math.floor(Date.now() / 1000);
    const { architectures } = context.job.instance;
    return await readRpms({ context, place, staging, published, architectures, signer }, rpms);
  } finally {
    signer.close();
  }
}

/** Writes the next generation of a derivative and switches to it. */
export const publishRpmChange: WriteChange = (context, held, change) =>
  writeAndSwitch(context, held, change, async (next, signer) => {
    const manifest =
      next.served === null || change.anew ? null : readRpmManifest(held.state, held.key, next.served);
    const { instance, settings } = context.job;
    const plan: RpmPlan = {
      registry: held.key,
      generation: next.generation,
      tree: held.tree,
      state: held.state,
      date: Math.floor(Date.now() / 1000),
      architectures: architecturesOf(instance.architectures, manifest?.architectures ?? {}, change.add),
      current: manifest && next.served !== null ? { generation: next.served, manifest } : null,
      add: change.add,
      remove: change.remove,
      all: next.all,
      publicKey: readFileSync(join(keyringPath(settings.dirs.keyring, instance.id), 'public.asc')),
    };
    return writeRpmGeneration(plan, signer);
  });

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
