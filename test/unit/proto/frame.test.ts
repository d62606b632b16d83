/** Where an interrupted journal goes on: behind its last whole frame, and before an end that was never recorded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodeLog,
  encodeBytes,
  encodeEnd,
  encodeLog,
  HEADER_SIZE,
  LEVEL,
  MAX_PAYLOAD,
  resumableLength,
} from '../../../proto/frame.ts';
import { random, SEED } from '../../support/scale.ts';

/** Reads at most `portion` bytes at once from memory. */
function resume(journal: Buffer, portion = Number.POSITIVE_INFINITY): number {
  return resumableLength((into, at) => journal.copy(into, 0, at, Math.min(journal.length, at + portion)));
}

test('a journal goes on behind its last whole frame, wherever it was torn', () => {
  const chance = random(SEED);
  const frames: Buffer[] = [];
  for (let at = 0; at < 40; at++) {
    const size = Math.floor(chance() ** 4 * MAX_PAYLOAD);
    frames.push(...encodeBytes(Buffer.alloc(size + 1, at)), encodeLog('info', `Task succeeded, line ${at}`));
  }
  const journal = Buffer.concat(frames);
  const starts = [0];
  for (const frame of frames) starts.push((starts.at(-1) ?? 0) + frame.length);
  for (let turn = 0; turn < 500; turn++) {
    const length = Math.floor(chance() * (journal.length + 1));
    const whole = starts.findLast(start => start <= length);
    assert.equal(resume(journal.subarray(0, length)), whole, `torn at ${length}`);
    assert.equal(resume(journal.subarray(0, length), HEADER_SIZE + MAX_PAYLOAD), whole);
  }
});

test('no text of any level begins with the words of an end frame', () => {
  for (const level of ['debug', 'info', 'warning', 'error', 'critical'] as const) {
    for (const words of ['Task failed', 'Task succeeded', 'Task failed: no more', 'Task succeeded\nor so']) {
      const payload = encodeLog(level, words).subarray(HEADER_SIZE);
      assert.deepEqual(decodeLog(payload), { level: LEVEL[level], text: `"${words}"` });
    }
    const near = encodeLog(level, 'The Task failed').subarray(HEADER_SIZE);
    assert.equal(decodeLog(near)?.text, 'The Task failed');
  }
});

test('a journal goes on before an end frame, and before what is no frame', () => {
  const output = Buffer.concat([encodeLog('info', 'Building'), ...encodeBytes(Buffer.from('made\n'))]);
  const line = encodeLog('error', 'it broke');
  const behind = encodeLog('info', 'behind');
  assert.equal(resume(Buffer.concat([output, encodeEnd(true)])), output.length);
  assert.equal(
    resume(Buffer.concat([output, line, encodeEnd(false, 'broken'), behind])),
    output.length + line.length,
  );
  const huge = Buffer.alloc(HEADER_SIZE, 0xff);
  assert.equal(resume(Buffer.concat([output, huge, behind])), output.length);
  assert.equal(resume(Buffer.alloc(0)), 0);
});
