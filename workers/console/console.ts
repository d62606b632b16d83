/** A task's console: what is logged and shown goes to the journal, and from there to whoever is attached. */

import type { Fault } from '../../proto/fault.ts';
import { COMMAND, encodeBytes, encodeEnd, encodeFrame, encodeLog, type Level } from '../../proto/frame.ts';
import type { Console } from '../context.ts';
import { ConsoleServer, type Input } from './server.ts';
import { Transcript } from './transcript.ts';

export interface ConsoleOptions {
  /** Absolute path of the journal file. */
  readonly journal: string;
  /** Absolute path of the Unix socket; at most 107 bytes. */
  readonly socket: string;
  /** Bytes; 0 = none. */
  readonly limit: number;
  /** Whether DEBUG frames are written. */
  readonly debug: boolean;
  /** Whether what attached clients type is passed on. */
  readonly interactive: boolean;
  /** Called once, when the journal takes no more output. */
  readonly onFull: (fault: Fault) => void;
}

export class TaskConsole implements Console {
  readonly #transcript: Transcript;
  readonly #server: ConsoleServer;
  readonly #debug: boolean;
  readonly #onFull: (fault: Fault) => void;
  #told = false;
  /** Monotonic milliseconds of the last output. */
  #last = performance.now();
  /** Where input goes while a program asks for it. */
  #input: Input | null = null;

  private constructor(options: ConsoleOptions, transcript: Transcript) {
    this.#transcript = transcript;
    this.#debug = options.debug;
    this.#onFull = options.onFull;
    this.#server = new ConsoleServer(
      transcript,
      options.interactive ? { input: event => this.#input?.(event) } : {},
    );
  }

  /** Opens journal and socket. A journal that cannot be opened is a Fault; a socket that cannot is a warning in it. */
  static async open(options: ConsoleOptions): Promise<TaskConsole> {
    const console = new TaskConsole(options, new Transcript(options.journal, options.limit));
    try {
      await console.#server.listen(options.socket);
    } catch (error) {
      console.log('warning', `the console socket could not be opened: ${String(error)}`);
    }
    return console;
  }

  /** Bytes of the journal. */
  get size(): number {
    return this.#transcript.size;
  }

  /** Monotonic milliseconds at which something was last written. */
  get lastOutput(): number {
    return this.#last;
  }

  log(level: Level, text: string): void {
    if (level === 'debug' && !this.#debug) return;
    this.#append(encodeLog(level, text), true);
  }

  output(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#append(Buffer.concat(encodeBytes(bytes)), false);
  }

  /** Hands the terminal of attached clients to a program, until the returned function takes it back. */
  raw(input: Input): () => void {
    this.#input = input;
    this.#append(encodeFrame(COMMAND.rawEnable), true);
    return () => {
      this.#input = null;
      this.#append(encodeFrame(COMMAND.rawDisable), true);
    };
  }

  /** Writes the last frame; nothing may follow it. */
  end(succeeded: boolean, reason = ''): void {
    this.#append(encodeEnd(succeeded, reason), true);
  }

  /** Stops taking clients. Those that are attached get the rest in the background, for a bounded time. */
  close(): void {
    this.#transcript.finish();
    this.#server.close();
  }

  #append(frames: Buffer, must: boolean): void {
    this.#last = performance.now();
    this.#transcript.append(frames, must);
    this.#server.wake();
    const fault = this.#transcript.fault;
    if (fault && !this.#told) {
      this.#told = true;
      this.#onFull(fault);
    }
  }
}
