/** Writes many small but true Debian packages quickly: ar archives made here, no dpkg-deb started. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface TinyDeb {
  readonly file: string;
  readonly name: string;
  readonly version: string;
  readonly control: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** One package with one file inside; answers it without writing. */
export function tinyDeb(name: string, version: string, architecture = 'amd64'): TinyDeb {
  const control = [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: Example team <team@example.org>',
    'Depends: libc6 (>= 2.36), libexample-dependency-of-some-length1 (>= 1.2.3)',
    'Section: science',
    'Priority: optional',
    'Homepage: https://www.example.org/software/',
    `Description: package ${name} of a registry of many`,
    ' A description of an ordinary length, so that an index of many packages has the size',
    ' that it has at a site: some lines of text that say what the package is good for, and',
    ' for whom, and what else should be installed beside it.',
    '',
  ].join('\n');
  const bytes = Buffer.concat([
    Buffer.from('!<arch>\n'),
    member('debian-binary', Buffer.from('2.0\n')),
    member(
      'control.tar.gz',
      gzipSync(
        tar([
          ['./', ''],
          ['./control', control],
        ]),
        { level: 1 },
      ),
    ),
    member(
      'data.tar.gz',
      gzipSync(
        tar([
          ['./', ''],
          ['./usr/', ''],
          ['./usr/share/', ''],
          [`./usr/share/${name}`, `${version}\n`],
        ]),
        { level: 1 },
      ),
    ),
  ]);
  return {
    file: `${name}_${version}_${architecture}.deb`,
    name,
    version,
    control,
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

export function writeTinyDeb(folder: string, deb: TinyDeb): string {
  const path = join(folder, deb.file);
  writeFileSync(path, deb.bytes);
  return path;
}

/** A member of an ar archive (the common format that dpkg reads). */
function member(name: string, bytes: Buffer): Buffer {
  const head = [name.padEnd(16), '0'.padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)];
  const size = String(bytes.length).padEnd(10);
  const end = bytes.length % 2 === 1 ? Buffer.from('\n') : Buffer.alloc(0);
  return Buffer.concat([Buffer.from(`${head.join('')}${size}\`\n`), bytes, end]);
}

/** A ustar archive; names that end in a slash are folders. */
function tar(files: readonly (readonly [string, string])[]): Buffer {
  const blocks: Buffer[] = [];
  for (const [name, text] of files) {
    const folder = name.endsWith('/');
    const head = Buffer.alloc(512);
    head.write(name, 0);
    head.write(folder ? '0000755\0' : '0000644\0', 100);
    head.write('0000000\x000000000\0', 108);
    head.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124);
    head.write(`${'0'.repeat(11)}\0        `, 136);
    head.write(folder ? '5' : '0', 156);
    head.write('ustar\x0000root', 257);
    head.write('root', 297);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
    body.write(text);
    blocks.push(head, body);
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
