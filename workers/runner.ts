/** Runs programs of a task on its terminal and in its group, until they end or the task is stopped. */
import { errorCode, Fault } from '../proto/fault.ts';
import type { TaskConsole } from './console/console.ts';
import { Terminal, type TerminalExit } from './console/terminal.ts';
import { endOfNamespace, MARK, signal, type TaskGroup } from './group.ts';
import { BASH } from './tool.ts';

export interface RunRequest {
  readonly command: readonly string[];
  /** The whole environment of the command; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Whether the started process only holds a sandbox together, and is spared when its programs are asked to end. */
  readonly holder: boolean;
  /** The terminal of attached clients is handed over. */
  readonly interactive?: boolean;
  /** Text for standard input. */
  readonly input?: string | AsyncIterable<string>;
  /** Most bytes of standard output to give back instead of showing it. */
  readonly capture?: number;
  /** Receives standard output, whatever its size, instead of showing it. */
  readonly onStdout?: (bytes: Buffer) => void;
  /** Further arguments, still in the making: each ended by a zero byte on descriptor 5. Until then it counts as idle. */
  readonly words?: Promise<readonly string[]>;
}

export interface RunEnd extends TerminalExit {
  readonly stdout: Buffer;
  /** What was written to descriptor 3. */
  readonly status: string;
}

/** Milliseconds between SIGTERM and SIGKILL: as promised for cancel, and when the daemon is about to stop. */
const GRACE = 10_000;
const GRACE_STOPPING = 3000;
/** Reasons for which nothing is gained by asking first. */
const AT_ONCE = ['log-limit', 'journal-full', 'out-of-memory', 'disk-full'];
/** Bytes that a status pipe may carry. */
const MAX_STATUS = 65_536;
/** How bwrap's status names the first process of a sandbox. */
const FIRST = /"child-pid"\s*:\s*(\d+)\D/;

/**
 * Joins the control groups that the first arguments name, closes every descriptor that slipped in beside the six that
 * are meant (node-pty does not mark its own), and becomes the command.
 */
const ENTER = `
for each in /proc/self/fd/*; do
  number=\${each##*/}
  if (( number > 5 )); then eval "exec $number>&-" 2>/dev/null; fi
done
count=$1; shift
while (( count > 0 )); do
  echo 0 > "$1/cgroup.procs" || exit 120
  shift; count=$(( count - 1 ))
done
exec "$@"`;

export class Runner {
  readonly #console: TaskConsole;
  readonly #group: TaskGroup;
  readonly #signal: AbortSignal;
  readonly #task: string;
  readonly #running = new Set<Terminal>();
  readonly #runs = new Set<Promise<RunEnd>>();
  #isClosed = false;

  constructor(parts: {
    readonly console: TaskConsole;
    readonly group: TaskGroup;
    readonly signal: AbortSignal;
    readonly task: string;
  }) {
    this.#console = parts.console;
    this.#group = parts.group;
    this.#signal = parts.signal;
    this.#task = parts.task;
  }

  /** Programs that run now. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * Runs to the end of program and output; of a sandbox, until nothing runs in it any more. Throws the reason of the
   * task's signal when it was stopped, once nothing of the task runs any more; `out-of-memory` and `too-large`.
   */
  run(request: RunRequest): Promise<RunEnd> {
    const run = this.#run(request);
    this.#runs.add(run);
    const forget = (): void => void this.#runs.delete(run);
    run.then(forget, forget);
    return run;
  }

  /** From now on nothing is started. */
  close(): void {
    this.#isClosed = true;
  }

  /** Waits until all that was started has ended and its last words are told. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#runs);
  }

  async #run(request: RunRequest): Promise<RunEnd> {
    this.#signal.throwIfAborted();
    if (this.#isClosed) throw new Fault('unavailable', 'interrupted', 'the attempt has ended');
    const killsBefore = this.#group.cgroup.outOfMemory();
    const stdout: Buffer[] = [];
    let size = 0;
    let tooLarge = false;
    let status = '';
    let sandbox: (() => Promise<void>) | null = null;
    const terminal = this.#open(request, {
      onCapture: bytes => {
        size += bytes.length;
        if (size <= (request.capture ?? 0)) stdout.push(bytes);
        else if (!tooLarge) {
          tooLarge = true;
          // With what holds the sandbox together the rest of it dies.
          if (terminal.pid > 0) signal(terminal.pid, 'SIGKILL');
        }
      },
      onStatus: bytes => {
        if (status.length < MAX_STATUS) status += bytes.toString('utf8');
        const first = sandbox === null && request.holder ? FIRST.exec(status)?.[1] : undefined;
        if (first !== undefined) sandbox = endOfNamespace(Number(first));
      },
    });
    const release = request.interactive
      ? this.#console.raw(event => {
          if (event.type === 'keys') terminal.write(event.bytes);
          else terminal.resize(event.rows, event.columns);
        })
      : null;
    let isOver = false;
    void Promise.resolve(request.words).then(() => isOver || this.#running.add(terminal));
    this.#group.add(terminal.pid, request.holder);
    try {
      const exit = await this.#follow(terminal, () => sandbox?.());
      if (this.#group.cgroup.outOfMemory() > killsBefore && (exit.code !== 0 || exit.signal !== null)) {
        throw outOfMemory();
      }
      if (tooLarge) {
        throw new Fault(
          'exhausted',
          'too-large',
          `${request.command[0]} wrote more than ${request.capture} bytes`,
        );
      }
      return { ...exit, stdout: Buffer.concat(stdout), status };
    } finally {
      isOver = true;
      this.#running.delete(terminal);
      this.#group.forget(terminal.pid);
      release?.();
    }
  }

  #open(
    request: RunRequest,
    pipes: { onCapture: (bytes: Buffer) => void; onStatus: (bytes: Buffer) => void },
  ): Terminal {
    const folders = this.#group.cgroup.folders;
    this.#console.log('debug', `running ${request.command.join(' ')}`);
    try {
      return new Terminal({
        command: [...BASH, ENTER, 'rackwright', String(folders.length), ...folders, ...request.command],
        env: { ...request.env, [MARK]: this.#task },
        ...(request.cwd === undefined ? {} : { cwd: request.cwd }),
        input:
          request.input !== undefined ? { text: request.input } : request.interactive ? 'terminal' : 'none',
        ...(request.onStdout ? { onCapture: request.onStdout } : {}),
        ...(request.capture === undefined ? {} : { onCapture: pipes.onCapture }),
        ...(request.words === undefined ? {} : { words: request.words }),
        onStatus: pipes.onStatus,
        onOutput: bytes => this.#console.output(bytes),
      });
    } catch (error) {
      throw new Fault(
        'unavailable',
        'busy',
        `no terminal could be opened: ${errorCode(error) || String(error)}`,
      );
    }
  }

  /** Waits for the end; when the task is stopped meanwhile, sees to it that all of it ends. */
  async #follow(terminal: Terminal, sandboxEnd: () => Promise<void> | undefined): Promise<TerminalExit> {
    let stopping: Promise<void> | null = null;
    const ended = new AbortController();
    const onAbort = (): void => {
      stopping = this.#stop(ended.signal);
      // Its failure is thrown below.
      stopping.catch(() => undefined);
    };
    this.#signal.addEventListener('abort', onAbort, { once: true });
    if (this.#signal.aborted && stopping === null) onAbort();
    const exit = await terminal.exited;
    ended.abort();
    this.#signal.removeEventListener('abort', onAbort);
    // What a program has left behind dies with bwrap, but not at once: it could still write where others read already.
    await sandboxEnd();
    if (stopping !== null) {
      await stopping;
      this.#signal.throwIfAborted();
    }
    return exit;
  }

  /** SIGTERM to all; SIGKILL when they have not ended in time. Returns when none is left. */
  async #stop(ended: AbortSignal): Promise<void> {
    const reason = this.#signal.reason instanceof Fault ? this.#signal.reason.reason : '';
    const grace = AT_ONCE.includes(reason) ? 0 : reason === 'interrupted' ? GRACE_STOPPING : GRACE;
    if (grace > 0) {
      this.#group.terminate();
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, grace);
        ended.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    await this.#group.kill();
  }
}

/** The kernel ended processes of the task for want of memory. */
function outOfMemory(): Fault {
  return new Fault('exhausted', 'out-of-memory', 'the task needed more memory than its limit allows');
}
