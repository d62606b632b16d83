/** What the verbs ask of a server, over its socket or over HTTP alike. Shapes are those of the documented REST. */
import type { Frame } from '../../proto/frame.ts';
import type { Artifact, Place, States } from './registry-api.ts';

export type { Artifact, Place };

export interface ArtifactDescription {
  readonly name: string;
  readonly binaries?: readonly Artifact[];
  readonly source?: Artifact;
  readonly changelog: readonly {
    readonly author: string;
    readonly changes: readonly string[];
    readonly date: number;
    readonly version: string;
  }[];
  readonly content: readonly { readonly path: string; readonly type: string; readonly size: number }[];
}

/** One pipeline of a format. */
export interface Pipeline {
  readonly distribution: string;
  readonly environment: string | null;
  readonly derivatives: readonly string[];
}

/** Pipelines by format. */
export type Formats = Readonly<Record<string, readonly Pipeline[]>>;

export interface Task {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  /** pending, running or finished. */
  readonly state: string;
  /** unknown, success, failed or cancelled. */
  readonly result: string;
  readonly submission: number;
  readonly place: string;
  readonly io: {
    readonly console: string;
    readonly interactive: boolean;
    readonly journal: { readonly path: string };
  };
  readonly started?: number;
  readonly ended?: number;
  /** Why it waits or why it failed. */
  readonly reason?: string;
  readonly cause?: string;
  readonly position?: number;
  readonly progress?: { readonly step: string; readonly done: number; readonly total: number };
  /** The other keys of the task's type: format, distribution, artifact, … */
  readonly [key: string]: unknown;
}

/** A source archive of a build, as its task lists it. */
export interface SourceBlock {
  readonly id: string;
  readonly path: string;
}

export interface KeyInfo {
  readonly id: string;
  readonly fingerprint: string;
  readonly algorithm: string;
  readonly created: number;
  /** 0 = never. */
  readonly expires: number;
}

export interface KeyringInfo {
  readonly userid: string;
  readonly updated: number;
  readonly master: KeyInfo;
  /** What signs. */
  readonly subkey?: KeyInfo;
}

interface IssuedToken {
  readonly jti: string;
  readonly subject: string;
  readonly issued: number;
  readonly expires: number;
  /** 0 = in force. */
  readonly revoked: number;
}

/** The image of a format with its build environments; times are 0 for never. */
export interface ImageInfo {
  readonly format: string;
  readonly exists: boolean;
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

/** A file to send: where it is and the name it is sent under. */
export interface Upload {
  readonly path: string;
  readonly filename: string;
}

export interface Submission {
  readonly format: string;
  readonly distribution: string;
  readonly derivative: string;
  readonly architectures: readonly string[];
  readonly artifact: string;
  readonly author: string;
  readonly email: string;
  readonly message: string;
  readonly definition: Upload;
  readonly sources: readonly (Upload & { readonly id: string })[];
  readonly interactive: boolean;
}

/** An image or, with an environment, a build environment in it. */
export interface ImageTarget {
  readonly format: string;
  readonly environment?: string;
  readonly architecture?: string;
}

/** One server's instance. Everything throws Fault; ids of new tasks are answered once they are durable. */
export interface Api {
  /** Of the server, for messages. */
  readonly uri: string;
  formats(distribution?: string): Promise<Formats>;
  architectures(): Promise<readonly string[]>;
  submitBuild(submission: Submission): Promise<string>;

  running(): Promise<readonly Task[]>;
  pending(): Promise<readonly Task[]>;
  /** Finished tasks, newest first. */
  history(limit: number): Promise<readonly Task[]>;
  task(id: string): Promise<Task>;
  cancelTask(id: string): Promise<void>;
  retryTask(id: string): Promise<string>;
  purgeHistory(policy?: string): Promise<string>;
  /** Frames of the journal from a byte offset on, live until the end frame; heartbeats in between count no bytes. */
  frames(id: string, offset: number, signal: AbortSignal): AsyncIterable<Frame>;

  registryFormats(): Promise<readonly string[]>;
  distributions(format: string): Promise<readonly string[]>;
  artifacts(place: Place): Promise<readonly Artifact[]>;
  describe(place: Place, architecture: string, name: string): Promise<ArtifactDescription>;
  /** Format, distribution, derivative. */
  search(text: string): Promise<Record<string, Record<string, Record<string, readonly Artifact[]>>>>;
  deleteArtifact(place: Place, artifact: Artifact): Promise<string>;
  readonly states: States;

  keyring(): Promise<KeyringInfo>;
  exportKeyring(): Promise<string>;
  createKeyring(): Promise<string>;
  renewKeyring(duration: string): Promise<string>;

  images(): Promise<readonly ImageInfo[]>;
  createImage(target: ImageTarget, force: boolean): Promise<string>;
  updateImage(target: ImageTarget): Promise<string>;

  issuedTokens(): Promise<readonly IssuedToken[]>;
  issueToken(subject: string, days: number): Promise<string>;
  revokeToken(jti: string): Promise<void>;

  /** Interactive tasks; null where the server can't have any (HTTP). */
  readonly consoles: Consoles | null;
  close(): Promise<void>;
}

/** Tasks with a terminal. */
export interface Consoles {
  openShell(target: ImageTarget, term: string, command: readonly string[]): Promise<string>;
  /** The task's frames; `input` is whole frames from the user. */
  attach(id: string, input: AsyncIterable<Buffer>, signal: AbortSignal): AsyncIterable<Frame>;
}
