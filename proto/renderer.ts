/** What a renderer child and its parent (the daemon, or the command line) say to each other over Node's IPC. Types only. */
import type { FaultData } from './fault.ts';
import type { Finding } from './tree.ts';

export type Entity = 'infrastructure' | 'room' | 'rack';
export type ImageFormat = 'png' | 'svg' | 'pdf';

/** What to draw. */
export interface DrawingRequest {
  readonly entity: Entity;
  readonly name: string;
  readonly format: ImageFormat;
  /** Null = any. */
  readonly datacenter: string | null;
  /** Parameters document; empty = none. */
  readonly parameters: string;
  readonly syntax: 'yaml' | 'json';
  /** What to call the document in messages about it; null = the request itself, whose places need no file. */
  readonly source: string | null;
  /** Dotted path and text, in order. */
  readonly settings: readonly (readonly [string, string])[];
  /** Documents beneath the request's, the lowest first; each with the name that its faults carry. */
  readonly defaults: readonly { readonly source: string; readonly text: string }[];
  readonly coordinates: 'json' | 'yaml' | null;
  readonly fullCoordinates: boolean;
  /** Seconds since the epoch, for `{date}` in titles. */
  readonly date: number;
}

/** An opaque copy of a database that was read and found good: another renderer adopts it without reading files. */
export interface Snapshot {
  readonly version: string;
  readonly bytes: Uint8Array;
}

/** What a reading of the files found. `snapshot` is null exactly when a finding is an error. */
export interface Reading {
  readonly snapshot: Snapshot | null;
  readonly findings: readonly Finding[];
  /** Absolute paths of the folders to watch for changes. */
  readonly folders: readonly string[];
}

/** A drawing that was laid out and waits for ink. */
export interface Plan {
  /** Strong ETag with its quotes. */
  readonly etag: string;
  /** Pixels that the ink needs at once. */
  readonly pixels: number;
}

export interface Inked {
  readonly image: Uint8Array;
  readonly mediaType: string;
  readonly coordinates: Uint8Array | null;
}

export interface ViewRequest {
  readonly view: string;
  readonly filters: Readonly<Record<string, string>>;
  readonly format: 'json' | 'yaml';
}

export interface ViewAnswer {
  readonly body: Uint8Array;
  readonly mediaType: string;
  readonly database: string;
}

/** One question at a time; `ink` completes the plan that was asked last. */
export type Question =
  | { readonly type: 'read'; readonly database: string; readonly extensions: string | null }
  | { readonly type: 'adopt'; readonly snapshot: Snapshot; readonly findings: readonly Finding[] }
  | { readonly type: 'plan'; readonly request: DrawingRequest }
  | { readonly type: 'ink' }
  | ({ readonly type: 'view' } & ViewRequest);

/** Each question's answer. */
export interface Answers {
  readonly read: Reading;
  readonly adopt: null;
  readonly plan: Plan;
  readonly ink: Inked;
  readonly view: ViewAnswer;
}

/** From the parent. */
export interface Ask {
  readonly id: number;
  readonly question: Question;
}

/** From the child: an answer of the question's type, or the fault. */
export type Reply =
  | { readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly id: number; readonly fault: FaultData };
