/** Refresh: the present content signed anew, with what is made only while nobody waits for it. */
import { Fault } from '../../proto/fault.ts';
import type { Work } from '../context.ts';
import type { RegistrySpec } from '../job.ts';
import { packIndexes } from './packing.ts';
import { locateRegistry, servedGeneration, withRegistry } from './publication.ts';
import { WRITERS } from './writers.ts';

/** Indexes are packed before the registry is held: whoever publishes meanwhile does not wait. */
export const refreshWork: Work<RegistrySpec> = async (context, spec) => {
  const registry = locateRegistry(context, spec);
  const generation = servedGeneration(registry);
  if (generation === null) {
    throw new Fault('not_found', 'not-found', `${spec.distribution} has nothing published yet`);
  }
  const packs = spec.format === 'deb' && context.job.settings.deb.xzAfter > 0;
  const packed = packs ? await packIndexes(context, registry, generation) : new Map();
  await withRegistry(context, spec, held =>
    WRITERS[spec.format](context, held, { add: [], remove: [], live: [], packed }),
  );
  context.console.log('info', `Signed ${spec.distribution} anew`);
};
