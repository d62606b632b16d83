/** `rackwright backup` and `rackwright restore`: all that a site can't make again, in one file, and back where it was. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, chown, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { errorCode, Fault } from '../../proto/fault.ts';
import { connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';
import type { HoldForBackupResponse__Output } from '../../proto/types/rackwright/v1/HoldForBackupResponse.ts';
import { VERSION } from '../../proto/words.ts';
import { UsageError } from './exit.ts';
import type { GeneralOptions } from './program.ts';
import { print, surroundingsOf } from './surroundings.ts';
import { chooseUri, parseTarget } from './target.ts';

/** Milliseconds that registries may be held still; the daemon's own limit. */
const HOLD_LIMIT = 600_000;
/** Characters of a tool's complaints that are shown. */
const MAX_COMPLAINT = 4000;
/** The first member of a backup: what it is and where its parts belong. */
const MANIFEST = 'backup.json';

interface Manifest {
  readonly rackwright: string;
  /** Absolute paths. */
  readonly state: string;
  /** The registries' folder first. */
  readonly folders: readonly Kept[];
}

/** A folder with what tar does not put back of the top of a tree. */
interface Kept {
  /** Absolute. */
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Adds both verbs. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .argument('<file>', 'file to write; must not exist')
    .description(
      "Writes settings, state, keys, tasks and registries into one tar file while the daemon runs, on the daemon's host\n" +
        'and as root or its user. Publications wait while files are linked; environments and caches are left out.',
    )
    .addHelpText('after', '\nExample:\n  rackwright backup /srv/backup/rackwright-monday.tar')
    .action(async (file: string, _options: unknown, command: Command) => {
      const around = surroundingsOf(command);
      const options = command.optsWithGlobals<GeneralOptions>();
      const uri = chooseUri({ option: options.uri, env: around.env, preference: null });
      const target = parseTarget(uri, around.cwd);
      if (target.kind !== 'socket')
        throw new UsageError("a backup needs the daemon's own socket, not an address");
      const path = resolve(around.cwd, file);
      await backUp(target.path, path);
      print(around, options.json ? JSON.stringify({ backup: path }) : `backed up to ${path}`);
    });
  program
    .command('restore')
    .argument('<file>', 'a file that `rackwright backup` wrote')
    .description(
      'Puts a backup back where it was taken from, while no daemon runs; none of its folders may hold anything yet.',
    )
    .addHelpText('after', '\nExample:\n  rackwright restore /srv/backup/rackwright-monday.tar')
    .action(async (file: string, _options: unknown, command: Command) => {
      const around = surroundingsOf(command);
      const { state } = await restore(resolve(around.cwd, file));
      const json = command.optsWithGlobals<GeneralOptions>().json === true;
      print(around, json ? JSON.stringify({ state }) : `restored ${state} and what belongs to it`);
    });
}

/** Takes a backup over the daemon's control socket. What fails leaves no file. */
async function backUp(socket: string, file: string): Promise<void> {
  const part = `${file}.part`;
  if (await isThere(file)) throw new Fault('conflict', 'already-there', `${file} is there already`);
  // Private keys are in it.
  await (await open(part, 'wx', 0o600)).close();
  let stage: string | null = null;
  try {
    const held = await linkWhileHeld(socket, found => {
      stage = found;
    });
    await pack(held, part);
    await syncPath(part);
    await rename(part, file);
    await syncPath(dirname(file));
  } finally {
    await rm(part, { force: true });
    if (stage !== null) await rm(stage, { recursive: true, force: true });
  }
}

/** Links the registries' files into the stage while nothing publishes. */
async function linkWhileHeld(
  socket: string,
  staged: (folder: string) => void,
): Promise<HoldForBackupResponse__Output> {
  const connection = connect(loadProtocol(), `unix:${socket}`);
  const over = new AbortController();
  try {
    const call = { signal: over.signal, timeout: HOLD_LIMIT };
    const answers = connection.service('DaemonService').holdForBackup({}, call)[Symbol.asyncIterator]();
    const first = await answers.next();
    if (first.done) throw new Fault('unavailable', 'unreachable', 'the daemon did not hold its registries');
    const held = first.value;
    staged(held.stage);
    // The daemon says nothing more unless it had to let go: then the links are worth nothing.
    const lost = answers.next().then(() => {
      throw new Fault('unavailable', 'unreachable', 'the daemon let its registries go before all was linked');
    });
    await Promise.race([link(held), lost]);
    over.abort();
    await lost.catch(() => undefined);
    return held;
  } finally {
    over.abort();
    connection.close();
  }
}

async function link({ stage, registry }: HoldForBackupResponse__Output): Promise<void> {
  const target = join(stage, 'registry');
  await mkdir(target, { mode: 0o755 });
  const names = (await readdir(registry)).filter(name => !name.startsWith('.'));
  const paths = names.map(name => join(registry, name));
  if (paths.length > 0) await tool(['cp', '--archive', '--link', '--', ...paths, target]);
}

async function pack(held: HoldForBackupResponse__Output, file: string): Promise<void> {
  const { stage, state, registry } = held;
  const there: string[] = [];
  for (const folder of held.folders) if ((await contentOf(folder)) !== null) there.push(folder);
  // A folder within another one comes with it.
  const folders = there.filter(one => !there.some(other => one !== other && isBelow(one, other)));
  const kept = await Promise.all([registry, ...folders].map(keep));
  const manifest: Manifest = { rackwright: VERSION, state, folders: kept };
  await writeFile(join(stage, MANIFEST), JSON.stringify(manifest));
  const numbered = folders.flatMap((folder, at) => [
    `--transform=s|^${escapePattern(folder.slice(1))}\\(/\\|$\\)|folder${at + 1}\\1|S`,
  ]);
  const others = [join(registry, '.backup-*'), `${file}*`].map(path => `--exclude=${path.slice(1)}`);
  await tool(
    [
      ...['tar', '--create', `--file=${file}`, '--numeric-owner', '--warning=no-file-ignored'],
      ...['--one-file-system', '--anchored', ...others, ...numbered],
      ...['--directory', stage, MANIFEST, 'state.db', 'registry'],
      ...['--directory', '/', ...folders.map(folder => folder.slice(1))],
    ],
    // 1: a journal grew while it was read, as journals do.
    [0, 1],
  );
}

/** Puts a backup back. Throws `already-there` when anything is where it belongs. */
async function restore(file: string): Promise<Manifest> {
  await access(file, constants.R_OK).catch(error => {
    throw new Fault('not_found', 'not-found', `${file} can't be read (${errorCode(error)})`);
  });
  const text = await tool(['tar', '--extract', `--file=${file}`, '--to-stdout', '--occurrence=1', MANIFEST]);
  const manifest = JSON.parse(text) as Manifest;
  const { state, folders } = manifest;
  for (const { path } of folders) await refuseContent(path);
  for (const path of [state, `${state}-wal`]) if (await isThere(path)) throw occupied(path);
  for (const [at, { path, mode, uid, gid }] of folders.entries()) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await extract(file, path, at === 0 ? 'registry' : `folder${at}`, 1);
    await chown(path, uid, gid);
    await chmod(path, mode);
  }
  await mkdir(dirname(state), { recursive: true });
  // The state comes last: a daemon that starts finds all of it or none.
  await extract(file, dirname(state), 'state.db', 0);
  await syncPath(state);
  await syncPath(dirname(state));
  return manifest;
}

async function extract(file: string, folder: string, member: string, strip: number): Promise<void> {
  await tool([
    ...['tar', '--extract', `--file=${file}`, '--directory', folder, `--strip-components=${strip}`],
    ...['--numeric-owner', '--preserve-permissions', '--delay-directory-restore', member],
  ]);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function keep(path: string): Promise<Kept> {
  const { mode, uid, gid } = await stat(path);
  return { path, mode: mode & 0o7777, uid, gid };
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

/** Names in a folder; null when there is none. */
async function contentOf(folder: string): Promise<string[] | null> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function isBelow(path: string, folder: string): boolean {
  return !relative(folder, path).startsWith('..');
}

/** A path as a basic regular expression that only it matches; `|` is the separator around it. */
function escapePattern(path: string): string {
  return path.replace(/[\\.*[\]^$|]/g, '\\$&');
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Runs a tool; answers what it printed. Throws its complaint when it ends otherwise than expected. */
function tool(command: readonly string[], expected: readonly number[] = [0]): Promise<string> {
  const [name = '', ...parameters] = command;
  return new Promise((done, fail) => {
    const child: ChildProcess = spawn(name, parameters, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    });
    let output = '';
    let complaint = '';
    child.stdout?.on('data', chunk => {
      output += chunk;
    });
    child.stderr?.on('data', chunk => {
      complaint = (complaint + chunk).slice(-MAX_COMPLAINT);
    });
    child.once('error', error => fail(new Fault('unavailable', 'internal', `${name}: ${error.message}`)));
    child.once('close', code => {
      if (code !== null && expected.includes(code)) done(output);
      else fail(new Fault('unavailable', 'internal', `${name} failed (${code}): ${complaint.trim()}`));
    });
  });
}
