/** Threads of tasks: what is ordered early is obeyed; one that eats all its memory fails its own task by name. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WorkerPool } from '../../../daemon/pool/worker-pool.ts';
import type { Job, Outcome } from '../../../workers/job.ts';
import { until } from '../../support/until.ts';

const QUICK = fileURLToPath(new URL('../../support/quick-task.ts', import.meta.url));
const ENTRY = fileURLToPath(new URL('../../support/hog-task.ts', import.meta.url));

test('a thread without memory fails its task as out-of-memory, beside others that go on', async () => {
  const told: string[] = [];
  const pool = new WorkerPool({
    heap: 64,
    taskEntry: ENTRY,
    queryEntry: ENTRY,
    answer: async () => null,
    note: (_task, news) => told.push(news.type === 'progress' ? news.step : ''),
    report: error => assert.fail(String(error)),
  });
  const run = (task: string) => pool.run(task, async () => ({ task }) as Job);
  try {
    for (let round = 0; round < 3; round++) {
      const calm = run(`calm-${round}`);
      await assert.rejects(run(`hog-${round}`), {
        ...{ name: 'Fault', kind: 'exhausted', reason: 'out-of-memory' },
        message: 'the worker thread of the task needed more than 64 MiB of memory',
      });
      assert.equal((await calm).result, 'success');
    }
    assert.equal(told.length, 3);
  } finally {
    for (const step of told) {
      try {
        process.kill(-Number(step.slice(4)), 'SIGKILL');
      } catch {
        // Its terminal has ended it.
      }
    }
    await pool.close();
  }
});

test('news that can not be recorded harms nobody', async () => {
  const reported: string[] = [];
  const pool = new WorkerPool({
    heap: 64,
    taskEntry: ENTRY,
    queryEntry: ENTRY,
    answer: async () => null,
    note: (_task, news) => {
      if (news.type === 'progress') process.kill(-Number(news.step.slice(4)), 'SIGKILL');
      throw new Error('no space is left on the disk');
    },
    report: (error, where) => reported.push(`${where}: ${error}`),
  });
  try {
    await assert.rejects(
      pool.run('hog', async () => ({ task: 'hog' }) as Job),
      { reason: 'out-of-memory' },
    );
    assert.deepEqual(reported, ['news of task hog: Error: no space is left on the disk']);
  } finally {
    await pool.close();
  }
});

test('what a thread told before its end is heard, though the daemon was held up meanwhile', async () => {
  const place = mkdtempSync(join(tmpdir(), 'rw-pool-'));
  const told: string[] = [];
  const pool = new WorkerPool({
    taskEntry: ENTRY,
    queryEntry: ENTRY,
    answer: async () => null,
    note: (task, news) => told.push(`${task} ${news.type}`),
    report: error => assert.fail(String(error)),
  });
  const heldUp = () => execFileSync('sh', ['-c', `until [ -e ${join(place, 'over')} ]; do sleep 0.05; done`]);
  try {
    // A thread that stands already gets its task before this one is held up.
    await pool.run('brief-first', async () => ({ task: 'brief-first', place }) as Job);
    await until(() => existsSync(join(place, 'over')));
    rmSync(join(place, 'over'));
    const running = pool.run('brief-second', async () => ({ task: 'brief-second', place }) as Job);
    setImmediate(heldUp);
    assert.equal((await running).result, 'success');
    assert.deepEqual(told, ['brief-first facts', 'brief-second facts']);
  } finally {
    await pool.close();
    rmSync(place, { recursive: true });
  }
});

test('what is ordered before the thread has begun is obeyed, and waited for', async () => {
  const place = mkdtempSync(join(tmpdir(), 'rw-pool-'));
  const pool = new WorkerPool({
    taskEntry: QUICK,
    queryEntry: QUICK,
    answer: async () => null,
    note: () => undefined,
    report: error => assert.fail(String(error)),
  });
  const begin = (task: string): { readonly prepared: () => void; readonly done: Promise<Outcome> } => {
    const gate = Promise.withResolvers<Job>();
    const spec = { type: 'build', artifact: 'wait600000' };
    const job = { task, attempt: 1, place, journal: join(place, task), spec };
    return { prepared: () => gate.resolve(job as Job), done: pool.run(task, () => gate.promise) };
  };
  try {
    const cancelled = begin('cancelled');
    pool.cancel('cancelled', 'jane');
    cancelled.prepared();
    assert.equal((await cancelled.done).result, 'cancelled');
    const stopped = begin('stopped');
    const stop = pool.stop();
    stopped.prepared();
    await stop;
    assert.equal((await stopped.done).result, 'stopped');
    const broken = pool.run('broken', () => Promise.reject(new Error('no space left')));
    await assert.rejects(broken, { message: 'no space left' });
  } finally {
    await pool.close();
    rmSync(place, { recursive: true });
  }
});
