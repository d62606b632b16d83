/** One attempt at a task: everything that its work may use, joined, and taken apart again when it ends. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '../proto/fault.ts';
import { describeLimits, type Limits, lowerLimits } from '../proto/limits.ts';
import { TaskConsole } from './console/console.ts';
import type { SandboxOptions, TaskContext, ToolOptions, ToolResult } from './context.ts';
import { noteGroups, TaskGroup } from './group.ts';
import type { Answers, Command, Job, Question, TaskLimits } from './job.ts';
import { LimitWatch } from './limits.ts';
import { Line } from './line.ts';
import { Runner } from './runner.ts';
import { hierarchies, type Usage, usableGroup } from './sandbox/cgroup.ts';
import { Entrance } from './sandbox/entrance.ts';
import { findNamespace, type Namespace, removeTree } from './sandbox/namespace.ts';
import { OverlaySandbox, type SandboxHost } from './sandbox/sandbox.ts';
import { runTool, TOOL_ENV } from './tool.ts';

/** File in a workspace that names the control groups of the running attempt. */
export const GROUPS_FILE = 'task.groups';
/** Milliseconds for measuring what a sandbox holds. */
const MEASURING = 10 * 60 * 1000;

/** Facts about the process that the thread entry reads once. */
export interface Host {
  readonly uid: number;
  /** As Node names it. */
  readonly architecture: string;
}

export class Attempt {
  readonly job: Job;
  readonly context: TaskContext;
  readonly console: TaskConsole;
  readonly #host: Host;
  readonly #abort: AbortController;
  readonly #group: TaskGroup;
  readonly #runner: Runner;
  readonly #watch: LimitWatch;
  readonly #line: Line;
  readonly #sandboxes = new Set<OverlaySandbox>();
  #limits: TaskLimits;
  #namespace: Promise<Namespace> | null = null;
  #entrance: Promise<Entrance> | null = null;
  /** While a publication is under way, the reason to stop, an order or a limit, waits here. */
  #holds = 0;
  #postponed: Fault | null = null;

  private constructor(job: Job, port: MessagePort, host: Host, console: TaskConsole, abort: AbortController) {
    this.job = job;
    this.console = console;
    this.#host = host;
    this.#abort = abort;
    this.#limits = job.settings.limits;
    const places = hierarchies(
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readFileSync('/proc/self/cgroup', 'utf8'),
      usableGroup,
    );
    this.#group = new TaskGroup(places, job.task, this.#limits);
    this.#runner = new Runner({ console, group: this.#group, signal: abort.signal, task: job.task });
    this.#watch = new LimitWatch(
      {
        limits: () => this.#limits,
        lastOutput: () => console.lastOutput,
        isRunning: () => this.#runner.running > 0,
        outOfMemory: () => this.#group.cgroup.outOfMemory(),
        measure: folder => this.#measure(folder),
      },
      fault => this.#stop(fault),
    );
    this.#line = new Line(port, order => this.#obey(order));
    this.context = this.#makeContext();
  }

  /**
   * Opens console, groups and line. The journal tells when an attempt goes on, and which limits are not in force. Where
   * that fails nothing of it is left, once `onFailure` has told it on a console that could be opened.
   */
  static async open(
    job: Job,
    port: MessagePort,
    host: Host,
    onFailure: (console: TaskConsole, error: unknown) => void = () => undefined,
  ): Promise<Attempt> {
    let attempt: Attempt | null = null;
    const abort = new AbortController();
    const { limits, debug } = job.settings;
    const console = await TaskConsole.open({
      journal: job.journal,
      socket: job.console,
      limit: limits.journal,
      debug,
      interactive: job.interactive,
      onFull: fault => (attempt ? attempt.#stop(fault) : abort.abort(fault)),
    });
    try {
      attempt = new Attempt(job, port, host, console, abort);
      attempt.#begin();
      return attempt;
    } catch (error) {
      // What fails now too fails for the same reason.
      await attempt?.close().catch(() => undefined);
      onFailure(console, error);
      console.close();
      throw error;
    }
  }

  #begin(): void {
    const { job, console } = this;
    if (job.attempt > 1) console.log('warning', `The task was interrupted; this is attempt ${job.attempt}.`);
    const { folders, missing } = this.#group.cgroup;
    noteGroups(join(job.place, GROUPS_FILE), folders);
    if (missing.length > 0) {
      console.log(
        'warning',
        `Limits not in force, since the host delegates no control group for them: ${missing.join(', ')}.`,
      );
    }
    this.#line.send({ type: 'group', cgroup: folders[0] ?? null });
    if (job.spec.type === 'build') this.#prepareEntrance();
  }

  /** Ends all that runs, removes what is left of sandboxes, and says what was used. The console stays open. */
  async close(): Promise<Usage | null> {
    this.#watch.close();
    this.#line.close();
    const usage = this.#group.usage();
    this.#runner.close();
    await (await this.#takeEntrance())?.close();
    try {
      await this.#group.close();
      await this.#runner.ended();
    } finally {
      for (const sandbox of this.#sandboxes) {
        await sandbox.close().catch(() => this.console.log('warning', 'A sandbox could not be removed.'));
      }
    }
    return usage;
  }

  #makeContext(): TaskContext {
    const inForce = (): TaskLimits => this.#limits;
    return {
      job: this.job,
      console: this.console,
      get limits() {
        return inForce();
      },
      signal: this.#abort.signal,
      progress: (step, done, total) => this.#line.send({ type: 'progress', step, done, total }),
      facts: facts => this.#line.send({ type: 'facts', ...facts }),
      ask: question => this.#ask(question),
      holdCancel: () => this.#hold(),
      lowerLimits: (asked, file) => this.#lowerLimits(asked, file),
      openSandbox: options => this.#openSandbox(options),
      runTool: (command, options) => this.#runTool(command, options ?? {}),
    };
  }

  /** A lock is given back also by who is stopped: a stop that came too late must not fail what was done. */
  #ask<Q extends Question['type']>(question: Extract<Question, { type: Q }>): Promise<Answers[Q]> {
    const { signal } = question.type === 'unlock' ? new AbortController() : this.#abort;
    return this.#line.ask(question, signal);
  }

  #obey(order: Extract<Command, { type: 'cancel' | 'stop' }>): void {
    const fault =
      order.type === 'cancel'
        ? new Fault('cancelled', 'cancelled', `cancelled by ${order.by}`)
        : new Fault('unavailable', 'interrupted', 'the daemon is stopping');
    this.#stop(fault);
  }

  /** Stops what runs; a publication under way comes to its end first, or disk and record could differ. */
  #stop(fault: Fault): void {
    if (this.#holds > 0) this.#postponed ??= fault;
    else if (!this.#abort.signal.aborted) this.#abort.abort(fault);
  }

  #hold(): () => void {
    this.#abort.signal.throwIfAborted();
    this.#holds++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      if (this.#holds === 0 && this.#postponed) this.#stop(this.#postponed);
    };
  }

  #lowerLimits(asked: Partial<Limits>, file: string): void {
    const { limits, lowered, kept } = lowerLimits(this.#limits, asked);
    if (kept.length > 0) {
      const stay = describeLimits(limits, kept);
      this.console.log('warning', `${file} asks for more than the instance allows; what stays: ${stay}.`);
    }
    if (lowered.length === 0) return;
    this.#limits = limits;
    this.#group.cgroup.limit(limits);
    this.console.log('info', `limits lowered by ${file}: ${describeLimits(limits, lowered)}`);
    const { missing } = this.#group.cgroup;
    const idle = lowered.filter(name => missing.includes(name));
    if (idle.length === 0) return;
    this.console.log(
      'warning',
      `Lowered limits not in force, since no control group takes them: ${idle.join(', ')}.`,
    );
  }

  async #openSandbox(options: SandboxOptions): Promise<OverlaySandbox> {
    this.#abort.signal.throwIfAborted();
    const limits = this.#limits;
    const host: SandboxHost = {
      runner: this.#runner,
      namespace: await this.#enter(),
      filterFor: limits.seccomp ? this.#host.architecture : null,
      processes: this.#group.cgroup.missing.includes('pids') ? limits.pids : 0,
      remove: async folder => removeTree(await this.#enter(), folder),
      takeEntrance: () => this.#takeEntrance(),
      watchDisk: folder => this.#watch.addFolder(folder),
    };
    const sandbox = await OverlaySandbox.open(host, options);
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  #prepareEntrance(): void {
    const { signal } = this.#abort;
    this.#entrance = this.#enter().then(namespace => new Entrance(this.#runner, namespace, signal));
    this.#entrance.catch(() => undefined);
  }

  /** Null where it was taken before, or could not be made: then entering says why. */
  async #takeEntrance(): Promise<Entrance | null> {
    const entrance = this.#entrance;
    this.#entrance = null;
    return entrance === null ? null : entrance.catch(() => null);
  }

  #enter(): Promise<Namespace> {
    this.#namespace ??= findNamespace(this.#host.uid);
    return this.#namespace;
  }

  async #runTool(command: readonly string[], options: ToolOptions): Promise<ToolResult> {
    const mapped = options.mapped ? (await this.#enter()).mapped : [];
    if (options.show) return this.#showTool([...mapped, ...command], options);
    return runTool([...mapped, ...command], options, {
      signal: this.#abort.signal,
      env: TOOL_ENV,
      onStart: pid => this.#group.add(pid, false),
      onExit: pid => this.#group.forget(pid),
    });
  }

  /** A tool whose output belongs in the journal. Its code is given back when accepted, as without `show`. */
  async #showTool(command: readonly string[], options: ToolOptions): Promise<ToolResult> {
    const end = await this.#runner.run({
      command,
      env: { ...TOOL_ENV, ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      holder: false,
    });
    const code = end.code ?? 128;
    if (end.signal !== null || !(options.accept ?? [0]).includes(code)) {
      const how = end.signal === null ? `ended with code ${code}` : `was ended by ${end.signal}`;
      throw new Fault('internal', end.signal === null ? 'internal' : 'killed', `${command[0]} ${how}`, {
        code,
      });
    }
    return { exitCode: code, stdout: Buffer.alloc(0), stderr: '' };
  }

  async #measure(folder: string): Promise<number> {
    const options: ToolOptions = { mapped: true, accept: [0, 1], timeout: MEASURING };
    const { stdout } = await this.#runTool(['du', '-sx', '--block-size=1', '--', folder], options);
    return Number.parseInt(stdout.toString('utf8'), 10) || 0;
  }
}
