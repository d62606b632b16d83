/** All that crosses the thread between the daemon and its workers: jobs in, messages both ways, one outcome. Types only. */
import type { FaultData } from '../proto/fault.ts';
import type { Limits } from '../proto/limits.ts';
import type { FormatName, TaskName } from '../proto/words.ts';
import type { RegistryPlace, Retention, Version } from './entry.ts';
import type { Answer, Question } from './question.ts';

export type * from './entry.ts';
export type * from './question.ts';

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
  /** Of its tasks; those that it does not state are the daemon's own. */
  readonly limits: Partial<Limits>;
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
  /** Old versions to keep in the registry, by derivative; absent = only the newest, of images all. */
  readonly retention: Readonly<Record<string, Retention>>;
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
  /** Names of the formats that images are made for. */
  readonly imageFormats: readonly string[];
  readonly debug: boolean;
  /** Those of the instance; what a definition makes of them is its attempt's. */
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
    /** Seconds of quiet until indexes are also offered as xz; 0 = never. */
    readonly xzAfter: number;
    /** Whether lintian looks at what was built and published. */
    readonly lintian: boolean;
  };
  readonly rpm: {
    /** Base URLs by environment name. */
    readonly repositories: Readonly<Record<string, readonly string[]>>;
    readonly modules: readonly string[];
    readonly prescriptDeps: readonly string[];
    /** How the registries' indexes are packed; every client reads gz. */
    readonly compression: 'gz' | 'zstd';
  };
}

/** Limits of one task; 0 = none. Bytes and seconds. */
export interface TaskLimits extends Limits {
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
  readonly action:
    | 'snapshot'
    | 'promotion'
    | 'rollback'
    | 'import'
    | 'verification'
    | 'repair'
    | 'refresh'
    | 'retention'
    | 'collection'
    | 'updateinfo';
  readonly format: FormatName;
  readonly distribution: string;
  readonly derivative: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** What came with the request, an absolute path inside the workspace. */
  readonly file?: string;
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

/** How an attempt ended. */
export interface Outcome {
  readonly result: 'success' | 'failed' | 'cancelled' | 'stopped';
  /** Why, unless it succeeded. */
  readonly fault: FaultData | null;
  readonly usage: { readonly peakMemory: number; readonly cpuSeconds: number } | null;
}

/** Short work that the daemon's thread must not do itself; `query.ts` answers each. */
export type Query =
  /** Kills what an interrupted attempt left running and removes its leftovers, before anything is queued again. */
  | {
      readonly type: 'sweep';
      readonly tasks: readonly { readonly id: string; readonly place: string }[];
      /** Folders in which the homes of gpg lie while it signs. */
      readonly homes: readonly string[];
    }
  | { readonly type: 'images'; readonly instance: InstanceSlice; readonly images: string }
  /** Which of a place's versions its retention, or the rule given instead, does not keep. `now` in seconds. */
  | {
      readonly type: 'retention';
      readonly instance: InstanceSlice;
      readonly place: RegistryPlace;
      readonly rule: Retention | null;
      readonly live: readonly Version[];
      readonly now: number;
    };

export interface QueryAnswers {
  sweep: { readonly killed: number };
  images: { readonly images: readonly ImageState[] };
  retention: {
    readonly rule: Retention;
    /** By position in `live`. */
    readonly outdated: readonly { readonly at: number; readonly newerVersions: number }[];
  };
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
