/**
 * Reads a large JSON object from a stream, an element of its lists at a time. Answers of big clusters are longer than
 * the engine's longest string; only one element is ever held as text.
 */
import { Fault } from '../../proto/fault.ts';

export interface StreamLimits {
  /** Bytes of the whole body. */
  readonly body: number;
  /** Bytes of one list element, or of one member that is not a list. */
  readonly element: number;
}

const STREAM_LIMITS: StreamLimits = { body: 4 * 1024 ** 3, element: 8 * 1024 * 1024 };

/** Told each element of a list, parsed. */
export type OnElement = (list: string, element: unknown) => void;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Reads the object. Elements of the top-level arrays named in `lists` go to `onElement`, and the arrays are left empty
 * in what is returned, beside every other member. Throws a Fault `slurm-error` for anything that is not such an object,
 * is cut off, or is over a limit.
 */
export async function readLargeObject(
  body: AsyncIterable<Uint8Array>,
  lists: ReadonlySet<string>,
  onElement: OnElement,
  limits: StreamLimits = STREAM_LIMITS,
): Promise<Record<string, unknown>> {
  const scanner = new Scanner(lists, onElement, limits);
  for await (const chunk of body) scanner.push(chunk);
  return scanner.end();
}

class Scanner {
  readonly #lists: ReadonlySet<string>;
  readonly #onElement: OnElement;
  readonly #limits: StreamLimits;
  readonly #rest: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  /** Begins with the value that is being read, `#held` bytes of it; grows by doubling. */
  #carry: Buffer = Buffer.alloc(0);
  #held = 0;
  #total = 0;
  #depth = 0;
  #inString = false;
  /** Inside a string: the byte before was a backslash that escapes. */
  #escaped = false;
  /** Offset in the carried bytes at which the value that is being read began; -1 between values. */
  #start = -1;
  #key: string | null = null;
  #inList = false;
  #done = false;

  constructor(lists: ReadonlySet<string>, onElement: OnElement, limits: StreamLimits) {
    this.#lists = lists;
    this.#onElement = onElement;
    this.#limits = limits;
  }

  push(chunk: Uint8Array): void {
    this.#total += chunk.length;
    if (this.#total > this.#limits.body) throw malformed(`larger than ${this.#limits.body} bytes`);
    const scanned = this.#held;
    const bytes =
      scanned === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : this.#append(chunk);
    const used = this.#scan(bytes, scanned);
    if (this.#start >= 0) this.#start -= used;
    // What began before this chunk and goes on lies where it shall; appended to in place, it is never copied whole.
    if (scanned === 0 || used > 0) {
      this.#held = 0;
      if (used < bytes.length) this.#append(bytes.subarray(used));
    }
    if (this.#held > this.#limits.element) throw malformed(`a member is over ${this.#limits.element} bytes`);
  }

  end(): Record<string, unknown> {
    if (!this.#done) throw malformed(this.#total === 0 ? 'empty answer' : 'cut off');
    return this.#rest;
  }

  /** Adds bytes to those that are held; answers all of them. */
  #append(bytes: Uint8Array): Buffer {
    const held = this.#held + bytes.length;
    if (held > this.#carry.length) {
      const larger = Buffer.allocUnsafe(Math.max(held, 2 * this.#carry.length));
      this.#carry.copy(larger, 0, 0, this.#held);
      this.#carry = larger;
    }
    // The bytes may be the end of those held.
    this.#carry.set(bytes, this.#held);
    this.#held = held;
    return this.#carry.subarray(0, held);
  }

  /** Scans from an offset to the end; answers how many bytes are no longer needed. */
  #scan(bytes: Buffer, from: number): number {
    const end = bytes.length;
    let at = from;
    while (at < end) {
      if (this.#inString) {
        at = this.#skipString(bytes, at);
        continue;
      }
      const byte = bytes[at] as number;
      switch (byte) {
        case QUOTE:
          this.#begin(at);
          this.#inString = true;
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this.#open(byte, at);
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#close(bytes, at);
          break;
        case COMMA:
        case COLON:
          this.#separate(bytes, byte, at);
          break;
        default:
          // Blanks separate; anything else belongs to a number or a word.
          if (byte > 0x20) this.#begin(at);
      }
      at++;
    }
    return this.#start >= 0 ? this.#start : end;
  }

  /** Moves behind the string's end, or to the end of the bytes. */
  #skipString(bytes: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at++;
    }
    // A plain loop: most strings are short, and a search for backslashes would run to the end of the bytes each time.
    const end = bytes.length;
    while (at < end) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#inString = false;
        return at + 1;
      }
      at += byte === BACKSLASH ? 2 : 1;
    }
    this.#escaped = at > end;
    return end;
  }

  /** A value begins here, when it is one that we cut out: a member of the object, or an element of a list. */
  #begin(at: number): void {
    if (this.#done) throw malformed('text behind the object');
    if (this.#depth === 0) throw malformed('not a JSON object');
    if (this.#start < 0 && this.#depth === (this.#inList ? 2 : 1)) this.#start = at;
  }

  #open(byte: number, at: number): void {
    if (this.#depth === 0) {
      if (byte !== OPEN_BRACE || this.#done) throw malformed('not a JSON object');
    } else if (
      this.#depth === 1 &&
      byte === OPEN_BRACKET &&
      this.#key !== null &&
      this.#lists.has(this.#key)
    ) {
      this.#inList = true;
      this.#rest[this.#key] = [];
    } else this.#begin(at);
    this.#depth++;
  }

  #close(bytes: Buffer, at: number): void {
    if (this.#inList && this.#depth === 2) {
      this.#element(bytes, at);
      this.#inList = false;
      this.#key = null;
    } else if (this.#depth === 1) {
      this.#member(bytes, at);
      this.#done = true;
    }
    this.#depth--;
    if (this.#depth < 0) throw malformed('unbalanced brackets');
  }

  #separate(bytes: Buffer, byte: number, at: number): void {
    if (this.#inList && this.#depth === 2) this.#element(bytes, at);
    else if (this.#depth === 1 && byte === COLON) {
      const key = this.#cut(bytes, at);
      if (typeof key !== 'string' || this.#key !== null) throw malformed('a member without a name');
      this.#key = key;
    } else if (this.#depth === 1) this.#member(bytes, at);
  }

  #element(bytes: Buffer, end: number): void {
    if (this.#start < 0 || this.#key === null) return;
    this.#onElement(this.#key, this.#cut(bytes, end));
  }

  #member(bytes: Buffer, end: number): void {
    if (this.#start < 0) return;
    if (this.#key === null) throw malformed('a member without a name');
    this.#rest[this.#key] = this.#cut(bytes, end);
    this.#key = null;
  }

  #cut(bytes: Buffer, end: number): unknown {
    const text = bytes.toString('utf8', this.#start, end);
    this.#start = -1;
    try {
      return JSON.parse(text);
    } catch {
      throw malformed('not valid JSON');
    }
  }
}

function malformed(what: string): Fault {
  return new Fault('unavailable', 'slurm-error', `slurmrestd answered malformed JSON: ${what}`);
}
