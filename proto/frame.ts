/**
 * The console protocol: frames to bytes and back.
 *
 * A frame is an eight-byte header (command uint16 LE, two bytes of padding, payload size uint32 LE) and its payload.
 * Journals are these frames in order; sockets and the HTTP watch carry the same. The layout is that of the existing
 * `fatbuildrctl` client (2.1).
 */

export const COMMAND = {
  log: 0,
  bytes: 1,
  rawEnable: 2,
  rawDisable: 3,
  winch: 4,
  heartbeat: 100,
} as const;

/** Levels of LOG frames, as Python's logging numbers them. */
export const LEVEL = { debug: 10, info: 20, warning: 30, error: 40, critical: 50 } as const;
export type Level = keyof typeof LEVEL;

export const HEADER_SIZE = 8;
/** The largest payload that is written or accepted, in bytes. */
export const MAX_PAYLOAD = 65_536;

/** Words that the text of only the last frame begins with: the existing client stops reading there. */
const END_TEXT = /^Task (succeeded|failed)/;
/** That frame's payload. */
const END = /^20:Task (succeeded|failed)/;
/** Bytes that show whether a text begins with them. */
const END_WORDS = 17;

export interface Frame {
  readonly command: number;
  readonly payload: Buffer;
}

/** One frame as bytes. Throws RangeError when the payload is above MAX_PAYLOAD. */
export function encodeFrame(command: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  if (payload.length > MAX_PAYLOAD) throw new RangeError(`frame payload of ${payload.length} bytes`);
  const bytes = Buffer.allocUnsafe(HEADER_SIZE + payload.length);
  bytes.writeUInt16LE(command, 0);
  bytes.writeUInt16LE(0, 2);
  bytes.writeUInt32LE(payload.length, 4);
  bytes.set(payload, HEADER_SIZE);
  return bytes;
}

/** A LOG frame. An empty text becomes one blank, and a text that looks like an end's is quoted at any level. */
export function encodeLog(level: Level, text: string): Buffer {
  const shown = text === '' ? ' ' : text;
  return encodeFrame(COMMAND.log, cut(`${LEVEL[level]}:${END_TEXT.test(shown) ? `"${shown}"` : shown}`));
}

/** The last frame of a task. */
export function encodeEnd(succeeded: boolean, reason = ''): Buffer {
  const words = succeeded ? 'Task succeeded' : 'Task failed';
  return encodeFrame(COMMAND.log, cut(`20:${words}${reason === '' ? '' : `: ${reason}`}`));
}

/** Terminal output as frames of at most MAX_PAYLOAD bytes; nothing for empty output. */
export function encodeBytes(output: Uint8Array): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < output.length; at += MAX_PAYLOAD) {
    frames.push(encodeFrame(COMMAND.bytes, output.subarray(at, at + MAX_PAYLOAD)));
  }
  return frames;
}

/** Terminal size for WINCH: rows and columns, uint16 LE each. */
export function encodeWinch(rows: number, columns: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt16LE(rows & 0xffff, 0);
  payload.writeUInt16LE(columns & 0xffff, 2);
  return encodeFrame(COMMAND.winch, payload);
}

/** Rows and columns of a WINCH payload; null when it is not four bytes or a size is zero. */
export function decodeWinch(payload: Buffer): { rows: number; columns: number } | null {
  if (payload.length !== 4) return null;
  const size = { rows: payload.readUInt16LE(0), columns: payload.readUInt16LE(2) };
  return size.rows > 0 && size.columns > 0 ? size : null;
}

/** What a LOG payload says; null for what is not `{level}:{text}`. */
export function decodeLog(payload: Buffer): { level: number; text: string } | null {
  const match = /^(\d{1,3}):([\s\S]*)$/.exec(payload.toString('utf8'));
  return match ? { level: Number(match[1]), text: match[2] ?? '' } : null;
}

/** Whether a frame is the end frame, and what it says; null for every other frame. */
export function decodeEnd(frame: Frame): { succeeded: boolean; reason: string } | null {
  if (frame.command !== COMMAND.log) return null;
  const match = /^20:Task (succeeded|failed)(?:: ([\s\S]*))?$/.exec(frame.payload.toString('utf8'));
  return match ? { succeeded: match[1] === 'succeeded', reason: match[2] ?? '' } : null;
}

/**
 * Bytes of a journal up to where it goes on: whole frames only, and no end frame, since an attempt whose end was never
 * recorded is made again. `read` fills a buffer from a position and answers how many bytes there were.
 */
export function resumableLength(read: (into: Buffer, position: number) => number): number {
  const chunk = Buffer.allocUnsafe(4 * (HEADER_SIZE + MAX_PAYLOAD));
  for (let length = 0; ; ) {
    const bytes = chunk.subarray(0, read(chunk, length));
    let at = 0;
    while (at + HEADER_SIZE <= bytes.length) {
      const size = bytes.readUInt32LE(at + 4);
      const next = at + HEADER_SIZE + size;
      if (size > MAX_PAYLOAD || next > bytes.length) break;
      const words = bytes.toString('latin1', at + HEADER_SIZE, Math.min(next, at + HEADER_SIZE + END_WORDS));
      if (bytes.readUInt16LE(at) === COMMAND.log && END.test(words)) return length + at;
      at = next;
    }
    if (at === 0) return length;
    length += at;
  }
}

/**
 * Cuts a byte stream into frames, however it was split. Memory stays below one frame. A declared size above
 * MAX_PAYLOAD throws RangeError before anything is allocated; the reader must then close its stream.
 */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** Bytes held back because their frame is not whole yet. */
  get pending(): number {
    return this.#rest.length;
  }

  *push(chunk: Uint8Array): Generator<Frame> {
    let bytes = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      if (bytes.length < HEADER_SIZE) break;
      const size = bytes.readUInt32LE(4);
      if (size > MAX_PAYLOAD) throw new RangeError(`frame declares ${size} bytes`);
      if (bytes.length < HEADER_SIZE + size) break;
      yield { command: bytes.readUInt16LE(0), payload: bytes.subarray(HEADER_SIZE, HEADER_SIZE + size) };
      bytes = bytes.subarray(HEADER_SIZE + size);
    }
    this.#rest = Buffer.from(bytes);
  }
}

/** UTF-8 bytes of a text, cut at a character so that they fit one payload. */
function cut(text: string): Buffer {
  const bytes = Buffer.from(text.toWellFormed(), 'utf8');
  if (bytes.length <= MAX_PAYLOAD) return bytes;
  let end = MAX_PAYLOAD;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
