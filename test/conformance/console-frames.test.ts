/** The console protocol byte by byte, as the existing client reads it, from a task run in a real worker thread. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { MessageChannel, Worker } from 'node:worker_threads';
import { FrameReader } from '../../proto/frame.ts';
import type { Job, Outcome } from '../../workers/job.ts';
import { type JobOptions, newPlace, testJob } from '../support/attempt.ts';
import {
  hostArchitecture,
  hostCodename,
  hostPipeline,
  preparedRoot,
  testCache,
} from '../support/environment.ts';

/** A thread as the pool makes one: it imports the entry and calls it. */
const THREAD = `
import { workerData } from 'node:worker_threads';
const { default: run } = await import(workerData.entry);
workerData.done.postMessage(await run({ job: workerData.job, port: workerData.port }));
`;

/** Runs a job in a thread of its own; `onSent` sees what it sends, and can answer. */
async function runInThread(
  job: Job,
  onStart: (port: MessageChannel['port1']) => void = () => undefined,
): Promise<Outcome> {
  const line = new MessageChannel();
  const done = new MessageChannel();
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), {
    workerData: {
      entry: new URL('../../workers/task.ts', import.meta.url).href,
      job,
      port: line.port2,
      done: done.port2,
    },
    transferList: [line.port2, done.port2],
  });
  try {
    onStart(line.port1);
    return await new Promise<Outcome>((resolve, reject) => {
      done.port1.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    line.port1.close();
    done.port1.close();
    await worker.terminate();
  }
}

/** A frame as the protocol's table has it. */
function frame(command: number, payload: string | Buffer): Buffer {
  const body = Buffer.from(payload);
  const header = Buffer.from([command & 0xff, command >> 8, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32LE(body.length, 4);
  return Buffer.concat([header, body]);
}

async function withJob(options: JobOptions, work: (job: Job) => Promise<void>): Promise<void> {
  const place = newPlace();
  const parent = join(place, 'workspaces');
  mkdirSync(join(parent, 'own'), { recursive: true });
  try {
    await work(testJob(join(parent, 'own'), options));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * The journal without the lines that depend on the host. Output that came in several pieces is one frame: a terminal hands
 * over what there is, perhaps before the end of a line.
 */
function journalOf(job: Job): Buffer {
  const bytes = readFileSync(job.journal);
  const reader = new FrameReader();
  const joined: { command: number; payload: Buffer }[] = [];
  let at = 0;
  for (const { command, payload } of reader.push(bytes)) {
    const whole = frame(command, payload);
    assert.deepEqual(bytes.subarray(at, at + whole.length), whole);
    at += whole.length;
    const last = joined.at(-1);
    if (command === 1 && last?.command === 1) last.payload = Buffer.concat([last.payload, payload]);
    else if (!payload.includes('Limits not in force')) joined.push({ command, payload });
  }
  assert.equal(reader.pending, 0);
  return Buffer.concat(joined.map(({ command, payload }) => frame(command, payload)));
}

test('a task that succeeds writes exactly these bytes', async () => {
  await withJob({}, async job => {
    const outcome = await runInThread(job);
    assert.equal(outcome.result, 'success');
    assert.equal(outcome.fault, null);
    const expected = [
      frame(0, '20:Purging 0 tasks by policy last:100'),
      frame(0, '20:Removed 0 workspaces'),
      frame(0, '20:Task succeeded'),
    ];
    assert.deepEqual(journalOf(job), Buffer.concat(expected));
  });
});

test('a task that fails says why at level 40, then ends with the reason', async () => {
  const spec = { type: 'history-purge', policy: 'last:1', tasks: ['../escape'] } as const;
  await withJob({ spec }, async job => {
    const outcome = await runInThread(job);
    assert.equal(outcome.result, 'failed');
    const expected = [
      frame(0, '20:Purging 1 task by policy last:1'),
      frame(0, '40:"../escape" is no task to purge'),
      frame(0, '20:Task failed: internal'),
    ];
    assert.deepEqual(journalOf(job), Buffer.concat(expected));
  });
});

/** A task that runs a command as root over the prepared environment. */
async function shellJob(
  command: readonly string[],
  work: (job: Job) => Promise<void>,
  more: { interactive?: boolean; term?: string } = {},
): Promise<void> {
  await preparedRoot();
  const pipeline = hostPipeline();
  const key = { format: 'deb', environment: hostCodename(), architecture: hostArchitecture() } as const;
  const spec = { type: 'environment-shell', ...key, term: more.term ?? '', command } as const;
  const interactive = more.interactive ?? false;
  await withJob({ spec, interactive, base: testCache(), pipelines: [pipeline] }, work);
}

test('output of programs is framed as bytes, in the order in which it came', async () => {
  await shellJob(['printf', 'caf\\351 \\033[1mbold\\n'], async job => {
    const outcome = await runInThread(job);
    assert.equal(outcome.result, 'success');
    const output = Buffer.from('caf\xe9 \x1b[1mbold\r\n', 'latin1');
    const expected = [
      frame(0, '20:Changes made in this shell are gone when it ends'),
      frame(1, output),
      frame(0, '20:Task succeeded'),
    ];
    assert.deepEqual(journalOf(job), Buffer.concat(expected));
  });
});

test('an interactive task is a terminal between RAW_ENABLE and RAW_DISABLE, with input from its clients', async () => {
  await shellJob(
    ['sh', '-c', 'stty -echo; echo begun; read line; stty size; echo "got $line on $TERM"'],
    async job => {
      const outcome = await runInThread(job, () => {
        const timer = setInterval(() => {
          if (!existsSync(job.journal) || !readFileSync(job.journal).includes('begun')) return;
          clearInterval(timer);
          const client = createConnection(job.console).on('error', () => undefined);
          client.write(Buffer.concat([frame(4, Buffer.from([40, 0, 132, 0])), frame(1, 'hello\r')]));
          client.resume();
        }, 20);
      });
      assert.equal(outcome.result, 'success', JSON.stringify(outcome.fault));
      const frames = [...new FrameReader().push(journalOf(job))];
      const commands = frames.map(each => each.command);
      const first = commands.indexOf(2);
      const last = commands.indexOf(3);
      assert.ok(first > 0 && last > first);
      assert.ok(
        commands.slice(first + 1, last).every(command => command === 1),
        commands.join(),
      );
      const shown = Buffer.concat(frames.slice(first + 1, last).map(each => each.payload)).toString();
      assert.equal(shown, 'begun\r\n40 132\r\ngot hello on xterm\r\n');
    },
    { interactive: true, term: 'xterm' },
  );
});

test('a cancelled task ends with who cancelled it', async () => {
  await shellJob(['sh', '-c', 'echo begun; exec sleep 1000'], async job => {
    const outcome = await runInThread(job, port => {
      const timer = setInterval(() => {
        if (!existsSync(job.journal) || !readFileSync(job.journal).includes('begun')) return;
        clearInterval(timer);
        port.postMessage({ type: 'cancel', by: 'jane' });
      }, 20);
    });
    assert.equal(outcome.result, 'cancelled');
    const expected = [
      frame(0, '20:Changes made in this shell are gone when it ends'),
      frame(1, 'begun\r\n'),
      frame(0, '40:cancelled by jane'),
      frame(0, '20:Task failed: cancelled by jane'),
    ];
    assert.deepEqual(journalOf(job), Buffer.concat(expected));
  });
});

test('a task that is stopped with the daemon writes no end: it will go on', async () => {
  await shellJob(['sh', '-c', 'echo begun; exec sleep 1000'], async job => {
    const outcome = await runInThread(job, port => {
      const timer = setInterval(() => {
        if (!existsSync(job.journal) || !readFileSync(job.journal).includes('begun')) return;
        clearInterval(timer);
        port.postMessage({ type: 'stop' });
      }, 20);
    });
    assert.equal(outcome.result, 'stopped');
    assert.ok(journalOf(job).subarray(-15).equals(frame(1, 'begun\r\n')));
  });
});

test('a second attempt goes on in the same journal and says so at level 30', async () => {
  await withJob({ attempt: 2 }, async job => {
    const before = Buffer.concat([frame(0, '20:begun'), frame(1, 'some output'), Buffer.from([0, 0, 0])]);
    writeFileSync(job.journal, before);
    await runInThread(job);
    const expected = [
      frame(0, '20:begun'),
      frame(1, 'some output'),
      frame(0, '30:The task was interrupted; this is attempt 2.'),
    ];
    const start = readFileSync(job.journal).subarray(0, Buffer.concat(expected).length);
    assert.deepEqual(start, Buffer.concat(expected));
  });
});

test('purging removes the workspaces that it was told, and no other', async () => {
  const spec = { type: 'history-purge', policy: 'last:1', tasks: ['gone-1', 'absent'] } as const;
  await withJob({ spec }, async job => {
    const parent = join(job.place, '..');
    for (const name of ['gone-1', 'stays']) {
      mkdirSync(join(parent, name));
      writeFileSync(join(parent, name, 'task.yml'), 'x');
    }
    const outcome = await runInThread(job);
    assert.equal(outcome.result, 'success');
    assert.throws(() => readFileSync(join(parent, 'gone-1', 'task.yml')));
    assert.equal(readFileSync(join(parent, 'stays', 'task.yml'), 'utf8'), 'x');
  });
});
