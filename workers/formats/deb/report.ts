/** Shows what lintian thinks of the published packages; nothing here makes a build fail. */
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { TaskContext } from '../../context.ts';
import type { PipelineSlice } from '../../job.ts';
import { openBuildSandbox } from '../../sandbox/layers.ts';
import type { BuiltArtifacts } from '../format.ts';
import { rootOf } from './build.ts';
import { PACKAGE } from './room.ts';

/** Tags about uploads to Debian by its maintainers: a build service's builds never are. */
const QUIET = ['--suppress-tags', 'no-nmu-in-changelog,source-nmu-has-incorrect-version-number'];

/**
 * Reports on files that are published already. What fails is a warning, and what stops the task meanwhile ends the
 * report only: the work is done.
 */
export async function report(
  context: TaskContext,
  built: BuiltArtifacts,
  pipeline: PipelineSlice,
): Promise<void> {
  if (!context.job.settings.deb.lintian) {
    context.console.log('info', 'lintian is switched off in the settings ([format:deb] lintian = no)');
    return;
  }
  if (context.signal.aborted) return;
  try {
    await lint(context, built.files, pipeline.environment);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    context.console.log('warning', `lintian could not be run: ${words}`);
  }
}

/** Runs lintian in a sandbox of its own over the environment of the host's architecture. */
async function lint(
  context: TaskContext,
  files: readonly string[],
  environment: string | null,
): Promise<void> {
  const [architecture] = context.job.instance.architectures;
  const [first] = files;
  if (environment === null || architecture === undefined || first === undefined) return;
  const work = join(context.job.place, 'lintian');
  await rm(work, { recursive: true, force: true });
  const sandbox = await openBuildSandbox(context, {
    environmentRoot: rootOf(context, environment, architecture),
    dependencies: ['lintian'],
    work,
  });
  try {
    context.console.log('info', 'lintian (informative):');
    const names = files.filter(file => /\.(dsc|deb)$/.test(file)).map(file => join(PACKAGE, basename(file)));
    const { exitCode } = await sandbox.run(['lintian', '--fail-on', 'none', ...QUIET, '--', ...names], {
      binds: [{ from: dirname(first), to: PACKAGE }],
    });
    if (exitCode !== 0) {
      context.console.log('warning', `lintian ended with exit code ${exitCode}; the packages are published`);
    }
  } finally {
    await sandbox.close();
  }
}
