/** Journals for readers without a terminal: what would move a cursor or set a title is taken out. */
import { COMMAND, decodeEnd, decodeLog, type Frame, FrameReader, LEVEL } from '../../proto/frame.ts';
import { write } from '../http/json.ts';

/**
 * Terminal output as text: escape sequences (CSI; OSC, DCS, PM, APC, SOS with their strings) and control characters but
 * line feed and tab are dropped, however the output is cut into chunks. After ECMA-48.
 */
class PlainText {
  readonly #decoder = new TextDecoder('utf-8');
  #state: 'text' | 'escape' | 'sequence' | 'string' | 'string-escape' = 'text';
  #returned = false;

  push(bytes: Uint8Array): string {
    return this.#clean(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What an unfinished character at the end leaves. */
  end(): string {
    return this.#clean(this.#decoder.decode());
  }

  #clean(text: string): string {
    let clean = '';
    for (const char of text) {
      if (this.#state === 'text') clean += this.#text(char);
      else this.#skip(char);
    }
    return clean;
  }

  #text(char: string): string {
    const code = char.codePointAt(0) ?? 0;
    // A lone return goes back to the line's start, as progress bars do: their states become lines.
    const lead = this.#returned && char !== '\n' && char !== '\r' ? '\n' : '';
    if (char === '\r') {
      this.#returned = true;
      return '';
    }
    if (char === '\u001b') this.#state = 'escape';
    else if (char === '\u009b') this.#state = 'sequence';
    else if (
      char === '\u009d' ||
      char === '\u0090' ||
      char === '\u0098' ||
      char === '\u009e' ||
      char === '\u009f'
    )
      this.#state = 'string';
    if (code < 0x20 && char !== '\n' && char !== '\t') return '';
    if (code >= 0x7f && code <= 0x9f) return '';
    if (isDirection(code)) return '\ufffd';
    this.#returned = false;
    return lead + char;
  }

  #skip(char: string): void {
    const code = char.codePointAt(0) ?? 0;
    if (this.#state === 'escape') {
      if (char === '[') this.#state = 'sequence';
      else if (']PX^_'.includes(char)) this.#state = 'string';
      // Intermediate characters of a longer escape come before its final one.
      else if (code < 0x20 || code > 0x2f) this.#state = 'text';
    } else if (this.#state === 'sequence') {
      if (code >= 0x40 && code <= 0x7e) this.#state = 'text';
    } else if (char === '\u0007' || char === '\u009c' || char === '\n') {
      // A line feed ends a string that never would: no escape may swallow the rest of a log.
      this.#state = 'text';
    } else {
      this.#state = this.#state === 'string-escape' && char === '\\' ? 'text' : 'string';
      if (char === '\u001b') this.#state = 'string-escape';
    }
  }
}

/** Characters that turn the direction of text around them, so that it reads other than it is. */
function isDirection(code: number): boolean {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

async function* framesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const reader = new FrameReader();
  for await (const chunk of chunks) yield* reader.push(chunk);
}

const LEVEL_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(LEVEL).map(([name, level]) => [level, name]),
);

/** The journal as plain text: output as it was, messages on lines of their own. */
export async function* toText(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const plain = new PlainText();
  let midLine = false;
  for await (const frame of framesOf(chunks)) {
    let text = '';
    if (frame.command === COMMAND.bytes) text = plain.push(frame.payload);
    else if (frame.command === COMMAND.log) {
      const log = decodeLog(frame.payload);
      if (!log || log.level === LEVEL.debug) continue;
      const level = log.level === LEVEL.info ? '' : `${LEVEL_NAMES.get(log.level) ?? log.level}: `;
      text = `${midLine ? '\n' : ''}${level}${plainOf(log.text)}\n`;
    }
    if (text === '') continue;
    midLine = !text.endsWith('\n');
    yield text;
  }
}

/**
 * One JSON object a line: `{"type":"log","level":…,"text":…}`, `{"type":"output","text":…}`, `{"type":"heartbeat"}`, and
 * at the end `{"type":"end","result":"success"|"failed","reason":…}`.
 */
export async function* toLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const plain = new PlainText();
  for await (const frame of framesOf(chunks)) {
    const line = lineOf(frame, plain);
    if (line !== null) yield `${write(line)}\n`;
  }
}

function lineOf(frame: Frame, plain: PlainText): Record<string, string> | null {
  if (frame.command === COMMAND.heartbeat) return { type: 'heartbeat' };
  if (frame.command === COMMAND.bytes) {
    const text = plain.push(frame.payload);
    return text === '' ? null : { type: 'output', text };
  }
  const end = decodeEnd(frame);
  if (end) return { type: 'end', result: end.succeeded ? 'success' : 'failed', reason: plainOf(end.reason) };
  const log = frame.command === COMMAND.log ? decodeLog(frame.payload) : null;
  if (!log) return null;
  return { type: 'log', level: LEVEL_NAMES.get(log.level) ?? String(log.level), text: plainOf(log.text) };
}

function plainOf(text: string): string {
  const plain = new PlainText();
  return plain.push(Buffer.from(text, 'utf8')) + plain.end();
}
