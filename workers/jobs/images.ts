/** Tasks on images and build environments: creation, update, and a shell inside. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { requireImages } from '../../proto/buildable.ts';
import { Fault } from '../../proto/fault.ts';
import type { FormatName } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import type { EnvironmentTarget } from '../formats/format.ts';
import { formatOf } from '../formats/formats.ts';
import type { EnvironmentKey, PipelineSlice, Spec } from '../job.ts';
import { lockShared } from '../sandbox/lock.ts';
import {
  environmentRoot,
  imageFolder,
  readImageRecord,
  resolveRoot,
  sweepRoots,
  writeImageRecord,
} from '../sandbox/roots.ts';

type SpecOf<T extends Spec['type']> = Extract<Spec, { type: T }>;

/** Makes the image of a format: the folder that its environments live in. With `force` it is emptied. */
export async function imageCreation(context: TaskContext, spec: SpecOf<'image-creation'>): Promise<void> {
  // Also asked when a build is what needs the image.
  requireImages(spec.format, context.job.settings.imageFormats);
  const folder = folderOf(context, spec.format);
  const exists = (await readImageRecord(folder)) !== null;
  if (exists && !spec.force) {
    throw new Fault(
      'conflict',
      'already-there',
      `the ${spec.format} image is there already; force replaces it`,
    );
  }
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const name of exists ? await environmentsIn(folder) : []) {
    const target = join(folder, name, 'root');
    await rm(join(folder, name, 'environment.json'), { force: true });
    await rm(target, { force: true });
    await sweepRoots(context, target);
    context.console.log('info', `Removed environment ${name}`);
  }
  const now = seconds();
  await writeImageRecord(folder, { created: now, updated: now });
  context.console.log('info', `The ${spec.format} image of instance ${context.job.instance.id} is ready`);
}

/** Brings an image up to date: everything in it that is installed are its environments. */
export async function imageUpdate(context: TaskContext, spec: SpecOf<'image-update'>): Promise<void> {
  const folder = folderOf(context, spec.format);
  const record = await readImageRecord(folder);
  if (record === null) throw noImage(spec.format);
  const { instance } = context.job;
  for (const { format, environment } of instance.pipelines) {
    if (format !== spec.format || environment === null) continue;
    for (const architecture of instance.architectures) {
      const target = targetOf(context, { format, environment, architecture });
      const made = await resolveRoot(target.target).catch(() => null);
      if (made !== null) await formatOf(format).updateEnvironment(context, target);
    }
  }
  await writeImageRecord(folder, { ...record, updated: seconds() });
}

/** Makes a build environment, and the image around it where there is none. */
export async function environmentCreation(
  context: TaskContext,
  spec: SpecOf<'environment-creation'>,
): Promise<void> {
  const folder = folderOf(context, spec.format);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  if ((await readImageRecord(folder)) === null) {
    await writeImageRecord(folder, { created: seconds(), updated: seconds() });
  }
  await formatOf(spec.format).createEnvironment(context, targetOf(context, spec));
}

/** Brings a build environment up to date. */
export async function environmentUpdate(
  context: TaskContext,
  spec: SpecOf<'environment-update'>,
): Promise<void> {
  const target = targetOf(context, spec);
  await resolveRoot(target.target);
  await formatOf(spec.format).updateEnvironment(context, target);
}

/** A shell, or a command, as root over a build environment. What it changes is gone afterwards. */
export async function environmentShell(
  context: TaskContext,
  spec: SpecOf<'environment-shell'>,
): Promise<void> {
  await openShell(context, targetOf(context, spec).target, spec.term, spec.command);
}

/** The same over the host architecture's environment of the image's first pipeline. */
export async function imageShell(context: TaskContext, spec: SpecOf<'image-shell'>): Promise<void> {
  const { instance } = context.job;
  if ((await readImageRecord(folderOf(context, spec.format))) === null) throw noImage(spec.format);
  const pipeline = instance.pipelines.find(each => each.format === spec.format && each.environment !== null);
  const architecture = instance.architectures[0];
  if (!pipeline?.environment || architecture === undefined) {
    throw new Fault(
      'refused',
      'no-environment',
      `the ${spec.format} image has no environment to open a shell in`,
    );
  }
  const key = { format: spec.format, environment: pipeline.environment, architecture };
  await openShell(context, targetOf(context, key).target, spec.term, spec.command);
}

async function openShell(
  context: TaskContext,
  target: string,
  term: string,
  command: readonly string[],
): Promise<void> {
  const root = await resolveRoot(target);
  const release = await lockShared(root, context.signal);
  try {
    const sandbox = await context.openSandbox({ roots: [root], work: join(context.job.place, 'shell') });
    context.console.log('info', 'Changes made in this shell are gone when it ends');
    const { exitCode } = await sandbox.run(command.length > 0 ? command : ['bash', '-l'], {
      root: true,
      network: true,
      cwd: '/root',
      interactive: context.job.interactive,
      env: { TERM: term === '' ? 'dumb' : term },
    });
    await sandbox.close();
    if (exitCode !== 0 && command.length > 0) {
      throw new Fault('refused', 'build-failed', `${command[0]} ended with code ${exitCode}`, {
        code: exitCode,
      });
    }
  } finally {
    release();
  }
}

function targetOf(context: TaskContext, key: EnvironmentKey): EnvironmentTarget {
  const { format, environment, architecture } = key;
  const { instance, settings } = context.job;
  const target = environmentRoot(settings.dirs.images, instance.id, { format, environment, architecture });
  return { format, environment, architecture, pipeline: pipelineOf(context, format, environment), target };
}

function pipelineOf(context: TaskContext, format: FormatName, environment: string): PipelineSlice {
  const found = context.job.instance.pipelines.find(
    each => each.format === format && each.environment === environment,
  );
  if (!found) {
    throw new Fault(
      'not_found',
      'not-found',
      `no pipeline of format ${format} has an environment ${environment}`,
    );
  }
  return found;
}

function folderOf(context: TaskContext, format: FormatName): string {
  return imageFolder(context.job.settings.dirs.images, context.job.instance.id, format);
}

async function environmentsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter(name => name.startsWith('rackwright-'));
}

function noImage(format: FormatName): Fault {
  return new Fault('refused', 'no-image', `the ${format} image has not been created`);
}

function seconds(): number {
  return Math.trunc(Date.now() / 1000);
}
