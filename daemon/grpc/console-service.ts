/** Consoles over gRPC: the journal from its start and then live; a way back to interactive tasks only. */
import { Fault } from '../../proto/fault.ts';
import type { Handlers } from '../../proto/services.ts';
import type { AttachRequest__Output } from '../../proto/types/rackwright/v1/AttachRequest.ts';
import type { Scheduler } from '../core/scheduler.ts';
import type { Task } from '../core/task.ts';
import { callerOf } from './caller.ts';
import { findTask } from './task-service.ts';

/** How a journal is read. */
interface FollowOptions {
  /** Bytes to skip; at a frame boundary. */
  readonly offset: number;
  /** Seconds of silence after which a heartbeat frame is given; 0 = none. */
  readonly heartbeat: number;
  /** Stop at the present end. */
  readonly storedOnly: boolean;
  readonly signal: AbortSignal;
}

export interface Consoles {
  /** Whole frames, concatenated, up to and with the end frame. */
  follow(task: Task, options: FollowOptions): AsyncIterable<Buffer>;
  /** Writes to the console of a running interactive task. */
  open(task: Task): Promise<{ write(frames: Uint8Array): Promise<void>; close(): void }>;
}

/** Seconds between signs of life on an attached console. */
const HEARTBEAT = 15;
const MAX_HEARTBEAT = 3600;

export function consoleService(scheduler: Scheduler, consoles: Consoles): Handlers<'ConsoleService'> {
  return {
    follow: async function* (request, call) {
      const task = findTask(scheduler, request.instance, request.task);
      const offset = Number(request.offset);
      if (offset < 0) throw new Fault('invalid', 'bad-input', 'the offset is negative');
      const heartbeat = Math.min(Math.max(request.heartbeat, 0), MAX_HEARTBEAT);
      const { storedOnly } = request;
      const options = { offset, heartbeat, storedOnly, signal: call.signal };
      for await (const frames of consoles.follow(task, options)) yield { frames };
    },
    attach: async function* (requests, call) {
      const parts = requests[Symbol.asyncIterator]();
      const first = (await parts.next()).value as AttachRequest__Output;
      const task = findTask(scheduler, first.instance, first.task);
      // What is typed reaches an interactive task only, and only from this host.
      const typing = task.interactive && callerOf(call).door === 'control';
      const over = new AbortController();
      const signal = AbortSignal.any([call.signal, over.signal]);
      const input = typing ? forward(parts, () => scheduler.present.get(task.id), consoles, signal) : null;
      // Awaited at the end; until then nobody else listens.
      input?.catch(() => undefined);
      const options = { offset: 0, heartbeat: HEARTBEAT, storedOnly: false, signal };
      try {
        for await (const frames of consoles.follow(task, options)) yield { frames };
      } finally {
        over.abort();
        await input?.catch(() => undefined);
      }
    },
  };
}

/** Carries what is typed to the task's console, once that is there. */
async function forward(
  parts: AsyncIterator<AttachRequest__Output>,
  find: () => Task | null,
  consoles: Consoles,
  signal: AbortSignal,
): Promise<void> {
  let way: Awaited<ReturnType<Consoles['open']>> | null = null;
  const gone = new Promise<{ done: true; value: undefined }>(resolve => {
    signal.addEventListener('abort', () => resolve({ done: true, value: undefined }), { once: true });
  });
  try {
    for (;;) {
      const { value, done } = await Promise.race([parts.next(), gone]);
      if (done || !value) return;
      const task = find();
      if (task?.state !== 'running' || value.frames.length === 0) continue;
      // Not there yet, or no longer: what is typed then is lost.
      way ??= await consoles.open(task).catch(() => null);
      await way?.write(value.frames);
    }
  } finally {
    way?.close();
  }
}
