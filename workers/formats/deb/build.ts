/** Builds the binary packages of one architecture from a source package, in a sandbox. */
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../../proto/fault.ts';
import { toDebianArchitecture } from '../../../proto/words.ts';
import type { TaskContext } from '../../context.ts';
import type { BuildSpec } from '../../job.ts';
import { openBuildSandbox } from '../../sandbox/layers.ts';
import { environmentRoot } from '../../sandbox/roots.ts';
import { collect } from '../../source/collect.ts';
import type { PreparedSource } from '../../source/prepared.ts';
import { quote, treeName } from '../../source/tree.ts';
import { type Control, isBuiltOn } from './control.ts';
import { registrySource, rememberInstalled } from './registry-source.ts';
import { type Folders, openRoom, PACKAGE, type Room } from './room.ts';
import type { SourcePackage } from './source.ts';

export interface BinaryBuild {
  readonly spec: BuildSpec;
  readonly source: PreparedSource;
  readonly control: Control;
  readonly folders: Folders;
  /** uname -m word. */
  readonly architecture: string;
  readonly environment: string;
  /** The first one builds the architecture-independent packages too. */
  readonly first: boolean;
}

/** What dpkg-buildpackage is asked for: all packages, those for every architecture, those for one. */
type Kind = '-b' | '-A' | '-B';

/** A room in which the build dependencies of such a build are installed. */
interface BinaryRoom extends Room {
  readonly kind: Kind;
}

/** Null when there is nothing to build here. */
function buildKind(build: Pick<BinaryBuild, 'control' | 'architecture' | 'first'>): Kind | null {
  const debian = toDebianArchitecture(build.architecture);
  const { packages } = build.control;
  const arch = packages.some(({ architectures }) => isBuiltOn(architectures, debian));
  const indep = build.first && packages.some(({ architectures }) => isBuiltOn(architectures, 'all'));
  if (arch) return indep ? '-b' : '-B';
  return indep ? '-A' : null;
}

/**
 * Opens the room with the build dependencies; null where nothing is to be built in it, and, if `onlyReady`, where they
 * would have to be installed first. Throws what opening the sandbox throws.
 */
export async function openBinaryRoom(
  context: TaskContext,
  build: BinaryBuild,
  onlyReady = false,
): Promise<BinaryRoom | null> {
  const kind = buildKind(build);
  if (kind === null) return null;
  const debian = toDebianArchitecture(build.architecture);
  const { dependencies, conflicts } = build.control;
  const pick = (items: typeof dependencies): string[] => [
    ...items.always,
    ...(kind === '-A' ? [] : items.arch),
    ...(kind === '-B' ? [] : items.indep),
  ];
  const needed = pick(dependencies);
  const source = await registrySource(context, build.spec, needed, debian);
  const work = join(context.job.place, `build-${debian}`);
  await rm(work, { recursive: true, force: true });
  const sandbox = await openBuildSandbox(context, {
    environmentRoot: rootOf(context, build.environment, build.architecture),
    dependencies: needed,
    conflicts: pick(conflicts),
    aptSources: source === null ? [] : [source],
    work,
    onlyReady,
  });
  if (sandbox === null) return null;
  try {
    await rememberInstalled(context, build.spec, needed, debian, await sandbox.installed());
    return { ...openRoom(sandbox, build.folders, { DEB_BUILD_OPTIONS: options(context) }), kind };
  } catch (error) {
    void sandbox.close();
    throw error;
  }
}

/**
 * Builds in that room, and copies the packages to the folder `results`. Answers their names. Throws `build-failed`.
 */
export async function buildBinaries(
  context: TaskContext,
  build: BinaryBuild,
  made: SourcePackage,
  room: BinaryRoom,
  results: string,
): Promise<string[]> {
  const debian = toDebianArchitecture(build.architecture);
  context.console.log('info', `building for ${debian} without network: dpkg-buildpackage ${room.kind}`);
  const exitCode = await room.shell.run(script(build, made, room.kind));
  if (exitCode !== 0) await failed(context, build, room, exitCode);
  const names = await collect(
    room.sandbox.exchange,
    results,
    name => name.endsWith('.deb') && /^[A-Za-z0-9]/.test(name),
  );
  if (names.length > 0) return names;
  throw new Fault('invalid', 'build-failed', `the build for ${debian} ended well but made no package`);
}

/** Root of the environment of an architecture. */
export function rootOf(context: TaskContext, environment: string, architecture: string): string {
  const { settings, instance } = context.job;
  return environmentRoot(settings.dirs.images, instance.id, { format: 'deb', environment, architecture });
}

function options(context: TaskContext): string {
  const { cpus } = context.limits;
  return `parallel=${Math.max(1, Math.floor(cpus > 0 ? cpus : availableParallelism()))}`;
}

function script(build: BinaryBuild, made: SourcePackage, kind: Kind): string {
  const tree = quote(treeName(build.spec.artifact, build.source.version));
  return [
    'set -e; umask 022',
    `export SOURCE_DATE_EPOCH=${build.source.changelog[0]?.date ?? 0}`,
    `dpkg-source --no-check --extract ${quote(`${PACKAGE}/${made.dsc}`)} ${tree}`,
    `cd ${tree}`,
    `dpkg-buildpackage --unsigned-source --unsigned-changes ${kind}`,
  ].join('\n');
}

/** In an interactive build a shell is opened where it failed; the build has failed either way. */
async function failed(
  context: TaskContext,
  build: BinaryBuild,
  room: Room,
  exitCode: number,
): Promise<never> {
  const debian = toDebianArchitecture(build.architecture);
  if (context.job.interactive) {
    context.console.log(
      'error',
      `the build for ${debian} failed; here is a shell in its sandbox, leave it to go on`,
    );
    await room.shell.close();
    const tree = treeName(build.spec.artifact, build.source.version);
    await room.sandbox.run(['sh', '-c', `cd ${quote(tree)} 2>/dev/null || :; exec bash -i`], {
      interactive: true,
      env: { TERM: 'xterm' },
    });
  }
  throw new Fault(
    'invalid',
    'build-failed',
    `the build for ${debian} ended with exit code ${exitCode}: see the output above`,
    {
      architecture: debian,
      exitCode,
    },
  );
}
