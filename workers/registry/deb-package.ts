/** Reads Debian packages into catalogue entries; dpkg-deb takes them apart. */
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Fault } from '../../proto/fault.ts';
import { debPool } from '../../proto/layout.ts';
import { fromDebianArchitecture } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, ChangelogEntry, ContentEntry, RegistryPlace } from '../job.ts';
import { parseDebianChangelog } from '../source/changelog.ts';
import { get, need, readStanza, renderStanza, type Stanza } from './control.ts';
import { copyDurably } from './disk.ts';
import type { StagedEntry } from './staged.ts';

/** Debian policy 5.6.1, 5.6.12, and what dpkg takes as an architecture. */
export const NAME = /^[a-z0-9][a-z0-9+.-]{1,127}$/;
export const VERSION = /^(?:\d{1,9}:)?[0-9][A-Za-z0-9.+~-]{0,199}$/;
const ARCHITECTURE = /^[a-z0-9][a-z0-9-]{1,31}$/;
/** Bytes of a package's file list as text. */
const MAX_LISTING = 256 * 1024 * 1024;
/** Bytes of a changelog, unpacked, at most. */
export const MAX_CHANGELOG = 16 * 1024 * 1024;

/** Where entries are read for. */
export interface Reading {
  readonly context: TaskContext;
  readonly place: RegistryPlace;
  /** Folder that files are copied to while they are hashed; on the registry's file system. */
  readonly staging: string;
  /** Seconds since the epoch that entries say they were published at. */
  readonly published: number;
}

/** Reads a binary package. `changelog` is its source's where that is known. Throws `bad-package`. */
export async function readDeb(
  reading: Reading,
  path: string,
  changelog: readonly ChangelogEntry[] | null,
): Promise<StagedEntry> {
  const { context, place } = reading;
  const file = basename(path);
  const staged = join(reading.staging, file);
  const digest = await copyDurably(path, staged);
  const [control, listing] = await Promise.all([
    packageTool(context, file, ['dpkg-deb', '-I', staged, 'control']),
    packageTool(context, file, ['dpkg-deb', '-c', staged]),
  ]);
  const stanza = readStanza(control, `${file}: control`);
  const name = need(stanza, 'Package', NAME, file);
  const version = need(stanza, 'Version', VERSION, file);
  const architecture = need(stanza, 'Architecture', ARCHITECTURE, file);
  need(stanza, 'Maintainer', /./, file);
  const source = sourceOf(stanza, name, version, file);
  const target = `${name}_${withoutEpoch(version)}_${architecture}.deb`;
  const pool = debPool(place.derivative, source.name, target);
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
    changelog: changelog ?? (await ownChangelog(context, staged, name, content)),
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

/** A version as file names have it. */
export function withoutEpoch(version: string): string {
  return version.replace(/^\d+:/, '');
}

async function packageTool(context: TaskContext, file: string, command: readonly string[]): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await context.runTool(command, {
    accept: [0, 1, 2],
    maxOutput: MAX_LISTING,
  });
  if (exitCode === 0) return stdout;
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
  for (const line of text.split('\n')) {
    const match = /^([-dlhcbps])\S+ \S+ +(\d+|\d+,\s*\d+) \d{4}-\d\d-\d\d \d\d:\d\d \.?\/(.*)$/.exec(line);
    if (!match) continue;
    const kind = match[1] === '-' || match[1] === 'h' ? 'f' : (match[1] as ContentEntry['type']);
    const cut = match[1] === 'l' ? ' -> ' : match[1] === 'h' ? ' link to ' : null;
    const shown = match[3] ?? '';
    const end = cut === null ? -1 : shown.indexOf(cut);
    const path = unquote(end < 0 ? shown : shown.slice(0, end)).replace(/\/+$/, '');
    if (path === '') continue;
    entries.push({ path: `/${path}`, type: kind, size: match[1] === '-' ? Number(match[2]) : 0 });
  }
  return entries;
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
  const script = 'dpkg-deb --fsys-tarfile "$1" | tar -xO "$2" 2>/dev/null';
  const command = ['sh', '-c', script, 'sh', path, `.${there}`];
  const { stdout } = await context.runTool(command, { accept: [0, 1, 2], maxOutput: MAX_CHANGELOG });
  try {
    return parseDebianChangelog(gunzipSync(stdout, { maxOutputLength: MAX_CHANGELOG }).toString('utf8'));
  } catch {
    // A changelog that can't be read is no reason to refuse a package.
    return [];
  }
}
