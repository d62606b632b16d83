/** Makes archives byte by byte, hostile ones above all: headers say what a test tells them to. */
import { gzipSync } from 'node:zlib';

export interface RawMember {
  readonly name: string | Buffer;
  readonly type?: string;
  readonly content?: string | Buffer;
  readonly target?: string | Buffer;
  readonly mode?: number;
  /** Declared size, when it is not that of the content. */
  readonly size?: number;
  readonly mtime?: string;
  readonly uid?: number;
  /** Pax records before it. */
  readonly pax?: Readonly<Record<string, string | Buffer>>;
  /** Bytes 345 to 500 of a GNU header: sparse map and real size. */
  readonly gnu?: (header: Buffer) => void;
}

const BLOCK = 512;

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

function header(member: RawMember, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  Buffer.from(member.name).copy(block, 0, 0, 100);
  block.write(`${(member.mode ?? 0o644).toString(8).padStart(7, '0')}\0`, 100);
  block.write(`${(member.uid ?? 0).toString(8).padStart(7, '0')}\0`.repeat(2), 108);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write(member.mtime ?? '00000000000\0', 136);
  block.write('        ', 148);
  block.write(member.type ?? '0', 156);
  Buffer.from(member.target ?? '').copy(block, 157, 0, 100);
  block.write('ustar\x0000', 257, 'latin1');
  member.gnu?.(block);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function paxRecord(key: string, value: string | Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')]);
  let length = body.length + 1;
  while (String(length).length + body.length !== length) length = String(length).length + body.length;
  return Buffer.concat([Buffer.from(String(length)), body]);
}

/** A tar stream of those members, with its end mark. */
export function tar(members: readonly RawMember[], end: Buffer = Buffer.alloc(2 * BLOCK)): Buffer {
  const parts: Buffer[] = [];
  for (const member of members) {
    const content = Buffer.from(member.content ?? '');
    if (member.pax) {
      const records = Buffer.concat(Object.entries(member.pax).map(([key, value]) => paxRecord(key, value)));
      parts.push(header({ name: 'pax', type: 'x' }, records.length), padded(records));
    }
    const name = Buffer.from(member.name);
    if (name.length > 100) {
      const long = Buffer.concat([name, Buffer.alloc(1)]);
      parts.push(header({ name: '././@LongLink', type: 'L' }, long.length), padded(long));
    }
    parts.push(header(member, member.size ?? content.length), padded(content));
  }
  return Buffer.concat([...parts, end]);
}

/** The same, compressed. */
export function tarGz(members: readonly RawMember[]): Buffer {
  return gzipSync(tar(members));
}

/** A member that makes an archive a definition. */
export const ARTIFACT: RawMember = { name: './artifact.yml', content: 'version: 1\ndeb: {release: 1}\n' };
