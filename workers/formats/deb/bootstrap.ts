/** Installs environments by mmdebstrap into tarballs that are kept for the next one of the same recipe. */
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../proto/fault.ts';
import { toDebianArchitecture } from '../../../proto/words.ts';
import type { TaskContext } from '../../context.ts';
import { lockExclusive } from '../../sandbox/lock.ts';
import { BASH } from '../../tool.ts';
import type { EnvironmentTarget } from '../format.ts';
import { findFault } from './apt-failure.ts';
import { PACKAGES, type Recipe } from './recipe.ts';

/** Tarballs that are kept. */
const MAX_TARBALLS = 8;
/** A tarball of that recipe, at most `age` milliseconds old unless the mirrors fail and an older one is there. */
export async function provideTarball(
  context: TaskContext,
  environment: EnvironmentTarget,
  recipe: Recipe,
  age: number,
): Promise<string> {
  const store = join(context.job.settings.dirs.cache, 'environments');
  await mkdir(store, { recursive: true, mode: 0o755 });
  const architecture = toDebianArchitecture(environment.architecture);
  const tarball = join(
    store,
    `${environment.environment}-${architecture}-${recipe.digest.slice(0, 16)}.tar.zst`,
  );
  const release = await lockExclusive(tarball, context.signal);
  try {
    const kept = await stat(tarball).catch(() => null);
    if (kept !== null && Date.now() - kept.mtimeMs < age) {
      context.console.log(
        'info',
        `Taking the kept environment ${environment.environment} of ${kept.mtime.toISOString()}`,
      );
      return tarball;
    }
    const fresh = join(store, `.${context.job.task}.tar.zst`);
    try {
      await debootstrap(context, environment, recipe, fresh);
      await rename(fresh, tarball);
    } finally {
      await rm(fresh, { force: true });
    }
    await dropOldTarballs(store);
    return tarball;
  } catch (error) {
    const old =
      age > 0 &&
      error instanceof Fault &&
      error.reason === 'mirror' &&
      (await stat(tarball).catch(() => null));
    if (!old) throw error;
    context.console.log(
      'warning',
      `${error.message}; taking the environment of ${old.mtime.toISOString()} instead`,
    );
    return tarball;
  } finally {
    release();
  }
}

async function debootstrap(
  context: TaskContext,
  environment: EnvironmentTarget,
  recipe: Recipe,
  tarball: string,
): Promise<void> {
  const { folder, keys } = recipe;
  context.progress('installing the environment', 0, 2);
  context.console.log(
    'info',
    `Making environment ${environment.environment} for ${environment.architecture}`,
  );
  const uploads = [
    [join(folder, 'inside.sources'), '/etc/apt/sources.list.d/rackwright.sources'],
    ...keys.map(name => [join(folder, 'keys', name), `/etc/apt/keyrings/${name}`]),
  ];
  const log = join(folder, 'log');
  const command = [
    // As root of our own id map, with mounts that end with it: its mode `unshare` could not read our files.
    ...['unshare', '--mount', '--propagation', 'private', 'mmdebstrap', '--mode=root'],
    '--variant=buildd',
    `--architectures=${toDebianArchitecture(environment.architecture)}`,
    `--include=${PACKAGES.join(',')}`,
    `--aptopt=${join(folder, 'apt.conf')}`,
    '--dpkgopt=force-unsafe-io',
    `--customize-hook='${join(folder, 'finish')}' "$1"`,
    ...uploads.map(([from, to]) => `--customize-hook=upload '${from}' '${to}'`),
    environment.environment,
    tarball,
    join(folder, 'outside.sources'),
  ];
  // The log is read again to find the cause; `tee` would hide the exit code without pipefail.
  const script = 'set -o pipefail; log=$1; shift; "$@" 2>&1 | tee "$log"';
  const { exitCode } = await context.runTool([...BASH, script, 'rackwright', log, ...command], {
    show: true,
    mapped: true,
    env: { TMPDIR: context.job.settings.dirs.tmp },
    accept: Array.from({ length: 256 }, (_, code) => code),
  });
  if (exitCode === 0) return;
  const text = await readFile(log, 'utf8').catch(() => '');
  throw (
    findFault(text) ??
    new Fault('internal', 'no-environment', `mmdebstrap failed: ${lastError(text)}`, {
      environment: environment.environment,
    })
  );
}

function lastError(text: string): string {
  const errors = text.split('\n').filter(line => /^(E|error):/i.test(line));
  return errors.at(-1)?.trim() ?? 'the journal has its words';
}

async function dropOldTarballs(store: string): Promise<void> {
  const files: { path: string; used: number }[] = [];
  for (const name of await readdir(store)) {
    if (!name.endsWith('.tar.zst') || name.startsWith('.')) continue;
    const path = join(store, name);
    files.push({ path, used: (await stat(path)).atimeMs });
  }
  files.sort((a, b) => b.used - a.used);
  for (const { path } of files.slice(MAX_TARBALLS)) await rm(path, { force: true });
}
