/** What rpm itself says of an rpm: its tags, its files, its changelog. */
import { basename } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import type { ChangelogEntry, ContentEntry } from '../job.ts';

/** Bytes of what rpm tells of a package. */
const MAX_QUERY = 256 * 1024 * 1024;
/** Names as rpm builds them, without anything that a path or a query could trip over. */
export const WORD = /^[A-Za-z0-9_][A-Za-z0-9._+~^-]{0,200}$/;

/** What rpm tells of a package. */
export interface Tags {
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

/** Asks rpm. Throws `bad-package`. */
export async function query(context: TaskContext, path: string): Promise<Tags> {
  const file = basename(path);
  const command = ['rpm', '-qp', '--nosignature', '--nodigest', '--qf', FORMAT, path];
  const { exitCode, stdout, stderr } = await context.runTool(command, {
    jail: { read: [path] },
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
  const match = /^(.*>)(?:\s+-)?\s+(\S+)$/s.exec(name);
  const changes = text
    .split('\n')
    .map(line => line.trim().replace(/^[-*]\s+/, ''))
    .filter(line => line !== '');
  return { author: match?.[1] ?? name, changes, date: Number(time) || 0, version: match?.[2] ?? '' };
}

/** The upper four bits of a mode in octal, as inode(7) has them. */
const KINDS: Readonly<Record<string, ContentEntry['type']>> = {
  '04': 'd',
  '12': 'l',
  '02': 'c',
  '06': 'b',
  '01': 'p',
  '14': 's',
};

function toContent([, mode = '0', size = '0', path = '']: readonly string[]): ContentEntry {
  const type = KINDS[mode.padStart(6, '0').slice(-6, -4)] ?? 'f';
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

/** A package that can't be taken in. */
export function bad(file: string, what: string): Fault {
  return new Fault('invalid', 'bad-package', `${file.slice(0, 200)} ${what}`, { file: file.slice(0, 200) });
}
