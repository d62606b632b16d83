/** Debian packages: how they are built and published. */
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../proto/fault.ts';
import type { TaskContext } from '../../context.ts';
import { publishDeb } from '../../registry/apt-publish.ts';
import { parseDebianChangelog } from '../../source/changelog.ts';
import type { BuildRequest, BuiltArtifacts, Format } from '../format.ts';
import { type BinaryBuild, buildBinaries, openBinaryRoom } from './build.ts';
import { createDebEnvironment, updateDebEnvironment } from './environment.ts';
import { report } from './report.ts';
import { makeFolders, openRoom } from './room.ts';
import { buildSourcePackage, changelogOf, readControl } from './source.ts';

/** Steps before and after those of the architectures: definition, sources, source package; publication. */
const OTHER_STEPS = 4;

async function build(context: TaskContext, request: BuildRequest): Promise<BuiltArtifacts> {
  const { spec, pipeline, source, results } = request;
  const { environment } = pipeline;
  const [first] = spec.architectures;
  if (environment === null || first === undefined) {
    throw new Fault('invalid', 'no-environment', `${spec.distribution} has no build environment`);
  }
  const total = spec.architectures.length + OTHER_STEPS;
  context.progress('source package', 2, total);
  const control = await readControl(source);
  const folders = await makeFolders(context);
  const of = (architecture: string): BinaryBuild => {
    return { spec, source, control, folders, architecture, environment, first: architecture === first };
  };
  // The host's own architecture builds the source package: the same files everywhere, and nothing is emulated.
  const host = context.job.instance.architectures[0] ?? first;
  // Where packages are built for it too, and nothing has to be installed before, one room will do for both.
  let room = host === first ? await openBinaryRoom(context, of(first), true) : null;
  const files: string[] = [];
  try {
    const apart = room ?? openRoom(await request.openEnvironment(host), folders);
    const made = await buildSourcePackage(context, { spec, source, folders, room: apart }).finally(
      () => apart !== room && apart.close(),
    );
    for (const file of made.files) await link(join(folders.package, file), join(results, file));
    files.push(...made.files);
    for (const [at, architecture] of spec.architectures.entries()) {
      context.progress(`build for ${architecture}`, 3 + at, total);
      room ??= await openBinaryRoom(context, of(architecture));
      if (room === null) {
        context.console.log('info', `nothing to build for ${architecture}: no package is made for it`);
        continue;
      }
      const built = await buildBinaries(context, of(architecture), made, room, results);
      room.close();
      room = null;
      files.push(...built);
      context.console.log('info', `made ${built.join(', ')}`);
    }
  } finally {
    room?.close();
  }
  if (!files.some(file => file.endsWith('.deb'))) {
    throw new Fault(
      'invalid',
      'build-failed',
      `no package of ${spec.artifact} is made for ${spec.architectures.join(', ')}`,
    );
  }
  return {
    ...{ artifact: spec.artifact, version: source.version.full },
    changelog: parseDebianChangelog(changelogOf(spec, source)),
    files: files.map(file => join(results, file)),
  };
}

/** The entry of the table of formats. */
export const deb: Format = {
  createEnvironment: createDebEnvironment,
  updateEnvironment: updateDebEnvironment,
  build,
  publish: publishDeb,
  report,
};
