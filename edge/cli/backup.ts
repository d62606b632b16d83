/** `rackwright backup`: all that a site can't make again, in one file. */
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Fault } from '../../proto/fault.ts';
import { connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';
import type { HoldForBackupResponse__Output } from '../../proto/types/rackwright/v1/HoldForBackupResponse.ts';
import { VERSION } from '../../proto/words.ts';
import {
  contentOf,
  isBelow,
  isThere,
  type Kept,
  MANIFEST,
  type Manifest,
  syncPath,
  tool,
} from './backup-file.ts';
import { UsageError } from './exit.ts';
import type { GeneralOptions } from './program.ts';
import { print, surroundingsOf } from './surroundings.ts';
import { chooseUri, parseTarget } from './target.ts';

/** Milliseconds that registries may be held still; the daemon's own limit. */
const HOLD_LIMIT = 600_000;

/** Adds the verb. */
export function addBackupCommand(program: Command): void {
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
  const { stage, state, registry, etc, lib, cache, run } = held;
  const there: string[] = [];
  for (const folder of held.folders) if ((await contentOf(folder)) !== null) there.push(folder);
  // A folder within another one comes with it.
  const folders = there.filter(one => !there.some(other => one !== other && isBelow(one, other)));
  const kept = await Promise.all([registry, ...folders].map(keep));
  const manifest: Manifest = { rackwright: VERSION, places: { etc, lib, cache, run }, state, folders: kept };
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

async function keep(path: string): Promise<Kept> {
  const { mode, uid, gid } = await stat(path);
  return { path, mode: mode & 0o7777, uid, gid };
}

/** A path as a basic regular expression that only it matches; `|` is the separator around it. */
function escapePattern(path: string): string {
  return path.replace(/[\\.*[\]^$|]/g, '\\$&');
}
