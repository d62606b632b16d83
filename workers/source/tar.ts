/** Reads tar streams (POSIX pax, GNU, ustar, v7) member by member, judging nothing: `vetting.ts` does. */
import { Fault } from '../../proto/fault.ts';
import { isTarHeader } from './compression.ts';

/** A member of an archive as its headers, overrides applied, declare it. Names are raw bytes. */
export interface Member {
  readonly name: Buffer;
  readonly type: 'file' | 'directory' | 'symlink' | 'hardlink' | 'other';
  /** Of links; empty otherwise. */
  readonly target: Buffer;
  /** Bytes it unpacks to; of a sparse member its size with the holes. */
  readonly size: number;
  readonly executable: boolean;
  /** Its stored bytes. Whatever is left unread is skipped. */
  data(): AsyncGenerator<Buffer>;
}

const BLOCK = 512;
/** Bytes of a long name or of a pax header; hardening R7 caps names at 4,096. */
const MAX_OVERRIDE = 64 * 1024;

/** What pax and GNU headers say of the member that follows them. */
interface Override {
  name?: Buffer;
  target?: Buffer;
  size?: number;
  /** Size with the holes of a sparse member. */
  realSize?: number;
}

/**
 * Members in order. Throws `corrupt-archive` for a cut stream, a bad header, or anything but zeros behind the end.
 * `marked`: the end must be marked by a block of zeros, since nothing else would show that a plain tar was cut.
 */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
  label: string,
  marked: boolean,
): AsyncGenerator<Member> {
  const stream = new ByteStream(chunks, label);
  try {
    yield* membersOf(stream, label, marked);
  } finally {
    await stream.close();
  }
}

async function* membersOf(stream: ByteStream, label: string, marked: boolean): AsyncGenerator<Member> {
  let global: Override = {};
  let next: Override = {};
  for (;;) {
    const header = await stream.block();
    if (header === null && marked)
      throw corrupt(label, `ends without its end mark, at byte ${stream.position}`);
    if (header === null || header.every(byte => byte === 0)) {
      await stream.onlyZeros();
      return;
    }
    if (!isTarHeader(header)) throw corrupt(label, `no tar header at byte ${stream.position - BLOCK}`);
    const flag = String.fromCharCode(header[156] ?? 0);
    const stored = number(header, 124, 12, label);
    if (flag === 'L' || flag === 'K' || flag === 'x' || flag === 'g') {
      const text = await stream.override(stored);
      if (flag === 'L') next.name = untilNul(text);
      else if (flag === 'K') next.target = untilNul(text);
      else if (flag === 'x') next = { ...next, ...paxRecords(text, label) };
      else global = { ...global, ...paxRecords(text, label) };
      continue;
    }
    const override = { ...global, ...next };
    next = {};
    if (flag === 'S') await sparseExtensions(header, stream);
    const size = override.size ?? stored;
    const body = stream.body(
      flag === '0' || flag === '\0' || flag === '7' || flag === 'S' || !isKnown(flag) ? size : 0,
    );
    yield {
      name: override.name ?? headerName(header),
      type: typeOf(flag, override.name ?? headerName(header)),
      target: override.target ?? untilNul(header.subarray(157, 257)),
      size: flag === 'S' ? number(header, 483, 12, label) : (override.realSize ?? size),
      executable: (number(header, 100, 8, label) & 0o100) !== 0,
      data: () => body.read(),
    };
    await body.skip();
  }
}

function isKnown(flag: string): boolean {
  return '\x0001234567S'.includes(flag);
}

function typeOf(flag: string, name: Buffer): Member['type'] {
  switch (flag) {
    case '0':
    case '\0':
    case '7':
    case 'S':
      // Old tars mark a directory by the slash alone.
      return name.at(-1) === 0x2f ? 'directory' : 'file';
    case '1':
      return 'hardlink';
    case '2':
      return 'symlink';
    case '5':
      return 'directory';
    default:
      return 'other';
  }
}

function headerName(header: Buffer): Buffer {
  const name = untilNul(header.subarray(0, 100));
  const prefix = untilNul(header.subarray(345, 500));
  // The prefix field is ustar's; GNU's own magic ("ustar  ") keeps other things there.
  const posix = header.subarray(257, 263).toString('latin1') === 'ustar\0';
  return posix && prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name;
}

function untilNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end));
}

/** A numeric field: octal text, or base 256 where the first bit is set (GNU). */
function number(header: Buffer, at: number, length: number, label: string): number {
  const field = header.subarray(at, at + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    let value = BigInt((field[0] ?? 0) & 0x7f);
    for (const byte of field.subarray(1)) value = value * 256n + BigInt(byte);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw corrupt(label, 'a header field is out of range');
    return Number(value);
  }
  const text = field.toString('latin1').replaceAll('\0', ' ').trim();
  if (text === '') return 0;
  if (!/^[0-7]+$/.test(text)) throw corrupt(label, `"${text}" in a header is no number`);
  return Number.parseInt(text, 8);
}

/** Records `{length} {key}={value}\n` of a pax header (POSIX.1-2001). */
function paxRecords(text: Buffer, label: string): Override {
  const found: Override = {};
  for (let at = 0; at < text.length; ) {
    const blank = text.indexOf(0x20, at);
    const length = blank < 0 ? '' : text.subarray(at, blank).toString('latin1');
    const end = at + Number(length);
    if (!/^\d{1,8}$/.test(length) || end > text.length || end <= blank + 1 || text[end - 1] !== 0x0a) {
      throw corrupt(label, 'a pax header is malformed');
    }
    const record = text.subarray(blank + 1, end - 1);
    const equals = record.indexOf(0x3d);
    if (equals < 0) throw corrupt(label, 'a pax header is malformed');
    apply(
      found,
      record.subarray(0, equals).toString('latin1'),
      Buffer.from(record.subarray(equals + 1)),
      label,
    );
    at = end;
  }
  return found;
}

function apply(found: Override, key: string, value: Buffer, label: string): void {
  if (key === 'path' || key === 'GNU.sparse.name') found.name = value;
  else if (key === 'linkpath') found.target = value;
  else if (key === 'size' || key === 'GNU.sparse.realsize' || key === 'GNU.sparse.size') {
    const text = value.toString('latin1');
    if (!/^\d{1,15}$/.test(text)) throw corrupt(label, `pax ${key} "${text.slice(0, 20)}" is no size`);
    if (key === 'size') found.size = Number(text);
    else found.realSize = Number(text);
  }
}

/** Skips the further maps of an old GNU sparse member (isextended at 482, then at 504 of each extension). */
async function sparseExtensions(header: Buffer, stream: ByteStream): Promise<void> {
  for (let more = header[482] !== 0; more; ) {
    const extension = await stream.take(BLOCK);
    more = extension[504] !== 0;
  }
}

function corrupt(label: string, what: string): Fault {
  return new Fault('invalid', 'corrupt-archive', `${label}: ${what}`);
}

/** Bytes in the sizes that tar asks for, with at most one chunk held. */
class ByteStream {
  position = 0;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #label: string;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>, label: string) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#label = label;
  }

  /** Ends the stream's source, which may be a process. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** At most `max` bytes; null at the end. */
  async some(max: number): Promise<Buffer | null> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return null;
      this.#rest = value;
    }
    const part = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(part.length);
    this.position += part.length;
    return part;
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = size; left > 0; ) {
      const part = await this.some(left);
      if (part === null) throw corrupt(this.#label, `ends within a member, at byte ${this.position}`);
      parts.push(part);
      left -= part.length;
    }
    return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
  }

  /** The next block; null at the very end of the stream. */
  async block(): Promise<Buffer | null> {
    const first = await this.some(BLOCK);
    if (first === null) return null;
    if (first.length === BLOCK) return first;
    return Buffer.concat([first, await this.take(BLOCK - first.length)]);
  }

  async override(size: number): Promise<Buffer> {
    if (size > MAX_OVERRIDE) {
      throw new Fault('invalid', 'unsafe-archive', `${this.#label}: a name or pax header of ${size} bytes`);
    }
    const text = await this.take(size);
    await this.take(padding(size));
    return text;
  }

  async onlyZeros(): Promise<void> {
    for (let part = await this.some(65_536); part !== null; part = await this.some(65_536)) {
      if (!part.every(byte => byte === 0))
        throw corrupt(this.#label, 'garbage behind the end of the archive');
    }
  }

  /** The bytes of one member: read once, the rest skipped. */
  body(size: number): { read: () => AsyncGenerator<Buffer>; skip: () => Promise<void> } {
    const stream = this;
    let left = size;
    async function* read(): AsyncGenerator<Buffer> {
      while (left > 0) {
        const part = await stream.some(left);
        if (part === null) throw corrupt(stream.#label, `ends within a member, at byte ${stream.position}`);
        left -= part.length;
        yield part;
      }
    }
    const skip = async (): Promise<void> => {
      for await (const _part of read());
      await stream.take(padding(size));
    };
    return { read, skip };
  }
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}
