/** Packed files, told apart by how they begin: gzip, zstd, and by their tools xz and bzip2. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { errorCode, Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';

/** Magic numbers: RFC 1952, RFC 8878, and the first bytes of xz and bzip2 files. */
const BEGINNINGS = {
  gzip: Buffer.from([0x1f, 0x8b]),
  zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
  xz: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]),
  bzip2: Buffer.from('BZh'),
};

/** The content of a file of ours: plain, gzip or zstd. Throws where it is damaged or larger than `limit` bytes. */
export function readUnpacked(path: string, limit: number): Buffer {
  const bytes = readFileSync(path);
  const options = { maxOutputLength: limit };
  if (begins(bytes, 'gzip')) return gunzipSync(bytes, options);
  if (begins(bytes, 'zstd')) return unpackFrames(bytes, limit);
  return bytes;
}

/** Every frame of a zstd file: the library reads only the first. */
function unpackFrames(bytes: Buffer, limit: number): Buffer {
  const pieces: Buffer[] = [];
  let left = limit;
  for (let at = 0; at < bytes.length; ) {
    const end = frameEnd(bytes, at);
    // A limit of nothing is none to the library.
    const piece = zstdDecompressSync(bytes.subarray(at, end), { maxOutputLength: Math.max(1, left) });
    pieces.push(piece);
    left -= piece.length;
    at = end;
  }
  return Buffer.concat(pieces);
}

/** Where the frame ends that begins at a position (RFC 8878, 3.1.1). Throws where there is none, or no end of it. */
function frameEnd(bytes: Buffer, start: number): number {
  if (!begins(bytes.subarray(start, start + 4), 'zstd'))
    throw new RangeError('what follows is no zstd frame');
  const descriptor = bytes.readUInt8(start + 4);
  const single = (descriptor >> 5) & 1;
  const contentSize = [single, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
  let at = start + 5 + (1 - single) + dictionary + contentSize;
  for (;;) {
    const header = bytes.readUIntLE(at, 3);
    const isRepeated = ((header >> 1) & 3) === 1;
    at += 3 + (isRepeated ? 1 : header >> 3);
    if ((header & 1) === 1) break;
  }
  const end = at + (((descriptor >> 2) & 1) === 1 ? 4 : 0);
  if (end > bytes.length) throw new RangeError('the file ends within a zstd frame');
  return end;
}

/** The content of anybody's file. Throws `too-large` over `limit` bytes, `bad-package` for one that is damaged. */
export async function unpack(context: TaskContext, path: string, limit: number): Promise<Buffer> {
  const head = readHead(path);
  const tool = begins(head, 'xz') ? 'xz' : begins(head, 'bzip2') ? 'bzip2' : null;
  if (tool !== null) {
    const options = { jail: { read: [path] }, maxOutput: limit, accept: [0, 1, 2] };
    const { exitCode, stdout, stderr } = await context.runTool([tool, '-dc', path], options);
    if (exitCode !== 0) throw damaged(path, stderr.trim());
    return stdout;
  }
  try {
    return readUnpacked(path, limit);
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE')
      throw new Fault('invalid', 'too-large', `${basename(path)} is larger than ${limit} bytes unpacked`);
    throw damaged(path, error instanceof Error ? error.message : String(error));
  }
}

function damaged(path: string, why: string): Fault {
  return new Fault('invalid', 'bad-package', `${basename(path)} can't be unpacked: ${why}`);
}

function readHead(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(8);
    return head.subarray(0, readSync(file, head));
  } finally {
    closeSync(file);
  }
}

function begins(bytes: Uint8Array, format: keyof typeof BEGINNINGS): boolean {
  const beginning = BEGINNINGS[format];
  return beginning.equals(bytes.subarray(0, beginning.length));
}
