/** What a job is given to work with: its console, its sandbox, its line to the daemon. Types only. */
import type { Level } from '../proto/frame.ts';
import type { Limits } from '../proto/limits.ts';
import type { JailOptions } from './jail.ts';
import type { Answers, Job, Progress, Question, Spec, TaskLimits } from './job.ts';

/** A task type's work. Returns when it succeeded, throws a Fault when it failed. */
export type Work<S extends Spec = Spec> = (context: TaskContext, spec: S) => Promise<void>;

export interface TaskContext {
  readonly job: Job;
  readonly console: Console;
  /** In force now: those of the instance, or lower ones. */
  readonly limits: TaskLimits;
  /** Aborts on cancel, on a limit, on stop; its reason is the Fault to throw. */
  readonly signal: AbortSignal;
  progress(step: string, done: number, total: number): void;
  facts(facts: Omit<Extract<Progress, { type: 'facts' }>, 'type'>): void;
  /** Asks the daemon. Throws the Fault it refuses with. */
  ask<Q extends Question['type']>(question: Extract<Question, { type: Q }>): Promise<Answers[Q]>;
  /**
   * Marks the stretch in which cancel waits: from the intent to the switch. The returned function ends it.
   */
  holdCancel(): () => void;
  /**
   * Puts the lower of each limit and what a file asks in force, for all that is run from now on; the journal names the
   * file, what it lowers, what it may not raise, and what the host can't keep.
   */
  lowerLimits(asked: Partial<Limits>, file: string): void;
  /** Opens a sandbox over prepared roots; its changes live in `work` until removed. */
  openSandbox(options: SandboxOptions): Promise<Sandbox>;
  /** Runs a trusted tool of the host (gpg, xz, rm, …); one that reads submitted content in a jail. */
  runTool(command: readonly string[], options?: ToolOptions): Promise<ToolResult>;
}

/** The task's console: journal, socket and terminal at once. */
export interface Console {
  /** A LOG frame. Debug frames are written in debug mode only. */
  log(level: Level, text: string): void;
  /** Output of a tool, as a BYTES frame. */
  output(bytes: Uint8Array): void;
}

export interface SandboxOptions {
  /** Prepared root and layers over it, lowest first; absolute paths. Never written. */
  readonly roots: readonly string[];
  /** Folder of the sandbox's own: upper layer and work directories are made in it. On a file system fit for overlayfs. */
  readonly work: string;
  /** Host name inside. */
  readonly hostname?: string;
}

/** A root file system whose changes go to a layer of its own, and ways to run submitted content in it. */
export interface Sandbox {
  /**
   * Absolute host path of a folder that appears as `/build` inside, owned by the build user. Files are exchanged
   * through it; contents are hostile after a run: never follow links in it.
   */
  readonly exchange: string;
  /** Runs a command on the task's terminal. Throws a Fault when a limit, a signal or cancel ended it. */
  run(command: readonly string[], options?: RunOptions): Promise<RunResult>;
  /**
   * Removes upper layer and exchange. Need not be waited for where nothing follows that needs the room: the task does
   * not end before.
   */
  close(): Promise<void>;
  /** Absolute host path of the upper layer, to keep it as a cached layer. */
  readonly layer: string;
}

export interface RunOptions {
  /** Directory inside; `/build` unless told. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As root of the sandbox's own map (package installation) instead of the build user. */
  readonly root?: boolean;
  /** The host's network; none unless told. */
  readonly network?: boolean;
  /** Further host folders inside. Read-only unless `writable`. */
  readonly binds?: readonly { readonly from: string; readonly to: string; readonly writable?: boolean }[];
  /** Give back standard output (at most so many bytes) instead of showing it on the terminal. */
  readonly capture?: number;
  /** Receives standard output, whatever its size, instead of showing it on the terminal. */
  readonly onStdout?: (bytes: Buffer) => void;
  /** Text for standard input; the terminal otherwise in interactive tasks, nothing else. */
  readonly input?: string | AsyncIterable<string>;
  /** An interactive program: raw mode, input from attached clients. */
  readonly interactive?: boolean;
}

export interface RunResult {
  readonly exitCode: number;
  /** Captured standard output; empty unless `capture`. */
  readonly stdout: Buffer;
}

export interface ToolOptions {
  /** Runs it in a jail that shows it these paths and `/usr` only: for whatever reads submitted content. */
  readonly jail?: JailOptions;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; still in the making, when the tool may get ready meanwhile: its time begins with the input. */
  readonly input?: Uint8Array | string | Promise<string>;
  /** Bytes of standard output to keep; 16 MiB unless told. More is a Fault. */
  readonly maxOutput?: number;
  /** Milliseconds; 60,000 unless told. */
  readonly timeout?: number;
  /** Exit codes that are no failure; only 0 unless told. */
  readonly accept?: readonly number[];
  /** Show what it writes on the task's console instead of giving it back; counts against the task's limits. */
  readonly show?: boolean;
  /** As root of the sandbox's id map: for files that belong to users inside. The same as without it when run by root. */
  readonly mapped?: boolean;
}

export interface ToolResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}
