/** Runs a program on a pseudo-terminal and loses none of its output. The only importer of node-pty. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, constants, openSync, write } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import * as pty from 'node-pty';

export interface TerminalOptions {
  readonly command: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input: the terminal itself, a text, or nothing. */
  readonly input: 'terminal' | 'none' | { readonly text: string | AsyncIterable<string> };
  /** Receives standard output through a pipe; without it standard output is the terminal. */
  readonly onCapture?: (bytes: Buffer) => void;
  /** Receives what is written to descriptor 3, to its end. */
  readonly onStatus?: (bytes: Buffer) => void;
  /** What appears on descriptor 5 once it is there, each ended by a zero byte. Must not reject. */
  readonly words?: Promise<readonly string[]>;
  readonly onOutput: (bytes: Buffer) => void;
}

export interface TerminalExit {
  /** null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
}

/** Size until a client tells another. */
const ROWS = 24;
const COLUMNS = 80;
/** Digits that end the output: unchanged by any output mode of a terminal, and too many to guess. */
const SENTINEL_DIGITS = 40;
/** Milliseconds to wait for the last output of a program that stopped its terminal. */
const DRAIN = 2000;
/** Bytes of input that wait for a program that does not read. More is dropped. */
const MAX_INPUT = 65_536;

/** What node-pty's native part offers beside its own process handling. */
interface NativePty {
  open(columns: number, rows: number): { master: number; slave: number; pty: string };
  resize(fd: number, columns: number, rows: number): void;
}

/**
 * A program on a terminal of its own. node-pty opens and resizes the terminal; the process is an ordinary child. Our
 * own descriptor of the terminal's far side stays open until a mark, written behind the program's last output, has come
 * through: a closed far side makes the kernel drop what was not read yet.
 */
export class Terminal {
  /** Settles when the program has ended and all of its output was handed over. Never rejects. */
  readonly exited: Promise<TerminalExit>;
  readonly #native: NativePty;
  readonly #master: ReadStream;
  readonly #fd: number;
  readonly #slave: number;
  readonly #child: ChildProcess;
  readonly #onOutput: (bytes: Buffer) => void;
  /** The end mark once the program has ended, and the bytes that may be its beginning. */
  #sentinel: Buffer | null = null;
  #tail: Buffer = Buffer.alloc(0);
  #drained: () => void = () => undefined;
  #waitingInput = 0;
  #closed = false;

  constructor(options: TerminalOptions) {
    this.#native = (pty as unknown as { native: NativePty }).native;
    this.#onOutput = options.onOutput;
    const { master, slave, pty: name } = this.#native.open(COLUMNS, ROWS);
    // That descriptor is non-blocking, and programs that share it would lose output; open the terminal anew. A stream
    // closes it, since a thread's file functions warn of descriptors that they did not open.
    new ReadStream(slave).destroy();
    this.#fd = master;
    this.#slave = openSync(name, constants.O_RDWR | constants.O_NOCTTY);
    this.#master = new ReadStream(master);
    this.#master.on('data', bytes => this.#received(bytes as unknown as Buffer));
    // EIO is how a terminal says that nobody is on the far side.
    this.#master.on('error', () => this.#drained());
    this.#child = this.#start(options);
    this.exited = this.#run(options);
  }

  /** Process id; 0 when the program could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Key strokes. Dropped when the program leaves too many unread. */
  write(input: Buffer): void {
    if (this.#closed || input.length === 0 || this.#waitingInput + input.length > MAX_INPUT) return;
    this.#waitingInput += input.length;
    const send = (rest: Buffer): void => {
      if (this.#closed) return;
      write(this.#fd, rest, (error, written) => {
        if (error && (error as NodeJS.ErrnoException).code === 'EAGAIN') {
          setTimeout(() => send(rest), 20);
          return;
        }
        this.#waitingInput -= error ? rest.length : written;
        if (!error && written < rest.length) send(rest.subarray(written));
      });
    };
    send(input);
  }

  resize(rows: number, columns: number): void {
    if (!this.#closed) this.#native.resize(this.#fd, columns, rows);
  }

  #start(options: TerminalOptions): ChildProcess {
    const onTerminal = options.input === 'terminal';
    // A controlling terminal only where somebody types: setsid(1) makes it so; else the process gets a session alone.
    const [file = '', ...args] = onTerminal ? ['setsid', '--ctty', ...options.command] : options.command;
    return spawn(file, args, {
      env: { ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      detached: !onTerminal,
      stdio: [
        onTerminal ? this.#slave : options.input === 'none' ? 'ignore' : 'pipe',
        options.onCapture ? 'pipe' : this.#slave,
        this.#slave,
        options.onStatus ? 'pipe' : 'ignore',
        'ignore',
        ...(options.words === undefined ? [] : ['pipe' as const]),
      ],
    });
  }

  async #run(options: TerminalOptions): Promise<TerminalExit> {
    const child = this.#child;
    if (typeof options.input === 'object' && child.stdin) {
      child.stdin.on('error', () => undefined);
      Readable.from(options.input.text).pipe(child.stdin);
    }
    if (options.onCapture) child.stdout?.on('data', options.onCapture);
    const words = child.stdio.at(5) as Writable | null | undefined;
    words?.on('error', () => undefined);
    void options.words?.then(all => words?.end(all.map(word => `${word}\0`).join('')));
    const status = child.stdio[3] as Readable | null | undefined;
    if (options.onStatus) status?.on('data', options.onStatus);
    const exit = await new Promise<TerminalExit>(resolve => {
      child.once('error', () => resolve({ code: 127, signal: null }));
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    await Promise.all([ended(child.stdout), ended(status)]);
    await this.#drain();
    this.#closed = true;
    closeSync(this.#slave);
    this.#master.destroy();
    return exit;
  }

  #received(bytes: Buffer): void {
    if (this.#sentinel === null) {
      this.#onOutput(bytes);
      return;
    }
    const all = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes]);
    const at = all.indexOf(this.#sentinel);
    const safe = at >= 0 ? at : Math.max(0, all.length - this.#sentinel.length + 1);
    if (safe > 0) this.#onOutput(all.subarray(0, safe));
    this.#tail = at >= 0 ? Buffer.alloc(0) : Buffer.from(all.subarray(safe));
    if (at >= 0) this.#drained();
  }

  /** Waits until all that was written before now has been read. */
  async #drain(): Promise<void> {
    const mark = Buffer.from(Array.from({ length: SENTINEL_DIGITS }, () => randomInt(10)).join(''));
    this.#sentinel = mark;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, DRAIN);
      this.#drained = () => {
        clearTimeout(timer);
        resolve();
      };
      // May block while the terminal is full or stopped: then on libuv's pool, freed when the master closes.
      write(this.#slave, mark, error => {
        if (error) this.#drained();
      });
    });
    if (this.#tail.length > 0) this.#onOutput(this.#tail);
  }
}

/** A pipe's end. A process that outlived the program and holds the pipe does not hold us. */
async function ended(stream: Readable | null | undefined): Promise<void> {
  if (!stream || stream.readableEnded || stream.destroyed) return;
  await new Promise<void>(resolve => {
    const timer = setTimeout(() => {
      stream.destroy();
      resolve();
    }, DRAIN);
    stream.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
