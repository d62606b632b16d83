/** Reads Debian packages into catalogue entries; dpkg-deb takes them apart. */
import { basename, join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import { debPool } from '../../proto/layout.ts';
import { fromDebianArchitecture } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, ChangelogEntry, ContentEntry, RegistryPlace } from '../job.ts';
import { parseDebianChangelog } from '../source/changelog.ts';
import { withoutEpoch } from '../source/tree.ts';
import { get, need, readStanza, renderStanza, type Stanza } from './control.ts';
import { copyDurably } from './disk.ts';
import type { StagedEntry } from './staged.ts';

/** Debian policy 5.6.1, 5.6.12, and what dpkg takes as an architecture, but for what entries of sources have. */
export const NAME = /^[a-z0-9][a-z0-9+.-]{1,127}$/;
export const VERSION = /^(?:\d{1,9}:)?[0-9][A-Za-z0-9.+~-]{0,199}$/;
const ARCHITECTURE = /^(?!(?:source|src)$)[a-z0-9][a-z0-9-]{1,31}$/;
/** Bytes of a package's file list as text. */
const MAX_LISTING = 256 * 1024 * 1024;
/** Milliseconds for reading an archive to its end: one of many gigabytes, on a disk that others use. */
const READING_LIMIT = 3_600_000;
/** Bytes of a changelog, unpacked, at most. */
const MAX_CHANGELOG = 16 * 1024 * 1024;

/** Where entries are read for. */
export interface Reading {
  readonly context: TaskContext;
  readonly place: RegistryPlace;
  /** Folder that files are copied to while they are hashed; on the registry's file system. */
  readonly staging: string;
  /** Seconds since the epoch that entries say they were published at. */
  readonly published: number;
  /** Those of sources, by name and version, that need not be read. */
  readonly changelogs?: ReadonlyMap<string, readonly ChangelogEntry[]>;
  /** Told what a package holds, as dpkg-deb(1) lists it. */
  readonly onListed?: (file: string, listing: Buffer) => void;
}

/** The changelog of a source that is published along; null where there is none of that version. */
export type ChangelogOf = (source: {
  readonly name: string;
  readonly version: string;
}) => Promise<readonly ChangelogEntry[] | null>;

/** Reads a binary package. Its own changelog is read where its source's is not known. Throws `bad-package`. */
export async function readDeb(
  reading: Reading,
  path: string,
  changelogOf: ChangelogOf,
): Promise<StagedEntry> {
  const { context, place } = reading;
  const file = basename(path);
  const staged = join(reading.staging, file);
  const digest = await copyDurably(path, staged);
  const { control, listing } = await takeApart(context, file, staged);
  const stanza = readStanza(control, `${file}: control`);
  const name = need(stanza, 'Package', NAME, file);
  const version = need(stanza, 'Version', VERSION, file);
  const architecture = need(stanza, 'Architecture', ARCHITECTURE, file);
  need(stanza, 'Maintainer', /./, file);
  const source = sourceOf(stanza, name, version, file);
  const target = `${name}_${withoutEpoch(version)}_${architecture}.deb`;
  const pool = debPool(place.derivative, source.name, target);
  reading.onListed?.(file, listing);
  const content = readListing(listing.toString('utf8'));
  const entry: CatalogueEntry = {
    row: 0,
    ...place,
    architecture: fromDebianArchitecture(architecture),
    name,
    version,
    size: digest.size,
    source,
    files: [{ path: pool, ...digest }],
    stanza: renderStanza(
      [['Package', name]],
      stanza,
      [
        ['Filename', pool],
        ['Size', String(digest.size)],
        ['SHA256', digest.sha256],
      ],
      ['MD5sum', 'SHA1', 'SHA512'],
    ),
    changelog: (await changelogOf(source)) ?? (await ownChangelog(context, staged, name, content)),
    content,
    published: reading.published,
    task: context.job.task,
  };
  return { entry, files: [{ path: pool, ...digest, staged }] };
}

/** `Source: name (version)`; both default to the package's own. */
function sourceOf(
  stanza: Stanza,
  name: string,
  version: string,
  where: string,
): { name: string; version: string } {
  const field = get(stanza, 'Source');
  if (field === undefined || field === '') return { name, version };
  const match = /^(\S+)(?: +\(([^()\s]+)\))?$/.exec(field);
  const source = { name: match?.[1] ?? '', version: match?.[2] ?? version };
  if (!NAME.test(source.name) || !VERSION.test(source.version)) {
    throw new Fault(
      'invalid',
      'bad-package',
      `${where} has a Source that can't be: ${JSON.stringify(field.slice(0, 80))}`,
    );
  }
  return source;
}

/** Names in the listing are quoted: it ends at the first NUL, whatever the control file holds. */
const TAKE_APART = 'dpkg-deb -c "$1" && printf "\\0" && exec dpkg-deb -I "$1" control';

async function takeApart(
  context: TaskContext,
  file: string,
  path: string,
): Promise<{ control: Buffer; listing: Buffer }> {
  const { exitCode, stdout, stderr } = await context.runTool(['sh', '-c', TAKE_APART, 'dpkg-deb', path], {
    jail: { read: [path] },
    accept: [0, 1, 2],
    maxOutput: MAX_LISTING,
    timeout: READING_LIMIT,
  });
  const end = stdout.indexOf(0);
  if (exitCode === 0) return { control: stdout.subarray(end + 1), listing: stdout.subarray(0, end) };
  const said =
    stderr
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^dpkg-deb: error: /, '') ?? '';
  throw new Fault('invalid', 'bad-package', `${file} is no readable package: ${said}`);
}

/** Reads what `dpkg-deb -c` prints (GNU tar's verbose listing). */
function readListing(text: string): ContentEntry[] {
  const entries: ContentEntry[] = [];
  const sizes = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^([-dlhcbps])\S+ \S+ +(\d+|\d+,\s*\d+) \d{4}-\d\d-\d\d \d\d:\d\d \.?\/(.*)$/.exec(line);
    if (!match) continue;
    const kind = match[1] === '-' || match[1] === 'h' ? 'f' : (match[1] as ContentEntry['type']);
    const shown = match[3] ?? '';
    const end = match[1] === 'l' ? shown.indexOf(' -> ') : -1;
    const plain = {
      name: end < 0 ? shown : shown.slice(0, end),
      size: match[1] === '-' ? Number(match[2]) : 0,
    };
    const { name, size } = match[1] === 'h' ? hardLink(shown, sizes) : plain;
    const path = unquote(name).replace(/\/+$/, '');
    if (path === '') continue;
    if (kind === 'f') sizes.set(name, size);
    entries.push({ path: `/${path}`, type: kind, size });
  }
  return entries;
}

/**
 * A hard link as listed, `NAME link to ./TARGET`: it has the size of its target, which stands before it. Names may hold
 * those words too, so the cut that leaves a known target counts.
 */
function hardLink(shown: string, sizes: ReadonlyMap<string, number>): { name: string; size: number } {
  const words = ' link to ';
  const first = shown.indexOf(words);
  for (let at = first; at >= 0; at = shown.indexOf(words, at + 1)) {
    const size = sizes.get(shown.slice(at + words.length).replace(/^\.?\//, ''));
    if (size !== undefined) return { name: shown.slice(0, at), size };
  }
  return { name: first < 0 ? shown : shown.slice(0, first), size: 0 };
}

/** Undoes tar's quoting: `\ooo` bytes and the usual letters. */
function unquote(name: string): string {
  if (!name.includes('\\')) return name;
  const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };
  const bytes = Buffer.from(name, 'utf8').toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3}|[ntr\\])/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (letters[code] ?? code),
  );
  return Buffer.from(plain, 'latin1').toString('utf8');
}

/** The changelog that a package carries itself. */
async function ownChangelog(
  context: TaskContext,
  path: string,
  name: string,
  content: readonly ContentEntry[],
): Promise<ChangelogEntry[]> {
  const names = ['changelog.Debian.gz', 'changelog.gz'].map(file => `/usr/share/doc/${name}/${file}`);
  const there = names.find(file => content.some(one => one.type === 'f' && one.path === file));
  if (there === undefined) return [];
  const script = 'dpkg-deb --fsys-tarfile "$1" | tar -xO "$2" 2>/dev/null | gzip -dc';
  return changelogFrom(context, path, ['sh', '-c', script, 'sh', path, `.${there}`]);
}

/** What a command writes of the changelog in a file. Nothing where it can't: that is no reason to refuse a package. */
export async function changelogFrom(
  context: TaskContext,
  path: string,
  command: readonly string[],
  accept: readonly number[] = [0],
): Promise<ChangelogEntry[]> {
  const options = { jail: { read: [path] }, accept, maxOutput: MAX_CHANGELOG, timeout: READING_LIMIT };
  try {
    const { stdout } = await context.runTool(command, options);
    return parseDebianChangelog(stdout.toString('utf8'));
  } catch {
    context.signal.throwIfAborted();
    return [];
  }
}
