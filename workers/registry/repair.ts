/** Repair: indexes made anew from the catalogue, without what the disk has lost; snapshots linked again. */
import { Fault } from '../../proto/fault.ts';
import type { TaskContext, Work } from '../context.ts';
import type { RegistrySpec } from '../job.ts';
import { dropGeneration } from './collection.ts';
import { checkState } from './index-checks.ts';
import { badFiles, Digests } from './pool-checks.ts';
import { type HeldRegistry, keptStates, readCatalogue, withRegistry } from './publication.ts';
import { listsNotices, noticesIn } from './rpm-notices.ts';
import { linkSnapshot, snapshotsOf } from './snapshots.ts';
import { writeNotices } from './updateinfo.ts';
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
    const notices = noticesIn(held);
    if (notices.length === 0 && listsNotices(held))
      context.console.log('warning', 'The update notices are lost: give them again');
    const change = { add: [], remove, live, anew: true, notices: writeNotices(notices) };
    await WRITERS[spec.format](context, held, change);
    for (const { name, generation } of snapshotsOf(await keptStates(context, held))) {
      try {
        linkSnapshot(held, name, generation);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        context.console.log('error', `snapshot ${name}: ${error.message}`);
      }
    }
    await giveUpBroken(context, held);
    context.console.log('info', `Made the indexes of ${live.length - remove.length} artifacts anew`);
  });
};

/** Old states can't be made anew, and one that is broken must not be gone back to: only snapshots are left to their owners. */
async function giveUpBroken(context: TaskContext, held: HeldRegistry): Promise<void> {
  const digests = new Digests();
  const recorded = await readCatalogue(context, held.key, { kept: true });
  const bad = new Set((await badFiles(context, held, recorded, digests)).map(one => one.entry.row));
  for (const { name, superseded, snapshots } of await keptStates(context, held)) {
    if (superseded === null) continue;
    const [finding] = await checkState(context, held, name, null, digests);
    const entries = bad.size === 0 ? [] : await readCatalogue(context, held.key, { generation: name });
    if (finding === undefined && !entries.some(entry => bad.has(entry.row))) continue;
    if (snapshots.length > 0) {
      const what = `snapshot ${snapshots.join(', ')} is broken: delete it and make another`;
      context.console.log('error', what);
      continue;
    }
    dropGeneration(held, name);
    await context.ask<'forget'>({ type: 'forget', registry: held.key, generations: [name] });
    context.console.log('warning', `The kept state ${name} is broken and can't be gone back to any longer`);
  }
}
