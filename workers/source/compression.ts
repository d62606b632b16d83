/** Recognises archives by content, and runs the decompressors: in a jail, since they are native code on foreign bytes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Writable } from 'node:stream';
import { Fault } from '../../proto/fault.ts';
import { jail } from '../jail.ts';

type Compression = 'none' | 'gzip' | 'xz' | 'zstd' | 'bzip2';

/** What an archive is, whatever its name says. */
export interface ArchiveKind {
  readonly container: 'tar' | 'zip';
  readonly compression: Compression;
}

const MAGIC: readonly (readonly [Compression, Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['bzip2', Buffer.from('BZh')],
];
const TOOLS: Readonly<Record<Exclude<Compression, 'none'>, readonly string[]>> = {
  gzip: ['gzip', '-dc'],
  // A hostile stream may ask for a huge dictionary: the tools refuse it themselves.
  xz: ['xz', '-dc', '--memlimit-decompress=512MiB'],
  zstd: ['zstd', '-dcq', '--memory=512MB'],
  bzip2: ['bzip2', '-dc'],
};
/** Bytes kept of what a decompressor says. */
const MAX_COMPLAINT = 4096;
const TAR_BLOCK = 512;
/** Bytes read at once. */
const CHUNK = 65_536;

/** Looks at the first bytes. Throws `corrupt-archive` for what is none of tar (plain, gz, xz, zst, bz2) and zip. */
export async function recogniseArchive(path: string): Promise<ArchiveKind> {
  const file = await open(path, 'r');
  let head: Buffer;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAR_BLOCK), 0, TAR_BLOCK, 0);
    head = buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
  for (const [compression, magic] of MAGIC) {
    if (head.subarray(0, magic.length).equals(magic)) return { container: 'tar', compression };
  }
  const zip = head.readUInt32BE.bind(head);
  if (head.length >= 4 && (zip(0) === 0x504b0304 || zip(0) === 0x504b0506)) {
    return { container: 'zip', compression: 'none' };
  }
  if (head.length === TAR_BLOCK && (isTarHeader(head) || head.every(byte => byte === 0))) {
    return { container: 'tar', compression: 'none' };
  }
  throw new Fault(
    'invalid',
    'corrupt-archive',
    `${basename(path)} is no archive that is known: tar (plain, gz, xz, zst, bz2) or zip`,
  );
}

/** Whether a block's checksum is that of a tar header (POSIX ustar, chksum at offset 148; signed sums of old tars too). */
export function isTarHeader(block: Buffer): boolean {
  let [unsigned, signed] = [0, 0];
  for (let at = 0; at < TAR_BLOCK; at++) {
    const byte = at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0);
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  const text = block
    .subarray(148, 156)
    .toString('latin1')
    .replace(/[\0 ]+$/, '')
    .trim();
  if (!/^[0-7]{1,7}$/.test(text)) return false;
  const declared = Number.parseInt(text, 8);
  return declared === unsigned || declared === signed;
}

/** Where the shell looks too; a decompressor needs nothing else. */
const ENV = { PATH: '/usr/bin' };

/** The bytes inside a compressed file. Throws `corrupt-archive` when the tool finds it cut or with garbage behind. */
export async function* decompress(
  path: string,
  compression: Compression,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    if (compression === 'none') yield* plain(file, signal);
    else yield* jailed(file, compression, basename(path), signal);
  } finally {
    await file.close();
  }
}

/** The bytes of a file. No stream: one that is opened under an aborted signal fails where nobody listens. */
async function* plain(file: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (;;) {
    signal.throwIfAborted();
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* jailed(
  file: FileHandle,
  compression: Exclude<Compression, 'none'>,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  const [program, ...rest] = [...jail({ read: [] }), ...TOOLS[compression]];
  const child = spawn(program ?? 'bwrap', rest, {
    stdio: [file.fd, 'pipe', 'pipe'],
    env: ENV,
    detached: true,
  });
  const output = child.stdout;
  const stop = (): void => killGroup(child);
  signal.addEventListener('abort', stop);
  const ended = exitOf(child);
  try {
    if (output) yield* output as AsyncIterable<Buffer>;
    const { code, complaint } = await ended;
    signal.throwIfAborted();
    if (code !== 0 || /garbage/i.test(complaint)) {
      const said = complaint.trim().split('\n')[0] ?? '';
      throw new Fault('invalid', 'corrupt-archive', `${name} is cut or damaged: ${said || `exit ${code}`}`);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await ended;
  }
}

/** Kills bwrap and its first child together: that one, killed for before it is set up, would wait for ever. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

function exitOf(child: ChildProcess): Promise<{ code: number | null; complaint: string }> {
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    if (complaint.length < MAX_COMPLAINT) complaint += chunk.toString('latin1');
  });
  return new Promise(resolve => {
    child.on('error', error => resolve({ code: -1, complaint: error.message }));
    child.on('close', code => resolve({ code, complaint }));
  });
}

/** Writes a stream of bytes as an xz file; equal bytes give an equal file (one thread, fixed preset). */
export async function compressXz(
  bytes: AsyncIterable<Buffer>,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const target = await open(path, 'wx', 0o644);
  const [program, ...rest] = [...jail({ read: [] }), 'xz', '-c', '-T1', '-6'];
  const child = spawn(program ?? 'bwrap', rest, {
    stdio: ['pipe', target.fd, 'pipe'],
    env: ENV,
    detached: true,
  });
  const stop = (): void => killGroup(child);
  signal.addEventListener('abort', stop);
  const ended = exitOf(child);
  // A write after the child's death is told by the exit code already.
  const input = child.stdin as Writable;
  input.on('error', () => undefined);
  try {
    for await (const chunk of bytes) {
      if (!input.write(chunk)) await Promise.race([drained(input), ended]);
    }
    input.end();
    const { code, complaint } = await ended;
    signal.throwIfAborted();
    if (code !== 0) {
      throw new Fault('internal', 'internal', `xz failed on ${basename(path)}: ${complaint.trim()}`);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await ended;
    await target.close();
  }
}

function drained(stream: Writable): Promise<void> {
  return new Promise(resolve => stream.once('drain', () => resolve()));
}
