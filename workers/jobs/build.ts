/** The work of an artifact build: prepare the source, build it, publish it. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { Sandbox, TaskContext, Work } from '../context.ts';
import { formatOf } from '../formats/formats.ts';
import type { BuildSpec, PipelineSlice } from '../job.ts';
import { openBuildSandbox } from '../sandbox/layers.ts';
import { environmentRoot } from '../sandbox/roots.ts';
import { prepareSource } from '../source/prepare.ts';
import { PRESCRIPT_TOOLS, type PrescriptRules } from '../source/prescript.ts';

/** Steps beside one for each architecture: definition and sources, preparation, source package, publication. */
const OTHER_STEPS = 4;

/** Runs a build from the submitted archives to the published packages. */
export const build: Work<BuildSpec> = async (context, spec) => {
  const { console, job } = context;
  const pipeline = pipelineOf(context, spec);
  const format = formatOf(spec.format);
  const total = spec.architectures.length + OTHER_STEPS;
  console.log(
    'info',
    `artifact ${spec.artifact}, format ${spec.format}, distribution ${spec.distribution}, derivative ${spec.derivative}, architectures ${spec.architectures.join(', ')}, submitted by ${job.user}`,
  );
  context.progress('definition and sources', 0, total);
  const source = await prepareSource(context, spec, pipeline, rules =>
    openPrescript(context, spec, pipeline, rules),
  );
  context.progress('preparation', 1, total);
  const results = join(job.place, 'results');
  // A first attempt that was interrupted may have left some.
  await rm(results, { recursive: true, force: true });
  await mkdir(results, { mode: 0o755 });
  const built = await format.build(context, {
    ...{ spec, pipeline, source, results },
    openEnvironment: architecture => openEnvironment(context, spec, pipeline, architecture),
  });
  context.progress('publication', total - 1, total);
  console.log(
    'info',
    `publishing ${built.artifact} ${built.version} in ${spec.distribution} ${spec.derivative}`,
  );
  await format.publish(context, built, spec);
  context.progress('published', total, total);
  console.log('info', `published ${built.artifact} ${built.version}: ${built.files.length} files`);
  await format.report?.(context, built, pipeline);
};

function pipelineOf(context: TaskContext, spec: BuildSpec): PipelineSlice {
  const found = context.job.instance.pipelines.find(
    pipeline => pipeline.format === spec.format && pipeline.distribution === spec.distribution,
  );
  if (found) return found;
  throw new Fault(
    'not_found',
    'not-found',
    `instance ${context.job.instance.id} has no pipeline for ${spec.format} ${spec.distribution} any more`,
  );
}

function rootOf(
  context: TaskContext,
  spec: BuildSpec,
  pipeline: PipelineSlice,
  architecture: string,
): string {
  if (pipeline.environment === null) {
    throw new Fault(
      'invalid',
      'no-environment',
      `${spec.format} ${spec.distribution} has no build environment`,
    );
  }
  const { settings, instance } = context.job;
  const key = { format: spec.format, environment: pipeline.environment, architecture };
  return environmentRoot(settings.dirs.images, instance.id, key);
}

async function openEnvironment(
  context: TaskContext,
  spec: BuildSpec,
  pipeline: PipelineSlice,
  architecture: string,
): Promise<Sandbox> {
  const work = join(context.job.place, `environment-${architecture}`);
  await rm(work, { recursive: true, force: true });
  return openBuildSandbox(context, {
    environmentRoot: rootOf(context, spec, pipeline, architecture),
    dependencies: [],
    work,
  });
}

async function openPrescript(
  context: TaskContext,
  spec: BuildSpec,
  pipeline: PipelineSlice,
  rules: PrescriptRules,
): Promise<Sandbox> {
  const { settings, instance, place } = context.job;
  const [host = spec.architectures[0] ?? ''] = instance.architectures;
  const work = join(place, 'prescript-sandbox');
  await rm(work, { recursive: true, force: true });
  const configured = spec.format === 'rpm' ? settings.rpm.prescriptDeps : settings.deb.prescriptDeps;
  return openBuildSandbox(context, {
    environmentRoot: rootOf(context, spec, pipeline, host),
    dependencies: [...new Set([...PRESCRIPT_TOOLS, ...configured, ...rules.dependencies])],
    work,
  });
}
