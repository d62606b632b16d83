/** Has the site's hook run at the start and the end of every task, in that order, and never in a task's way. */
import type { InstanceSlice } from '../workers/job.ts';
import type { Task } from './core/task.ts';
import { runHook } from './hook.ts';
import { hookFacts } from './jobs.ts';

/** A listener of the feed; while there is no command it runs none. */
export function runHooks(
  hook: () => string | null,
  instances: { find(id: string): InstanceSlice | null },
  warn: (text: string) => void,
): (task: Task) => void {
  /** The stage that each running task is in: its hooks run one after the other. */
  const stages = new Map<string, Promise<void>>();
  const run = (task: Task, stage: 'start' | 'end'): void => {
    const instance = instances.find(task.instance);
    const command = hook();
    if (!instance || command === null) return;
    const before = stages.get(task.id) ?? Promise.resolve();
    const done = before.then(async () => {
      const problem = await runHook(command, hookFacts(task, instance, stage));
      if (problem !== null) warn(`task ${task.id}, ${stage}: ${problem}`);
    });
    stages.set(task.id, done);
    if (stage === 'end') void done.finally(() => stages.delete(task.id));
  };
  return task => {
    if (task.state === 'running' && !stages.has(task.id)) run(task, 'start');
    // A task that never ran has no stages.
    if (task.state === 'finished' && stages.has(task.id)) run(task, 'end');
    if (task.state === 'pending') stages.delete(task.id);
  };
}
