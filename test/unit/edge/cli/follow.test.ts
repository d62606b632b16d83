/** Watching a task whose stream is cut, again and again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api, Task } from '../../../../edge/cli/api.ts';
import type { Display } from '../../../../edge/cli/display.ts';
import { exitOf, followTask } from '../../../../edge/cli/follow.ts';
import { Fault } from '../../../../proto/fault.ts';
import {
  COMMAND,
  encodeBytes,
  encodeEnd,
  encodeFrame,
  encodeLog,
  type Frame,
  FrameReader,
} from '../../../../proto/frame.ts';

const JOURNAL = Buffer.concat([
  encodeLog('info', 'Building'),
  ...['one\n', 'two\n', 'three\n', 'four\n'].flatMap(text => encodeBytes(Buffer.from(text))),
  encodeLog('warning', 'Nearly there'),
  encodeEnd(true),
]);

/** A server whose journal stream breaks after so many frames each time. */
function breaking(options: {
  after: number;
  state: () => Partial<Task>;
  journal?: Buffer;
  heartbeats?: boolean;
}): Api {
  return {
    task: async () => ({ state: 'running', result: 'unknown', ...options.state() }) as Task,
    async *frames(_id: string, offset: number): AsyncGenerator<Frame> {
      let sent = 0;
      for (const frame of new FrameReader().push((options.journal ?? JOURNAL).subarray(offset))) {
        if (sent++ === options.after) throw new Fault('unavailable', 'unreachable', 'cut');
        if (options.heartbeats) yield { command: COMMAND.heartbeat, payload: Buffer.alloc(0) };
        yield frame;
      }
    },
  } as unknown as Api;
}

function recorder(): Display & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    output: bytes => void seen.push(bytes.toString()),
    message: (level, text) => void seen.push(`${level}:${text}`),
    progress: () => {},
    wantsProgress: false,
    close: () => {},
  };
}

const run = (api: Api, display: Display, silenceLimit = 60_000) =>
  followTask('id', { api, display, now: Date.now, signal: new AbortController().signal, silenceLimit });

for (const after of [1, 2, 3]) {
  test(`a stream cut after every ${after} frames shows each frame once and ends as the task did`, async () => {
    const display = recorder();
    const api = breaking({
      after,
      heartbeats: true,
      state: () => ({ state: 'finished', result: 'success' }),
    });
    const outcome = await run(api, display);
    assert.deepEqual(outcome, { result: 'success', reason: '' });
    assert.deepEqual(
      display.seen.filter(line => !line.includes('cut')),
      ['20:Building', 'one\n', 'two\n', 'three\n', 'four\n', '30:Nearly there'],
    );
  });
}

test("a cancelled task is told apart from a failed one by the task's own word", async () => {
  const journal = encodeEnd(false, 'cancelled by jane');
  const state = () => ({ state: 'finished', result: 'cancelled', reason: 'cancelled by jane' });
  const outcome = await run(breaking({ after: 9, journal, state }), recorder());
  assert.deepEqual(outcome, { result: 'cancelled', reason: 'cancelled by jane' });
  assert.equal(exitOf(outcome), 3);
});

test('a journal without an end frame leaves the result to the task', async () => {
  const journal = encodeLog('error', 'gone');
  const state = () => ({ state: 'finished', result: 'failed', reason: 'interrupted' });
  const outcome = await run(breaking({ after: 9, journal, state }), recorder());
  assert.equal(outcome.result, 'failed');
});

test('a stream that ends with neither an end frame nor a readable task is unknown, exit code 4', async () => {
  const api = {
    ...breaking({ after: 9, journal: encodeLog('info', 'x'), state: () => ({}) }),
    task: async () => {
      throw new Fault('unavailable', 'unreachable', 'nobody answers');
    },
  } as Api;
  const outcome = await run(api, recorder(), 300);
  assert.deepEqual(outcome, { result: null, reason: '' });
  assert.equal(exitOf(outcome), 4);
});

test('a refusal is no cut stream: it is thrown at once', async () => {
  const api = {
    // biome-ignore lint/correctness/useYield: it refuses before the first frame
    async *frames(): AsyncGenerator<Frame> {
      throw new Fault('forbidden', 'no-permission', 'anonymous may not view-task');
    },
  } as unknown as Api;
  await assert.rejects(run(api, recorder()), /may not view-task/);
});

test('unknown frames and frames without words are passed over', async () => {
  const journal = Buffer.concat([
    encodeFrame(77, Buffer.from('x')),
    encodeFrame(COMMAND.log, Buffer.from('junk')),
    encodeEnd(true),
  ]);
  const display = recorder();
  const api = breaking({ after: 9, journal, state: () => ({ state: 'finished', result: 'success' }) });
  assert.equal((await run(api, display)).result, 'success');
  assert.deepEqual(display.seen, []);
});
