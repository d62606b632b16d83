/** Rollback: the content of an earlier state becomes the current one again, under a new signature. */
import { Fault } from '../../proto/fault.ts';
import type { Work } from '../context.ts';
import type { CatalogueEntry, RegistrySpec } from '../job.ts';
import { readCatalogue, withRegistry } from './publication.ts';
import { WRITERS } from './writers.ts';

/** Parameter `to`: the name of a generation or a snapshot. */
export const rollbackWork: Work<RegistrySpec> = async (context, spec) => {
  const { to = '' } = spec.parameters;
  await withRegistry(context, spec, async held => {
    const live = await readCatalogue(context, held.key);
    const wanted = await readCatalogue(context, held.key, { generation: to });
    // By what they are, not by record: an artifact that came back has a new one.
    const [now, then] = [identities(live), identities(wanted)];
    const remove = live.filter(entry => !then.has(identity(entry)));
    const add = wanted
      .filter(entry => !now.has(identity(entry)))
      .map(entry => ({ ...entry, row: 0, task: context.job.task }));
    if (add.length === 0 && remove.length === 0) {
      throw new Fault('refused', 'already-there', `${spec.distribution} is what it was in ${to} already`);
    }
    await WRITERS[spec.format](context, held, { add, remove, live });
    context.console.log(
      'info',
      `Went back to ${to}: ${add.length} artifacts returned, ${remove.length} left`,
    );
  });
};

function identities(entries: readonly CatalogueEntry[]): Set<string> {
  return new Set(entries.map(identity));
}

function identity({ derivative, name, architecture, version, files }: CatalogueEntry): string {
  return [derivative, name, architecture, version, ...files.map(file => file.sha256).sort()].join(' ');
}
