/** Builds the binary packages of one architecture from a source package, in the sandbox. */

import { mkdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../../proto/fault.ts';
import { toDebianArchitecture } from '../../../proto/words.ts';
import type { Sandbox, TaskContext } from '../../context.ts';
import type { BuildSpec } from '../../job.ts';
import { openBuildSandbox } from '../../sandbox/layers.ts';
import { environmentRoot } from '../../sandbox/roots.ts';
import { collect } from '../../source/collect.ts';
import type { PreparedSource } from '../../source/prepared.ts';
import { quote, treeName } from '../../source/tree.ts';
import { isBuiltOn } from './control.ts';
import { registrySource, rememberInstalled } from './registry-source.ts';
import { INPUT, type SourcePackage } from './source.ts';

/** Bytes of the list of installed packages that are read back. */
const MAX_LIST = 1024 * 1024;
const INSTALLED = '.installed';

export interface BinaryBuild {
  readonly spec: BuildSpec;
  readonly source: PreparedSource;
  readonly package: SourcePackage;
  /** uname -m word. */
  readonly architecture: string;
  readonly environment: string;
  /** The first one builds the architecture-independent packages too. */
  readonly first: boolean;
  /** Folder that the packages are written to. */
  readonly results: string;
}

/** Which of the three kinds dpkg-buildpackage is asked for; null when there is nothing to build here. */
function buildKind(
  build: Pick<BinaryBuild, 'package' | 'architecture' | 'first'>,
): '-b' | '-A' | '-B' | null {
  const debian = toDebianArchitecture(build.architecture);
  const { packages } = build.package.control;
  const arch = packages.some(({ architectures }) => isBuiltOn(architectures, debian));
  const indep = build.first && packages.some(({ architectures }) => isBuiltOn(architectures, 'all'));
  if (arch) return indep ? '-b' : '-B';
  return indep ? '-A' : null;
}

/** Names of the packages made. Throws `build-failed`, and what opening the sandbox throws. */
export async function buildBinaries(context: TaskContext, build: BinaryBuild): Promise<string[]> {
  const kind = buildKind(build);
  const debian = toDebianArchitecture(build.architecture);
  if (kind === null) {
    context.console.log(
      'info',
      `nothing to build for ${debian}: no package of ${build.spec.artifact} is made for it`,
    );
    return [];
  }
  const { dependencies, conflicts } = build.package.control;
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
  });
  try {
    context.console.log('info', `building for ${debian} without network: dpkg-buildpackage ${kind}`);
    const { exitCode } = await sandbox.run(['sh', '-c', script(build, kind)], {
      env: {
        SOURCE_DATE_EPOCH: String(build.source.changelog[0]?.date ?? 0),
        DEB_BUILD_OPTIONS: options(context),
      },
      binds: [{ from: build.package.folder, to: INPUT }],
    });
    await remember(context, build, needed, debian, sandbox);
    if (exitCode !== 0)
      await failed(context, sandbox, debian, exitCode, treeName(build.spec.artifact, build.source.version));
    return await take(build, debian, sandbox);
  } finally {
    await sandbox.close();
  }
}

/** Root of the environment of an architecture. */
export function rootOf(context: TaskContext, environment: string, architecture: string): string {
  const { settings, instance } = context.job;
  return environmentRoot(settings.dirs.images, instance.id, { format: 'deb', environment, architecture });
}

function options(context: TaskContext): string {
  const { cpus } = context.job.settings.limits;
  return `parallel=${Math.max(1, Math.floor(cpus > 0 ? cpus : availableParallelism()))}`;
}

function script(build: BinaryBuild, kind: string): string {
  const tree = quote(treeName(build.spec.artifact, build.source.version));
  return [
    'set -e; umask 022',
    `dpkg-query --show --showformat '\${Package}\\n' >${INSTALLED}`,
    `dpkg-source --no-check --extract ${quote(`${INPUT}/${build.package.dsc}`)} ${tree}`,
    `cd ${tree}`,
    `dpkg-buildpackage --unsigned-source --unsigned-changes ${kind}`,
  ].join('\n');
}

async function remember(
  context: TaskContext,
  build: BinaryBuild,
  needed: readonly string[],
  debian: string,
  sandbox: Sandbox,
): Promise<void> {
  const folder = join(context.job.place, `installed-${debian}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const [name] = await collect(sandbox.exchange, folder, file => file === INSTALLED);
  if (name === undefined) return;
  const text = await readFile(join(folder, name), 'latin1');
  const names = text
    .slice(0, MAX_LIST)
    .split('\n')
    .filter(line => /^[a-z0-9][a-z0-9+.-]+$/.test(line));
  await rememberInstalled(context, build.spec, needed, debian, names);
  await rm(folder, { recursive: true, force: true });
}

/** In an interactive build a shell is opened where it failed; the build has failed either way. */
async function failed(
  context: TaskContext,
  sandbox: Sandbox,
  debian: string,
  exitCode: number,
  tree: string,
): Promise<never> {
  if (context.job.interactive) {
    context.console.log(
      'error',
      `the build for ${debian} failed; here is a shell in its sandbox, leave it to go on`,
    );
    await sandbox.run(['sh', '-c', `cd ${quote(tree)} 2>/dev/null || :; exec bash -i`], {
      interactive: true,
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

async function take(build: BinaryBuild, debian: string, sandbox: Sandbox): Promise<string[]> {
  const made = await collect(
    sandbox.exchange,
    build.results,
    name => name.endsWith('.deb') && /^[A-Za-z0-9]/.test(name),
  );
  if (made.length > 0) return made;
  throw new Fault('invalid', 'build-failed', `the build for ${debian} ended well but made no package`);
}
