/** What an attempt leaves when its daemon is killed, and how the next start takes it away. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryAnswers } from '../../../workers/job.ts';
import answer from '../../../workers/query.ts';
import { newPlace, testJob } from '../../support/attempt.ts';
import { hostPipeline, preparedRoot } from '../../support/environment.ts';

const HERE = new URL('../../../', import.meta.url).href;

/** A process that opens an attempt, runs something, and says so. */
function daemonThat(work: string, place: string, task: string): string {
  return `import { openAttempt } from '${HERE}test/support/attempt.ts';
const opened = await openAttempt({ task: '${task}' }, '${place}');
const { context } = opened.attempt;
const root = process.argv[2];
${work}
const wait = setInterval(() => { if (opened.output().includes('begun')) { console.log('begun'); clearInterval(wait); } }, 20);
setInterval(() => undefined, 1000);`;
}

/** Starts such a process, kills it without a word once its work runs. */
async function killed(work: string, place: string, task: string): Promise<void> {
  const script = join(place, 'daemon.ts');
  writeFileSync(script, daemonThat(work, place, task));
  const child = spawn(process.execPath, [script, await preparedRoot()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise(resolve => child.stdout.once('data', resolve));
  child.kill('SIGKILL');
  await new Promise(resolve => child.once('exit', resolve));
}

function marked(task: string): string[] {
  return readdirSync('/proc').filter(entry => {
    try {
      return (
        /^\d+$/.test(entry) &&
        readFileSync(`/proc/${entry}/environ`, 'latin1').includes(`RACKWRIGHT_TASK=${task}`)
      );
    } catch {
      return false;
    }
  });
}

async function sweep(tasks: { id: string; place: string }[]): Promise<QueryAnswers['sweep']> {
  return (await answer({ type: 'sweep', tasks })) as QueryAnswers['sweep'];
}

test('builds die with the daemon, and their sandboxes are swept at the next start', async () => {
  const place = newPlace();
  const task = crypto.randomUUID();
  try {
    const work = `const sandbox = await context.openSandbox({ roots: [root], work: '${place}/build/sandbox' });
      void sandbox.run(['sh', '-c', 'echo begun; touch /build/x; while :; do sleep 1; done']);`;
    await killed(work, place, task);
    for (let tries = 0; marked(task).length > 0 && tries < 100; tries++) await sleep(20);
    assert.deepEqual(marked(task), [], 'a build outlives the daemon');
    const groups = readFileSync(join(place, 'task.groups'), 'utf8').split('\n').filter(Boolean);
    assert.ok(existsSync(join(place, 'build/sandbox/upper')));
    await sweep([{ id: task, place }]);
    assert.equal(existsSync(join(place, 'build/sandbox')), false);
    assert.ok(existsSync(join(place, 'task.journal')));
    for (const group of groups) assert.equal(existsSync(group), false, group);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

test('tools of the host that outlive the daemon are killed by group and mark, others are not', async () => {
  const place = newPlace();
  const task = crypto.randomUUID();
  const other = spawn('sleep', ['1000'], { env: { RACKWRIGHT_TASK: crypto.randomUUID() }, stdio: 'ignore' });
  try {
    const work = `void context.runTool(['sh', '-c', 'echo begun; (setsid sleep 1000 &); exec sleep 1000'], { show: true });`;
    await killed(work, place, task);
    assert.ok(marked(task).length >= 2);
    const { killed: count } = await sweep([{ id: task, place }]);
    assert.ok(count >= 2);
    assert.deepEqual(marked(task), []);
    assert.equal(other.exitCode, null);
    assert.equal(other.signalCode, null);
    assert.deepEqual(await sweep([{ id: task, place }]), { killed: 0 });
  } finally {
    other.kill('SIGKILL');
    rmSync(place, { recursive: true, force: true });
  }
});

test('a damaged list of groups kills nothing else', async () => {
  const place = newPlace();
  const other = spawn('sleep', ['1000'], { stdio: 'ignore' });
  try {
    writeFileSync(join(place, 'task.groups'), '/sys/fs/cgroup\n/sys/fs/cgroup/pids\n../../x\n');
    assert.deepEqual(await sweep([{ id: crypto.randomUUID(), place }]), { killed: 0 });
    assert.equal(other.exitCode, null);
  } finally {
    other.kill('SIGKILL');
    rmSync(place, { recursive: true, force: true });
  }
});

test('images and environments are listed as they are on disk', async () => {
  const place = newPlace();
  try {
    const job = testJob(place, { pipelines: [{ ...hostPipeline(), environment: 'bookworm' }] });
    const query = { type: 'images', instance: job.instance, images: join(place, 'images') } as const;
    const empty = (await answer(query)) as QueryAnswers['images'];
    assert.deepEqual(empty.images, [
      {
        format: 'deb',
        exists: false,
        created: 0,
        updated: 0,
        environments: [
          { name: 'bookworm', architecture: 'x86_64', exists: false, created: 0, updated: 0, size: 0 },
        ],
      },
    ]);
    const image = join(place, 'images/test/deb.img');
    mkdirSync(join(image, 'rackwright-bookworm-amd64/root'), { recursive: true });
    writeFileSync(join(image, 'image.json'), '{"created":5,"updated":6}');
    writeFileSync(
      join(image, 'rackwright-bookworm-amd64/environment.json'),
      '{"created":7,"updated":8,"size":9}',
    );
    const { images } = (await answer(query)) as QueryAnswers['images'];
    assert.deepEqual(images[0]?.environments, [
      { name: 'bookworm', architecture: 'x86_64', exists: true, created: 7, updated: 8, size: 9 },
    ]);
    assert.equal(images[0]?.exists, true);
    assert.equal(images[0]?.updated, 6);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
