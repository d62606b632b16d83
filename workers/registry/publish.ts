/** How entries come into a registry and go: what is superseded, what is refused, one switch for all. */
import { Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, RegistryKey, RegistryPlace, Retention } from '../job.ts';
import { collectNowAndThen } from './collection.ts';
import {
  dropGeneration,
  fillPool,
  type HeldRegistry,
  newGeneration,
  readCatalogue,
  servedGeneration,
  switchTo,
  withRegistry,
} from './publication.ts';
import { NEWEST_ONLY, superseded } from './retention.ts';
import { openSigner, type Signer } from './signing.ts';
import type { StagedEntry } from './staged.ts';

/** What changes in a registry that is held. `live` are the present entries of every name that changes. */
export interface Change {
  readonly add: readonly CatalogueEntry[];
  readonly remove: readonly CatalogueEntry[];
  readonly live: readonly CatalogueEntry[];
  /** Make every index anew from the catalogue. */
  readonly anew?: boolean;
}

/** Writes the next generation of a format's registry and switches to it. */
export type WriteChange = (context: TaskContext, held: HeldRegistry, change: Change) => Promise<void>;

/** Publishes staged entries of one derivative in one switch. Those published already, with the same content, stay. */
export async function publishEntries(
  context: TaskContext,
  place: RegistryPlace,
  entries: readonly StagedEntry[],
  write: WriteChange,
): Promise<void> {
  const { format, distribution, derivative } = place;
  await withRegistry(context, { format, distribution, derivative }, async held => {
    const names = [...new Set(entries.map(({ entry }) => entry.name))];
    const live = await readCatalogue(context, held.key, { names });
    const fresh = entries.filter(({ entry }) => !isPublished(live, entry));
    if (fresh.length === 0) {
      context.console.log('info', 'Everything is published already');
      return;
    }
    const add = fresh.map(({ entry }) => entry);
    const retention = (of: string): Retention => retentionOf(context, { ...place, derivative: of });
    const remove = superseded(format, live, add, retention, Date.now() / 1000);
    await fillPool(context, held, fresh);
    await write(context, held, { add, remove, live });
    await collectNowAndThen(context, held);
  });
  context.console.log('info', `Published ${entries.length} artifacts in ${distribution}/${derivative}`);
}

/** Whether the same artifact is there. Throws `version-exists` when it is there with other content. */
function isPublished(live: readonly CatalogueEntry[], entry: CatalogueEntry): boolean {
  const twin = live.find(
    one =>
      one.derivative === entry.derivative &&
      one.name === entry.name &&
      one.architecture === entry.architecture &&
      one.version === entry.version,
  );
  if (!twin) return false;
  if (identity(twin) === identity(entry)) return true;
  throw new Fault(
    'conflict',
    'version-exists',
    `${entry.name} ${entry.version} (${entry.architecture}) is published in ${entry.distribution}/${entry.derivative} with other content: raise the version`,
    { artifact: entry.name, version: entry.version },
  );
}

/** What two builds of the same content have in common: for rpm the header, since each signature differs. */
function identity(entry: CatalogueEntry): string {
  if (entry.format === 'rpm') return (JSON.parse(entry.stanza) as { header: string }).header;
  return entry.files
    .map(file => file.sha256)
    .sort()
    .join();
}

/** The retention of a place: the instance's, or the documented default. */
export function retentionOf(context: TaskContext, place: RegistryPlace): Retention {
  const pipeline = context.job.instance.pipelines.find(
    one => one.format === place.format && one.distribution === place.distribution,
  );
  return pipeline?.retention[place.derivative] ?? NEWEST_ONLY;
}

/** Takes one entry out, checked again under the lock. Throws `not-found` when it is no longer there. */
export async function removeEntry(
  context: TaskContext,
  registry: RegistryKey,
  entry: CatalogueEntry,
  write: WriteChange,
): Promise<void> {
  await withRegistry(context, registry, async held => {
    const live = await readCatalogue(context, held.key, { names: [entry.name] });
    const found = live.find(one => one.row === entry.row);
    if (!found) {
      throw new Fault(
        'not_found',
        'not-found',
        `${entry.name} ${entry.version} is no longer in the registry`,
      );
    }
    await write(context, held, { add: [], remove: [found], live });
    await collectNowAndThen(context, held);
  });
}

/** A generation about to be written: its name, what is served now, and all entries as they will be. */
export interface NextGeneration {
  readonly generation: string;
  readonly served: string | null;
  /** Those of `entries` that stay, with those that come. */
  after(entries: readonly CatalogueEntry[]): CatalogueEntry[];
  /** Every entry as it will be; read once, when first asked. */
  all(): Promise<readonly CatalogueEntry[]>;
}

/**
 * The frame of a publication: `write` makes the generation durable and answers the digest of its entry file, then it is
 * switched to. What fails before leaves the old state and no new folder.
 */
export async function writeAndSwitch(
  context: TaskContext,
  held: HeldRegistry,
  change: Change,
  write: (next: NextGeneration, signer: Signer) => Promise<string>,
): Promise<void> {
  const gone = new Set(change.remove.map(entry => entry.row));
  const after = (entries: readonly CatalogueEntry[]): CatalogueEntry[] => [
    ...entries.filter(entry => !gone.has(entry.row)),
    ...change.add,
  ];
  let all: Promise<CatalogueEntry[]> | null = null;
  const generation = newGeneration(context);
  const signer = openSigner(context);
  try {
    const next: NextGeneration = {
      generation,
      served: servedGeneration(held),
      after,
      all: () => {
        all ??= readCatalogue(context, held.key).then(after);
        return all;
      },
    };
    const digest = await write(next, signer);
    const remove = change.remove.map(entry => entry.row);
    await switchTo(context, held, { generation, digest, add: change.add, remove });
  } catch (error) {
    dropGeneration(held, generation);
    throw error;
  } finally {
    signer.close();
  }
}
