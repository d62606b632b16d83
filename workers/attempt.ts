/** One attempt at a task: everything that its work may use, joined, and taken apart again when it ends. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { Fault } from '../proto/fault.ts';
import { TaskConsole } from './console/console.ts';
import type { SandboxOptions, TaskContext, ToolOptions, ToolResult } from './context.ts';
import { noteGroups, TaskGroup } from './group.ts';
import type { Command, Job, TaskLimits } from './job.ts';
import { LimitWatch } from './limits.ts';
import { Line } from './line.ts';
import { Runner } from './runner.ts';
import { hierarchies, type Usage, usableGroup } from './sandbox/cgroup.ts';
import { findNamespace, type Namespace } from './sandbox/namespace.ts';
import { OverlaySandbox, type SandboxHost } from './sandbox/sandbox.ts';
import { runTool } from './tool.ts';

/** File in a workspace that names the control groups of the running attempt. */
export const GROUPS_FILE = 'task.groups';
/** Milliseconds for removing a sandbox's files. */
const REMOVAL = 10 * 60 * 1000;
/** Environment of trusted tools: what they need to behave the same everywhere. */
const TOOL_ENV = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
} as const;

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
  #namespace: Promise<Namespace> | null = null;
  /** While a publication is under way, what was ordered waits here. */
  #holds = 0;
  #ordered: Fault | null = null;

  private constructor(job: Job, port: MessagePort, host: Host, console: TaskConsole, abort: AbortController) {
    this.job = job;
    this.console = console;
    this.#host = host;
    this.#abort = abort;
    const places = hierarchies(
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readFileSync('/proc/self/cgroup', 'utf8'),
      usableGroup,
    );
    this.#group = new TaskGroup(places, job.task, job.settings.limits);
    this.#runner = new Runner({ console, group: this.#group, signal: abort.signal, task: job.task });
    this.#watch = new LimitWatch(
      job.settings.limits,
      {
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

  /** Opens console, groups and line. The journal tells when an attempt goes on, and which limits are not in force. */
  static async open(job: Job, port: MessagePort, host: Host): Promise<Attempt> {
    const abort = new AbortController();
    const { limits, debug } = job.settings;
    const console = await TaskConsole.open({
      journal: job.journal,
      socket: job.console,
      limit: limits.journal,
      debug,
      interactive: job.interactive,
      onFull: fault => abort.abort(fault),
    });
    try {
      const attempt = new Attempt(job, port, host, console, abort);
      if (job.attempt > 1)
        console.log('warning', `The task was interrupted; this is attempt ${job.attempt}.`);
      const { folders, missing } = attempt.#group.cgroup;
      noteGroups(join(job.place, GROUPS_FILE), folders);
      if (missing.length > 0) {
        console.log(
          'warning',
          `Limits not in force, since the host delegates no control group for them: ${missing.join(', ')}.`,
        );
      }
      attempt.#line.send({ type: 'group', cgroup: folders[0] ?? null });
      return attempt;
    } catch (error) {
      console.close();
      throw error;
    }
  }

  /** Ends all that runs, removes what is left of sandboxes, and says what was used. The console stays open. */
  async close(): Promise<Usage | null> {
    this.#watch.close();
    this.#line.close();
    const usage = this.#group.usage();
    try {
      await this.#group.close();
    } finally {
      for (const sandbox of this.#sandboxes) {
        await sandbox.close().catch(() => this.console.log('warning', 'A sandbox could not be removed.'));
      }
    }
    return usage;
  }

  #makeContext(): TaskContext {
    return {
      job: this.job,
      console: this.console,
      signal: this.#abort.signal,
      progress: (step, done, total) => this.#line.send({ type: 'progress', step, done, total }),
      facts: facts => this.#line.send({ type: 'facts', ...facts }),
      ask: question => this.#line.ask(question, this.#abort.signal),
      holdCancel: () => this.#hold(),
      openSandbox: options => this.#openSandbox(options),
      runTool: (command, options) => this.#runTool(command, options ?? {}),
    };
  }

  #obey(order: Extract<Command, { type: 'cancel' | 'stop' }>): void {
    const fault =
      order.type === 'cancel'
        ? new Fault('cancelled', 'cancelled', `cancelled by ${order.by}`)
        : new Fault('unavailable', 'interrupted', 'the daemon is stopping');
    if (this.#holds > 0) this.#ordered ??= fault;
    else this.#stop(fault);
  }

  #stop(fault: Fault): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(fault);
  }

  #hold(): () => void {
    this.#abort.signal.throwIfAborted();
    this.#holds++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      if (this.#holds === 0 && this.#ordered) this.#stop(this.#ordered);
    };
  }

  async #openSandbox(options: SandboxOptions): Promise<OverlaySandbox> {
    this.#abort.signal.throwIfAborted();
    const limits: TaskLimits = { ...this.job.settings.limits, ...options.limits };
    const host: SandboxHost = {
      runner: this.#runner,
      namespace: await this.#enter(),
      filterFor: limits.seccomp ? this.#host.architecture : null,
      processes: this.#group.cgroup.missing.includes('pids') ? limits.pids : 0,
      remove: folder => this.#remove(folder),
      watchDisk: folder => this.#watch.addFolder(folder),
    };
    const sandbox = await OverlaySandbox.open(host, options);
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  #enter(): Promise<Namespace> {
    this.#namespace ??= findNamespace(this.#host.uid);
    return this.#namespace;
  }

  async #runTool(
    command: readonly string[],
    options: ToolOptions,
    signal = this.#abort.signal,
  ): Promise<ToolResult> {
    const mapped = options.mapped ? (await this.#enter()).mapped : [];
    if (options.show) return this.#showTool([...mapped, ...command], options);
    return runTool([...mapped, ...command], options, {
      signal,
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

  /** Removes files whatever ids own them, also when the task was stopped. */
  async #remove(folder: string): Promise<void> {
    const command = ['rm', '-rf', '--one-file-system', '--', folder];
    await this.#runTool(command, { mapped: true, timeout: REMOVAL }, new AbortController().signal);
  }

  async #measure(folder: string): Promise<number> {
    const options: ToolOptions = { mapped: true, accept: [0, 1], timeout: REMOVAL };
    const { stdout } = await this.#runTool(['du', '-sx', '--block-size=1', '--', folder], options);
    return Number.parseInt(stdout.toString('utf8'), 10) || 0;
  }
}
