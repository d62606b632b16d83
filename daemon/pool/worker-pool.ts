/**
 * Runs tasks in threads, one thread a running task, and carries messages both ways. The only importer of piscina.
 *
 * Ending a thread beneath a terminal would abort the whole process, so cancel is a message first; when that does not
 * help, the task's processes are killed; the thread itself is ended last, and only once its processes are gone.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { errorCode, Fault, toFault } from '../../proto/fault.ts';
import type {
  Answer,
  Command,
  Job,
  Outcome,
  Progress,
  Query,
  QueryAnswers,
  Question,
} from '../../workers/job.ts';
import { groupIsEmpty, killGroup } from './group.ts';

/** Milliseconds: SIGTERM and SIGKILL by the thread itself take 10 s; then its processes are killed from here. */
const GRACE = 20_000;
/** Milliseconds from that until the thread is ended. */
const LAST_GRACE = 20_000;
/** Queries that run at once, and that wait. */
const QUERY_THREADS = 1;
const QUERY_QUEUE = 256;
/** Milliseconds an idle thread is kept. */
const IDLE = 60_000;
/** Far more than publishing among 50,000 packages takes. */
const HEAP = 2048;
/** Threads of one pool, at most: as many tasks as may be set to run at once; fewer are given to it. */
const MAX_THREADS = 1000;

export interface PoolOptions {
  /** MiB of heap at which a thread is ended, HEAP unless told: one task's leak must not take the daemon along. */
  readonly heap?: number;
  /** Entries of the threads: absolute paths. */
  readonly taskEntry: string;
  readonly queryEntry: string;
  /** Answers what a thread asks. Throws the Fault to refuse it with. */
  answer(job: Job, question: Question): Promise<Answer>;
  /** What a running task tells of itself. */
  note(task: string, told: Extract<Progress, { type: 'progress' | 'facts' }>): void;
  report(error: unknown, where: string): void;
}

interface Running {
  readonly task: string;
  readonly port: MessagePort;
  readonly abort: AbortController;
  readonly timers: NodeJS.Timeout[];
  /** Groups whose processes belong to the task. */
  readonly groups: Set<string>;
}

export class WorkerPool {
  readonly #o: PoolOptions;
  readonly #tasks: Piscina;
  readonly #queries: Piscina;
  readonly #running = new Map<string, Running>();
  #ended: Promise<unknown>[] = [];

  constructor(options: PoolOptions) {
    this.#o = options;
    // Threads serve sockets between messages: waiting for work must not block their event loop.
    const resourceLimits = { maxOldGenerationSizeMb: options.heap ?? HEAP };
    const common = {
      concurrentTasksPerWorker: 1,
      atomics: 'disabled',
      recordTiming: false,
      resourceLimits,
    } as const;
    this.#tasks = new Piscina({
      ...common,
      filename: options.taskEntry,
      minThreads: 0,
      maxThreads: MAX_THREADS,
      maxQueue: MAX_THREADS,
      idleTimeout: IDLE,
    });
    this.#queries = new Piscina({
      ...common,
      filename: options.queryEntry,
      minThreads: 0,
      maxThreads: QUERY_THREADS,
      maxQueue: QUERY_QUEUE,
      idleTimeout: IDLE,
    });
  }

  /**
   * Runs one attempt. What is ordered while its job is prepared waits for the thread. Rejects with what the preparation
   * threw, or when the thread itself broke; its processes are gone then.
   */
  async run(task: string, prepare: () => Promise<Job>): Promise<Outcome> {
    const { port1: port, port2: theirs } = new MessageChannel();
    const running: Running = { task, port, abort: new AbortController(), timers: [], groups: new Set() };
    this.#running.set(task, running);
    const done = this.#attempt(running, theirs, prepare);
    const ended = done.catch(() => undefined);
    this.#ended.push(ended);
    try {
      return await done;
    } finally {
      this.#ended = this.#ended.filter(other => other !== ended);
      for (const timer of running.timers) clearTimeout(timer);
      this.#running.delete(task);
      port.close();
    }
  }

  async #attempt(running: Running, theirs: MessagePort, prepare: () => Promise<Job>): Promise<Outcome> {
    const job = await prepare();
    running.port.on('message', (message: Progress) => this.#hear(running, job, message));
    const options = { transferList: [theirs], signal: running.abort.signal };
    try {
      const outcome = (await this.#tasks.run({ job, port: theirs }, options)) as Outcome;
      this.#hearRest(running, job);
      return outcome;
    } catch (error) {
      this.#hearRest(running, job);
      await this.#clear(running);
      throw this.#broken(error);
    }
  }

  /** The end comes a way of its own: where this thread was held up, it overtakes what was told before. */
  #hearRest(running: Running, job: Job): void {
    for (let left = receiveMessageOnPort(running.port); left; left = receiveMessageOnPort(running.port)) {
      const message = left.message as Progress;
      // Nobody waits for an answer any longer.
      if (message.type !== 'ask') this.#hear(running, job, message);
    }
  }

  #broken(error: unknown): Fault {
    if (errorCode(error) !== 'ERR_WORKER_OUT_OF_MEMORY')
      return new Fault('internal', 'internal', 'the worker thread of the task broke', {}, { cause: error });
    const { heap = HEAP } = this.#o;
    const message = `the worker thread of the task needed more than ${heap} MiB of memory`;
    return new Fault('exhausted', 'out-of-memory', message, { limit: heap }, { cause: error });
  }

  /** Asks a running task to end, and sees to it that it does. Harmless for one that does not run. */
  cancel(task: string, by: string): void {
    this.#ask(task, { type: 'cancel', by });
  }

  /** Asks everything that runs to end. Resolves when all has. */
  async stop(): Promise<void> {
    for (const task of this.#running.keys()) this.#ask(task, { type: 'stop' });
    await Promise.all(this.#ended);
  }

  /** Ends the threads. To be called when nothing runs any longer. */
  async close(): Promise<void> {
    await Promise.all([this.#tasks.destroy(), this.#queries.destroy()]);
  }

  /** Kills what still runs, for an end that can't wait. */
  kill(): void {
    for (const running of this.#running.values()) for (const group of running.groups) killGroup(group);
  }

  async query<Q extends Query['type']>(query: Extract<Query, { type: Q }>): Promise<QueryAnswers[Q]> {
    try {
      return (await this.#queries.run(query)) as QueryAnswers[Q];
    } catch (error) {
      throw faultOf(error);
    }
  }

  #ask(task: string, command: Command): void {
    const running = this.#running.get(task);
    if (!running) return;
    running.port.postMessage(command);
    running.timers.push(
      setTimeout(() => {
        for (const group of running.groups) killGroup(group);
      }, GRACE),
      setTimeout(() => void this.#end(running), GRACE + LAST_GRACE),
    );
  }

  /** Ends a thread that does not end by itself; one that still has processes is left alone and reported. */
  async #end(running: Running): Promise<void> {
    await this.#clear(running);
    if ([...running.groups].some(group => !groupIsEmpty(group))) {
      const fault = new Error('its processes can not be killed; the daemon has to be restarted');
      this.#o.report(fault, `task ${running.task}`);
      return;
    }
    running.abort.abort();
  }

  /** Kills a task's processes and waits, for a while, until they are gone. */
  async #clear(running: Running): Promise<void> {
    for (let turn = 0; turn < 100; turn++) {
      const alive = [...running.groups].filter(group => !groupIsEmpty(group));
      if (alive.length === 0) return;
      for (const group of alive) killGroup(group);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }

  #hear(running: Running, job: Job, message: Progress): void {
    switch (message.type) {
      case 'progress':
      case 'facts':
        try {
          this.#o.note(running.task, message);
        } catch (error) {
          // A full disk: what was told is recorded with the end of the task.
          this.#o.report(error, `news of task ${running.task}`);
        }
        return;
      case 'group':
        if (message.cgroup !== null) running.groups.add(message.cgroup);
        return;
      case 'ask':
        void this.#answer(running.port, job, message.id, message.question);
    }
  }

  async #answer(port: MessagePort, job: Job, id: number, question: Question): Promise<void> {
    try {
      const answer = await this.#o.answer(job, question);
      port.postMessage({ type: 'answer', id, answer } satisfies Command);
    } catch (error) {
      const fault = toFault(error);
      if (fault.kind === 'internal') this.#o.report(fault.cause ?? error, `a question of task ${job.task}`);
      port.postMessage({ type: 'refusal', id, fault: fault.toData() } satisfies Command);
    }
  }
}

/** A Fault loses its class on the way out of a thread, not its fields. */
function faultOf(error: unknown): unknown {
  const { kind, reason, message, details } = error as Partial<Fault>;
  if (kind === undefined || reason === undefined) return error;
  return new Fault(kind, reason, message ?? '', details ?? {}, { cause: error });
}
