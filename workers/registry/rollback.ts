/** Rollback: the content of an earlier state becomes the current one again, under a new signature. */
import { Fault } from '../../proto/fault.ts';
import type { TaskContext, Work } from '../context.ts';
import type { CatalogueEntry, RegistrySpec } from '../job.ts';
import { checkWhole } from './pool-checks.ts';
import {
  findGeneration,
  type HeldRegistry,
  locateRegistry,
  readCatalogue,
  withRegistry,
} from './publication.ts';
import { noticesIn } from './rpm-notices.ts';
import { areSameNotices, writeNotices } from './updateinfo.ts';
import { WRITERS } from './writers.ts';

/** Parameter `to`: the name of a generation or a snapshot. */
export const rollbackWork: Work<RegistrySpec> = async (context, spec) => {
  const { to = '' } = spec.parameters;
  // Before it is held, so that nobody waits while files are read: what is recorded does not change any more.
  const before = await difference(context, locateRegistry(context, spec), to);
  await checkWhole(context, locateRegistry(context, spec), before.returning);
  const checked = new Set(before.returning.map(entry => entry.row));
  await withRegistry(context, spec, async held => {
    const { live, remove, returning } = await difference(context, held, to);
    const further = returning.filter(entry => !checked.has(entry.row));
    await checkWhole(context, held, further);
    const add = returning.map(entry => ({ ...entry, row: 0, task: context.job.task }));
    const notices = noticesIn(held, await findGeneration(context, held.key, to));
    const others = !areSameNotices(notices, noticesIn(held));
    if (add.length === 0 && remove.length === 0 && !others) {
      throw new Fault('refused', 'already-there', `${spec.distribution} is what it was in ${to} already`);
    }
    await WRITERS[spec.format](context, held, {
      add,
      remove,
      live,
      ...(others ? { notices: writeNotices(notices) } : {}),
    });
    context.console.log(
      'info',
      `Went back to ${to}: ${add.length} artifacts returned, ${remove.length} left`,
    );
  });
};

/** What is there, what of it goes, and what comes back when a registry goes back to a state. */
async function difference(
  context: TaskContext,
  { key }: HeldRegistry,
  to: string,
): Promise<Readonly<Record<'live' | 'remove' | 'returning', CatalogueEntry[]>>> {
  const live = await readCatalogue(context, key);
  const wanted = await readCatalogue(context, key, { generation: to });
  // By what they are, not by record: an artifact that came back has a new one.
  const [now, then] = [identities(live), identities(wanted)];
  return {
    live,
    remove: live.filter(entry => !then.has(identity(entry))),
    returning: wanted.filter(entry => !now.has(identity(entry))),
  };
}

function identities(entries: readonly CatalogueEntry[]): Set<string> {
  return new Set(entries.map(identity));
}

function identity({ derivative, name, architecture, version, files }: CatalogueEntry): string {
  // Each once: a noarch rpm lies in the pools of architectures that came later, too, and is the same still.
  const digests = new Set(files.map(file => file.sha256));
  return [derivative, name, architecture, version, ...[...digests].sort()].join(' ');
}
