/** Turns recorded tasks into jobs for threads, and what their end brings about. */
import { join } from 'node:path';
import { toDebianArchitecture } from '../proto/words.ts';
import type { InstanceSlice, Job, Outcome, Spec, TaskLimits, WorkerSettings } from '../workers/job.ts';
import type { Need } from './core/needs.ts';
import { choosePurged, parsePurge } from './core/retention.ts';
import type { Task } from './core/task.ts';
import type { HookFacts } from './hook.ts';

/** One attempt at a task as its thread gets it. */
export function jobOf(task: Task, instance: InstanceSlice, spec: Spec, settings: WorkerSettings): Job {
  const { id, name, user, submission, place, journal, console, interactive } = task;
  const attempt = task.attempts;
  return {
    task: id,
    name,
    attempt,
    user,
    // Changelogs and reproducible builds count whole seconds.
    submission: Math.floor(submission),
    instance,
    spec,
    place,
    journal,
    console,
    interactive,
    settings: { ...settings, limits: limitsOf(instance, settings) },
  };
}

/** Limits of an instance's tasks: its own, for the rest those of the settings. */
export function limitsOf({ limits }: InstanceSlice, settings: WorkerSettings): TaskLimits {
  return { ...settings.limits, ...limits };
}

export interface Archive {
  /** Newest first. */
  archived(instance: string): Iterable<Task>;
  sizeOf(place: string): Promise<number>;
  forget(ids: readonly string[]): void;
}

/** A purge learns only when it runs which tasks it removes. */
export async function withPurged(task: Task, archive: Archive, now: number): Promise<Spec> {
  const policy = task.spec.type === 'history-purge' ? parsePurge(task.spec.policy) : null;
  if (task.spec.type !== 'history-purge' || !policy) return task.spec;
  const sizes = new Map<string, number>();
  if (policy.rule === 'size') {
    for (const old of archive.archived(task.instance)) sizes.set(old.id, await archive.sizeOf(old.place));
  }
  const purged = choosePurged(policy, archive.archived(task.instance), now, old => sizes.get(old.id) ?? 0);
  return { ...task.spec, tasks: purged.map(old => old.id) };
}

/** Forgets what a purge has removed. */
export function afterRun(spec: Spec, outcome: Outcome, archive: Archive): void {
  if (spec.type === 'history-purge' && outcome.result === 'success') archive.forget(spec.tasks);
}

/** File or folder whose presence says that something made on first need is there. */
export function witness(settings: WorkerSettings, instance: string, need: Need): string {
  const { keyring, images } = settings.dirs;
  if (need.kind === 'keyring') return join(keyring, instance, 'keyring.json');
  const image = join(images, instance, `${need.format}.img`);
  if (need.kind === 'image') return join(image, 'image.json');
  const word = need.format === 'deb' ? toDebianArchitecture(need.architecture) : need.architecture;
  return join(image, `rackwright-${need.environment}-${word}`, 'environment.json');
}

/** What the site's hook is told of a task. */
export function hookFacts(task: Task, instance: InstanceSlice, stage: 'start' | 'end'): HookFacts {
  const { id, name, result } = task;
  const { type, ...metadata } = task.spec;
  return {
    instance: { id: instance.id, name: instance.name },
    task: { id, name },
    stage,
    result: result ?? 'unknown',
    metadata: metadataOf(task, metadata),
  };
}

/** The keys of a task's type as the REST interface names them. */
function metadataOf(task: Task, rest: Record<string, unknown>): Record<string, unknown> {
  const { spec } = task;
  if (spec.type === 'build') {
    const { definition, sources, ...build } = rest;
    return { ...build, archives: task.archives };
  }
  if (spec.type === 'deletion') {
    const { format, distribution, derivative, architecture, artifact: name, version } = spec;
    return { format, distribution, derivative, artifact: { architecture, name, size: task.size, version } };
  }
  return rest;
}
