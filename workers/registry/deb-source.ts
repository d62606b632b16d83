/** Reads Debian source packages into catalogue entries: a .dsc and the files that it names. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { debPool } from '../../proto/layout.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, ChangelogEntry } from '../job.ts';
import { withoutEpoch } from '../source/tree.ts';
import { get, need, readStanza, renderStanza, type Stanza } from './control.ts';
import { changelogFrom, NAME, type Reading, VERSION } from './deb-package.ts';
import { copyDurably, type Digested } from './disk.ts';
import { insideSignature, isClearSigned } from './signatures.ts';
import type { StagedEntry, StagedFile } from './staged.ts';

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9+.~_-]{0,254}$/;

/** Reads a source package: the .dsc and the files that it names, which lie beside it. Throws `bad-package`. */
export async function readSource(reading: Reading, path: string): Promise<StagedEntry> {
  const { context, place } = reading;
  const file = basename(path);
  const staged = join(reading.staging, file);
  const digest = await copyDurably(path, staged);
  const bytes = readFileSync(staged);
  const stanza = readStanza(isClearSigned(bytes) ? insideSignature(bytes, file) : bytes, file);
  const name = need(stanza, 'Source', NAME, file);
  const version = need(stanza, 'Version', VERSION, file);
  const members = checksums(stanza, 'Checksums-Sha256', file);
  const directory = debPool(place.derivative, name, '').replace(/\/$/, '');
  const odd = members.find(member => !FILE_NAME.test(member.name));
  if (odd) throw badMember(file, odd.name, 'has a name that no pool can hold');
  const dsc = `${name}_${withoutEpoch(version)}.dsc`;
  const names = new Set([file, dsc]);
  for (const member of members) {
    if (names.has(member.name)) throw badMember(file, member.name, 'is there twice, the .dsc included');
    names.add(member.name);
  }
  // Side by side: a disk syncs them all in little more than the time of one.
  const copies = await Promise.allSettled(
    members.map(async (member): Promise<StagedFile> => {
      const copy = join(reading.staging, member.name);
      const got = await copyDurably(join(dirname(path), member.name), copy).catch(error => {
        if (error instanceof Fault || errorCode(error) !== 'ENOENT') throw error;
        throw badMember(file, member.name, 'is not beside it');
      });
      if (got.sha256 !== member.hash || got.size !== member.size)
        throw badMember(file, member.name, 'has another checksum');
      return { path: `${directory}/${member.name}`, ...got, staged: copy };
    }),
  );
  const files = copies.map(copied => {
    if (copied.status === 'rejected') throw copied.reason;
    return copied.value;
  });
  files.push({ path: `${directory}/${dsc}`, ...digest, staged });
  const entry: CatalogueEntry = {
    row: 0,
    ...place,
    architecture: 'src',
    name,
    version,
    size: 0,
    source: null,
    files: files.map(({ path: pool, size, sha256 }) => ({ path: pool, size, sha256 })),
    stanza: renderSource(stanza, name, directory, { name: dsc, bytes, digest }),
    changelog: reading.changelogs?.get(`${name} ${version}`) ?? (await sourceChangelog(context, files, name)),
    content: [],
    published: reading.published,
    task: context.job.task,
  };
  return { entry, files };
}

/** The stanza of Sources: the .dsc's, with the .dsc itself among the files. */
function renderSource(
  stanza: Stanza,
  name: string,
  directory: string,
  dsc: { name: string; bytes: Buffer; digest: Digested },
): string {
  const withDsc = (field: string, algorithm: string): [string, string][] => {
    const listed = get(stanza, field);
    if (listed === undefined) return [];
    const hash = createHash(algorithm).update(dsc.bytes).digest('hex');
    return [
      [field, `\n ${hash} ${dsc.digest.size} ${dsc.name}${listed.startsWith('\n') ? '' : '\n '}${listed}`],
    ];
  };
  return renderStanza(
    [['Package', name]],
    stanza,
    [
      ['Directory', directory],
      ...withDsc('Files', 'md5'),
      ...withDsc('Checksums-Sha1', 'sha1'),
      ...withDsc('Checksums-Sha256', 'sha256'),
    ],
    ['Source'],
  );
}

function checksums(
  stanza: Stanza,
  field: string,
  where: string,
): { hash: string; size: number; name: string }[] {
  const lines = (get(stanza, field) ?? '').split('\n').filter(line => line.trim() !== '');
  if (lines.length === 0) throw new Fault('invalid', 'bad-package', `${where} lists no ${field}`);
  return lines.map(line => {
    const match = /^ ([0-9a-f]{64}) (\d{1,15}) (\S+)$/.exec(line);
    if (!match)
      throw new Fault('invalid', 'bad-package', `${where} has a line in ${field} that can't be read`);
    return { hash: match[1] ?? '', size: Number(match[2]), name: match[3] ?? '' };
  });
}

function badMember(dsc: string, name: string, what: string): Fault {
  return new Fault('invalid', 'bad-package', `${dsc}: ${name.slice(0, 200)} ${what}`, {
    file: name.slice(0, 200),
  });
}

/** The changelog of a source package: in its debian archive, or below the top folder of a native one. */
async function sourceChangelog(
  context: TaskContext,
  files: readonly StagedFile[],
  name: string,
): Promise<ChangelogEntry[]> {
  const debian = files.find(file => /\.debian\.tar\.\w+$/.test(file.path));
  const native = files.find(
    file => basename(file.path).startsWith(`${name}_`) && /\.tar\.\w+$/.test(file.path),
  );
  const archive = debian ?? native;
  if (!archive?.staged) return [];
  const member = debian
    ? ['debian/changelog']
    : ['--wildcards', '--no-wildcards-match-slash', '*/debian/changelog'];
  return changelogFrom(context, archive.staged, ['tar', '-xOf', archive.staged, ...member], [0, 1, 2]);
}
