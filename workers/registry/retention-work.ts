/** The tasks that make room: one applies a derivative's retention, one takes away what nothing needs any longer. */
import { describeRetention } from '../../proto/retention.ts';
import type { Work } from '../context.ts';
import type { RegistrySpec } from '../job.ts';
import { collect } from './collection.ts';
import { readCatalogue, withRegistry } from './publication.ts';
import { outdated, retentionOf } from './retention.ts';
import { WRITERS } from './writers.ts';

/** Takes out of the derivative what its retention does not keep, in one publication; each is a line of the journal. */
export const retentionWork: Work<RegistrySpec> = async (context, spec) => {
  const { format, distribution, derivative } = spec;
  const retention = retentionOf(context.job.instance, spec);
  await withRegistry(context, spec, async held => {
    const live = await readCatalogue(context, held.key);
    const there = live.filter(entry => entry.derivative === derivative);
    const found = outdated(format, there, retention, Date.now() / 1000);
    if (found.length > 0) {
      await WRITERS[format](context, held, { add: [], remove: found.map(one => one.entry), live });
    }
    for (const { entry, newerVersions } of found) {
      const age = Math.floor((Date.now() / 1000 - entry.published) / 86_400);
      context.console.log(
        'info',
        `Took out ${entry.name} ${entry.version} (${entry.architecture}): ${newerVersions} newer, published ${age} days ago`,
      );
    }
    context.console.log(
      'info',
      `${found.length} of ${there.length} artifacts left ${distribution}/${derivative}: ${describeRetention(retention)}`,
    );
    await collect(context, held);
  });
};

/** Removes old states, indexes and files of the pool now, instead of with a publication of another day. */
export const collectionWork: Work<RegistrySpec> = (context, spec) =>
  withRegistry(context, spec, held => collect(context, held));
