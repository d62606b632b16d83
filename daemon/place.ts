/** The host as the decisions see it: clock, ids, folders, and what has been made on first need. */
import { existsSync } from 'node:fs';
import type { WorkerSettings } from '../workers/job.ts';
import type { Place } from './core/world.ts';
import { witness } from './jobs.ts';
import type { Workspaces } from './store/workspaces.ts';

export interface PlaceParts {
  readonly workspaces: Workspaces;
  readonly threads: WorkerSettings;
  /** Seconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly report: (error: unknown, where: string) => void;
}

export function openPlace({ workspaces, threads, now, newId, report }: PlaceParts): Place {
  return {
    now,
    newId,
    paths: (instance, task) => workspaces.paths(instance, task),
    isThere: (instance, need) => existsSync(witness(threads, instance, need)),
    endJournal: (task, outcome) => {
      try {
        workspaces.endJournal(task, outcome);
      } catch (error) {
        // Readers are given an end all the same.
        report(error, `journal of task ${task.id}`);
      }
    },
    later: (milliseconds, action) => void setTimeout(action, milliseconds).unref(),
    report,
  };
}
