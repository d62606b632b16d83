/** How a watched task is shown: its output as it is, messages apart from it, and on a terminal a line of progress. */
import { StringDecoder } from 'node:string_decoder';
import { MultiBar, type SingleBar } from 'cli-progress';
import { LEVEL } from '../../proto/frame.ts';
import { showSpan } from './blocks.ts';
import type { Surroundings } from './surroundings.ts';

/** What is being done now. */
export interface Step {
  readonly step: string;
  readonly done: number;
  readonly total: number;
}

/** A way to show a watched task. */
export interface Display {
  /** Terminal output of the task, as it came. */
  output(bytes: Buffer): void;
  /** A message of the task or of ours; levels as in LOG frames. */
  message(level: number, text: string): void;
  progress(step: Step): void;
  /** Whether progress is shown, so that it's worth asking for. */
  readonly wantsProgress: boolean;
  close(): void;
}

/** Messages of at least this level are shown. */
export interface DisplayOptions {
  readonly debug: boolean;
  readonly json: boolean;
}

/** The way that fits where the output goes. */
export function openDisplay(surroundings: Surroundings, options: DisplayOptions): Display {
  if (options.json) return jsonDisplay(surroundings, options.debug);
  const live = surroundings.stderr.isTTY && surroundings.env.TERM !== 'dumb';
  return live ? liveDisplay(surroundings, options.debug) : plainDisplay(surroundings, options.debug);
}

/** Colours of the terminal, unless told otherwise (no-color.org). */
export function colourful(surroundings: Pick<Surroundings, 'env' | 'stderr'>): boolean {
  return surroundings.stderr.isTTY === true && !surroundings.env.NO_COLOR && surroundings.env.TERM !== 'dumb';
}

function levelWord(level: number): string {
  if (level >= LEVEL.critical) return 'critical: ';
  if (level >= LEVEL.error) return 'error: ';
  if (level >= LEVEL.warning) return 'warning: ';
  return level < LEVEL.info ? 'debug: ' : '';
}

function dress(level: number, text: string, colours: boolean): string {
  const line = `${levelWord(level)}${text}`;
  if (!colours) return line;
  if (level >= LEVEL.error) return `\x1b[31m${line}\x1b[0m`;
  if (level >= LEVEL.warning) return `\x1b[33m${line}\x1b[0m`;
  return level < LEVEL.info ? `\x1b[2m${line}\x1b[0m` : `\x1b[1m${line}\x1b[0m`;
}

function plainDisplay(surroundings: Surroundings, debug: boolean): Display {
  const { stdout, stderr } = surroundings;
  return {
    output: bytes => void stdout.write(bytes),
    message: (level, text) => {
      if (level >= LEVEL.info || debug) stderr.write(`${dress(level, text, false)}\n`);
    },
    progress: () => {},
    wantsProgress: false,
    close: () => {},
  };
}

/** A JSON document a line: `output`, `message` and `progress`; the end is told by who watches. */
function jsonDisplay({ stdout }: Surroundings, debug: boolean): Display {
  const decoder = new StringDecoder('utf8');
  const write = (event: object): void => void stdout.write(`${JSON.stringify(event)}\n`);
  return {
    output: bytes => {
      const text = decoder.write(bytes);
      if (text !== '') write({ event: 'output', text });
    },
    message: (level, text) => {
      if (level >= LEVEL.info || debug) write({ event: 'message', level, text });
    },
    progress: step => write({ event: 'progress', ...step }),
    wantsProgress: true,
    close: () => {
      const text = decoder.end();
      if (text !== '') write({ event: 'output', text });
    },
  };
}

/** Longest line without an end that is held back, in characters. */
const MAX_HELD = 4096;
/** Pictures a second of the progress line. */
const FPS = 8;

function liveDisplay(surroundings: Surroundings, debug: boolean): Display {
  const { stdout, stderr, now } = surroundings;
  const colours = colourful(surroundings);
  const started = now();
  const bars = new MultiBar({
    stream: stderr,
    format: '{bar} {count}{what} {span}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 20,
    fps: FPS,
    hideCursor: false,
    clearOnComplete: true,
    linewrap: true,
    // The program has its own way of ending.
    gracefulExit: false,
    forceRedraw: true,
  });
  let bar: SingleBar | null = null;
  let current: Step = { step: '', done: 0, total: 0 };
  const payload = (): object => ({
    count: current.total > 0 ? `${current.done}/${current.total} ` : '',
    what: oneLine(current.step),
    span: showSpan((now() - started) / 1000),
  });
  const ticking = setInterval(() => bar?.update(current.done, payload()), 1000 / FPS);
  ticking.unref();
  const decoder = new StringDecoder('utf8');
  let held = '';
  // The line of progress is at the bottom: whole lines go above it, the rest waits for its end.
  const above = (text: string): void => {
    if (bar) bars.log(text);
    else stderr.write(text);
  };
  const flush = (): void => {
    if (held !== '') above(`${held}\n`);
    held = '';
  };
  return {
    output: bytes => {
      // Into a file or pipe the output goes as it is.
      if (!stdout.isTTY) return void stdout.write(bytes);
      held += decoder.write(bytes);
      const end = held.lastIndexOf('\n') + 1;
      if (end > 0) above(held.slice(0, end));
      held = held.slice(end);
      if (held.length > MAX_HELD) flush();
    },
    message: (level, text) => {
      if (level < LEVEL.info && !debug) return;
      flush();
      above(`${dress(level, text, colours)}\n`);
    },
    progress: step => {
      current = step;
      bar ??= bars.create(Math.max(step.total, 1), step.done, payload());
      bar.setTotal(Math.max(step.total, 1));
      bar.update(step.done, payload());
    },
    wantsProgress: true,
    close: () => {
      clearInterval(ticking);
      held += decoder.end();
      flush();
      if (!bar) return;
      bars.update();
      bars.stop();
      bar = null;
    },
  };
}

function oneLine(text: string): string {
  return text.replace(/[\0-\x1f\x7f-\x9f]+/g, ' ').trim();
}
