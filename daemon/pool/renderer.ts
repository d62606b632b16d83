/** One renderer child: started, asked, watched for time and memory, ended. A crash or hang is the asker's fault, told once. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../proto/fault.ts';
import type { Answers, Ask, Question, Reply } from '../../proto/renderer.ts';

const ENTRY = fileURLToPath(new URL('../../workers/renderer.ts', import.meta.url));
/** Milliseconds between two looks at a child's memory. */
const MEMORY_EVERY = 100;
/** Bytes of a page of memory, as /proc counts. */
const PAGE = 4096;

export interface RendererOptions {
  /** Environment of the child. */
  readonly env: NodeJS.ProcessEnv;
  /** Bytes of memory at which a child is killed. */
  readonly memory: number;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (fault: Fault) => void;
}

/** A child process. It answers one question at a time. */
export class Renderer {
  readonly #child: ChildProcess;
  readonly #memory: number;
  readonly #watch: NodeJS.Timeout;
  #waiting: Waiting | null = null;
  #last = 0;
  #why: string | null = null;
  #alive = true;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  /** Version of the inventory that the child holds; empty for none. */
  inventory = '';
  /** Questions asked so far. */
  get asked(): number {
    return this.#last;
  }

  constructor({ env, memory }: RendererOptions) {
    this.#memory = memory;
    // The heap is small beside the canvas, whose pixels lie outside it.
    this.#child = fork(ENTRY, [], {
      env,
      serialization: 'advanced',
      execArgv: [
        '--max-old-space-size=1024',
        '--max-semi-space-size=4',
        '--disable-warning=ExperimentalWarning',
      ],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', message => this.#reply(message as Reply));
    // A child that could not be started or told is as good as gone.
    this.#child.on('error', error => this.kill(`can't be reached: ${error.message}`));
    this.gone = new Promise(resolve => {
      const ended = (code: number | null, signal: string | null): void => {
        this.#end(code, signal);
        resolve();
      };
      this.#child.once('exit', ended);
      if (this.#child.pid === undefined) ended(null, null);
    });
    this.#watch = setInterval(() => this.#lookAtMemory(), MEMORY_EVERY);
    this.#watch.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Killed, whether or not the process is gone yet. */
  get isDoomed(): boolean {
    return this.#why !== null || !this.#alive;
  }

  /** Asks a question. Throws what the child answers with, or `unavailable` when it ends before. `limit` in milliseconds. */
  async ask<Q extends Question>(question: Q, limit: number): Promise<Answers[Q['type']]> {
    if (this.#waiting) throw new Error('a renderer is asked one thing at a time');
    if (!this.#alive) throw new Fault('unavailable', 'renderer-failed', 'The renderer has ended, try again');
    const id = ++this.#last;
    const timer = setTimeout(() => {
      this.kill(`took longer than ${Math.round(limit / 1000)} s`);
    }, limit);
    try {
      return await new Promise<Answers[Q['type']]>((resolve, reject) => {
        this.#waiting = { resolve, reject };
        this.#child.send({ id, question } satisfies Ask, error => {
          if (error) this.kill(`can't be reached: ${error.message}`);
        });
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Bytes of memory that the child holds; 0 when that can't be told. */
  memory(): number {
    try {
      const pages = readFileSync(`/proc/${this.#child.pid}/statm`, 'latin1').split(' ')[1];
      return Number(pages) * PAGE;
    } catch {
      return 0;
    }
  }

  /** Ends the child at once; who waits on it is told why. */
  kill(why: string): void {
    this.#why ??= why;
    this.#child.kill('SIGKILL');
  }

  #lookAtMemory(): void {
    if (!this.#waiting || this.memory() <= this.#memory) return;
    this.kill(`needed more than ${Math.round(this.#memory / 1024 ** 2)} MiB of memory`);
  }

  #reply(reply: Reply): void {
    const waiting = this.#waiting;
    if (!waiting || reply.id !== this.#last) return;
    this.#waiting = null;
    if ('fault' in reply) waiting.reject(Fault.from(reply.fault));
    else waiting.resolve(reply.answer as never);
  }

  #end(code: number | null, signal: string | null): void {
    this.#alive = false;
    clearInterval(this.#watch);
    const why = this.#why ?? `ended unexpectedly (${signal ?? `exit code ${code}`})`;
    const late = this.#why?.startsWith('took') ? 'timeout' : 'renderer-failed';
    this.#waiting?.reject(new Fault('unavailable', late, `The drawing was given up: the renderer ${why}`));
    this.#waiting = null;
  }
}
