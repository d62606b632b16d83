/** An interactive task on the user's terminal: keys one way, output the other, raw mode while the task asks for it. */
import { once } from 'node:events';
import { COMMAND, decodeEnd, decodeLog, encodeBytes, encodeWinch, type Frame } from '../../proto/frame.ts';
import type { Consoles } from './api.ts';
import { openDisplay } from './display.ts';
import { EXIT } from './exit.ts';
import { exitOf } from './follow.ts';
import type { Session } from './session.ts';
import { type Surroundings, say } from './surroundings.ts';

/** Attaches the terminal until the task ends, and sets the exit code. */
export async function attachConsole(session: Session, consoles: Consoles, id: string): Promise<void> {
  const { surroundings, api } = session;
  const abort = new AbortController();
  const keys = openKeys(surroundings);
  const display = openDisplay({ ...surroundings, env: { ...surroundings.env, TERM: 'dumb' } }, session);
  const release = surroundings.onStop(() => abort.abort());
  // Until its end is seen.
  surroundings.exit.code = EXIT.unknown;
  try {
    let ended = false;
    for await (const frame of consoles.attach(id, keys.frames(), abort.signal)) {
      const end = decodeEnd(frame);
      if (end) {
        ended = true;
        break;
      }
      keys.obey(frame);
      if (frame.command === COMMAND.bytes) display.output(frame.payload);
      const log = frame.command === COMMAND.log ? decodeLog(frame.payload) : null;
      if (log) display.message(log.level, log.text);
    }
    keys.close();
    const task = await api.task(id).catch(() => null);
    const result = task && task.result !== 'unknown' ? task.result : null;
    if (result === 'success') say(surroundings, 'Task succeeded');
    else if (ended || result !== null) say(surroundings, `Task ${result ?? 'ended'}: ${task?.reason ?? ''}`);
    surroundings.exit.code = exitOf({ result, reason: '' });
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    surroundings.exit.code = EXIT.interrupted;
  } finally {
    release();
    keys.close();
    display.close();
  }
}

/** The user's side of an interactive task. */
interface Keys {
  /** Key strokes and window sizes as frames, until closed. */
  frames(): AsyncGenerator<Buffer>;
  /** Does what a frame of the task asks of the terminal. */
  obey(frame: Frame): void;
  close(): void;
}

/** Key strokes waiting to be sent, in frames; what is typed faster than sent is lost beyond. */
const MAX_WAITING = 1024;

function openKeys({ stdin, stdout }: Surroundings): Keys {
  const waiting: Buffer[] = [];
  const woken = new EventTarget();
  let closed = false;
  const put = (...frames: Buffer[]): void => {
    if (waiting.length < MAX_WAITING) waiting.push(...frames);
    woken.dispatchEvent(new Event('wake'));
  };
  const typed = (chunk: Buffer): void => put(...encodeBytes(chunk));
  // A pipe's end is told as a terminal would: Ctrl-D.
  const ended = (): void => put(...encodeBytes(Buffer.from([4])));
  const resized = (): void => {
    if (stdout.isTTY) put(encodeWinch(stdout.rows, stdout.columns));
  };
  const raw = (on: boolean): void => {
    if (stdin.isTTY) stdin.setRawMode(on);
    if (on) {
      stdin.on('data', typed);
      stdin.once('end', ended);
      stdin.resume();
      stdout.on('resize', resized);
      resized();
    } else {
      stdin.off('data', typed);
      stdin.off('end', ended);
      stdin.pause();
      stdout.off('resize', resized);
    }
  };
  return {
    async *frames() {
      while (!closed) {
        const frame = waiting.shift();
        if (frame) yield frame;
        else await once(woken, 'wake');
      }
    },
    obey(frame) {
      if (frame.command === COMMAND.rawEnable) raw(true);
      if (frame.command === COMMAND.rawDisable) raw(false);
    },
    close() {
      if (closed) return;
      closed = true;
      raw(false);
      woken.dispatchEvent(new Event('wake'));
    },
  };
}
