/** A temporary git repository of a source tree, with one commit a patch. */
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import { type Ended, run, unpack } from './pack.ts';
import type { KeptPatch, Patch } from './patch-files.ts';
import { ARCHIVE } from './sources.ts';

/** Line of a commit message that makes its patch a generic one. */
const GENERIC = /^Generic:\s*yes\s*$/im;

export interface Repository {
  readonly folder: string;
  /** Adds a patch as a commit. Throws when it does not apply. */
  apply(patch: KeptPatch): Promise<void>;
  /** Fixes the state from which patches are read back. */
  readBack(): Promise<Patch[]>;
}

export interface Person {
  readonly name: string;
  readonly email: string;
}

/** Opens a repository in `folder`, whose files are its first commit. `template` is a file for commit messages. */
export async function openRepository(
  folder: string,
  person: Person,
  template: string | null,
): Promise<Repository> {
  const git = async (parameters: readonly string[], input = ''): Promise<Ended> => {
    const ended = await run('git', ['-C', folder, ...parameters], input).catch(() => {
      throw new Fault('unavailable', 'bad-input', "git can't be run; is it installed?");
    });
    return ended;
  };
  const sure = async (parameters: readonly string[], input = ''): Promise<string> => {
    const { code, output, words } = await git(parameters, input);
    if (code !== 0) throw new Fault('invalid', 'bad-patch', `git ${parameters[0]}: ${words.trim()}`);
    return output;
  };
  await sure(['init', '--quiet', '--initial-branch=patches']);
  const settings = {
    'user.name': person.name,
    'user.email': person.email,
    'commit.gpgsign': 'false',
    'core.autocrlf': 'false',
  };
  for (const [key, value] of Object.entries(settings)) await sure(['config', key, value]);
  if (template !== null) await sure(['config', 'commit.template', template]);
  // What upstream ignores is a part of its archive all the same.
  await sure(['add', '--all', '--force']);
  await sure(['commit', '--quiet', '--no-verify', '--allow-empty', '--message', 'upstream']);
  await sure(['tag', 'upstream']);
  return {
    folder,
    async apply({ title, header, diff, generic, file }) {
      const applied = await git(['apply', '--index', '--whitespace=nowarn', '-'], diff);
      if (applied.code !== 0) {
        throw new Fault('invalid', 'bad-patch', `${file} does not apply: ${applied.words.trim()}`);
      }
      const body = [header, generic ? 'Generic: yes' : ''].filter(part => part !== '').join('\n');
      await sure(
        ['commit', '--quiet', '--no-verify', '--allow-empty', '--file', '-'],
        `${title}\n\n${body}\n`,
      );
    },
    async readBack() {
      const { output } = await git(['status', '--porcelain']);
      if (output.trim() !== '') {
        throw new Fault(
          'refused',
          'bad-patch',
          `${folder} holds changes that are not committed; it is kept as it is`,
        );
      }
      const commits = (await sure(['rev-list', '--reverse', '--no-merges', 'upstream..HEAD']))
        .split('\n')
        .filter(Boolean);
      const patches: Patch[] = [];
      for (const commit of commits) patches.push(await readCommit(sure, commit));
      return patches;
    },
  };
}

async function readCommit(
  git: (parameters: readonly string[]) => Promise<string>,
  commit: string,
): Promise<Patch> {
  const [title = '', ...lines] = (await git(['show', '--no-patch', '--format=%B', commit]))
    .trimEnd()
    .split('\n');
  const body = lines.join('\n').trim();
  const author = (await git(['show', '--no-patch', '--format=%an <%ae>', commit])).trim();
  const kept = body
    .replace(GENERIC, '')
    .replace(/\n{2,}/g, '\n')
    .trim();
  const named = /^(Author|From):/im.test(kept)
    ? kept
    : [kept, `Author: ${author}`].filter(Boolean).join('\n');
  const diff = await git([
    'diff',
    '--no-color',
    '--no-ext-diff',
    '--binary',
    '--full-index',
    `${commit}~`,
    commit,
  ]);
  return { title, header: named, diff, generic: GENERIC.test(body) };
}

/** Puts a source, an archive or a directory, into a folder, without its single top directory and upstream's debian. */
export async function placeSource(path: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await stat(path)).isDirectory()) {
    await cp(path, folder, {
      recursive: true,
      verbatimSymlinks: true,
      filter: from => from === path || !basename(from).startsWith('.git'),
    });
  } else {
    const spread = await mkdtemp(`${folder}-spread-`);
    await unpack(path, spread);
    const entries = await readdir(spread, { withFileTypes: true });
    const top = entries.length === 1 && entries[0]?.isDirectory() ? join(spread, entries[0].name) : spread;
    for (const name of await readdir(top)) await rename(join(top, name), join(folder, name));
    await rm(spread, { recursive: true, force: true });
  }
  await rm(join(folder, 'debian'), { recursive: true, force: true });
}

/** The directory of a supplementary source: its file name's stem, only letters, digits and hyphens kept. */
export function stemOf(path: string): string {
  return basename(path)
    .replace(ARCHIVE, '')
    .replaceAll('/', '-')
    .replace(/[^A-Za-z0-9-]/g, '');
}
