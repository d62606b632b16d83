import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Fault } from '../../../proto/fault.ts';
import type { TaskContext } from '../../../workers/context.ts';
import type { BuildSpec } from '../../../workers/job.ts';
import { convertToTarXz, extractDefinition, vetSource } from '../../../workers/source/archives.ts';
import { recogniseArchive } from '../../../workers/source/compression.ts';
import { vetSent } from '../../../workers/source/sources.ts';
import { ARTIFACT, type RawMember, tar, tarGz } from '../../support/archives.ts';

const GIB = 1024 ** 3;
const work = mkdtempSync(join(tmpdir(), 'rw-archives-'));
after(() => rmSync(work, { recursive: true, force: true }));
let serial = 0;

const options = { unpacked: 8 * GIB, signal: new AbortController().signal };

function put(bytes: Buffer, name = `${++serial}.tar`): string {
  const path = join(work, name);
  writeFileSync(path, bytes);
  return path;
}

/** Unpacks members as a definition, beside which nothing else may appear; answers its folder. */
async function definition(members: readonly RawMember[] | Buffer, limits = options): Promise<string> {
  const parent = mkdtempSync(join(work, 'place-'));
  const bytes = Buffer.isBuffer(members) ? members : tar([ARTIFACT, ...members]);
  const path = put(bytes);
  const before = readdirSync(work).length;
  try {
    await extractDefinition(path, join(parent, 'definition'), limits);
  } catch (error) {
    assert.deepEqual(readdirSync(parent), [], 'nothing is left of a refused archive');
    assert.equal(readdirSync(work).length, before, 'nothing is written outside');
    throw error;
  }
  assert.deepEqual(readdirSync(parent), ['definition']);
  return join(parent, 'definition');
}

function refused(reason: string, message?: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.reason, reason, error.message);
    if (message) assert.match(error.message, message);
    return true;
  };
}

async function refusesBoth(members: readonly RawMember[], reason: string): Promise<void> {
  await assert.rejects(definition(members), refused(reason));
  await assert.rejects(vetSource(put(tar(members)), options), refused(reason));
}

describe('bad archives of the catalogue', () => {
  test('R1: a member whose name climbs out is unsafe, one with dots in its name is not', async () => {
    for (const name of ['../x', 'a/../../x', './a/..', 'a/../b'])
      await refusesBoth([{ name, content: 'x' }], 'unsafe-archive');
    const folder = await definition([
      { name: './deb/..x', content: 'x' },
      { name: './deb/y..z', content: 'y' },
    ]);
    assert.deepEqual(readdirSync(join(folder, 'deb')), ['..x', 'y..z']);
  });

  test('R2: an absolute name is unsafe', async () => {
    await refusesBoth([{ name: `${work}/absolute`, content: 'x' }], 'unsafe-archive');
    assert.ok(!existsSync(join(work, 'absolute')));
  });

  test('R3 and R4: a hard link to a path outside, to nothing, or to a symbolic link is unsafe', async () => {
    await refusesBoth([{ name: 'x', type: '1', target: '/etc/passwd' }], 'unsafe-archive');
    await refusesBoth([{ name: 'x', type: '1', target: '../../etc/passwd' }], 'unsafe-archive');
    await refusesBoth([{ name: 'x', type: '1', target: 'nothing' }], 'unsafe-archive');
    await refusesBoth(
      [
        { name: 's', type: '2', target: 'artifact.yml' },
        { name: 'x', type: '1', target: 's' },
      ],
      'unsafe-archive',
    );
    const folder = await definition([
      { name: 'a', content: 'same' },
      { name: 'b', type: '1', target: './a' },
    ]);
    assert.equal(readFileSync(join(folder, 'b'), 'utf8'), 'same');
  });

  test('R5: set-id bits and odd owners are dropped', async () => {
    const folder = await definition([{ name: 'deb/rules', content: '#!/bin/sh\n', mode: 0o6755, uid: 1234 }]);
    const { mode, uid } = lstatSync(join(folder, 'deb/rules'));
    assert.equal(mode & 0o7777, 0o755);
    assert.equal(uid, process.getuid?.());
  });

  test('R6: a sparse file of 10 GB, and a ratio above a thousand, are too large', async () => {
    const sparse: RawMember = {
      name: 'holes',
      type: 'S',
      content: 'x'.repeat(512),
      gnu: block => {
        block.write('ustar  \0', 257, 'latin1');
        block.fill(0, 345);
        block.write('00000000000\0' + '00000001000\0', 386, 'latin1');
        block.write(`${(10 * GIB).toString(8).padStart(11, '0')}\0`.slice(-12), 483, 'latin1');
      },
    };
    await refusesBoth([sparse], 'archive-too-large');
    await refusesBoth(
      [
        {
          name: 'holes',
          content: 'x',
          pax: { 'GNU.sparse.realsize': String(10 * GIB), 'GNU.sparse.name': 'holes' },
        },
      ],
      'archive-too-large',
    );
    const zeros = put(
      execFileSync('xz', ['-9c'], {
        input: tar([{ name: 'zeros', content: Buffer.alloc(64 * 1024 * 1024) }]),
      }),
    );
    await assert.rejects(vetSource(zeros, options), refused('archive-too-large', /1000 times/));
    await assert.rejects(
      definition([{ name: 'big', content: 'x'.repeat(2000) }], { ...options, unpacked: 1000 }),
      refused('archive-too-large'),
    );
    const many = tar(Array.from({ length: 100_001 }, (_, at) => ({ name: `f${at}` })));
    await assert.rejects(vetSource(put(many), options), refused('archive-too-large', /100000 members/));
  });

  test('R7: overlong names and components are unsafe', async () => {
    await refusesBoth([{ name: `${'a/'.repeat(2048)}x` }], 'unsafe-archive');
    await refusesBoth([{ name: 'x'.repeat(256) }], 'unsafe-archive');
    await refusesBoth([{ name: 'x', pax: { path: 'p'.repeat(70_000) } }], 'unsafe-archive');
    await refusesBoth([{ name: `${'d/'.repeat(150)}x` }], 'unsafe-archive');
  });

  test('R8: unreadable names are unsafe in a definition, and kept in a source', async () => {
    const latin = Buffer.from([0x66, 0xfc, 0x72]);
    const odd: RawMember[][] = [
      [{ name: latin }],
      [{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }],
      [{ name: 'abc\u202ecba' }],
      [{ name: 'line\nbreak' }],
    ];
    for (const members of odd) {
      await assert.rejects(definition(members), refused('unsafe-archive'));
      await vetSource(put(tar(members)), options);
    }
    await assert.rejects(
      definition([{ name: 'a\u001b]0;x\u0007' }]),
      (error: Fault) => !/[\u0000-\u001f]/.test(error.message),
    );
  });

  test('R9: what a pax header overrides is judged after the override', async () => {
    await refusesBoth([{ name: 'good', content: 'x', pax: { path: '../bad' } }], 'unsafe-archive');
    await refusesBoth(
      [{ name: 'good', type: '1', target: 'artifact.yml', pax: { linkpath: '/etc/shadow' } }],
      'unsafe-archive',
    );
    await refusesBoth([{ name: 'good', content: 'x', pax: { size: String(9 * GIB) } }], 'archive-too-large');
    await refusesBoth([{ name: 'good', pax: { size: '-1' } }], 'corrupt-archive');
    const folder = await definition([
      { name: 'old', content: 'x', pax: { mtime: '-1000.5' } },
      { name: '../bad', pax: { path: 'fine' } },
    ]);
    assert.ok(existsSync(join(folder, 'old')) && existsSync(join(folder, 'fine')));
  });

  test('R10: cut streams and trailing garbage are corrupt, concatenated streams are one', async () => {
    const whole = tar([ARTIFACT, { name: 'a', content: 'x'.repeat(5000) }]);
    const packed = gzipSync(whole);
    const noise = Buffer.from('trailing garbage');
    const half = Math.floor(packed.length / 2);
    const bad = [
      whole.subarray(0, 1000),
      whole.subarray(0, whole.length - 1024),
      Buffer.concat([whole, noise]),
      packed.subarray(0, half),
      Buffer.concat([packed, noise]),
      gzipSync(Buffer.concat([whole, noise])),
    ];
    for (const tool of ['xz', 'bzip2', 'zstd']) {
      const other = execFileSync(tool, ['-c'], { input: whole });
      bad.push(other.subarray(0, other.length - 10), Buffer.concat([other, noise]));
      const joined = Buffer.concat(
        [whole.subarray(0, 1024), whole.subarray(1024)].map(part =>
          execFileSync(tool, ['-c'], { input: part }),
        ),
      );
      assert.ok(existsSync(join(await definition(joined), 'a')), tool);
    }
    for (const [at, bytes] of bad.entries()) {
      await assert.rejects(definition(bytes), refused('corrupt-archive'), `definition ${at}`);
      await assert.rejects(vetSource(put(bytes), options), refused('corrupt-archive'), `source ${at}`);
    }
    const joined = Buffer.concat([gzipSync(whole.subarray(0, 1024)), gzipSync(whole.subarray(1024))]);
    assert.ok(existsSync(join(await definition(joined), 'a')));
    await assert.rejects(definition(Buffer.from('no archive at all')), refused('corrupt-archive'));
    await assert.rejects(definition(Buffer.alloc(0)), refused('corrupt-archive'));
  });

  test('R11: a definition needs one root; a source with two has no top directory', async () => {
    await assert.rejects(
      definition(tar([{ name: 'a/artifact.yml' }, { name: 'b/artifact.yml' }])),
      refused('bad-layout'),
    );
    await assert.rejects(definition(tar([])), refused('bad-layout', /empty/));
    assert.ok(
      existsSync(join(await definition(tar([{ ...ARTIFACT, name: 'hello/artifact.yml' }])), 'artifact.yml')),
    );
    assert.deepEqual((await vetSource(put(tar([{ name: 'a/x' }, { name: './b/y' }])), options)).roots, [
      'a',
      'b',
    ]);
    assert.deepEqual((await vetSource(put(tar([{ name: './a/x' }, { name: 'a/y' }])), options)).roots, ['a']);
  });

  test('R12: loops of links are never followed, links that leave are unsafe in a definition', async () => {
    const loop: RawMember[] = [
      { name: 'a', type: '2', target: 'b' },
      { name: 'b', type: '2', target: 'a' },
    ];
    await definition(loop);
    await assert.rejects(definition([...loop, { name: 'a/x', content: 'x' }]), refused('unsafe-archive'));
    await assert.rejects(
      vetSource(put(tar([...loop, { name: 'a/x', content: 'x' }])), options),
      refused('unsafe-archive'),
    );
    for (const target of ['/etc/passwd', '../x', 'deb/../../x']) {
      await assert.rejects(definition([{ name: 'link', type: '2', target }]), refused('unsafe-archive'));
      await vetSource(put(tar([{ name: 'link', type: '2', target }])), options);
    }
    // Each alone stays inside; together they leave.
    const chain: RawMember[] = [
      { name: 'deb/up', type: '2', target: '..' },
      { name: 'out', type: '2', target: 'deb/up/..' },
    ];
    await assert.rejects(definition(chain), refused('unsafe-archive'));
    const folder = await definition([
      { name: 'deb/x', content: '1' },
      { name: 'y', type: '2', target: 'deb/x' },
    ]);
    assert.equal(readFileSync(join(folder, 'y'), 'utf8'), '1');
  });

  test('R12: links with long ways in great number are unsafe before they take the thread for minutes', async () => {
    const link = (name: string, goal: string): RawMember => {
      return { name, type: '2', pax: { linkpath: `${'d/../'.repeat(800)}${goal}` } };
    };
    const chain = Array.from({ length: 38 }, (_, at) => link(`l${at}`, at === 0 ? 'd' : `l${at - 1}`));
    const folder = { name: 'd', type: '5' };
    await definition([folder, ...chain]);
    const many = Array.from({ length: 1000 }, (_, at) => link(`m${at}`, 'l37'));
    await assert.rejects(definition([folder, ...chain, ...many]), refused('unsafe-archive', /long ways/));
  });

  test('R12: nor may a link leave the single top directory, which is gone once the definition is unpacked', async () => {
    const top = (...links: RawMember[]): Buffer => tar([{ ...ARTIFACT, name: 'top/artifact.yml' }, ...links]);
    for (const target of ['../../Y', '../../top/Y', '../..', '../x/../../Y']) {
      const link = { name: 'top/deb/x', type: '2', target };
      await assert.rejects(definition(top(link)), refused('unsafe-archive', /out of the tree/), target);
    }
    const chain = [
      { name: 'top/deb/up', type: '2', target: '..' },
      { name: 'top/out', type: '2', target: 'deb/up/../Y' },
    ];
    await assert.rejects(definition(top(...chain)), refused('unsafe-archive', /out of the tree/));
    const folder = await definition(top({ name: 'top/deb/x', type: '2', target: '../artifact.yml' }));
    assert.match(readFileSync(join(folder, 'deb/x'), 'utf8'), /deb:/);
    // A definition at the top keeps its only other folder, so that links to beside that folder stay inside.
    const beside = await definition([{ name: 'a/x', type: '2', target: '../artifact.yml' }]);
    assert.match(readFileSync(join(beside, 'a/x'), 'utf8'), /deb:/);
  });

  test('devices, pipes, and writing through a link or over a directory are unsafe', async () => {
    for (const type of ['3', '4', '6']) await refusesBoth([{ name: 'x', type }], 'unsafe-archive');
    await refusesBoth(
      [
        { name: 'l', type: '2', target: '.' },
        { name: 'l', content: 'x' },
      ],
      'unsafe-archive',
    );
    await refusesBoth(
      [
        { name: 'd', type: '5' },
        { name: 'd', content: 'x' },
      ],
      'unsafe-archive',
    );
    await refusesBoth(
      [
        { name: 'f', content: 'x' },
        { name: 'f/g', content: 'x' },
      ],
      'unsafe-archive',
    );
  });
});

describe('good archives', () => {
  const members = [
    ARTIFACT,
    { name: 'deb', type: '5', mode: 0o755 },
    { name: `deb/${'n'.repeat(150)}`, content: 'long' },
  ];

  test('every packing is recognised by content and unpacks alike', async () => {
    const plain = tar(members);
    for (const [tool, compression] of Object.entries({
      xz: 'xz',
      bzip2: 'bzip2',
      zstd: 'zstd',
      gzip: 'gzip',
    })) {
      const bytes = execFileSync(tool, ['-c'], { input: plain });
      assert.equal((await recogniseArchive(put(bytes, `misnamed-${tool}.zip`))).compression, compression);
      assert.equal(readFileSync(join(await definition(bytes), 'deb', 'n'.repeat(150)), 'utf8'), 'long');
    }
    assert.equal((await recogniseArchive(put(plain))).compression, 'none');
  });

  test('what GNU tar and Python write is read', async () => {
    const folder = mkdtempSync(join(work, 'tree-'));
    const deep = join(folder, 'deb', 'd'.repeat(120), 'e'.repeat(120));
    execFileSync('mkdir', ['-p', deep]);
    writeFileSync(join(folder, 'artifact.yml'), 'x');
    writeFileSync(join(deep, 'fïle'), 'deep');
    execFileSync('ln', [join(folder, 'artifact.yml'), join(folder, 'hard')]);
    for (const format of ['gnu', 'pax', 'posix', 'oldgnu']) {
      const archive = join(work, `${format}.tar.gz`);
      execFileSync('tar', [`--format=${format}`, '-czf', archive, '-C', folder, '.']);
      const made = await definition(readFileSync(archive));
      assert.equal(readFileSync(join(made, 'deb', 'd'.repeat(120), 'e'.repeat(120), 'fïle'), 'utf8'), 'deep');
      assert.equal(readFileSync(join(made, 'hard'), 'utf8'), 'x');
    }
    const python = join(work, 'python.tar.xz');
    execFileSync('python3', [
      '-c',
      'import sys,tarfile\nt=tarfile.open(sys.argv[1],"x:xz");t.add(sys.argv[2],arcname=".");t.close()',
      python,
      folder,
    ]);
    assert.equal(readFileSync(join(await definition(readFileSync(python)), 'hard'), 'utf8'), 'x');
  });

  test('a zip is vetted by the same rules and becomes the same tar.xz each time', async () => {
    const folder = mkdtempSync(join(work, 'zip-'));
    execFileSync(
      'sh',
      [
        '-c',
        'mkdir -p p/q; echo hi >p/q/f; printf "#!/bin/sh\n" >p/run; chmod +x p/run; ln -s q/f p/l; head -c 300000 /dev/urandom >p/big',
      ],
      { cwd: folder },
    );
    const archive = join(work, 'sample.zip');
    execFileSync('python3', ['-c', ZIP, archive, folder]);
    const { kind, roots } = await vetSource(archive, options);
    assert.deepEqual([kind.container, roots], ['zip', ['p']]);
    const made = [1, 2].map(at => join(work, `converted-${at}.tar.xz`));
    for (const path of made) await convertToTarXz(archive, kind, path, options.signal);
    assert.ok(readFileSync(made[0]!).equals(readFileSync(made[1]!)));
    const target = mkdtempSync(join(work, 'unzipped-'));
    execFileSync('tar', ['-xf', made[0]!, '-C', target]);
    execFileSync('diff', ['-r', folder, target]);
    assert.equal(lstatSync(join(target, 'p/run')).mode & 0o111, 0o111);
    assert.ok(lstatSync(join(target, 'p/l')).isSymbolicLink());
    const bytes = readFileSync(archive);
    const bad = {
      cut: bytes.subarray(0, bytes.length - 40),
      garbage: Buffer.concat([bytes, Buffer.from('x')]),
    };
    for (const [name, content] of Object.entries(bad)) {
      await assert.rejects(vetSource(put(content, `${name}.zip`), options), refused('corrupt-archive'), name);
    }
    const climbing = join(work, 'climbing.zip');
    execFileSync('python3', [
      '-c',
      'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1],"w");z.writestr("../x","x");z.close()',
      climbing,
    ]);
    await assert.rejects(vetSource(climbing, options), refused('unsafe-archive'));
  });

  test('a zip whose member fails its checksum is corrupt when it is packed again', async () => {
    const archive = join(work, 'flipped.zip');
    execFileSync('python3', [
      '-c',
      'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1],"w");z.writestr("x","A"*1000);z.close()',
      archive,
    ]);
    const bytes = readFileSync(archive);
    bytes[500] = 0x42;
    const path = put(bytes, 'flipped-2.zip');
    const kind = await recogniseArchive(path);
    await assert.rejects(
      convertToTarXz(path, kind, join(work, 'flipped.tar.xz'), options.signal),
      refused('corrupt-archive', /checksum/),
    );
  });

  test('an aborted task ends the unpacking', async () => {
    const abort = new AbortController();
    abort.abort(new Fault('cancelled', 'cancelled', 'cancelled by jane'));
    for (const path of [put(tarGz(members)), put(tar(members))]) {
      await assert.rejects(vetSource(path, { ...options, signal: abort.signal }), refused('cancelled'));
    }
  });
});

/** Packs a folder with Unix modes and symbolic links kept, as zip(1) does. */
const ZIP = `
import os, sys, zipfile, stat
z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
os.chdir(sys.argv[2])
for base, folders, files in os.walk("."):
    for name in sorted(folders + files):
        path = os.path.join(base, name)[2:]
        mode = os.lstat(path).st_mode
        info = zipfile.ZipInfo(path + ("/" if stat.S_ISDIR(mode) else ""), (2020, 1, 1, 0, 0, 0))
        info.create_system = 3
        info.external_attr = mode << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        data = os.readlink(path).encode() if stat.S_ISLNK(mode) else b"" if stat.S_ISDIR(mode) else open(path, "rb").read()
        z.writestr(info, data)
z.close()
`;

test('a file that was sent as two sources is vetted once, and nothing of it goes unheard', async () => {
  const path = put(tar([ARTIFACT]));
  const settings = { limits: { unpacked: GIB } };
  const context = { job: { settings } } as TaskContext;
  const sources = ['a', 'b'].map(id => ({ id, path, filename: `${id}-1.tar` }));
  const ending = new AbortController();
  const vetted = vetSent(context, { sources } as unknown as BuildSpec, ending.signal);
  ending.abort();
  assert.equal(vetted.size, 1);
  await assert.rejects(vetted.get(path) ?? Promise.resolve(), { name: 'AbortError' });
  // What nobody heard would end the process now.
  await new Promise(resolve => setImmediate(resolve));
});
