/** How entries come into a registry and go: what is superseded, what is refused, one switch for all. */
import { Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, RegistryKey, RegistryPlace, Retention } from '../job.ts';
import { collectNowAndThen, dropGeneration } from './collection.ts';
import { identity } from './distinct.ts';
import type { Packed } from './packing.ts';
import { PoolFiles } from './pool.ts';
import {
  type HeldRegistry,
  newGeneration,
  readCatalogue,
  servedGeneration,
  switchTo,
  withPool,
  withRegistry,
  withStaging,
} from './publication.ts';
import { retentionOf, superseded } from './retention.ts';
import { noticesIn } from './rpm-notices.ts';
import { openSigner, type Signer } from './signing.ts';
import type { StagedEntry } from './staged.ts';
import { areSameNotices, joinNotices, type Notice, writeNotices } from './updateinfo.ts';

/** What changes in a registry that is held. `live` are the present entries of every name that changes. */
export interface Change {
  readonly add: readonly CatalogueEntry[];
  readonly remove: readonly CatalogueEntry[];
  readonly live: readonly CatalogueEntry[];
  /** Make every index anew from the catalogue. */
  readonly anew?: boolean;
  /** Of rpm: the update notices, updateinfo.xml; null for none, absent = those that are there. */
  readonly notices?: Uint8Array | null;
  /** One that is open already: who opened it closes it. */
  readonly signer?: Signer;
  /** Of apt: xz of indexes as they were; those that are still the same get it. */
  readonly packed?: Packed;
}

/** Writes the next generation of a format's registry and switches to it. */
export type WriteChange = (context: TaskContext, held: HeldRegistry, change: Change) => Promise<void>;

/**
 * Publishes what a build of a format made: `read` makes entries of it, their files in the staging folder, signed by
 * the signer where the format signs files.
 */
export async function publishBuild(
  context: TaskContext,
  { format, distribution, derivative }: RegistryPlace,
  write: WriteChange,
  read: (place: RegistryPlace, staging: string, signer: Signer) => Promise<StagedEntry[]>,
): Promise<void> {
  const place: RegistryPlace = { format, distribution, derivative };
  const signer = openSigner(context);
  try {
    await withStaging(context, format, async staging => {
      const reading = read(place, staging, signer);
      // While files are copied; the other formats sign files, not a text.
      if (format === 'deb') signer.getReady();
      await publishEntries(context, place, await reading, write, { signer });
    });
  } finally {
    await signer.close();
  }
}

/**
 * Publishes staged entries of one derivative in one switch, with the update notices that come with them. Those published
 * already, with the same content, stay.
 */
export async function publishEntries(
  context: TaskContext,
  place: RegistryPlace,
  entries: readonly StagedEntry[],
  write: WriteChange,
  { notices: further = [], signer }: { readonly notices?: readonly Notice[]; readonly signer?: Signer } = {},
): Promise<void> {
  const { format, distribution, derivative } = place;
  await withRegistry(context, { format, distribution, derivative }, async held => {
    const names = [...new Set(entries.map(({ entry }) => entry.name))];
    const live = await readCatalogue(context, held.key, { names });
    const fresh = entries.filter(({ entry }) => !isPublished(live, entry));
    const notices = withNotices(held, further);
    if (fresh.length === 0 && notices === null) {
      context.console.log('info', 'Everything is published already');
      return;
    }
    const add = fresh.map(({ entry }) => entry);
    const retention = (of: string): Retention =>
      retentionOf(context.job.instance, { ...place, derivative: of });
    const remove = superseded(format, live, add, retention, Date.now() / 1000);
    const change: Change = {
      ...{ add, remove, live },
      ...(notices === null ? {} : { notices }),
      ...(signer && { signer }),
    };
    await withPool(context, held, () =>
      placeAndWrite(context, held, fresh, () => write(context, held, change)),
    );
    await collectNowAndThen(context, held);
  });
  context.console.log('info', `Published ${entries.length} artifacts in ${distribution}/${derivative}`);
}

/** Places the files of entries and records them; they go again where that fails. */
export async function placeAndWrite(
  context: TaskContext,
  held: HeldRegistry,
  entries: readonly StagedEntry[],
  write: () => Promise<void>,
): Promise<void> {
  const pool = new PoolFiles(context, held);
  try {
    await pool.place(entries);
    await write();
  } catch (error) {
    await pool.takeBack().catch(problem => {
      const why = problem instanceof Error ? problem.message : problem;
      context.console.log('warning', `Files that nothing needs stay in the pool for now: ${why}`);
    });
    throw error;
  }
}

/** The notices of a registry with further ones; null where they are there already. */
function withNotices(held: HeldRegistry, further: readonly Notice[]): Uint8Array | null {
  if (further.length === 0) return null;
  const old = noticesIn(held);
  const joined = joinNotices(old, further);
  return areSameNotices(old, joined) ? null : writeNotices(joined);
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

/** Those of entries that stay, with those that come. */
export function entriesAfter(
  { add, remove }: Pick<Change, 'add' | 'remove'>,
  entries: readonly CatalogueEntry[],
): CatalogueEntry[] {
  const gone = new Set(remove.map(entry => entry.row));
  return [...entries.filter(entry => !gone.has(entry.row)), ...add];
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
  const after = (entries: readonly CatalogueEntry[]): CatalogueEntry[] => entriesAfter(change, entries);
  let all: Promise<CatalogueEntry[]> | null = null;
  const generation = newGeneration(context);
  const signer = change.signer ?? openSigner(context);
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
    if (!change.signer) await signer.close();
  }
}
