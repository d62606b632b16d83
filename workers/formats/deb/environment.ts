/** Makes the roots in which Debian packages are built: mmdebstrap from the machine's own apt sources, kept as a tarball. */
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../../proto/fault.ts';
import { toDebianArchitecture } from '../../../proto/words.ts';
import type { TaskContext } from '../../context.ts';
import { lockExclusive } from '../../sandbox/lock.ts';
import { installRoot, newRoot, readRecord, sweepRoots, writeRecord } from '../../sandbox/roots.ts';
import type { EnvironmentTarget } from '../format.ts';
import { findFault } from './apt-failure.ts';
import { copyAptSettings, keyringOf } from './apt-settings.ts';
import { type AptEntry, digestOf, readAptSources, renderSources, selectSources } from './apt-sources.ts';

/** Changes when roots are made differently, so that older tarballs are not used. */
const RECIPE = '1';
/** Beside what the variant `buildd` brings: dpkg-buildpackage runs rules as if it were root, apt reads https mirrors. */
const PACKAGES = ['fakeroot', 'ca-certificates'] as const;
/** Milliseconds after which a creation no longer takes a kept tarball: its packages are old. */
const FRESH = 7 * 24 * 3600 * 1000;
/** Tarballs that are kept. */
const MAX_TARBALLS = 8;
/** Milliseconds for unpacking a root. */
const UNPACKING = 15 * 60 * 1000;
/** Words of /proc/sys/fs/binfmt_misc for processors that qemu-user stands in for, by `uname -m` word. */
const EMULATORS: Readonly<Record<string, string>> = {
  aarch64: 'qemu-aarch64',
  armv7l: 'qemu-arm',
  ppc64le: 'qemu-ppc64le',
  riscv64: 'qemu-riscv64',
  s390x: 'qemu-s390x',
  x86_64: 'qemu-x86_64',
};

/** Run by mmdebstrap in the finished root: no service starts, names resolve, and nothing of the making stays. */
const FINISH = `set -e
cd "$1"
printf '#!/bin/sh\\nexit 101\\n' > usr/sbin/policy-rc.d; chmod 755 usr/sbin/policy-rc.d
printf '127.0.0.1 localhost build\\n::1 localhost build\\n' > etc/hosts; echo build > etc/hostname
rm -f etc/resolv.conf etc/apt/sources.list etc/apt/sources.list.d/* etc/apt/apt.conf.d/99mmdebstrap; : > etc/resolv.conf
mkdir -p build etc/apt/keyrings; chmod 755 build
echo force-unsafe-io > etc/dpkg/dpkg.cfg.d/rackwright; rm -f etc/dpkg/dpkg.cfg.d/99mmdebstrap`;

/** Makes the root of an environment, from a kept tarball where there is a fresh one. */
export async function createDebEnvironment(
  context: TaskContext,
  environment: EnvironmentTarget,
): Promise<void> {
  await makeEnvironment(context, environment, FRESH);
}

/** Makes the root anew from the mirrors; the old one serves until then, and to running builds to their end. */
export async function updateDebEnvironment(
  context: TaskContext,
  environment: EnvironmentTarget,
): Promise<void> {
  await makeEnvironment(context, environment, 0);
}

async function makeEnvironment(
  context: TaskContext,
  environment: EnvironmentTarget,
  age: number,
): Promise<void> {
  const { target } = environment;
  const folder = dirname(target);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await mustRun(environment.architecture);
  const release = await lockExclusive(target, context.signal);
  const work = join(context.job.place, `environment-${environment.environment}-${environment.architecture}`);
  try {
    await sweepRoots(context, target);
    const recipe = await prepare(context, environment, work);
    const tarball = await provideTarball(context, environment, recipe, age);
    context.progress('unpacking the environment', 1, 2);
    const made = newRoot(target);
    await unpack(context, tarball, made);
    const size = await measure(context, made);
    await installRoot(context, made, target);
    const now = Math.trunc(Date.now() / 1000);
    const before = await readRecord(folder);
    await writeRecord(folder, {
      created: before?.created || now,
      updated: now,
      size,
      sources: recipe.inside,
    });
    context.progress('unpacking the environment', 2, 2);
    context.console.log(
      'info',
      `Environment ${environment.environment} for ${environment.architecture} is ready`,
    );
  } finally {
    release();
    await context.runTool(['rm', '-rf', '--', work], { mapped: true }).catch(() => undefined);
  }
}

/** What a root is made from, written out for mmdebstrap. */
interface Recipe {
  /** Folder with `outside.sources`, `inside.sources`, `keys/` and `apt.conf`. */
  readonly folder: string;
  /** Text of the sources as the root has them. */
  readonly inside: string;
  readonly keys: readonly string[];
  readonly digest: string;
}

async function prepare(context: TaskContext, environment: EnvironmentTarget, work: string): Promise<Recipe> {
  const entries = await chooseSources(context, environment);
  const keys: string[] = [];
  const contents: Buffer[] = [];
  await mkdir(join(work, 'keys'), { recursive: true, mode: 0o755 });
  for (const [at, entry] of entries.entries()) {
    const key = await keyringOf(context, entry);
    if (key.length === 0) throw noSources(environment, 'no keyring is trusted for its sources');
    const name = `rackwright-${at}.${typeof key === 'string' ? 'asc' : 'gpg'}`;
    // An inline key is indented text with dots for empty lines, as deb822 has it.
    const bytes = typeof key === 'string' ? Buffer.from(key.replace(/^ (\.$)?/gm, '')) : key;
    await writeFile(join(work, 'keys', name), bytes, { mode: 0o644 });
    keys.push(name);
    contents.push(bytes);
  }
  const inside = renderSources(entries, (_entry, at) => `/etc/apt/keyrings/${keys[at]}`);
  const outside = renderSources(entries, (_entry, at) => join(work, 'keys', keys[at] ?? ''));
  await writeFile(join(work, 'inside.sources'), inside, { mode: 0o644 });
  await writeFile(join(work, 'outside.sources'), outside, { mode: 0o644 });
  const uris = entries.flatMap(entry => entry.uris);
  const lines = await copyAptSettings(context, join(work, 'apt'), join(work, 'apt'), uris);
  // Workspaces are closed to apt's own user, who would read the keys.
  lines.push('APT::Sandbox::User "root";');
  await writeFile(join(work, 'apt.conf'), `${lines.join('\n')}\n`, { mode: 0o600 });
  await writeFile(join(work, 'finish'), `#!/bin/sh\n${FINISH}\n`, { mode: 0o755 });
  const digest = digestOf(RECIPE, FINISH, PACKAGES.join(' '), environment.architecture, inside, ...contents);
  return { folder: work, inside, keys, digest };
}

/** The pipeline's mirror, else the settings', else what the machine itself uses. */
async function chooseSources(context: TaskContext, environment: EnvironmentTarget): Promise<AptEntry[]> {
  const { deb } = context.job.settings;
  const { pipeline } = environment;
  const mirror = pipeline.mirror ?? deb.mirror;
  const components = pipeline.components.length > 0 ? pipeline.components : deb.components;
  if (mirror !== null) {
    const wanted = components.length > 0 ? components : ['main'];
    return [
      { types: ['deb'], uris: [mirror], suites: [environment.environment], components: wanted, options: {} },
    ];
  }
  const codename = /^VERSION_CODENAME="?([^"\n]*)"?$/m.exec(
    await readFile('/etc/os-release', 'utf8').catch(() => ''),
  );
  const entries = selectSources(
    await readAptSources('/etc/apt'),
    environment.environment,
    codename?.[1] ?? '',
    components,
  );
  if (entries.length === 0) throw noSources(environment, "the machine's apt sources have none for it");
  return entries;
}

function noSources(environment: EnvironmentTarget, why: string): Fault {
  const { environment: name } = environment;
  return new Fault(
    'refused',
    'no-environment',
    `environment ${name} cannot be made: ${why}; set a mirror for it in the instance's file`,
    { environment: name },
  );
}

/** A tarball of that recipe, at most `age` milliseconds old unless the mirrors fail and an older one is there. */
async function provideTarball(
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
  const { exitCode } = await context.runTool(['bash', '-c', script, 'rackwright', log, ...command], {
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

/** Unpacks as root of the sandbox's map, so that owners are those of the archive. Devices come with the sandbox. */
async function unpack(context: TaskContext, tarball: string, root: string): Promise<void> {
  const options = { mapped: true, timeout: UNPACKING };
  try {
    await context.runTool(['mkdir', '-m', '755', '--', root], options);
    const how = ['--zstd', '--numeric-owner', '--exclude=./dev/*', '-xpf', tarball];
    await context.runTool(['tar', '-C', root, ...how], options);
  } catch (error) {
    await context.runTool(['rm', '-rf', '--', root], options).catch(() => undefined);
    throw error;
  }
  const now = new Date();
  // The time of last use decides which tarballs go first; mtime is the age of the packages.
  await utimes(tarball, now, (await stat(tarball)).mtime).catch(() => undefined);
}

async function measure(context: TaskContext, root: string): Promise<number> {
  const { stdout } = await context.runTool(['du', '-sx', '--block-size=1', '--', root], { mapped: true });
  return Number.parseInt(stdout.toString('utf8'), 10) || 0;
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

/** Throws unless this machine runs programs of that architecture, itself or by qemu-user. */
async function mustRun(architecture: string): Promise<void> {
  const own =
    (await readFile('/proc/sys/kernel/arch', 'utf8').catch(() => '')).trim() || OWN[process.arch] || '';
  if (architecture === own || (own === 'x86_64' && architecture === 'i686')) return;
  const emulator = EMULATORS[architecture] ?? `qemu-${architecture}`;
  const state = await readFile(`/proc/sys/fs/binfmt_misc/${emulator}`, 'utf8').catch(() => '');
  if (/^enabled/m.test(state) && /^flags:.*F/m.test(state)) return;
  throw new Fault(
    'unavailable',
    'no-environment',
    `this machine runs no programs for ${architecture}: install qemu-user-static and binfmt-support`,
    { architecture },
  );
}

/** `uname -m` words of Node's own. */
const OWN: Readonly<Record<string, string>> = {
  x64: 'x86_64',
  arm64: 'aarch64',
  arm: 'armv7l',
  ppc64: 'ppc64le',
};
