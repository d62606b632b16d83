/** Watches a task to its end: frames to the display, a cut stream taken up again where it ended. */
import { Fault } from '../../proto/fault.ts';
import { COMMAND, decodeEnd, decodeLog, type Frame, HEADER_SIZE, LEVEL } from '../../proto/frame.ts';
import type { Api, Task } from './api.ts';
import type { Display, Step } from './display.ts';
import { EXIT } from './exit.ts';

/** Milliseconds without a single frame after which a task that can't be heard of is given up. */
const SILENCE_LIMIT = 120_000;
/** Pauses between attempts in milliseconds; the last one repeats. */
const PAUSES = [100, 250, 500, 1000, 2000, 5000] as const;
/** Milliseconds between two looks at a task's progress. */
const LOOK = 500;
/** Looks at a task whose output has ended, until it is archived. */
const LAST_LOOKS = 10;

/** How a task ended, as far as can be told. */
export interface Outcome {
  /** success, failed or cancelled; null when nobody can tell. */
  readonly result: string | null;
  readonly reason: string;
}

export interface FollowOptions {
  readonly api: Api;
  readonly display: Display;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly silenceLimit?: number;
}

/** The exit code for an outcome. */
export function exitOf(outcome: Outcome): number {
  if (outcome.result === null) return EXIT.unknown;
  return outcome.result === 'success' ? EXIT.done : EXIT.failed;
}

/** Shows a task until its end. Throws Fault when it may not be watched or is not there. */
export async function followTask(id: string, options: FollowOptions): Promise<Outcome> {
  const { api, display } = options;
  const over = new AbortController();
  const looking = display.wantsProgress ? look(id, options, over.signal) : Promise.resolve();
  try {
    const end = await showFrames(id, options);
    return await outcomeOf(api, id, end);
  } finally {
    over.abort();
    await looking;
  }
}

interface End {
  readonly succeeded: boolean;
  readonly reason: string;
}

/** Shows frames until the end frame; null when the stream ended without one for good. */
async function showFrames(id: string, options: FollowOptions): Promise<End | null> {
  const { api, display, signal, now } = options;
  let offset = 0;
  let heard = now();
  for (let attempt = 0; ; attempt++) {
    let cut: unknown = null;
    try {
      for await (const frame of api.frames(id, offset, signal)) {
        heard = now();
        attempt = 0;
        const end = decodeEnd(frame);
        if (end) return end;
        if (frame.command !== COMMAND.heartbeat) offset += HEADER_SIZE + frame.payload.length;
        showFrame(frame, display);
      }
    } catch (error) {
      if (signal.aborted) throw error;
      if (!(error instanceof Fault) || error.kind !== 'unavailable' || error.reason === 'not-built-yet')
        throw error;
      cut = error;
    }
    const task = await api.task(id).catch(() => null);
    // A finished task's journal was given whole: what it does not say now, it never will.
    if (task?.state === 'finished' && cut === null) return null;
    if (now() - heard > (options.silenceLimit ?? SILENCE_LIMIT)) return null;
    if (attempt === 1) display.message(LEVEL.warning, 'the stream was cut; trying again');
    await new Promise(done => setTimeout(done, PAUSES[Math.min(attempt, PAUSES.length - 1)]));
  }
}

function showFrame(frame: Frame, display: Display): void {
  if (frame.command === COMMAND.bytes) display.output(frame.payload);
  if (frame.command !== COMMAND.log) return;
  const log = decodeLog(frame.payload);
  if (log) display.message(log.level, log.text);
}

/** The task's own word on its end, which tells a cancelled one from a failed one; else that of the end frame. */
async function outcomeOf(api: Api, id: string, end: End | null): Promise<Outcome> {
  for (let look = 0; look < LAST_LOOKS; look++) {
    const task = await api.task(id).catch(() => null);
    if (task?.state === 'finished' && task.result !== 'unknown') {
      return { result: task.result, reason: task.reason ?? end?.reason ?? '' };
    }
    // The end frame is written a moment before the task is archived.
    await new Promise(done => setTimeout(done, PAUSES[0]));
  }
  if (!end) return { result: null, reason: '' };
  return { result: end.succeeded ? 'success' : 'failed', reason: end.reason };
}

/** Tells the display what the task is doing, until the end. */
async function look(id: string, { api, display }: FollowOptions, over: AbortSignal): Promise<void> {
  let last = '';
  while (!over.aborted) {
    const task = await api.task(id).catch(() => null);
    const step = task && !over.aborted ? stepOf(task) : null;
    if (step && JSON.stringify(step) !== last) {
      last = JSON.stringify(step);
      display.progress(step);
    }
    await new Promise<void>(done => {
      const timer = setTimeout(done, LOOK);
      over.addEventListener('abort', () => [clearTimeout(timer), done()], { once: true });
    });
  }
}

function stepOf(task: Task): Step | null {
  if (task.state === 'pending') {
    const place = task.position ? `waiting, number ${task.position} in the queue` : 'waiting';
    return { step: task.reason ? `${place}: ${task.reason}` : place, done: 0, total: 0 };
  }
  if (task.state !== 'running') return null;
  return task.progress ?? { step: 'running', done: 0, total: 0 };
}
