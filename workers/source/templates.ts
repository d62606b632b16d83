/** Renders templates in a child process of their own: time, memory and output are bounded, and it can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../proto/fault.ts';
import { processStat } from '../process-stat.ts';
import { toLine } from './jinja/json.ts';
import type { RenderAnswer, RenderRequest } from './rendering.ts';

/**
 * Milliseconds of processor time that one template may take (hardening section 3): on a busy machine a second passes
 * while a harmless one waits for its turn.
 */
const TIMEOUT = 1000;
/** Milliseconds until the child is given up, loading the engine or rendering, however little it got done. */
const PATIENCE = 60_000;
/** Milliseconds between looks at what a late template has used, at least; and those of a tick of /proc. */
const LOOK = 50;
const TICK = 10;
/** Bytes that one template may give (hardening section 3), and characters of the line that carries them. */
const MAX_OUTPUT = 4 * 1024 * 1024;
const MAX_LINE = 6 * MAX_OUTPUT + 1024;
/** Megabytes of heap of the child. */
const MAX_HEAP = 128;
/** Seconds of processor time of the child in all, as a bound on what a killed daemon leaves behind. */
const MAX_CPU = 600;
/** Characters kept of what the child says about itself. */
const MAX_COMPLAINT = 2000;
/** Bytes of a template. */
const MAX_TEMPLATE = 1024 * 1024;

const ENTRY = fileURLToPath(new URL('./rendering.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** One child, started by the first template and kept for the next ones. Use one at a time; `close()` when done. */
export class TemplateRenderer {
  readonly #signal: AbortSignal;
  #child: ChildProcess | null = null;
  #lines: AsyncIterator<string> | null = null;
  #warm = false;
  #complaint = '';
  /** Ends with the child, once all that it said is read. */
  #ended: Promise<void> = Promise.resolve();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Renders a text that is called `name` in messages. Throws `bad-template` naming it, the line and what is wrong. */
  async render(name: string, template: string, context: Readonly<Record<string, unknown>>): Promise<string> {
    this.#signal.throwIfAborted();
    if (template.length > MAX_TEMPLATE) throw bad(name, `is larger than ${MAX_TEMPLATE} bytes`);
    if (!this.#warm) {
      await this.#start();
      this.#warm = true;
    }
    const answer = await this.#exchange(name, { name, template, context, maxOutput: MAX_OUTPUT }, TIMEOUT);
    if ('error' in answer) throw bad(name, answer.error);
    return answer.output;
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
    this.#lines = null;
    this.#warm = false;
  }

  /** Has the child load the engine. What goes wrong here is no template's fault. */
  async #start(): Promise<void> {
    const request = { name: 'start', template: '', context: {}, maxOutput: 0 };
    try {
      await this.#exchange('start', request, PATIENCE);
    } catch (error) {
      if (!(error instanceof Fault) || error.reason !== 'bad-template') throw error;
      await this.#ended;
      const cause = /^\w*Error.*$/m.exec(this.#complaint)?.[0] ?? (this.#complaint.trim() || error.message);
      throw new Fault('internal', 'internal', `the template renderer did not start: ${cause}`);
    }
  }

  /** `limit` in milliseconds of the child's processor time. */
  async #exchange(name: string, request: RenderRequest, limit: number): Promise<RenderAnswer> {
    const lines = this.#open();
    const pid = this.#child?.pid ?? 0;
    const [began, before] = [performance.now(), usedBy(pid)];
    this.#child?.stdin?.write(toLine(request));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<number>(resolve => {
      const look = (): void => {
        const passed = performance.now() - began;
        const now = usedBy(pid);
        // Where nobody counts, all the time that has passed is taken for its own.
        const left = limit - (before === null || now === null ? passed : now - before);
        if (left <= 0 || passed >= PATIENCE) resolve(left <= 0 ? limit : PATIENCE);
        else timer = setTimeout(look, Math.max(LOOK, left));
      };
      timer = setTimeout(look, limit);
    });
    const stop = (): void => this.close();
    this.#signal.addEventListener('abort', stop);
    try {
      const line = await Promise.race([lines.next(), late]);
      if (typeof line === 'number') throw bad(name, `takes longer than ${line / 1000} s`);
      if (line.done === true) {
        this.#signal.throwIfAborted();
        throw bad(name, `needs more than ${MAX_HEAP} MB of memory, or ended its renderer`);
      }
      if (line.value.length > MAX_LINE) throw bad(name, `gives more than ${MAX_OUTPUT} bytes`);
      return JSON.parse(line.value) as RenderAnswer;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', stop);
    }
  }

  #open(): AsyncIterator<string> {
    if (this.#lines !== null) return this.#lines;
    // Without the user namespace only root may leave the network. The child gives up root itself, and with it a signal
    // that would end it with us; so that it can't go on for ever then, its time is bounded.
    const enter =
      process.getuid?.() === 0
        ? ['--net', '--', 'prlimit', `--cpu=${MAX_CPU}`]
        : ['--user', '--net', '--', 'setpriv', '--pdeathsig', 'KILL'];
    const node = [
      `--max-old-space-size=${MAX_HEAP}`,
      '--permission',
      `--allow-fs-read=${ROOT}*`,
      '--no-warnings',
    ];
    this.#child = spawn('unshare', [...enter, '--', process.execPath, ...node, ENTRY], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { NODE_PENDING_DEPRECATION: '0' },
    });
    const child = this.#child;
    this.#ended = new Promise(resolve => {
      child.on('error', () => resolve());
      child.on('close', () => resolve());
    });
    this.#child.stdin?.on('error', () => undefined);
    this.#complaint = '';
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      if (this.#complaint.length < MAX_COMPLAINT) this.#complaint += chunk.toString().slice(0, MAX_COMPLAINT);
    });
    const output = this.#child.stdout;
    if (!output) throw new Fault('internal', 'internal', 'the template renderer has no output');
    this.#lines = createInterface({ input: output })[Symbol.asyncIterator]();
    return this.#lines;
  }
}

/** Milliseconds of processor time that a process has used; null where that is not to be seen. */
function usedBy(pid: number): number | null {
  const stat = processStat(pid);
  return stat === null ? null : stat.ticks * TICK;
}

function bad(name: string, what: string): Fault {
  return new Fault('invalid', 'bad-template', `template ${name}: ${what}`, { template: name });
}
