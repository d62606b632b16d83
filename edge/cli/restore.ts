/** `rackwright restore`: a backup put back, where it was or in another place. */
import { constants } from 'node:fs';
import {
  access,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { errorCode, Fault } from '../../proto/fault.ts';
import { type Places, places } from '../../systemd/settings.ts';
import {
  contentOf,
  isBelow,
  isThere,
  type Kept,
  MANIFEST,
  type Manifest,
  refuseCut,
  syncPath,
  tool,
} from './backup-file.ts';
import { UsageError } from './exit.ts';
import type { GeneralOptions } from './program.ts';
import { print, surroundingsOf } from './surroundings.ts';

const DAEMON = fileURLToPath(new URL('../../daemon/main.ts', import.meta.url));

interface RestoreOptions extends GeneralOptions {
  readonly home?: string;
  readonly system?: boolean;
  readonly map: readonly string[];
}

/** Adds the verb. */
export function addRestoreCommand(program: Command): void {
  const collect = (value: string, before: readonly string[]): string[] => [...before, value];
  program
    .command('restore')
    .argument('<file>', 'a file that `rackwright backup` wrote')
    .option('--home <dir>', 'below this folder, as `rackwright up --home` keeps everything')
    .option('--system', 'in the usual system folders')
    .option('--map <old=new>', 'with these, where a folder goes that settings have named', collect, [])
    .summary('put a backup back')
    .description(
      'Puts a backup back, while no daemon runs: where it was taken from, or with --home or --system in another place.\n' +
        'The paths in its settings and its state are changed then. None of its folders may hold anything yet.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  rackwright restore /srv/backup/rackwright-monday.tar\n' +
        '  rackwright restore monday.tar --home ./trial --map /srv/registry=/srv/trial-registry',
    )
    .action(async (file: string, options: RestoreOptions, command: Command) => {
      const around = surroundingsOf(command);
      if (options.home !== undefined && options.system)
        throw new UsageError('--home and --system are two places');
      const moved = options.home !== undefined || options.system === true;
      if (!moved && options.map.length > 0) throw new UsageError('--map goes with --home or --system');
      const home = options.home === undefined ? null : resolve(around.cwd, options.home);
      const path = resolve(around.cwd, file);
      const to = moved ? { home, maps: options.map.map(readMap) } : null;
      const { state } = await restore(path, to);
      const json = command.optsWithGlobals<GeneralOptions>().json === true;
      print(around, json ? JSON.stringify({ state }) : `restored ${state} and what belongs to it`);
    });
}

type Move = readonly [from: string, to: string];

/** Another place; the system's folders without a home. */
interface Destination {
  readonly home: string | null;
  readonly maps: readonly Move[];
}

function readMap(text: string): Move {
  const [from = '', to = '', ...more] = text.split('=');
  if (!from.startsWith('/') || !to.startsWith('/') || more.length > 0)
    throw new UsageError(`--map ${text}: two absolute paths with = between them`);
  return [resolve(from), resolve(to)];
}

/**
 * Puts a backup back. Throws `already-there` when anything is where it belongs, `bad-input` for a folder without a
 * place and for a file that was cut off. What fails leaves nothing behind.
 */
async function restore(file: string, to: Destination | null): Promise<{ state: string }> {
  await access(file, constants.R_OK).catch(error => {
    throw new Fault('not_found', 'not-found', `${file} can't be read (${errorCode(error)})`);
  });
  const text = await tool(['tar', '--extract', `--file=${file}`, '--to-stdout', '--occurrence=1', MANIFEST]);
  await refuseCut(file);
  const manifest = JSON.parse(text) as Manifest;
  const moves = to === null ? [] : movesOf(manifest, to);
  const state = moved(manifest.state, moves) ?? manifest.state;
  const folders = manifest.folders.map(folder => ({ ...folder, path: placeOf(folder, moves) }));
  for (const { path } of folders) await refuseContent(path);
  for (const path of [state, `${state}-wal`]) if (await isThere(path)) throw occupied(path);
  const begun: string[] = [];
  try {
    for (const [at, folder] of folders.entries()) {
      begun.push(folder.path);
      await putFolder(file, folder, at === 0 ? 'registry' : `folder${at}`);
    }
    if (to !== null) await changeSettings(places(to.home).etc, moves);
    // The state comes last: a daemon that starts finds all of it or none.
    await putState(file, state, to);
  } catch (error) {
    for (const path of begun) await empty(path);
    throw error;
  }
  return { state };
}

/** What lies below a root of the old place goes below that of the new one; the longest path counts. */
function movesOf({ places: old }: Manifest, { home, maps }: Destination): readonly Move[] {
  const target = places(home);
  const roots = (Object.keys(target) as (keyof Places)[]).map((root): Move => [old[root], target[root]]);
  return [...maps, ...roots].sort(([a], [b]) => b.length - a.length);
}

/** A path in its new place; null for one that no move is for. */
function moved(path: string, moves: readonly Move[]): string | null {
  const move = moves.find(([from]) => isBelow(path, from));
  return move === undefined ? null : join(move[1], path.slice(move[0].length));
}

function placeOf({ path }: Kept, moves: readonly Move[]): string {
  if (moves.length === 0) return path;
  const place = moved(path, moves);
  if (place !== null) return place;
  const message = `${path} was named by a setting: say where it goes with --map ${path}=NEW`;
  throw new Fault('invalid', 'bad-input', message);
}

async function putFolder(file: string, { path, mode, uid, gid }: Kept, member: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await extract(file, path, member, 1);
  // Who is not root owns what they put back.
  if (process.getuid?.() === 0) await chown(path, uid, gid);
  await chmod(path, mode);
}

async function putState(file: string, state: string, to: Destination | null): Promise<void> {
  await mkdir(dirname(state), { recursive: true });
  const stage = await mkdtemp(join(dirname(state), '.restore-'));
  try {
    const copy = join(stage, 'state.db');
    await extract(file, stage, 'state.db', 0);
    if (to !== null) {
      const home = to.home === null ? [] : ['--home', to.home];
      await tool([process.execPath, DAEMON, ...home, 'relocate', copy]);
    }
    await syncPath(copy);
    await rename(copy, state);
    await syncPath(dirname(state));
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Has the values of settings name the new places. Only whole paths count: `/srv/a` is not `/srv/ab`. */
async function changeSettings(etc: string, moves: readonly Move[]): Promise<void> {
  for (const name of await readdir(etc)) {
    if (!name.endsWith('.ini')) continue;
    const path = join(etc, name);
    const text = await readFile(path, 'utf8');
    const changed = text.replace(/(?<=[\s=,])\/[^\s,]+/g, word => moved(word, moves) ?? word);
    if (changed !== text) await writeFile(path, changed);
  }
}

async function extract(file: string, folder: string, member: string, strip: number): Promise<void> {
  await tool([
    ...['tar', '--extract', `--file=${file}`, '--directory', folder, `--strip-components=${strip}`],
    ...['--numeric-owner', '--preserve-permissions', '--delay-directory-restore', member],
  ]);
}

function occupied(path: string): Fault {
  return new Fault(
    'conflict',
    'already-there',
    `${path} is not empty: a backup is put back into an empty place only`,
  );
}

async function refuseContent(folder: string): Promise<void> {
  if (((await contentOf(folder)) ?? []).length > 0) throw occupied(folder);
}

/** Removes what a folder holds, which was empty before. */
async function empty(folder: string): Promise<void> {
  for (const name of (await contentOf(folder)) ?? [])
    await rm(join(folder, name), { recursive: true, force: true });
}
