/** An artifact on its way into a registry: its entry, and where its files wait. */
import type { CatalogueEntry, CatalogueFile } from '../job.ts';

/** A file of an artifact with the durable copy that will become the pool's; null when the pool has it already. */
export interface StagedFile extends CatalogueFile {
  readonly staged: string | null;
}

export interface StagedEntry {
  readonly entry: CatalogueEntry;
  readonly files: readonly StagedFile[];
}

/** Told while many files are read: how many are done, and of how many. */
export type ReadProgress = (done: number, total: number) => void;
