/** All that crosses the thread between the daemon and its workers: jobs in, messages both ways, one outcome. Types only. */
import type { FaultData } from '../proto/fault.ts';
import type { FormatName, TaskName } from '../proto/words.ts';
import type { CatalogueEntry, Granted, Intent, KeptGeneration, RegistryKey, RegistryPlace } from './entry.ts';

export type * from './entry.ts';

/** One attempt at a task, as the pool hands it to `task.ts`. Plain data, structured-cloneable. */
export interface Job {
  /** uuid of the task. */
  readonly task: string;
  readonly name: TaskName;
  /** 1 for the first run. Only the current attempt may publish. */
  readonly attempt: number;
  /** Login of who submitted it. */
  readonly user: string;
  /** Seconds since the epoch. */
  readonly submission: number;
  readonly instance: InstanceSlice;
  readonly spec: Spec;
  /** Absolute path of the task's workspace; exists. */
  readonly place: string;
  /** Absolute path of the journal to write or continue. */
  readonly journal: string;
  /** Absolute path of the Unix socket to open; at most 107 bytes. */
  readonly console: string;
  readonly interactive: boolean;
  readonly settings: WorkerSettings;
}

/** What a worker needs to know of its instance. */
export interface InstanceSlice {
  readonly id: string;
  /** Full name; Origin and Label of its registries. */
  readonly name: string;
  readonly gpg: { readonly name: string; readonly email: string };
  readonly pipelines: readonly PipelineSlice[];
  /** Each derivative's parent; `main` has none. */
  readonly extends: Readonly<Record<string, string>>;
  /** uname -m words, the host's first. */
  readonly architectures: readonly string[];
}

export interface PipelineSlice {
  readonly format: FormatName;
  readonly distribution: string;
  /** null for osi. */
  readonly environment: string | null;
  /** Put in versions; null for none. */
  readonly tag: string | null;
  readonly derivatives: readonly string[];
  /** apt mirror or other override for the environment; null = the format's default. */
  readonly mirror: string | null;
  readonly components: readonly string[];
  readonly modules: readonly string[];
  /** Old versions to keep in the registry, by derivative; absent = only the newest. */
  readonly retention: Readonly<Record<string, Retention>>;
}

/** Which versions of a package a registry keeps; what a snapshot holds is always kept. */
export interface Retention {
  /** Newest versions kept; 0 = all. */
  readonly last: number;
  /** Seconds for which any version is kept; 0 = no such rule. */
  readonly newer: number;
}

export interface WorkerSettings {
  /** Absolute paths. */
  readonly dirs: {
    readonly registry: string;
    readonly cache: string;
    readonly run: string;
    readonly tmp: string;
    readonly images: string;
    readonly keyring: string;
  };
  readonly debug: boolean;
  readonly limits: TaskLimits;
  readonly keyring: {
    readonly type: 'rsa' | 'ed25519';
    readonly size: number;
    /** Seconds; 0 = never. */
    readonly expires: number;
  };
  readonly deb: {
    /** null = the host's own apt sources. */
    readonly mirror: string | null;
    readonly components: readonly string[];
    readonly prescriptDeps: readonly string[];
    /** Seconds a Release stays valid; 0 = no Valid-Until. */
    readonly validFor: number;
    /** Whether lintian looks at what was built and published. */
    readonly lintian: boolean;
  };
  readonly rpm: {
    /** Base URLs by environment name. */
    readonly repositories: Readonly<Record<string, readonly string[]>>;
    readonly modules: readonly string[];
    readonly prescriptDeps: readonly string[];
  };
}

/** Limits of one task; 0 = none. Bytes and seconds. */
export interface TaskLimits {
  readonly memory: number;
  /** Cores, may be fractional. */
  readonly cpus: number;
  readonly pids: number;
  readonly disk: number;
  readonly timeout: number;
  readonly idleTimeout: number;
  readonly journal: number;
  /** Bytes an archive may unpack to. */
  readonly unpacked: number;
  readonly seccomp: boolean;
}

export type Spec =
  | BuildSpec
  | DeletionSpec
  | { readonly type: 'keyring-creation' }
  | { readonly type: 'keyring-renewal'; readonly duration: string }
  | { readonly type: 'history-purge'; readonly policy: string; readonly tasks: readonly string[] }
  | { readonly type: 'image-creation'; readonly format: FormatName; readonly force: boolean }
  | { readonly type: 'image-update'; readonly format: FormatName }
  | {
      readonly type: 'image-shell';
      readonly format: FormatName;
      readonly term: string;
      readonly command: readonly string[];
    }
  | ({ readonly type: 'environment-creation' } & EnvironmentKey)
  | ({ readonly type: 'environment-update' } & EnvironmentKey)
  | ({
      readonly type: 'environment-shell';
      readonly term: string;
      readonly command: readonly string[];
    } & EnvironmentKey)
  | RegistrySpec;

export interface EnvironmentKey {
  readonly format: FormatName;
  readonly environment: string;
  /** uname -m word. */
  readonly architecture: string;
}

export interface BuildSpec extends RegistryPlace {
  readonly type: 'build';
  readonly architectures: readonly string[];
  readonly artifact: string;
  readonly author: string;
  readonly email: string;
  readonly message: string;
  /** Definition archive, absolute path inside the workspace. */
  readonly definition: string;
  /** Archives sent with the request. `filename` is what the client called it; `path` lies in the workspace. */
  readonly sources: readonly { readonly id: string; readonly filename: string; readonly path: string }[];
}

export interface DeletionSpec extends RegistryPlace {
  readonly type: 'deletion';
  readonly architecture: string;
  readonly artifact: string;
  readonly version: string;
}

/** Registry work beyond deletion; `action` is one of those of the registry jobs, parameters by name. */
export interface RegistrySpec {
  readonly type: 'registry';
  readonly action: 'snapshot' | 'promotion' | 'rollback' | 'import' | 'verification' | 'repair' | 'retention';
  readonly format: FormatName;
  readonly distribution: string;
  readonly derivative: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** From the thread to the daemon while it works. */
export type Progress =
  | { readonly type: 'progress'; readonly step: string; readonly done: number; readonly total: number }
  /** What became known of the task and belongs in its record. */
  | {
      readonly type: 'facts';
      readonly archives?: readonly { readonly id: string; readonly path: string }[];
      readonly version?: string;
    }
  /** The group whose processes must be gone before the task counts as ended: a cgroup's path. */
  | { readonly type: 'group'; readonly cgroup: string | null }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question };

/** From the daemon to the thread. */
export type Command =
  | { readonly type: 'cancel'; readonly by: string }
  /** The daemon is stopping: end quickly; the task will be queued again. */
  | { readonly type: 'stop' }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly type: 'refusal'; readonly id: number; readonly fault: FaultData };

/** What a thread may ask; each has its answer in `Answers`. */
export type Question =
  /** The published source artifact of that name, the newest. */
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
      /** Another instance's registry: for promotion from there, which its submitter was allowed. */
      readonly instance?: string;
      readonly after?: number;
      readonly limit?: number;
    }
  /** Which published sources, in any derivative, need a pool file of that name, and its recorded hash. */
  | { readonly type: 'pool-file'; readonly format: FormatName; readonly path: string }
  /** Records a publication about to be switched. Answered once it is on disk: that is the grant. */
  | { readonly type: 'intent'; readonly intent: Intent }
  /** The switch has been made (or found not to have been): closes the intent. */
  | { readonly type: 'switched'; readonly intent: number; readonly done: boolean }
  /** Generations of a registry, newest first, as far as they are kept. */
  | { readonly type: 'generations'; readonly registry: RegistryKey }
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
  'published-source': { readonly source: CatalogueEntry | null };
  lock: null;
  unlock: null;
  catalogue: { readonly entries: readonly CatalogueEntry[]; readonly next: number | null };
  'pool-file': { readonly sha256: string | null; readonly usedBy: readonly string[] };
  intent: Granted;
  switched: null;
  generations: { readonly generations: readonly KeptGeneration[] };
  snapshot: { readonly generation: string };
  'drop-snapshot': null;
  'needed-files': { readonly needed: readonly string[] };
  forget: null;
}

export type Answer = Answers[keyof Answers];

/** How an attempt ended. */
export interface Outcome {
  readonly result: 'success' | 'failed' | 'cancelled' | 'stopped';
  /** Why, unless it succeeded. */
  readonly fault: FaultData | null;
  readonly usage: { readonly peakMemory: number; readonly cpuSeconds: number } | null;
}

/** Short work on files that the daemon's thread must not do itself; `query.ts` answers each. */
export type Query =
  /** Kills what an interrupted attempt left running and removes its leftovers, before anything is queued again. */
  | { readonly type: 'sweep'; readonly tasks: readonly { readonly id: string; readonly place: string }[] }
  | { readonly type: 'images'; readonly instance: InstanceSlice; readonly images: string };

export interface QueryAnswers {
  sweep: { readonly killed: number };
  images: { readonly images: readonly ImageState[] };
}

export interface ImageState {
  readonly format: FormatName;
  readonly exists: boolean;
  /** Seconds since the epoch, 0 = never. */
  readonly created: number;
  readonly updated: number;
  readonly environments: readonly {
    readonly name: string;
    readonly architecture: string;
    readonly exists: boolean;
    readonly created: number;
    readonly updated: number;
    readonly size: number;
  }[];
}
