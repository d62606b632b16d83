/** Reads rpms into catalogue entries: rpm checks and queries them, rpmsign signs them, createrepo_c describes them. */
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Fault } from '../../proto/fault.ts';
import { rpmPool } from '../../proto/layout.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, ChangelogEntry, ContentEntry, RegistryPlace } from '../job.ts';
import { copyDurably, digestFile, syncFile } from './disk.ts';
import type { Signer } from './signing.ts';
import type { StagedEntry } from './staged.ts';

/** Bytes of what rpm tells of a package. */
const MAX_QUERY = 256 * 1024 * 1024;
/** Names as rpm builds them, without anything that a path or a query could trip over. */
const WORD = /^[A-Za-z0-9_][A-Za-z0-9._+~^-]{0,200}$/;
const MAX_METADATA = 512 * 1024 * 1024;

/** The XML pieces of a package, one for each index; what an entry's stanza holds as JSON. */
export interface RpmStanza {
  readonly primary: string;
  readonly filelists: string;
  readonly other: string;
  /** SHA-256 of the header: the same package signed again has the same. */
  readonly header: string;
}

export interface RpmReading {
  readonly context: TaskContext;
  readonly place: RegistryPlace;
  readonly staging: string;
  /** Seconds since the epoch that entries say they were published at. */
  readonly published: number;
  /** Architectures of the indexes; noarch packages go into each. */
  readonly architectures: readonly string[];
  readonly signer: Signer;
}

/** Copies, checks, signs and reads rpms. Throws `bad-package`, `signing-failed`. */
export async function readRpms(reading: RpmReading, paths: readonly string[]): Promise<StagedEntry[]> {
  const folder = join(reading.staging, 'rpms');
  mkdirSync(folder);
  const names = new Set<string>();
  for (const path of paths) {
    const name = basename(path);
    if (!WORD.test(name) || names.has(name)) throw bad(name, 'has a name that no repository can hold');
    names.add(name);
    await copyDurably(path, join(folder, name));
  }
  for (const name of names) await check(reading.context, folder, name);
  await sign(
    reading,
    [...names].map(name => join(folder, name)),
  );
  const pieces = await describe(reading.context, folder, names.size);
  const entries: StagedEntry[] = [];
  for (const name of names) entries.push(await readOne(reading, folder, name, pieces));
  return entries;
}

/** Digests of header and payload, before anything else looks into the file. */
async function check(context: TaskContext, folder: string, name: string): Promise<void> {
  const command = ['rpmkeys', '--checksig', '--nosignature', join(folder, name)];
  const { exitCode, stderr, stdout } = await context.runTool(command, { accept: [0, 1, 2] });
  if (exitCode !== 0)
    throw bad(name, `is no sound rpm: ${(stderr.trim() || stdout.toString('utf8')).trim().slice(-300)}`);
}

async function sign({ context, signer }: RpmReading, files: readonly string[]): Promise<void> {
  const extra = `--batch --no-tty --pinentry-mode loopback --passphrase-file ${signer.passphrase} --lock-never`;
  const defines = [
    ['__gpg', '/usr/bin/gpg'],
    ['_gpg_path', signer.home],
    ['_gpg_name', `${signer.keyring.subkey.fingerprint}!`],
    ['_gpg_sign_cmd_extra_args', extra],
    ['_gpg_digest_algo', 'sha256'],
  ].flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  const command = ['rpmsign', ...defines, '--resign', ...files];
  const { exitCode, stderr } = await context.runTool(command, { accept: [0, 1, 2, 255], timeout: 600_000 });
  if (exitCode !== 0)
    throw new Fault('internal', 'signing-failed', `rpmsign failed: ${stderr.trim().slice(-500)}`);
  for (const file of files) syncFile(file);
}

type Pieces = Readonly<Record<'primary' | 'filelists' | 'other', ReadonlyMap<string, string>>>;

/** The XML of each package by its digest. */
async function describe(context: TaskContext, folder: string, count: number): Promise<Pieces> {
  const options = ['--quiet', '--no-database', '--simple-md-filenames', '--general-compress-type', 'gz'];
  await context.runTool(['createrepo_c', ...options, folder], { timeout: 600_000 });
  const read = (kind: string): Map<string, string> => {
    const packed = readFileSync(join(folder, 'repodata', `${kind}.xml.gz`));
    const xml = gunzipSync(packed, { maxOutputLength: MAX_METADATA }).toString('utf8');
    const found = xml.match(/<package [\s\S]*?<\/package>/g) ?? [];
    return new Map(found.map(piece => [packageId(piece), `${piece}\n`]));
  };
  const pieces = { primary: read('primary'), filelists: read('filelists'), other: read('other') };
  if (pieces.primary.size !== count) throw bad('the build', 'holds a package that createrepo_c can not read');
  return pieces;
}

/** The digest that names a package in all three indexes. */
export function packageId(piece: string): string {
  return /pkgid="(?:YES">)?([0-9a-f]{64})/.exec(piece)?.[1] ?? '';
}

async function readOne(
  reading: RpmReading,
  folder: string,
  file: string,
  pieces: Pieces,
): Promise<StagedEntry> {
  const path = join(folder, file);
  const tags = await query(reading.context, path);
  const { size, sha256 } = await digestFile(path);
  const target = `${tags.name}-${tags.version}-${tags.release}.${tags.architecture}.rpm`;
  const targets = indexesOf(tags.architecture, reading.architectures);
  const { distribution, derivative } = reading.place;
  const files = targets.map(arch => ({
    path: rpmPool(distribution, derivative, arch, target),
    size,
    sha256,
  }));
  const piece = (kind: keyof Pieces): string => pieces[kind].get(sha256) ?? '';
  const stanza: RpmStanza = {
    primary: piece('primary').replace(/<location href="[^"]*"\/>/, `<location href="Packages/${target}"/>`),
    filelists: piece('filelists'),
    other: piece('other'),
    header: tags.header,
  };
  if (stanza.primary === '') throw bad(file, 'was not described by createrepo_c');
  const epoch = tags.epoch === '' || tags.epoch === '0' ? '' : `${tags.epoch}:`;
  const entry: CatalogueEntry = {
    row: 0,
    ...reading.place,
    architecture: tags.architecture,
    name: tags.name,
    version: `${epoch}${tags.version}-${tags.release}`,
    size,
    source: tags.source,
    files,
    stanza: JSON.stringify(stanza),
    changelog: tags.changelog,
    content: tags.content,
    published: reading.published,
    task: reading.context.job.task,
  };
  // Each copy of an architecture-independent package waits in a file of its own.
  const staged = [];
  for (const [index, one] of files.entries()) {
    const copy = join(reading.staging, `${index}-${target}`);
    if (index === files.length - 1) renameSync(path, copy);
    else await copyDurably(path, copy);
    staged.push({ ...one, staged: copy });
  }
  return { entry, files: staged };
}

/** Indexes that a package is listed in: `source` for sources, all others for noarch. */
export function indexesOf(architecture: string, architectures: readonly string[]): string[] {
  if (architecture === 'src') return ['source'];
  return architecture === 'noarch' ? [...architectures] : [architecture];
}

interface Tags {
  readonly name: string;
  readonly version: string;
  readonly release: string;
  readonly epoch: string;
  readonly architecture: string;
  readonly header: string;
  readonly source: { readonly name: string; readonly version: string } | null;
  readonly changelog: ChangelogEntry[];
  readonly content: ContentEntry[];
}

/** Values are quoted as for a shell, so that names and texts may hold anything. */
const FORMAT = [
  'head %{NAME:shescape} %{VERSION:shescape} %{RELEASE:shescape} %|EPOCH?{%{EPOCH}}:{0}| %{ARCH:shescape}',
  " %|SOURCERPM?{%{SOURCERPM:shescape}}:{''}| %|SHA256HEADER?{%{SHA256HEADER}}:{%{SHA1HEADER}}|\\n",
  '[file %{FILEMODES:octal} %{LONGFILESIZES} %{FILENAMES:shescape}\\n]',
  '[change %{CHANGELOGTIME} %{CHANGELOGNAME:shescape} %{CHANGELOGTEXT:shescape}\\n]',
].join('');

async function query(context: TaskContext, path: string): Promise<Tags> {
  const file = basename(path);
  const command = ['rpm', '-qp', '--nosignature', '--nodigest', '--qf', FORMAT, path];
  const { exitCode, stdout, stderr } = await context.runTool(command, {
    accept: [0, 1],
    maxOutput: MAX_QUERY,
  });
  if (exitCode !== 0) throw bad(file, `can't be read: ${stderr.trim().slice(-300)}`);
  const rows = shellRows(stdout.toString('utf8'));
  const [, name = '', version = '', release = '', epoch = '', arch = '', sourcerpm = '', header = ''] =
    rows.find(row => row[0] === 'head') ?? [];
  if (![name, version, release, arch].every(word => WORD.test(word)))
    throw bad(file, 'has a name that can not be');
  return {
    name,
    version,
    release,
    epoch,
    architecture: sourcerpm === '' ? 'src' : arch,
    header,
    source: sourcerpm === '' ? null : sourceOf(sourcerpm, epoch),
    changelog: rows.filter(row => row[0] === 'change').map(toChange),
    content: rows.filter(row => row[0] === 'file').map(toContent),
  };
}

/** `name-version-release.src.rpm`; the source has the epoch of what was built from it, as a rule. */
function sourceOf(file: string, epoch: string): { name: string; version: string } | null {
  const match = /^(.+)-([^-]+)-([^-]+)\.(?:no)?src\.rpm$/.exec(file);
  if (!match) return null;
  const prefix = epoch === '' || epoch === '0' ? '' : `${epoch}:`;
  return { name: match[1] ?? '', version: `${prefix}${match[2]}-${match[3]}` };
}

/** `Jane <j@e.org> 1.0-1` or `Jane <j@e.org> - 1.0-1`. */
function toChange([, time = '0', name = '', text = '']: readonly string[]): ChangelogEntry {
  const match = /^(.*>)(?:\s+-)?\s+(\S+)$/.exec(name);
  const changes = text
    .split('\n')
    .map(line => line.trim().replace(/^[-*]\s+/, ''))
    .filter(line => line !== '');
  return { author: match?.[1] ?? name, changes, date: Number(time) || 0, version: match?.[2] ?? '' };
}

const KINDS: Readonly<Record<number, ContentEntry['type']>> = {
  4: 'd',
  9: 'l',
  2: 'c',
  6: 'b',
  1: 'p',
  11: 's',
};

function toContent([, mode = '0', size = '0', path = '']: readonly string[]): ContentEntry {
  // The file type is in the upper four bits of a mode (inode(7)).
  const type = KINDS[(Number.parseInt(mode, 8) >> 12) & 0o17] ?? 'f';
  const absolute = path.startsWith('/') ? path : `/${path}`;
  return { path: absolute.replace(/(.)\/+$/, '$1'), type, size: type === 'f' ? Number(size) : 0 };
}

/** Rows of words quoted by rpm's shescape: `'it'\''s'`. */
function shellRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const token = /'((?:[^']|'\\'')*)'|([^\s']+)|(\n)/g;
  for (const match of text.matchAll(token)) {
    if (match[3] !== undefined) {
      if (row.length > 0) rows.push(row);
      row = [];
    } else row.push(match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll("'\\''", "'"));
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

function bad(file: string, what: string): Fault {
  return new Fault('invalid', 'bad-package', `${file.slice(0, 200)} ${what}`, { file: file.slice(0, 200) });
}
