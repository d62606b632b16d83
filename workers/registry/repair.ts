/** Repair: indexes made anew from the catalogue, without what the disk has lost; snapshots linked again. */
import type { Work } from '../context.ts';
import type { RegistrySpec } from '../job.ts';
import { readCatalogue, withRegistry } from './publication.ts';
import { linkSnapshot, snapshotsOf } from './snapshots.ts';
import { badFiles } from './verification.ts';
import { WRITERS } from './writers.ts';

export const repairWork: Work<RegistrySpec> = async (context, spec) => {
  await withRegistry(context, spec, async held => {
    const live = await readCatalogue(context, held.key);
    const bad = await badFiles(context, held, live);
    for (const { entry, text } of bad) {
      context.console.log(
        'warning',
        `${text}: ${entry.name} ${entry.version} (${entry.architecture}) is taken out`,
      );
    }
    const remove = [...new Set(bad.map(one => one.entry))];
    await WRITERS[spec.format](context, held, { add: [], remove, live, anew: true });
    const { generations } = await context.ask({ type: 'generations', registry: held.key });
    for (const { name, generation } of snapshotsOf(generations)) {
      try {
        linkSnapshot(held, name, generation);
      } catch (error) {
        context.console.log('error', `snapshot ${name}: ${error instanceof Error ? error.message : error}`);
      }
    }
    context.console.log('info', `Made the indexes of ${live.length - remove.length} artifacts anew`);
  });
};
