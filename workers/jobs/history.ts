/** The task that removes workspaces of old tasks. */
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import type { Spec } from '../job.ts';

type Purge = Extract<Spec, { type: 'history-purge' }>;

/** A workspace's name; nothing that could lead out of its parent. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
/** Milliseconds for removing one workspace. */
const REMOVAL = 10 * 60 * 1000;

/** Removes the workspaces, beside its own, of the tasks that the daemon has chosen by the policy. */
export async function historyPurge(context: TaskContext, spec: Purge): Promise<void> {
  const parent = dirname(context.job.place);
  const total = spec.tasks.length;
  context.console.log('info', `Purging ${total} ${total === 1 ? 'task' : 'tasks'} by policy ${spec.policy}`);
  let removed = 0;
  for (const [at, task] of spec.tasks.entries()) {
    context.signal.throwIfAborted();
    if (!NAME.test(task) || task === context.job.task) {
      throw new Fault('internal', 'internal', `${JSON.stringify(task)} is no task to purge`);
    }
    const place = join(parent, task);
    const exists = await lstat(place).then(
      () => true,
      () => false,
    );
    if (exists) {
      // Files of interrupted builds may belong to ids that only exist inside a sandbox.
      await context.runTool(['rm', '-rf', '--one-file-system', '--', place], {
        mapped: true,
        timeout: REMOVAL,
      });
      removed++;
    }
    context.progress('purging', at + 1, total);
  }
  context.console.log('info', `Removed ${removed} workspaces`);
}
