/** Installs build dependencies in a sandbox with the root's own apt, by the network and the machine's ways to it. */
import { constants } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { Sandbox, TaskContext } from '../context.ts';
import { findFault } from '../formats/deb/apt-failure.ts';
import { copyAptSettings } from '../formats/deb/apt-settings.ts';
import { digestOf, parseDeb822, renderSources } from '../formats/deb/apt-sources.ts';
import { BASH } from '../tool.ts';
import { lockExclusive } from './lock.ts';

/** A further source of packages for the installation of build dependencies (the instance's own registry). */
export interface AptSource {
  /** Name of its files: letters, digits, `-` and `_`. */
  readonly name: string;
  /** deb822 text of the source. `Signed-By:` is added when there is a keyring. */
  readonly text: string;
  /** Text for apt_preferences(5); empty for none. */
  readonly preferences: string;
  /** Absolute host path of a binary (.gpg) or armored (.asc) public keyring; null for none. */
  readonly keyring: string | null;
  /** Host folder shown read-only inside while installing, for `file:` URIs; null for none. */
  readonly folder: { readonly from: string; readonly to: string } | null;
  /**
   * Identity of what the source offers now of what matters, `none` for nothing: a layer is used again only for an equal
   * one.
   */
  readonly digest: string;
}

/** What a layer is to hold. */
export interface InstallPlan {
  /** Absolute real path of the root. */
  readonly root: string;
  readonly dependencies: readonly string[];
  readonly conflicts: readonly string[];
  readonly aptSources: readonly AptSource[];
}

/** Where apt keeps what it fetches, for all layers, and folders below which it wants to change before any installation. */
const LISTS = '/var/lib/apt/lists';
const ARCHIVES = '/var/cache/apt/archives';
const UNFINISHED = [`${LISTS}/auxfiles`, `${ARCHIVES}/partial`] as const;
/** Where apt sees its settings: gone with the run, so that no credential stays in a layer. */
const INSIDE = '/run/rackwright-apt';
/** Sources that a root of ours has. */
const ROOT_SOURCES = 'etc/apt/sources.list.d/rackwright.sources';
/** Milliseconds for which lists of packages are not fetched again unless something is missing. */
const RECENT = 3600 * 1000;
/** Bytes of fetched packages that are kept for each kind of environment. */
const MAX_ARCHIVES = 4 * 1024 ** 3;
/** Bytes of apt's words that are read again to find a cause: the last ones. */
const MAX_LOG = 1024 * 1024;

/** Installs what the plan names. `folder` takes the settings; absent. */
export async function installDependencies(
  context: TaskContext,
  sandbox: Sandbox,
  plan: InstallPlan,
  folder: string,
): Promise<void> {
  const own = await readFile(join(plan.root, ROOT_SOURCES), 'utf8').catch(() => '');
  await writeSettings(context, plan, own, folder);
  const store = join(
    context.job.settings.dirs.cache,
    'apt',
    digestOf(plan.root.replace(/[^/]*$/, ''), own).slice(0, 16),
  );
  const lists = join(store, 'lists');
  const archives = join(store, 'archives');
  const spare = join(folder, 'spare');
  const made = [spare, join(lists, 'auxfiles'), join(archives, 'partial')];
  for (const path of made) await mkdir(path, { recursive: true, mode: 0o755 });
  const run = async (command: readonly string[], writable: boolean): Promise<number> => {
    const { exitCode } = await sandbox.run([...BASH, LOGGED, 'rackwright', 'apt-get', ...command], {
      root: true,
      network: true,
      env: { APT_CONFIG: `${INSIDE}/apt.conf`, DEBIAN_FRONTEND: 'noninteractive' },
      binds: [
        { from: folder, to: INSIDE },
        { from: lists, to: LISTS, writable },
        { from: archives, to: ARCHIVES, writable },
        ...(writable ? [] : UNFINISHED.map(to => ({ from: spare, to, writable: true }))),
        ...plan.aptSources.flatMap(source => (source.folder ? [source.folder] : [])),
      ],
    });
    return exitCode;
  };
  const conflicts = plan.conflicts.map(item => `Conflicts: ${item}`);
  const install = ['satisfy', '--no-install-recommends', ...plan.dependencies, ...conflicts];
  // apt's own locks make a second installation fail at once; ours makes it wait.
  const release = await lockExclusive(store, context.signal);
  try {
    context.console.log('info', `Installing build dependencies: ${plan.dependencies.join(', ')}`);
    let code = await fetchPackages(command => run(command, true), store, plan, install);
    // What is fetched serves later layers too, and apt knows a fetched package by its size alone: no script of a package
    // may write there. apt need not either, its own locks included.
    if (code === 0) code = await run([...install, '-o', 'Debug::NoLocking=true'], false);
    if (code !== 0) throw await causeOf(sandbox, code);
  } finally {
    await dropOldArchives(archives);
    release();
  }
}

/** Has apt fetch all that is to be installed, and answers its exit code. Nothing of a package is run meanwhile. */
async function fetchPackages(
  run: (command: readonly string[]) => Promise<number>,
  store: string,
  plan: InstallPlan,
  install: readonly string[],
): Promise<number> {
  const fetch = [...install, '--download-only'];
  const stamp = join(store, 'updated');
  const recent = await stat(stamp).catch(() => null);
  if (recent !== null && Date.now() - recent.mtimeMs < RECENT) {
    // Only our own sources have changed since; if a mirror has too, the attempt after a whole update finds out.
    if (plan.aptSources.length > 0) await run(['update', '-o', 'Dir::Etc::SourceParts=/dev/null']);
    if ((await run(fetch)) === 0) return 0;
  }
  // What cannot be updated may not be needed; if it is, the next step says so.
  await run(['update']);
  await writeFile(stamp, '');
  return run(fetch);
}

/** Removes the packages that were fetched first, once all together take too much. */
async function dropOldArchives(folder: string): Promise<void> {
  const files: { path: string; size: number; time: number }[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const state = name.endsWith('.deb') ? await stat(path).catch(() => null) : null;
    if (state) files.push({ path, size: state.size, time: state.ctimeMs });
  }
  files.sort((a, b) => b.time - a.time);
  let total = 0;
  for (const { path, size } of files) {
    total += size;
    if (total > MAX_ARCHIVES) await rm(path, { force: true });
  }
}

/** Runs the command, its words also kept in the exchange folder, in place of those before. */
const LOGGED = 'set -o pipefail; "$@" 2>&1 | tee /build/apt.log';

async function causeOf(sandbox: Sandbox, exitCode: number): Promise<Fault> {
  const text = await readLog(join(sandbox.exchange, 'apt.log'));
  const last =
    text.split('\n').findLast(line => line.startsWith('E: ')) ?? `apt-get ended with code ${exitCode}`;
  return (
    findFault(text) ??
    new Fault('refused', 'build-failed', `build dependencies could not be installed: ${last.trim()}`)
  );
}

/** The end of a file in an exchange folder; links are not followed. */
async function readLog(path: string): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(Math.min(size, MAX_LOG));
      await file.read(bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

async function writeSettings(
  context: TaskContext,
  plan: InstallPlan,
  own: string,
  folder: string,
): Promise<void> {
  const uris = parseDeb822(own).flatMap(entry => entry.uris);
  const lines = await copyAptSettings(context, folder, INSIDE, uris);
  const sources: string[] = [];
  const preferences: string[] = [];
  for (const source of plan.aptSources) {
    let key: string | null = null;
    if (source.keyring !== null) {
      const name = `${source.name}.${source.keyring.endsWith('.asc') ? 'asc' : 'gpg'}`;
      await copyFile(source.keyring, join(folder, name));
      key = `${INSIDE}/${name}`;
    }
    const entries = parseDeb822(source.text);
    sources.push(renderSources(entries, entry => key ?? entry.options['Signed-By'] ?? null));
    if (source.preferences.trim() !== '') preferences.push(source.preferences.trim());
  }
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await writeFile(join(folder, 'extra.sources'), sources.join('\n'), { mode: 0o644 });
  await writeFile(join(folder, 'preferences'), `${preferences.join('\n\n')}\n`, { mode: 0o644 });
  lines.push(
    `Dir::Etc::SourceList "${INSIDE}/extra.sources";`,
    `Dir::Etc::Preferences "${INSIDE}/preferences";`,
    // The sandbox has no user to download as: everything in it is confined already.
    'APT::Sandbox::User "root";',
    'APT::Get::Assume-Yes "true";',
    'APT::Get::List-Cleanup "false";',
    'APT::Keep-Downloaded-Packages "true";',
    'APT::Color "false";',
    'Acquire::Languages "none";',
    'Dpkg::Use-Pty "false";',
    'DPkg::Options { "--force-unsafe-io"; "--force-confold"; };',
    'quiet "1";',
  );
  await writeFile(join(folder, 'apt.conf'), `${lines.join('\n')}\n`, { mode: 0o600 });
}
