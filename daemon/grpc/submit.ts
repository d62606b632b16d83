/** How services submit tasks: as whom, and once under one key. */
import { Fault } from '../../proto/fault.ts';
import type { Spec } from '../../workers/job.ts';
import { checkBuildable } from '../core/submission.ts';
import type { Submission, Task, TaskPaths } from '../core/task.ts';
import type { MovedFile, Once } from '../core/world.ts';
import type { Caller } from './caller.ts';

type Login = Pick<Caller, 'login'>;

/** Takes tasks in. */
export interface Submitter {
  newId(): string;
  paths(instance: string, task: string): TaskPaths;
  submit(submission: Submission, files: readonly MovedFile[], once: Once | null): Promise<Task>;
  /** Gives the task that was submitted under a key before; null when there is none: then endKey() must follow. */
  beginKey(user: string, once: Once): string | null;
  endKey(user: string, once: Once): void;
}

/** What is submitted under the id that it will have. */
export interface Prepared {
  readonly submission: Omit<Submission, 'id' | 'instance' | 'user'>;
  readonly files: readonly MovedFile[];
}

/** Printable ASCII, as headers carry it. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * Submits, or answers the task that was submitted under the same key before. Nothing is recorded of what this version
 * could only fail at: it throws `not-built-yet`.
 */
export async function submitOnce(
  submitter: Submitter,
  instance: string,
  caller: Login,
  once: Once | null,
  prepare: (id: string) => Prepared,
): Promise<Pick<Task, 'id'>> {
  const id = submitter.newId();
  const run = (): Promise<Task> => {
    const { submission, files } = prepare(id);
    checkBuildable(submission.spec);
    return submitter.submit({ ...submission, id, instance, user: caller.login }, files, once);
  };
  if (once === null) return run();
  if (!KEY.test(once.key))
    throw new Fault('invalid', 'bad-input', 'the Idempotency-Key is not printable ASCII');
  const known = submitter.beginKey(caller.login, once);
  if (known !== null) return { id: known };
  try {
    return await run();
  } finally {
    submitter.endKey(caller.login, once);
  }
}

/** Submits a task without files; its id as most services answer it. */
export async function submitSpec(
  submitter: Submitter,
  instance: string,
  caller: Login,
  spec: Spec,
  more: Pick<Submission, 'interactive' | 'size'> = {},
  once: Once | null = null,
): Promise<{ task: string }> {
  const task = await submitOnce(submitter, instance, caller, once, () => ({
    submission: { spec, ...more },
    files: [],
  }));
  return { task: task.id };
}
