/** Debian packages: how they are built and published. */
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../proto/fault.ts';
import type { TaskContext } from '../../context.ts';
import { publishDeb, unpublishDeb } from '../../registry/apt-publish.ts';
import type { BuildRequest, BuiltArtifacts, Format } from '../format.ts';
import { buildBinaries } from './build.ts';
import { createDebEnvironment, updateDebEnvironment } from './environment.ts';
import { report } from './report.ts';
import { buildSourcePackage } from './source.ts';

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
  // The host's own architecture builds the source package: the same files everywhere, and nothing is emulated.
  const host = context.job.instance.architectures[0] ?? first;
  const made = await buildSourcePackage(context, spec, source, () => request.openEnvironment(host));
  for (const file of made.files) await link(join(made.folder, file), join(results, file));
  const files = [...made.files];
  for (const [at, architecture] of spec.architectures.entries()) {
    context.progress(`build for ${architecture}`, 3 + at, total);
    const options = { spec, source, package: made, architecture, environment, first: at === 0, results };
    const built = await buildBinaries(context, options);
    files.push(...built);
    context.console.log(
      'info',
      built.length === 0 ? `no packages for ${architecture}` : `made ${built.join(', ')}`,
    );
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
  unpublish: unpublishDeb,
};
