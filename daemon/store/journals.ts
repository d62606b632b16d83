/** Reads the journals of tasks, from their start and then as they grow; never through the task that writes them. */
import { watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { errorCode, Fault } from '../../proto/fault.ts';
import { COMMAND, decodeEnd, encodeEnd, encodeFrame, HEADER_SIZE, MAX_PAYLOAD } from '../../proto/frame.ts';
import type { Task } from '../core/task.ts';

/** Bytes read at once; a whole frame always fits. */
const CHUNK = 4 * (HEADER_SIZE + MAX_PAYLOAD);
/** Milliseconds after which the file is looked at even though nothing told of a change. */
const LOOK = 500;
/** Milliseconds that a task may take from its last frame to its recorded end. */
const SETTLE = 10_000;

export interface FollowOptions {
  readonly offset: number;
  /** Seconds; 0 = none. */
  readonly heartbeat: number;
  readonly storedOnly: boolean;
  readonly signal: AbortSignal;
}

export interface JournalsOptions {
  /** The task as it is now. */
  find(id: string): Task | null;
  /** Calls back on each change of a task until the returned function is called. */
  subscribe(listener: (task: Task) => void): () => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export class Journals {
  readonly #o: JournalsOptions;

  constructor(options: JournalsOptions) {
    this.#o = options;
  }

  /**
   * Whole frames, several at a time, up to and with the end frame. The end frame is given once the end is recorded, so
   * that who has read it finds the result. A heartbeat frame comes first while the task waits, and after silence.
   * Nothing comes where a finished task's journal ends at or before the offset.
   */
  async *follow(task: Task, options: FollowOptions): AsyncGenerator<Buffer> {
    const bell = new Bell(options.signal);
    const unsubscribe = this.#o.subscribe(news => {
      if (news.id === task.id) bell.ring();
    });
    let unwatch = (): void => {};
    let watched = false;
    let at = options.offset;
    let last = this.#o.now();
    const heartbeat = encodeFrame(COMMAND.heartbeat);
    try {
      if (task.state === 'pending' && options.heartbeat > 0 && !options.storedOnly) yield heartbeat;
      while (!options.signal.aborted) {
        if (!watched) {
          const stop = watchFile(task.journal, () => bell.ring());
          watched = stop !== null;
          unwatch = stop ?? unwatch;
        }
        // The state is looked at before the file: what ends afterwards is seen in the next round.
        const now = this.#o.find(task.id);
        const { frames, ended } = await readFrames(task.journal, at);
        if (frames.length > 0) {
          at += frames.length;
          if (ended && !options.storedOnly) await this.#settled(task.id, bell);
          last = this.#o.now();
          yield frames;
          if (ended) return;
          continue;
        }
        if (options.storedOnly) return;
        if (now === null || now.state === 'finished') {
          // What begins behind the end of it all has none.
          if (at === options.offset && at > 0) return;
          // An old file, or one whose writer was killed.
          if (at > 0 || now !== null) yield encodeEnd(now?.result === 'success', now?.reason ?? '');
          return;
        }
        const silence = options.heartbeat * 1000 - (this.#o.now() - last);
        if (options.heartbeat > 0 && silence <= 0) {
          last = this.#o.now();
          yield heartbeat;
          continue;
        }
        await bell.wait(Math.min(LOOK, options.heartbeat > 0 ? silence : LOOK));
      }
    } finally {
      unsubscribe();
      unwatch();
    }
  }

  /** Waits until a task whose journal has ended is recorded as finished. */
  async #settled(id: string, bell: Bell): Promise<void> {
    const limit = this.#o.now() + SETTLE;
    while (this.#o.find(id)?.state === 'running' && this.#o.now() < limit && !bell.over) await bell.wait(100);
  }

  /** Opens the way to a task's console; what comes back is read and dropped: the journal has it. */
  async open(task: Task): Promise<{ write(frames: Uint8Array): Promise<void>; close(): void }> {
    const socket = await new Promise<Socket>((resolve, reject) => {
      const made = createConnection(task.console, () => resolve(made));
      made.once('error', reject);
    }).catch(error => {
      throw new Fault('unavailable', 'unreachable', `the console can't be reached (${errorCode(error)})`);
    });
    socket.on('error', () => socket.destroy());
    socket.resume();
    return {
      write: frames =>
        new Promise(resolve => {
          socket.write(frames, () => resolve());
        }),
      close: () => socket.end(),
    };
  }
}

/** Wakes one who waits. */
class Bell {
  #wake = (): void => {};
  #rung = false;
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.ring(), { once: true });
  }

  get over(): boolean {
    return this.#signal.aborted;
  }

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  /** Resolves at the next ring, at once when it has rung since the last wait, or after so many milliseconds. */
  async wait(limit: number): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, Math.max(1, limit));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#rung = false;
    this.#wake = () => {};
  }
}

/** Calls back when a file changes; null while it is not there. */
function watchFile(path: string, changed: () => void): (() => void) | null {
  try {
    const watcher = watch(path, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return null;
  }
}

/** Whole frames from a position, and whether the last of them is the end frame. Empty when there is nothing new. */
async function readFrames(path: string, at: number): Promise<{ frames: Buffer; ended: boolean }> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { frames: Buffer.alloc(0), ended: false };
    throw error;
  }
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
    return cutFrames(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function cutFrames(bytes: Buffer): { frames: Buffer; ended: boolean } {
  let end = 0;
  while (end + HEADER_SIZE <= bytes.length) {
    const size = bytes.readUInt32LE(end + 4);
    if (size > MAX_PAYLOAD) {
      throw new Fault('invalid', 'bad-input', 'no frame begins there: the offset is not at a boundary');
    }
    const next = end + HEADER_SIZE + size;
    if (next > bytes.length) break;
    const payload = bytes.subarray(end + HEADER_SIZE, next);
    const ended = decodeEnd({ command: bytes.readUInt16LE(end), payload }) !== null;
    end = next;
    if (ended) return { frames: bytes.subarray(0, end), ended };
  }
  return { frames: bytes.subarray(0, end), ended: false };
}
