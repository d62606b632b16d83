/** Reads zip files by their central directory (PKWARE APPNOTE 6.3), and writes their members as a tar stream. */
import { type FileHandle, open } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { Fault } from '../../proto/fault.ts';
import type { Member } from './tar.ts';

const EOCD_SIZE = 22;
const MAX_COMMENT = 65_535;
/** Bytes of central directory read at most: 100,000 members with names of 600 bytes. */
const MAX_DIRECTORY = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;
/** Bytes of a link's target. */
const MAX_TARGET = 4096;
const SIZE_32 = 0xffff_ffff;
const UNIX = 3;
/** 1 January 1980, the earliest that zip knows; tar warns of anything near the epoch. */
const MTIME = 315_532_800;
const S_IFMT = 0o170000;

interface Entry {
  readonly name: Buffer;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
  /** st_mode where it was made on a Unix; 0 otherwise. */
  readonly mode: number;
}

/** Members in the directory's order. Throws `corrupt-archive` for what is cut, encrypted, or fails its checksum. */
export async function* readZip(path: string, label: string): AsyncGenerator<Member> {
  const file = await open(path, 'r');
  try {
    for (const entry of await directory(file, label)) {
      const kind = entry.mode & S_IFMT;
      const isLink = kind === 0o120000;
      const special = kind !== 0 && kind !== 0o100000 && kind !== 0o040000 && !isLink;
      const isFolder = entry.name.at(-1) === 0x2f || kind === 0o040000;
      let target: Buffer = Buffer.alloc(0);
      if (isLink) {
        if (entry.size > MAX_TARGET) throw corrupt(label, 'a link with an overlong target');
        const parts: Buffer[] = [];
        for await (const part of content(file, entry, label)) parts.push(part);
        target = Buffer.concat(parts);
      }
      yield {
        name: entry.name,
        type: special ? 'other' : isLink ? 'symlink' : isFolder ? 'directory' : 'file',
        target,
        size: isLink ? 0 : entry.size,
        executable: (entry.mode & 0o100) !== 0,
        data: () => content(file, entry, label),
      };
    }
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, at: number, size: number, label: string): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, at);
  if (bytesRead !== size) throw corrupt(label, `ends before byte ${at + size}`);
  return buffer;
}

async function directory(file: FileHandle, label: string): Promise<Entry[]> {
  const { size } = await file.stat();
  const tail = await read(
    file,
    Math.max(0, size - EOCD_SIZE - MAX_COMMENT),
    Math.min(size, EOCD_SIZE + MAX_COMMENT),
    label,
  );
  let at = tail.length - EOCD_SIZE;
  while (at >= 0 && tail.readUInt32LE(at) !== 0x06054b50) at--;
  if (at < 0) throw corrupt(label, 'has no zip directory: cut or damaged');
  if (at + EOCD_SIZE + tail.readUInt16LE(at + 20) !== tail.length)
    throw corrupt(label, 'garbage behind its end');
  let count = tail.readUInt16LE(at + 10);
  let length = tail.readUInt32LE(at + 12);
  let offset = tail.readUInt32LE(at + 16);
  if ((count === 0xffff || offset === SIZE_32) && at >= 20 && tail.readUInt32LE(at - 20) === 0x07064b50) {
    const wide = await read(file, Number(tail.readBigUInt64LE(at - 20 + 8)), 56, label);
    if (wide.readUInt32LE(0) !== 0x06064b50) throw corrupt(label, 'a damaged zip64 directory');
    count = Number(wide.readBigUInt64LE(32));
    length = Number(wide.readBigUInt64LE(40));
    offset = Number(wide.readBigUInt64LE(48));
  }
  if (length > MAX_DIRECTORY) throw corrupt(label, `a directory of ${length} bytes`);
  const bytes = await read(file, offset, length, label);
  const entries: Entry[] = [];
  for (let next = 0; entries.length < count; ) {
    if (next + 46 > bytes.length || bytes.readUInt32LE(next) !== 0x02014b50)
      throw corrupt(label, 'a damaged directory');
    const [nameLength, extraLength] = [bytes.readUInt16LE(next + 28), bytes.readUInt16LE(next + 30)];
    const end = next + 46 + nameLength + extraLength + bytes.readUInt16LE(next + 32);
    if (end > bytes.length) throw corrupt(label, 'a damaged directory');
    entries.push(entryOf(bytes.subarray(next, end), label));
    next = end;
  }
  return entries;
}

function entryOf(bytes: Buffer, label: string): Entry {
  const nameEnd = 46 + bytes.readUInt16LE(28);
  const entry = {
    name: Buffer.from(bytes.subarray(46, nameEnd)),
    method: bytes.readUInt16LE(10),
    crc: bytes.readUInt32LE(16),
    packed: bytes.readUInt32LE(20),
    size: bytes.readUInt32LE(24),
    offset: bytes.readUInt32LE(42),
    mode: bytes[5] === UNIX ? bytes.readUInt32LE(38) >>> 16 : 0,
  };
  if ((bytes.readUInt16LE(8) & 1) !== 0) throw corrupt(label, 'an encrypted member');
  if (entry.method !== 0 && entry.method !== 8)
    throw corrupt(label, `a member of unknown method ${entry.method}`);
  const extra = bytes.subarray(nameEnd, nameEnd + bytes.readUInt16LE(30));
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let field = at + 4;
    for (const key of ['size', 'packed', 'offset'] as const) {
      if (entry[key] !== SIZE_32) continue;
      if (field + 8 > extra.length) throw corrupt(label, 'a damaged zip64 field');
      entry[key] = Number(extra.readBigUInt64LE(field));
      field += 8;
    }
  }
  return entry;
}

async function* stored(file: FileHandle, entry: Entry, label: string): AsyncGenerator<Buffer> {
  const header = await read(file, entry.offset, 30, label);
  if (header.readUInt32LE(0) !== 0x04034b50) throw corrupt(label, 'a damaged member');
  let at = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  for (let left = entry.packed; left > 0; ) {
    const part = await read(file, at, Math.min(left, CHUNK), label);
    at += part.length;
    left -= part.length;
    yield part;
  }
}

/** A member's bytes, never more than it declares, checked against its sum. */
async function* content(file: FileHandle, entry: Entry, label: string): AsyncGenerator<Buffer> {
  let source: AsyncIterable<Buffer> = stored(file, entry, label);
  if (entry.method === 8) source = inflated(source, label);
  let [seen, sum] = [0, 0];
  for await (const part of source) {
    seen += part.length;
    if (seen > entry.size) throw corrupt(label, 'a member larger than it declares');
    sum = crc32(part, sum);
    yield part;
  }
  if (seen !== entry.size || sum !== entry.crc) throw corrupt(label, 'a member that fails its checksum');
}

async function* inflated(source: AsyncIterable<Buffer>, label: string): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw();
  const fed = (async () => {
    for await (const part of source)
      if (!inflate.write(part)) await new Promise(done => inflate.once('drain', done));
    inflate.end();
  })();
  fed.catch((error: unknown) => inflate.destroy(error as Error));
  try {
    yield* inflate as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw corrupt(label, `a damaged member (${(error as Error).message})`);
  } finally {
    inflate.destroy();
  }
}

function corrupt(label: string, what: string): Fault {
  return new Fault('invalid', 'corrupt-archive', `${label}: ${what}`);
}

/** Vetted members as a tar stream, one time for all, owner root, so that equal members give equal bytes. */
export async function* writeTar(members: AsyncIterable<Member>): AsyncGenerator<Buffer> {
  for await (const member of members) {
    const long =
      member.name.length > 100 ? header(Buffer.from('././@LongLink'), 'L', member.name.length + 1, 0) : null;
    if (long) yield* [long, padded(Buffer.concat([member.name, Buffer.alloc(1)]))];
    if (member.type === 'symlink') {
      if (member.target.length > 100) {
        yield header(Buffer.from('././@LongLink'), 'K', member.target.length + 1, 0);
        yield padded(Buffer.concat([member.target, Buffer.alloc(1)]));
      }
      yield header(member.name, '2', 0, 0o777, member.target);
    } else if (member.type === 'directory') yield header(member.name, '5', 0, 0o755);
    else {
      yield header(member.name, '0', member.size, member.executable ? 0o755 : 0o644);
      yield* member.data();
      yield Buffer.alloc((512 - (member.size % 512)) % 512);
    }
  }
  yield Buffer.alloc(1024);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

function header(
  name: Buffer,
  flag: string,
  size: number,
  mode: number,
  target: Buffer = Buffer.alloc(0),
): Buffer {
  const block = Buffer.alloc(512);
  name.copy(block, 0, 0, 100);
  block.write(`${mode.toString(8).padStart(7, '0')}\0${'0000000\0'.repeat(2)}`, 100, 'latin1');
  if (size < 8 ** 11) block.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  else {
    block.writeUInt8(0x80, 124);
    block.writeBigUInt64BE(BigInt(size), 128);
  }
  block.write(`${MTIME.toString(8).padStart(11, '0')}\0        ${flag}`, 136, 'latin1');
  target.copy(block, 157, 0, 100);
  block.write('ustar  \0', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
