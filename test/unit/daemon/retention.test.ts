/** The daily turn: at its time, for every derivative with a rule of its own that has something to take out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Submission, Task } from '../../../daemon/core/task.ts';
import { retainAll, retainDaily } from '../../../daemon/retention.ts';
import type { InstanceSlice, RegistryPlace, RetentionPlan } from '../../../workers/job.ts';

const RULE = { last: 2, newer: 0 };

function site(): InstanceSlice {
  const pipeline = { format: 'deb', distribution: 'bookworm', retention: { main: RULE, extra: RULE } };
  const without = { format: 'rpm', distribution: 'el9', retention: {} };
  return { id: 'site', pipelines: [pipeline, without] } as unknown as InstanceSlice;
}

/** Something is outdated in `main` only. */
async function plan(_instance: InstanceSlice, { derivative }: RegistryPlace): Promise<RetentionPlan> {
  const old = { name: 'a', architecture: 'noarch', version: '1', published: 0, size: 1 };
  const outdated = derivative === 'main' ? [{ ...old, newerVersions: 2, snapshots: [] }] : [];
  return { rule: RULE, outdated };
}

function parts(wall: () => number, submit: (submission: Submission) => Promise<Task>) {
  const report = (error: unknown): void => assert.fail(String(error));
  const settings = { registry: { retain_at: 3 * 60 } };
  const definitions = { all: () => [site()] };
  return { settings, clock: { wall }, definitions, plan, scheduler: { submit }, newId: () => 'new', report };
}

async function none(): Promise<never> {
  assert.fail('nothing was to be submitted');
}

test('a task is submitted only where a rule is stated and takes something out', async () => {
  const submitted: unknown[] = [];
  const submit = async (submission: Submission): Promise<Task> => {
    submitted.push(submission);
    return null as unknown as Task;
  };
  await retainAll(parts(Date.now, submit));
  const place = { format: 'deb', distribution: 'bookworm', derivative: 'main' };
  const spec = { type: 'registry', action: 'retention', ...place, parameters: {} };
  assert.deepEqual(submitted, [{ id: 'new', instance: 'site', spec, user: 'rackwright' }]);
});

test('the turn comes at its time of day, once, and again the next day', async () => {
  const started = performance.now();
  let begin = new Date(2026, 0, 28, 2, 59, 59, 950).getTime();
  const now = (): number => begin + performance.now() - started;
  const times: Date[] = [];
  const twice = Promise.withResolvers<void>();
  const definitions = {
    all: () => {
      times.push(new Date(now()));
      // To a moment before the next day's turn.
      begin += new Date(2026, 0, 29, 2, 59, 59, 950).getTime() - now();
      if (times.length === 2) twice.resolve();
      return [];
    },
  };
  const stop = retainDaily({ ...parts(now, none), definitions });
  // The timer is no reason for a process to stay; the test's process stays for this one.
  const stay = setInterval(() => undefined, 1000);
  await twice.promise;
  clearInterval(stay);
  stop();
  assert.deepEqual(
    times.map(time => [time.getDate(), time.getHours(), time.getMinutes()]),
    [
      [28, 3, 0],
      [29, 3, 0],
    ],
  );
});

test('a time that was slept through before the start is left out', () => {
  const late = new Date(2026, 0, 28, 9, 0).getTime();
  retainDaily(parts(() => late, none))();
});
