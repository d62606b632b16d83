/** The task that applies an instance's retention to what is already published. */
import type { Work } from '../context.ts';
import type { CatalogueEntry, RegistrySpec } from '../job.ts';
import { collect } from './collection.ts';
import { readCatalogue, withRegistry } from './publication.ts';
import { retentionOf } from './publish.ts';
import { superseded } from './retention.ts';
import { WRITERS } from './writers.ts';

/**
 * Applies the instance's retention to what is there, and collects. Without the parameter `apply` = `yes` it only says
 * what would go.
 */
export const retentionWork: Work<RegistrySpec> = async (context, spec) => {
  const apply = spec.parameters.apply === 'yes';
  await withRegistry(context, spec, async held => {
    const live = await readCatalogue(context, held.key);
    const retention = (derivative: string) => retentionOf(context, { ...spec, derivative });
    const remove = outdated(spec, live, retention);
    for (const { name, version, architecture, derivative } of remove) {
      const words = `${name} ${version} (${architecture}) of ${derivative}`;
      context.console.log('info', `${apply ? 'Removing' : 'Would remove'} ${words}`);
    }
    if (remove.length === 0) context.console.log('info', 'No version is to go');
    if (!apply) return;
    if (remove.length > 0) await WRITERS[spec.format](context, held, { add: [], remove, live });
    await collect(context, held);
  });
};

/** Every entry is measured against the newest of its name, as if that had just come. */
function outdated(
  spec: RegistrySpec,
  live: readonly CatalogueEntry[],
  retention: (derivative: string) => ReturnType<typeof retentionOf>,
): CatalogueEntry[] {
  const newest = new Map<string, CatalogueEntry>();
  for (const entry of live) {
    const key = [entry.derivative, entry.name, entry.architecture].join(' ');
    const other = newest.get(key);
    if (!other || other.row < entry.row) newest.set(key, entry);
  }
  const heads = new Set(newest.values());
  const rest = live.filter(entry => !heads.has(entry));
  return superseded(spec.format, rest, [...heads], retention, Date.now() / 1000);
}
