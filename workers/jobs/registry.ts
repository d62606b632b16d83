/** The tasks that change or check a registry without building anything. */
import { Fault } from '../../proto/fault.ts';
import type { Work } from '../context.ts';
import type { DeletionSpec, RegistryKey, RegistrySpec } from '../job.ts';
import { readCatalogue } from '../registry/publication.ts';
import { removeEntry } from '../registry/publish.ts';
import { WRITERS } from '../registry/writers.ts';

type Loader = () => Promise<Work<RegistrySpec>>;

const ACTIONS: Readonly<Record<RegistrySpec['action'], Loader>> = {
  snapshot: async () => (await import('../registry/snapshots.ts')).snapshotWork,
  promotion: async () => (await import('../registry/promotion.ts')).promotionWork,
  rollback: async () => (await import('../registry/rollback.ts')).rollbackWork,
  import: async () => (await import('../registry/importing.ts')).importWork,
  verification: async () => (await import('../registry/verification.ts')).verificationWork,
  refresh: async () => (await import('../registry/refreshing.ts')).refreshWork,
  repair: async () => (await import('../registry/repair.ts')).repairWork,
  retention: async () => (await import('../registry/retention-work.ts')).retentionWork,
  updateinfo: async () => (await import('../registry/updateinfo-work.ts')).updateinfoWork,
  collection: async () => (await import('../registry/retention-work.ts')).collectionWork,
};

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
  await removeEntry(context, registry, entry, WRITERS[format]);
  context.console.log(
    'info',
    `Deleted ${artifact} ${version} (${architecture}) from ${distribution}/${derivative}`,
  );
};

/** Snapshots, promotion, rollback, import and checks; each in a file of its own. */
export const registryWork: Work<RegistrySpec> = async (context, spec) => {
  const work = await ACTIONS[spec.action]();
  await work(context, spec);
};
