/** What a running thread asks of the daemon, and what it is answered. Types only. */
import type { FormatName } from '../proto/words.ts';
import type { CatalogueEntry, Granted, Intent, KeptGeneration, RegistryKey, RegistryPlace } from './entry.ts';

/** What a thread may ask; each has its answer in `Answers`. */
export type Question =
  /** The published source artifact of that name, the newest, and all its versions that are published or kept. */
  | ({ readonly type: 'published-source'; readonly artifact: string } & RegistryPlace)
  /** Waits until no other task holds that registry. Released by `unlock` or with the task's end. */
  | { readonly type: 'lock'; readonly registry: RegistryKey }
  | { readonly type: 'unlock'; readonly registry: RegistryKey }
  /** Entries of the catalogue, all those of a registry or those that match. Page by page. */
  | {
      readonly type: 'catalogue';
      readonly registry: RegistryKey;
      readonly names?: readonly string[];
      /** As it was in that generation; as it is now unless told. */
      readonly generation?: string;
      /** With what only kept states hold: all that is recorded. */
      readonly kept?: boolean;
      /** Another instance's registry: for promotion from there, which its submitter was allowed. */
      readonly instance?: string;
      readonly after?: number;
      readonly limit?: number;
    }
  /** Which artifacts, published or in a kept state, need a pool file of that name, and its recorded hash. */
  | { readonly type: 'pool-file'; readonly format: FormatName; readonly path: string }
  /** Records a publication about to be switched. Answered once it is on disk: that is the grant. */
  | { readonly type: 'intent'; readonly intent: Intent }
  /** The switch has been made (or found not to have been): closes the intent. */
  | { readonly type: 'switched'; readonly intent: number; readonly done: boolean }
  /** Generations of a registry, of another instance where one is named, newest first, as far as they are kept. */
  | { readonly type: 'generations'; readonly registry: RegistryKey; readonly instance?: string }
  /** Gives the current generation a name under which it is kept for good; refused when the name is taken. */
  | {
      readonly type: 'snapshot';
      readonly registry: RegistryKey;
      readonly name: string;
      readonly task: string;
    }
  /** Drops a snapshot's name; harmless when it is gone. */
  | { readonly type: 'drop-snapshot'; readonly registry: RegistryKey; readonly name: string }
  /** Of these paths, those that anything published, kept or held by a snapshot still needs. */
  | { readonly type: 'needed-files'; readonly format: FormatName; readonly paths: readonly string[] }
  /** These generations are gone from the disk: what only they held may be forgotten. */
  | { readonly type: 'forget'; readonly registry: RegistryKey; readonly generations: readonly string[] };

export interface Answers {
  'published-source': { readonly source: CatalogueEntry | null; readonly versions: readonly string[] };
  lock: null;
  unlock: null;
  catalogue: { readonly entries: readonly CatalogueEntry[]; readonly next: number | null };
  'pool-file': {
    readonly sha256: string | null;
    readonly usedBy: readonly string[];
    /** The same with more of each; what is published comes first. */
    readonly users: readonly {
      readonly sha256: string;
      readonly version: string;
      /** Otherwise only a kept state or a snapshot holds it. */
      readonly isPublished: boolean;
      /** `hello 1-1 (bookworm/main)`. */
      readonly text: string;
    }[];
  };
  intent: Granted;
  switched: null;
  generations: { readonly generations: readonly KeptGeneration[] };
  snapshot: { readonly generation: string };
  'drop-snapshot': null;
  'needed-files': { readonly needed: readonly string[] };
  forget: null;
}

export type Answer = Answers[keyof Answers];
