/**
 * The way into a sandbox, gone as far as possible before it is known which: joining control groups takes the kernel ten
 * milliseconds, and a build has its sources to prepare meanwhile.
 */
import { PassThrough, Readable } from 'node:stream';
import type { RunOptions } from '../context.ts';
import type { RunEnd, Runner } from '../runner.ts';
import { ENTRANCE_ENV, entranceCommand } from './command.ts';
import type { Namespace } from './namespace.ts';

export class Entrance {
  readonly #words = Promise.withResolvers<readonly string[]>();
  readonly #input = new PassThrough();
  readonly #ended: Promise<RunEnd>;
  #onStdout: (bytes: Buffer) => void = () => undefined;

  /** Starts it; when the signal aborts before it was used, it ends. */
  constructor(runner: Runner, namespace: Namespace, signal: AbortSignal) {
    this.#ended = runner.run({
      command: entranceCommand(namespace),
      words: this.#words.promise,
      env: ENTRANCE_ENV,
      holder: true,
      input: this.#input,
      onStdout: bytes => this.#onStdout(bytes),
    });
    // Told to who enters; of one that nobody used nobody need hear.
    this.#ended.catch(() => undefined);
    signal.addEventListener('abort', () => this.#words.resolve([]), { once: true });
  }

  /** Goes on with the rest of a sandbox's command line, to its end. */
  enter(
    words: readonly string[],
    { input, onStdout }: Required<Pick<RunOptions, 'input' | 'onStdout'>>,
  ): Promise<RunEnd> {
    // As Node refuses it in an argument: behind it would begin another.
    if (words.some(word => word.includes('\0')))
      throw new TypeError('a word of a command has a zero byte in it');
    this.#onStdout = onStdout;
    Readable.from(input).pipe(this.#input);
    this.#words.resolve(words);
    return this.#ended;
  }

  /** Ends one that was not used. Never throws. */
  async close(): Promise<void> {
    this.#words.resolve([]);
    this.#input.end();
    await this.#ended.catch(() => undefined);
  }
}
