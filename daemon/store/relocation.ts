/** Makes the records of tasks fit folders that have moved: a state that was put back in another place. */
import type { Task, TaskPaths } from '../core/task.ts';
import type { Database } from './database.ts';

/** Records changed at once. */
const PAGE = 1000;

/** `paths` tells where a task keeps its files now. Answers how many tasks had to be told; all or none are. */
export function relocateTasks(
  database: Database,
  paths: (instance: string, task: string) => TaskPaths,
): number {
  let moved = 0;
  database.transaction(() => {
    for (const table of ['live', 'archive']) {
      const page = database.prepare(`SELECT id, record FROM ${table} WHERE id > ? ORDER BY id LIMIT ${PAGE}`);
      const change = database.prepare(`UPDATE ${table} SET record = ? WHERE id = ?`);
      for (let after = ''; ; ) {
        const rows = page.all<{ id: string; record: string }>(after);
        for (const { id, record } of rows) {
          const next = relocate(record, paths);
          if (next === record) continue;
          change.run(next, id);
          moved++;
        }
        const last = rows.at(-1);
        if (!last) break;
        after = last.id;
      }
    }
  });
  return moved;
}

/** The record with every path that lies in the task's own folder, and its console, where they are now. */
function relocate(record: string, paths: (instance: string, task: string) => TaskPaths): string {
  const { id, instance, place } = JSON.parse(record) as Task;
  const now = paths(instance, id);
  const inside = (_key: string, value: unknown): unknown =>
    typeof value === 'string' && (value === place || value.startsWith(`${place}/`))
      ? now.place + value.slice(place.length)
      : value;
  const task = JSON.parse(record, inside) as Task;
  return JSON.stringify({ ...task, ...now });
}
