/** Fills a state with tasks, as their submission and their end would have recorded them, without running any. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { claimsOf } from '../../daemon/core/claims.ts';
import { finish, newTask, start, type Task } from '../../daemon/core/task.ts';
import { openDatabase } from '../../daemon/store/database.ts';
import { TASK_TABLES, TaskStore } from '../../daemon/store/task-store.ts';
import type { Spec } from '../../workers/job.ts';

/** Records builds in the state of `home`, that no daemon has open: waiting ones, or archived successes. */
export async function seedTasks(home: string, count: number, state: 'waiting' | 'archived'): Promise<void> {
  const database = openDatabase(join(home, 'lib/state.db'), [TASK_TABLES]);
  const store = new TaskStore({
    database,
    claims: task => claimsOf(task.instance, task.spec),
    workspaces: { create: async () => undefined, remove: async () => undefined },
  });
  const tasks = Array.from({ length: count }, (_, rank) => taskOf(home, rank));
  await Promise.all(tasks.map(task => store.add(task, [], null)));
  if (state === 'archived') {
    const success = { result: 'success', fault: null, usage: null } as const;
    database.transaction(() => {
      for (const task of tasks) store.archive(finish(start(task, 1e9), success, 1e9 + 1));
    });
  }
  database.close();
}

function taskOf(home: string, rank: number): Task {
  const id = randomUUID();
  const place = join(home, 'lib/workspaces/default', id);
  const paths = { place, journal: join(place, 'task.journal'), console: join(place, 'console.sock') };
  const spec = buildOf(`wait600000-${rank}`, place);
  return newTask({ id, instance: 'default', spec, user: 'jane' }, paths, 1e9, rank);
}

function buildOf(artifact: string, place: string): Spec {
  return {
    type: 'build',
    format: 'deb',
    distribution: 'bookworm',
    derivative: 'main',
    architectures: ['x86_64'],
    artifact,
    author: 'Jane Roe',
    email: 'jane@example.org',
    message: 'Try',
    definition: join(place, 'definition.archive'),
    sources: [],
  };
}
