/** The journal of a task: frames in order in one file, bounded, never torn, and ended by words even on a full disk. */
import {
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { errorCode, Fault } from '../../proto/fault.ts';
import { resumableLength } from '../../proto/frame.ts';

/** Bytes of a journal beyond its limit that are kept for the lines that say how the task ended. */
const RESERVE = 64 * 1024;
/** Bytes of the file beside the journal whose removal makes room for the last words on a full disk. */
const LAST_WORDS = 16 * 1024;
/** Bytes more of it that go first: for what a tool says that has filled the disk itself. */
const FAREWELL = 16 * 1024;
/** Bytes between remembered frame starts, and how many of them: enough to resume a reader near the end. */
const STRIDE = 64 * 1024;
const STARTS = 64;

/** Appends to a journal. Everything in it up to `size` is whole frames. */
export class Transcript {
  readonly #fd: number;
  readonly #reserve: string;
  readonly #limit: number;
  #size: number;
  #starts: number[] = [];
  /** Set when no further output is taken. */
  #fault: Fault | null = null;
  #isFarewellTaken = false;
  #isClosed = false;

  /**
   * Opens or continues a journal: a torn frame at its end is cut off, and an end frame too, since the task goes on.
   * `limit` in bytes, 0 = none.
   */
  constructor(file: string, limit: number) {
    this.#fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o640);
    this.#limit = limit;
    this.#reserve = `${file}.reserve`;
    try {
      this.#size = resumableLength((into, at) => readSync(this.#fd, into, 0, into.length, at));
      ftruncateSync(this.#fd, this.#size);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
    try {
      writeFileSync(this.#reserve, Buffer.alloc(LAST_WORDS + FAREWELL, 'reserve '), { mode: 0o640 });
    } catch {
      // The disk is full already: the first frame will find out and say so.
    }
    this.#starts.push(this.#size);
  }

  /** Bytes of whole frames. */
  get size(): number {
    return this.#size;
  }

  /** Why output is refused: `log-limit` or `journal-full`; null while it is taken. */
  get fault(): Fault | null {
    return this.#fault;
  }

  /**
   * Appends whole frames. Output beyond the limit is dropped and noted in `fault`; lines (`must`) have a reserve. On a
   * full disk the frame is taken back whole. Never throws for those two. Nothing is taken once it is closed: the number
   * of its descriptor may be another file's.
   */
  append(frames: Buffer, must: boolean): void {
    if (this.#isClosed) return;
    if (this.#fault?.reason === 'journal-full' && !must) return;
    const limit = this.#limit + (must ? RESERVE : 0);
    if (this.#limit > 0 && this.#size + frames.length > limit) {
      this.#fault ??= new Fault(
        'exhausted',
        'log-limit',
        `the journal has reached its limit of ${this.#limit} bytes`,
        {
          limit: this.#limit,
        },
      );
      return;
    }
    if (this.#write(frames) || (this.#takeFarewell() && this.#write(frames))) return;
    this.#fault ??= new Fault('unavailable', 'journal-full', 'no space is left for the journal');
    if (must) this.#squeezeIn(frames);
  }

  /** Start of a frame at most `back` bytes before the end, for a reader that has fallen behind. */
  resumeNear(back: number): number {
    return this.#starts.find(start => start >= this.#size - back) ?? this.#size;
  }

  /** Reads journal bytes from a place; the answer may be shorter than asked. */
  read(position: number, into: Buffer): Buffer {
    const size = Math.min(into.length, this.#size - position);
    return size <= 0 ? into.subarray(0, 0) : into.subarray(0, readSync(this.#fd, into, 0, size, position));
  }

  /** Takes the reserve away; the file can still be read. */
  finish(): void {
    try {
      unlinkSync(this.#reserve);
    } catch {
      // Gone already.
    }
  }

  close(): void {
    this.#isClosed = true;
    this.finish();
    closeSync(this.#fd);
  }

  #write(frames: Buffer): boolean {
    try {
      let done = 0;
      while (done < frames.length)
        done += writeSync(this.#fd, frames, done, frames.length - done, this.#size + done);
    } catch (error) {
      ftruncateSync(this.#fd, this.#size);
      if (['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'].includes(errorCode(error))) return false;
      throw error;
    }
    this.#size += frames.length;
    if (this.#size - (this.#starts.at(-1) ?? 0) >= STRIDE) {
      this.#starts.push(this.#size);
      if (this.#starts.length > STARTS) this.#starts.shift();
    }
    return true;
  }

  /** Whether there is some room now that was not there before: once. */
  #takeFarewell(): boolean {
    if (this.#isFarewellTaken) return false;
    this.#isFarewellTaken = true;
    try {
      truncateSync(this.#reserve, LAST_WORDS);
      return true;
    } catch {
      return false;
    }
  }

  /** Room for the last words: what the reserve held, else the place of the last frames, which is on the disk already. */
  #squeezeIn(frames: Buffer): void {
    this.finish();
    if (this.#write(frames)) return;
    const start = this.#starts.findLast(place => place + frames.length <= this.#size);
    if (start === undefined) return;
    this.#size = start;
    try {
      writeSync(this.#fd, frames, 0, frames.length, start);
      this.#size += frames.length;
    } finally {
      ftruncateSync(this.#fd, this.#size);
      this.#starts = this.#starts.filter(place => place <= this.#size);
    }
  }
}
