/** A world in memory for the daemon's decisions: our own interfaces, with what a test wants to see and to break. */

import { claimsOf } from '../../daemon/core/claims.ts';
import { Feed } from '../../daemon/core/feed.ts';
import type { Need } from '../../daemon/core/needs.ts';
import type { Entry } from '../../daemon/core/queue.ts';
import { Scheduler } from '../../daemon/core/scheduler.ts';
import type { Task } from '../../daemon/core/task.ts';
import type { Place, Records, Runner } from '../../daemon/core/world.ts';
import type { InstanceSlice, Outcome, Spec } from '../../workers/job.ts';

export const INSTANCE: InstanceSlice = {
  id: 'a',
  name: 'Instance A',
  gpg: { name: 'A', email: 'a@example.org' },
  pipelines: [
    {
      format: 'deb',
      distribution: 'bookworm',
      environment: 'bookworm',
      tag: 'deb12',
      derivatives: ['main', 'extra'],
      mirror: null,
      components: [],
      modules: [],
      retention: {},
    },
  ],
  extends: { extra: 'main' },
  architectures: ['x86_64'],
  limits: {},
};

export function buildOf(artifact: string): Spec {
  return {
    type: 'build',
    format: 'deb',
    distribution: 'bookworm',
    derivative: 'main',
    architectures: ['x86_64'],
    artifact,
    author: 'Jane',
    email: 'jane@example.org',
    message: 'Try',
    definition: '/nowhere/definition',
    sources: [],
  };
}

export const SUCCESS: Outcome = { result: 'success', fault: null, usage: null };

/** Records as the database keeps them: live and archived. */
export class MemoryRecords implements Records {
  readonly live = new Map<string, Task>();
  readonly archived = new Map<string, Task>();
  /** Thrown by the next write. */
  broken: Error | null = null;

  /** What the next addition waits for once it can be seen: the disk. */
  synced: Promise<void> = Promise.resolve();

  async add(task: Task): Promise<void> {
    this.#fail();
    this.live.set(task.id, task);
    await this.synced;
  }

  get(id: string): Task | null {
    return this.live.get(id) ?? this.archived.get(id) ?? null;
  }

  entry({ id, instance, priority, rank, spec }: Task): Entry {
    return { id, instance, priority, rank, claims: claimsOf(instance, spec) };
  }

  update(task: Task): void {
    this.#fail();
    if (!this.live.has(task.id)) throw new TypeError(`${task.id} is not live`);
    this.live.set(task.id, task);
  }

  archive(task: Task): void {
    this.#fail();
    if (!this.live.delete(task.id)) throw new TypeError(`${task.id} is not live`);
    if (this.archived.has(task.id)) throw new TypeError(`${task.id} was archived before`);
    this.archived.set(task.id, task);
  }

  #fail(): void {
    const error = this.broken;
    this.broken = null;
    if (error) throw error;
  }
}

export interface World {
  readonly scheduler: Scheduler;
  readonly records: MemoryRecords;
  readonly feed: Feed;
  /** Ends an attempt of a task that runs. */
  end(task: string, outcome?: Outcome): Promise<void>;
  /** Breaks a running thread. */
  breakThread(task: string, error: Error): Promise<void>;
  /** Things that are there. */
  readonly there: Set<string>;
  readonly cancelled: string[];
  readonly ended: { readonly task: string; readonly outcome: Outcome }[];
  /** Does what was put off. */
  pass(): Promise<void>;
  submit(id: string, spec: Spec, more?: { priority?: number; user?: string }): Promise<Task>;
}

/** Lets promises settle. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

export function makeWorld(caps = { total: 2, perInstance: 2 }, ready = true): World {
  const records = new MemoryRecords();
  const feed = new Feed();
  const there = new Set<string>(ready ? ['keyring', 'image', 'environment'] : []);
  const cancelled: string[] = [];
  const ended: { task: string; outcome: Outcome }[] = [];
  const runs = new Map<string, { resolve(outcome: Outcome): void; reject(error: Error): void }>();
  let later: (() => void)[] = [];
  let ids = 0;
  const runner: Runner = {
    run: task => {
      if (runs.has(task.id)) throw new TypeError(`${task.id} runs twice`);
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
      runs.set(task.id, { resolve, reject });
      return promise.finally(() => runs.delete(task.id));
    },
    cancel: id => void cancelled.push(id),
    stop: async () => {
      for (const run of [...runs.values()]) run.resolve({ result: 'stopped', fault: null, usage: null });
      await settle();
    },
  };
  const place: Place = {
    now: () => 1000,
    newId: () => `made-${++ids}`,
    paths: (instance, task) => ({
      place: `/${instance}/${task}`,
      journal: `/j/${task}`,
      console: `/c/${task}`,
    }),
    isThere: (_instance: string, need: Need) => there.has(need.kind),
    endJournal: (task, outcome) => void ended.push({ task: task.id, outcome }),
    later: (_milliseconds, action) => void later.push(action),
    report: () => undefined,
  };
  const instance = (id: string): InstanceSlice | null => (id === 'a' ? INSTANCE : null);
  const scheduler = new Scheduler({ caps, records, runner, place, feed, instance });
  const finish = async (task: string, act: (run: NonNullable<ReturnType<typeof runs.get>>) => void) => {
    const run = runs.get(task);
    if (!run) throw new TypeError(`${task} does not run`);
    act(run);
    await settle();
  };
  return {
    scheduler,
    records,
    feed,
    there,
    cancelled,
    ended,
    end: (task, outcome = SUCCESS) => finish(task, run => run.resolve(outcome)),
    breakThread: (task, error) => finish(task, run => run.reject(error)),
    pass: async () => {
      const due = later;
      later = [];
      for (const action of due) action();
      await settle();
    },
    submit: async (id, spec, more = {}) => {
      const task = await scheduler.submit({ id, instance: 'a', spec, user: 'jane', ...more });
      await settle();
      return task;
    },
  };
}
