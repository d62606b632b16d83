/** kill -9 of the daemon at random moments: nothing that was acknowledged is lost, doubled or run once more. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import {
  makeHome,
  pretendReady,
  type RunningDaemon,
  spoolBuild,
  startDaemon,
  until,
} from '../../support/daemon.ts';
import { random, SEED, scaled } from '../../support/scale.ts';

const INSTANCE = { instance: 'default' };
/** What is submitted: most ends at once, some takes its time, some fails. */
const ARTIFACTS = ['ok', 'ok', 'ok', 'wait50', 'wait400', 'fail', 'wait1500'];

interface Wish {
  readonly key: string;
  readonly artifact: string;
  /** The task, once it was acknowledged. */
  task: string | null;
  cancelled: boolean;
}

test('every acknowledged task ends in exactly one archive entry, whenever the daemon is killed', async t => {
  const rounds = scaled(200, 0.04);
  const chance = random(SEED);
  t.diagnostic(`${rounds} kills, seed ${SEED}`);
  const home = makeHome();
  home.configure('rackwright.ini', '[tasks]\nworkers = 4\nmax_workers = 4\n');
  pretendReady(home);
  const wishes: Wish[] = [];
  let daemon: RunningDaemon | null = null;
  try {
    for (let round = 0; round < rounds; round++) {
      daemon = await startDaemon(home, { quick: true });
      const running = daemon;
      const deadline = performance.now() + 20 + chance() * 1200;
      // Whose answer the last kill cut off asks again under the same key.
      const again = wishes.filter(wish => wish.task === null);
      const fresh = Array.from({ length: 3 }, (_, at) => {
        const pick = ARTIFACTS[Math.floor(chance() * ARTIFACTS.length)] ?? 'ok';
        return { key: `${round}-${at}`, artifact: `${pick}-${round}-${at}`, task: null, cancelled: false };
      });
      wishes.push(...fresh);
      const clients = [...again, ...fresh].map(wish => submit(home, running, wish, chance));
      await new Promise(resolve => setTimeout(resolve, Math.max(0, deadline - performance.now())));
      await running.stop('SIGKILL');
      await Promise.all(clients);
    }
    daemon = await startDaemon(home, { quick: true });
    const last = daemon;
    for (const wish of wishes) await submit(home, last, wish, () => 1);
    await until(
      'the queue is empty',
      async () => {
        const states = ['TASK_STATE_PENDING', 'TASK_STATE_RUNNING'] as const;
        const { tasks } = await last
          .service('TaskService')
          .listTasks({ ...INSTANCE, states: [...states], limit: 1 });
        return tasks.length === 0;
      },
      120_000,
    );
    await last.stop();
    check(home.path, wishes);
  } finally {
    daemon?.child.kill('SIGKILL');
    home.remove();
  }
});

/** Submits, and sometimes cancels. A kill meanwhile is no news. */
async function submit(
  home: ReturnType<typeof makeHome>,
  daemon: RunningDaemon,
  wish: Wish,
  chance: () => number,
): Promise<void> {
  const request = spoolBuild(home, wish.artifact, { idempotencyKey: wish.key });
  try {
    const { task } = await daemon.service('BuildService').submitBuild(request, { timeout: 20_000 });
    assert.ok(wish.task === null || wish.task === task, 'one key has one task');
    wish.task = task;
    if (chance() < 0.1) {
      await daemon.service('TaskService').cancelTask({ ...INSTANCE, task });
      wish.cancelled = true;
    }
  } catch (error) {
    const { kind, reason } = error as { kind?: string; reason?: string };
    const killed = kind === 'unavailable' || kind === 'cancelled' || kind === 'internal';
    // Who is late finds that the task has ended.
    const late = kind === 'refused' && reason === 'already-there';
    if (!killed && !late) throw error;
    rmSync(join(home.path, 'lib/spool', request.definition.spool), { force: true });
  }
}

/** Looks at the state as it lies on the disk. */
function check(home: string, wishes: readonly Wish[]): void {
  const database = new DatabaseSync(join(home, 'lib/state.db'), { readOnly: true });
  const archived = database.prepare('SELECT id, result, record FROM archive').all() as {
    id: string;
    result: string;
    record: string;
  }[];
  assert.equal(database.prepare('SELECT count(*) AS n FROM live').get()?.n, 0);
  database.close();
  const tasks = wishes.map(wish => wish.task);
  assert.ok(tasks.every(task => task !== null));
  assert.equal(new Set(tasks).size, wishes.length, 'no two keys share a task');
  assert.deepEqual(
    archived.map(row => row.id).sort(),
    [...tasks].sort(),
    'nothing is lost and nothing is doubled',
  );
  for (const row of archived) {
    const task = JSON.parse(row.record) as {
      place: string;
      attempts: number;
      interruptions: number;
      spec: { artifact: string };
    };
    const { artifact } = task.spec;
    const runs = join(task.place, 'runs');
    const marks = existsSync(runs) ? readFileSync(runs, 'utf8').trim().split('\n') : [];
    const starts = marks.filter(mark => mark.startsWith('start'));
    assert.ok(starts.length <= 2, `${artifact} ran ${starts.length} times`);
    assert.equal(new Set(starts).size, starts.length, 'no attempt runs twice');
    assert.ok(task.interruptions <= 2);
    const interrupted = task.interruptions > 0 || row.result === 'cancelled';
    if (artifact.startsWith('fail')) assert.ok(row.result === 'failed' || row.result === 'cancelled');
    else if (!interrupted) assert.equal(row.result, 'success', artifact);
    const journal = readFileSync(join(task.place, 'task.journal'), 'latin1');
    assert.match(journal, /20:Task (succeeded|failed)/, `the journal of ${artifact} has an end`);
  }
  const folders = readdirSync(join(home, 'lib/workspaces/default'));
  const known = new Set(tasks);
  const stray = folders.filter(name => !known.has(name));
  // What a kill left between a workspace and its record is swept a little after a start, and never older than that.
  assert.ok(stray.length <= wishes.length, `${stray.length} workspaces belong to no task`);
}
