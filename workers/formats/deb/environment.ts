/** Makes the roots in which Debian packages are built: mmdebstrap from the machine's own apt sources, kept as a tarball. */
import { mkdir, readFile, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../../proto/fault.ts';
import type { TaskContext } from '../../context.ts';
import { lockExclusive } from '../../sandbox/lock.ts';
import { installRoot, newRoot, readRecord, sweepRoots, writeRecord } from '../../sandbox/roots.ts';
import type { EnvironmentTarget } from '../format.ts';
import { provideTarball } from './bootstrap.ts';
import { writeRecipe } from './recipe.ts';

/** Milliseconds after which a creation no longer takes a kept tarball: its packages are old. */
const FRESH = 7 * 24 * 3600 * 1000;
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
    const recipe = await writeRecipe(context, environment, work);
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
