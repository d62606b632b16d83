/** The tasks that change or check a registry without building anything. */
import { Fault } from '../../proto/fault.ts';
import type { FormatName } from '../../proto/words.ts';
import type { TaskContext, Work } from '../context.ts';
import type { CatalogueEntry, DeletionSpec, RegistryKey, RegistrySpec } from '../job.ts';
import { unpublishDeb } from '../registry/apt-publish.ts';
import { readCatalogue } from '../registry/publication.ts';

type Unpublish = (context: TaskContext, registry: RegistryKey, entry: CatalogueEntry) => Promise<void>;

const missing = async (): Promise<never> => {
  throw new Fault('unavailable', 'not-built-yet', 'this registry can not be changed yet');
};

const UNPUBLISH: Readonly<Record<FormatName, Unpublish>> = { deb: unpublishDeb, rpm: missing, osi: missing };

/** Removes exactly one artifact: that name, architecture and version. Throws `not-found` when it is not there. */
export const deletion: Work<DeletionSpec> = async (context, spec) => {
  const { format, distribution, derivative, artifact, architecture, version } = spec;
  const registry: RegistryKey = { format, distribution, derivative: format === 'deb' ? null : derivative };
  const live = await readCatalogue(context, registry, { names: [artifact] });
  const entry = live.find(
    one => one.derivative === derivative && one.architecture === architecture && one.version === version,
  );
  if (!entry) {
    throw new Fault(
      'not_found',
      'not-found',
      `${artifact} ${version} (${architecture}) is not in ${format} ${distribution}/${derivative}`,
      { artifact, version, architecture },
    );
  }
  await UNPUBLISH[format](context, registry, entry);
  context.console.log(
    'info',
    `Deleted ${artifact} ${version} (${architecture}) from ${distribution}/${derivative}`,
  );
};

/** Snapshots, promotion and the like. */
export const registryWork: Work<RegistrySpec> = missing;
