/** What an attempt leaves when its daemon is killed, and how the next start takes it away. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { decodeEnd, decodeLog } from '../../../proto/frame.ts';
import { groupName } from '../../../workers/group.ts';
import type { QueryAnswers } from '../../../workers/job.ts';
import answer from '../../../workers/query.ts';
import { hierarchies, usableGroup } from '../../../workers/sandbox/cgroup.ts';
import runTask from '../../../workers/task.ts';
import { newPlace, readFrames, testJob } from '../../support/attempt.ts';
import { hostPipeline, preparedRoot } from '../../support/environment.ts';
import { agentsBelow, agentsGone } from '../../support/gpg-agents.ts';
import { until } from '../../support/until.ts';

const HERE = new URL('../../../', import.meta.url).href;

/** Takes longer than anybody waits. */
const ENDLESS =
  '{% for a in range(100000) %}{% for b in range(100000) %}{% for c in range(100000) %}{% endfor %}{% endfor %}{% endfor %}';

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

async function sweep(
  tasks: { id: string; place: string }[],
  homes: string[] = [],
): Promise<QueryAnswers['sweep']> {
  return (await answer({ type: 'sweep', tasks, homes })) as QueryAnswers['sweep'];
}

test('an agent of gpg that a daemon has left behind ends, one of a daemon that lives stays', async t => {
  const base = newPlace();
  t.after(() => rmSync(base, { recursive: true, force: true }));
  // Linux gives out no such number: one of a process that has ended may be another's by now.
  const dead = 4_194_304;
  const homes = [dead, process.pid].map(owner => join(base, `k-${owner}-abcdef`));
  for (const home of homes) {
    mkdirSync(home, { mode: 0o700 });
    spawnSync('gpg-connect-agent', ['--homedir', home, '/bye']);
    // Who started it may go on for a moment.
    await until(() => agentsBelow(home).length === 1);
  }
  await sweep([], [base]);
  const [left = '', kept = ''] = homes;
  await agentsGone(left);
  assert.equal(existsSync(left), false);
  assert.equal(agentsBelow(kept).length, 1);
  rmSync(kept, { recursive: true });
  await agentsGone(kept);
});

test('builds die with the daemon, and their sandboxes are swept at the next start', async () => {
  const place = newPlace();
  const task = crypto.randomUUID();
  try {
    const work = `const sandbox = await context.openSandbox({ roots: [root], work: '${place}/build/sandbox' });
      void sandbox.run(['sh', '-c', 'echo begun; touch /build/x; while :; do sleep 1; done']);`;
    await killed(work, place, task);
    // No build outlives the daemon.
    await until(() => marked(task).length === 0);
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

test('an attempt that fails while it opens leaves nothing, and its journal says why', async () => {
  const place = newPlace();
  const { port1, port2 } = new MessageChannel();
  try {
    const job = testJob(place);
    // Its groups can't be noted, as on a full disk.
    symlinkSync(join(place, 'absent/groups'), join(place, 'task.groups'));
    const outcome = await runTask({ job, port: port2 });
    assert.equal(outcome.result, 'failed');
    const text = (name: string): string => readFileSync(`/proc/self/${name}`, 'utf8');
    for (const { parent } of hierarchies(text('mountinfo'), text('cgroup'), usableGroup))
      assert.equal(existsSync(join(parent, groupName(job.task))), false, parent);
    const frames = readFrames(job.journal);
    const last = frames.at(-1);
    assert.deepEqual(last && decodeEnd(last), { succeeded: false, reason: 'internal' });
    assert.match(decodeLog(frames.at(-2)?.payload ?? Buffer.alloc(0))?.text ?? '', /ENOENT.*task\.groups/);
    assert.equal(port2.listenerCount('message'), 0);
  } finally {
    port1.close();
    rmSync(place, { recursive: true, force: true });
  }
});

test('tools of the host that outlive the daemon are killed by group and mark, others are not', async () => {
  const place = newPlace();
  const task = crypto.randomUUID();
  const other = spawn('sleep', ['1000'], { env: { RACKWRIGHT_TASK: crypto.randomUUID() }, stdio: 'ignore' });
  try {
    const work = `void context.runTool(['sh', '-c', '(setsid sleep 1000 &); echo begun; exec sleep 1000'], { show: true });`;
    await killed(work, place, task);
    // A process shows no variables while it becomes another program.
    await until(() => marked(task).length >= 2);
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

test('an endless template ends with the daemon, or when its time is used up where it was root', async () => {
  const place = newPlace();
  const script = join(place, 'daemon.ts');
  writeFileSync(
    script,
    `import { TemplateRenderer } from '${HERE}workers/source/templates.ts';
const renderer = new TemplateRenderer(new AbortController().signal);
const first = await renderer.render('first', 'begun', {});
void renderer.render('second', '${ENDLESS}', {});
console.log(first);
// So that it does not end the template itself, when its time is up.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
  );
  const daemon = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise(resolve => daemon.stdout.once('data', resolve));
  const children = readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, 'utf8').trim().split(' ');
  const renderer = Number(children[0]);
  try {
    assert.match(readFileSync(`/proc/${renderer}/cmdline`, 'utf8'), /rendering\.ts/);
    const limits = readFileSync(`/proc/${renderer}/limits`, 'utf8');
    daemon.kill('SIGKILL');
    await new Promise(resolve => daemon.once('exit', resolve));
    if (process.getuid?.() === 0) {
      assert.match(limits, /^Max cpu time +\d+ +\d+ /m);
      return;
    }
    // The renderer does not outlive the daemon.
    await until(() => !existsSync(`/proc/${renderer}`));
  } finally {
    if (existsSync(`/proc/${renderer}`)) process.kill(renderer, 'SIGKILL');
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
