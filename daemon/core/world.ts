/** What the decisions need of the world: durable records, workers, a clock, the disk. Interfaces only. */
import type { InstanceSlice, Outcome } from '../../workers/job.ts';
import type { Feed } from './feed.ts';
import type { Need } from './needs.ts';
import type { Caps, Entry } from './queue.ts';
import type { Task, TaskPaths } from './task.ts';

/** A file that came with a submission and becomes part of the task. Absolute paths. */
export interface MovedFile {
  readonly from: string;
  readonly to: string;
  /** It is another task's and stays where it is. */
  readonly keep?: boolean;
}

/** The Idempotency-Key of a submission and the digest of what was submitted under it. */
export interface Once {
  readonly key: string;
  readonly digest: string;
}

/** Durable records of tasks. Everything is on durable storage when a method returns or its promise resolves. */
export interface Records {
  /**
   * Makes the workspace, moves the spooled files into it and records the task, which is there for all to see before it
   * is durable.
   */
  add(task: Task, files: readonly MovedFile[], once: Once | null): Promise<void>;
  get(id: string): Task | null;
  entry(task: Task): Entry;
  /** Records a change of a task that is not finished. */
  update(task: Task): void;
  /** Moves a finished task to the archive, in one transaction. */
  archive(task: Task): void;
}

/** Runs tasks in threads. */
export interface Runner {
  /** One attempt. Rejects only when the thread itself broke. */
  run(task: Task, instance: InstanceSlice): Promise<Outcome>;
  /** Asks a running task to end; harmless for one that does not run. */
  cancel(id: string, by: string): void;
  /** Asks everything that runs to end. Resolves when all has. */
  stop(): Promise<void>;
}

/** The host as the decisions see it. */
export interface Place {
  /** Seconds since the epoch. */
  now(): number;
  /** A fresh uuid. */
  newId(): string;
  paths(instance: string, task: string): TaskPaths;
  /** Whether something that is made on first need is there. */
  isThere(instance: string, need: Need): boolean;
  /** Writes the end of a journal that no thread writes any longer. */
  endJournal(task: Task, outcome: Outcome): void;
  later(milliseconds: number, action: () => void): void;
  report(error: unknown, where: string): void;
}

/** All that the scheduler decides with. */
export interface SchedulerOptions {
  readonly caps: Caps;
  readonly records: Records;
  readonly runner: Runner;
  readonly place: Place;
  readonly feed: Feed;
  instance(id: string): InstanceSlice | null;
}
