/** Packs directories into tar.xz archives with the system's tar and xz, leaving out what does not belong there. */
import { spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';

/** Ownership of the packer says nothing about the packed. */
const ANONYMOUS = ['--owner=0', '--group=0', '--numeric-owner'] as const;
/** Bytes of a tool's messages that are kept for ours. */
const MAX_WORDS = 4096;

/** Packs a definition: members `.`, `./artifact.yml`, …; the directories of version control are left out. */
export async function packDefinition(folder: string, archive: string): Promise<void> {
  await tar([
    '--create',
    '--xz',
    '--file',
    archive,
    '--directory',
    folder,
    '--sort=name',
    ...ANONYMOUS,
    '--exclude-vcs',
    '.',
  ]);
}

export interface SourceTree {
  readonly folder: string;
  /** Name of the archive's top directory. */
  readonly top: string;
  /** Whether files that git ignores are packed, too. */
  readonly ignored: boolean;
}

/** Packs a source tree under one top directory, without top-level `.git*` and `debian`. */
export async function packSources(tree: SourceTree, archive: string): Promise<void> {
  const left = tree.ignored ? new Set<string>() : await ignoredByGit(tree.folder);
  const members = await listMembers(tree.folder, left);
  // `S` and `H` off: targets of symbolic links stay, those of hard links are names of members.
  const top = tree.top.replace(/[\\&,]/g, '\\$&');
  await tar(
    [
      ...['--create', '--xz', '--file', archive, '--directory', tree.folder, ...ANONYMOUS],
      ...['--transform', `flags=rhS;s,^\\.,${top},`],
      ...['--no-recursion', '--null', '--verbatim-files-from', '--files-from', '-'],
    ],
    members.map(member => `${member}\0`).join(''),
  );
}

/** Members below a tree in order, the tree itself first, as `.`, `./a`, `./a/b`. */
async function listMembers(folder: string, left: ReadonlySet<string>): Promise<string[]> {
  const members = ['.'];
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (path === '' && (entry.name.startsWith('.git') || entry.name === 'debian')) continue;
      if (left.has(below)) continue;
      members.push(`./${below}`);
      if (entry.isDirectory()) await walk(below);
    }
  };
  try {
    await walk('');
  } catch (error) {
    throw new Fault(
      'invalid',
      'bad-input',
      `${folder} can't be read (${errorCode(error)})`,
      {},
      { cause: error },
    );
  }
  return members;
}

/** Paths below a tree that git ignores; empty where git does not know the tree. */
async function ignoredByGit(folder: string): Promise<Set<string>> {
  const parameters = [
    '-C',
    folder,
    'ls-files',
    '-z',
    '--others',
    '--ignored',
    '--exclude-standard',
    '--directory',
  ];
  const { code, output } = await run('git', parameters).catch(error => {
    if (errorCode(error) === 'ENOENT') return { code: 1, output: '' };
    throw error;
  });
  if (code !== 0) return new Set();
  return new Set(output.split('\0').map(path => path.replace(/\/$/, '')));
}

/** What git calls the tree's present state, without a leading v; null when it knows no tag. */
export async function describeByGit(folder: string): Promise<string | null> {
  const { code, output } = await run('git', ['-C', folder, 'describe', '--tags']).catch(() => ({
    code: 1,
    output: '',
  }));
  const described = output.trim().replace(/^v(?=\d)/, '');
  return code === 0 && described !== '' ? described : null;
}

/** A setting of the user's git, null when it has none. */
export async function askGit(folder: string, key: string): Promise<string | null> {
  const found = await stat(folder).catch(() => null);
  const where = found?.isDirectory() ? ['-C', folder] : [];
  const { code, output } = await run('git', [...where, 'config', '--get', key]).catch(() => ({
    code: 1,
    output: '',
  }));
  return code === 0 && output.trim() !== '' ? output.trim() : null;
}

/** Unpacks an archive of any supported kind; its single top directory, if it has one, is the caller's to strip. */
export async function unpack(archive: string, folder: string): Promise<void> {
  if (!archive.endsWith('.zip')) return tar(['--extract', '--file', archive, '--directory', folder]);
  const { code, words } = await run('unzip', ['-q', archive, '-d', folder]).catch(() => {
    throw new Fault('unavailable', 'bad-input', "unzip can't be run; is it installed?");
  });
  if (code !== 0) throw new Fault('invalid', 'corrupt-archive', `${archive}: ${words.trim()}`);
}

async function tar(parameters: readonly string[], input = ''): Promise<void> {
  let ended: { code: number; words: string };
  try {
    ended = await run('tar', parameters, input);
  } catch (error) {
    throw new Fault('unavailable', 'bad-input', `tar can't be run (${errorCode(error)}); is it installed?`);
  }
  if (ended.code !== 0) {
    throw new Fault(
      'invalid',
      'bad-input',
      `packing failed: ${ended.words.trim() || `tar ended with ${ended.code}`}`,
    );
  }
}

/** How a program ended, its standard output, and the last of its messages. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly words: string;
}

/** Runs a program to its end. Rejects when it can't be started. */
export function run(program: string, parameters: readonly string[], input = ''): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { stdio: 'pipe' });
    const output: Buffer[] = [];
    let words = '';
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      words = (words + chunk.toString('utf8')).slice(-MAX_WORDS);
    });
    // A program that ended early tells why by its exit code.
    child.stdin.on('error', () => {});
    child.once('error', reject);
    child.once('close', code =>
      resolve({ code: code ?? 1, output: Buffer.concat(output).toString('utf8'), words }),
    );
    child.stdin.end(input);
  });
}
