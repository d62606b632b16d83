/** Follows a task's journal through the daemon: from an offset to the end frame, over a restart of the daemon too. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../proto/fault.ts';
import { COMMAND, encodeEnd, encodeFrame, HEADER_SIZE } from '../../proto/frame.ts';
import type { CallOptions } from '../../proto/services.ts';
import type { Task__Output } from '../../proto/types/rackwright/v1/Task.ts';
import { type Control, present } from '../control/control.ts';
import { resultOf, stateOf } from './task-json.ts';

export interface Following {
  readonly instance: string;
  /** As it was when the watch began. */
  readonly task: Task__Output;
  /** Bytes of the journal to skip. */
  readonly offset: number;
  /** Seconds of silence after which a heartbeat is sent. */
  readonly heartbeat: number;
  /** Whether an answer has begun although no chunk has come: what breaks from then on can't be refused any more. */
  readonly begun: () => boolean;
  readonly options: CallOptions;
}

/** How often a stream that the daemon broke is taken up again, a second apart: its restart takes a few. */
const MAX_RESUMES = 60;
const RESUME_AFTER = 1000;

/**
 * Chunks of whole frames. A pending task is held open, beginning with a heartbeat; the last frame is the end frame,
 * made up where an old journal lacks it. Throws what the daemon refuses with before the answer has begun. Ends early when
 * the caller's signal aborts.
 */
export async function* followJournal(control: Control, following: Following): AsyncGenerator<Buffer> {
  const position = { offset: following.offset, sent: false, ended: false };
  if (stateOf(following.task) === 'pending') {
    yield encodeFrame(COMMAND.heartbeat);
    position.sent = true;
  }
  for (let silent = 0; !position.ended; silent++) {
    const before = position.offset;
    try {
      yield* once(control, following, position);
      if (position.ended || following.options.signal?.aborted) return;
      if (!position.sent && following.offset > 0) return;
      const { task } = await control.tasks.getTask(keyOf(following), following.options);
      const last = present(task, 'task');
      if (stateOf(last) === 'finished') {
        yield encodeEnd(resultOf(last) === 'success', last.reason);
        return;
      }
    } catch (error) {
      if (following.options.signal?.aborted) return;
      const begun = position.sent || following.begun();
      if (!begun || !isBroken(error) || silent >= MAX_RESUMES) throw error;
    }
    if (position.offset > before) silent = 0;
    yield encodeFrame(COMMAND.heartbeat);
    await sleep(RESUME_AFTER, undefined, { signal: following.options.signal }).catch(() => {});
    if (following.options.signal?.aborted) return;
  }
}

interface Position {
  /** Bytes of the journal that are sent or skipped. */
  offset: number;
  sent: boolean;
  ended: boolean;
}

/** One stream of the daemon, from the position on. */
async function* once(control: Control, following: Following, position: Position): AsyncGenerator<Buffer> {
  const { heartbeat, options } = following;
  const call = { ...keyOf(following), offset: position.offset, heartbeat };
  const stream = control.consoles.follow(call, { ...options, timeout: Number.POSITIVE_INFINITY });
  for await (const { frames } of stream) {
    if (frames.length === 0) continue;
    const seen = scan(frames);
    position.offset += seen.journal;
    position.ended = seen.ended;
    position.sent = true;
    yield frames;
  }
}

function keyOf(following: Following): { instance: string; task: string } {
  return { instance: following.instance, task: following.task.id };
}

/** Whether the daemon is away for a moment: gone, or stopping, which cancels what it serves. */
function isBroken(error: unknown): boolean {
  return error instanceof Fault && (error.kind === 'unavailable' || error.kind === 'cancelled');
}

/** What a chunk of whole frames holds: its bytes that are in the journal too, and whether the end frame is last. */
export function scan(frames: Buffer): { journal: number; ended: boolean } {
  let journal = 0;
  let ended = false;
  for (let at = 0; at + HEADER_SIZE <= frames.length; ) {
    const size = HEADER_SIZE + frames.readUInt32LE(at + 4);
    const command = frames.readUInt16LE(at);
    if (command !== COMMAND.heartbeat) {
      journal += size;
      ended = command === COMMAND.log && isEnd(frames.subarray(at + HEADER_SIZE, at + size));
    }
    at += size;
  }
  return { journal, ended };
}

const END_WORDS = [Buffer.from('20:Task succeeded'), Buffer.from('20:Task failed')];

function isEnd(payload: Buffer): boolean {
  return END_WORDS.some(words => payload.subarray(0, words.length).equals(words));
}
