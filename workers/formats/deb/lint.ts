/** Shows what lintian thinks of the results; never fails a build. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskContext } from '../../context.ts';
import { openBuildSandbox } from '../../sandbox/layers.ts';
import { rootOf } from './build.ts';
import { INPUT } from './source.ts';

/** Tags about uploads to Debian by its maintainers: a build service's builds never are. */
const QUIET = ['--suppress-tags', 'no-nmu-in-changelog,source-nmu-has-incorrect-version-number'];

/** Runs lintian over the files of a folder, in a sandbox of its own over the environment of the host's architecture. */
export async function lint(
  context: TaskContext,
  environment: string,
  folder: string,
  files: readonly string[],
): Promise<void> {
  const [architecture] = context.job.instance.architectures;
  if (architecture === undefined) return;
  const work = join(context.job.place, 'lintian');
  await rm(work, { recursive: true, force: true });
  try {
    const sandbox = await openBuildSandbox(context, {
      environmentRoot: rootOf(context, environment, architecture),
      dependencies: ['lintian'],
      work,
    });
    try {
      context.console.log('info', 'lintian (informative):');
      const names = files.filter(file => /\.(dsc|deb)$/.test(file)).map(file => `${INPUT}/${file}`);
      const { exitCode } = await sandbox.run(['lintian', '--fail-on', 'none', ...QUIET, '--', ...names], {
        binds: [{ from: folder, to: INPUT }],
      });
      if (exitCode !== 0)
        context.console.log('warning', `lintian ended with exit code ${exitCode}; the build goes on`);
    } finally {
      await sandbox.close();
    }
  } catch (error) {
    context.signal.throwIfAborted();
    context.console.log(
      'warning',
      `lintian could not be run: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
