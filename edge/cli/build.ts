/** `rackwright build`: an artifact's directory and its sources go to the server, its build is shown to the end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Fault } from '../../proto/fault.ts';
import { ARTIFACT_NAME } from '../../proto/words.ts';
import { closest } from '../../systemd/closest.ts';
import type { Submission } from './api.ts';
import { choosePipeline } from './choose.ts';
import { type Definition, readDefinition } from './definition.ts';
import { UsageError } from './exit.ts';
import { attachConsole } from './interact.ts';
import { askGit, packDefinition } from './pack.ts';
import type { GeneralOptions } from './program.ts';
import { type Session, withSession } from './session.ts';
import { prepareSources } from './sources.ts';
import { say } from './surroundings.ts';
import { submitted } from './watch.ts';

interface BuildOptions extends GeneralOptions {
  readonly artifact: string;
  readonly distribution?: string;
  readonly format?: string;
  readonly derivative: string;
  readonly basedir?: string;
  readonly subdir?: string;
  readonly sources?: readonly string[];
  readonly includeGitUntracked?: boolean;
  readonly name?: string;
  readonly email?: string;
  readonly msg?: string;
  readonly batch?: boolean;
  readonly interactive?: boolean;
}

/** Adds the verb. */
export function addBuildCommand(program: Command): void {
  program
    .command('build')
    .summary('build an artifact')
    .description(
      'Sends the definition of an artifact, and sources of yours where you name some, and shows the build to its end.\n' +
        'The exit code is 0 when the build succeeded and 3 when it failed. Ctrl-C ends the watching, not the build.',
    )
    .requiredOption('-a, --artifact <name>', 'artifact')
    .option('-d, --distribution <name>', "distribution (default: the format's only one)")
    .option('-f, --format <name>', "format (default: the artifact's only one)")
    .option('--derivative <name>', 'derivative', 'main')
    .option('-b, --basedir <dir>', 'directory of artifact directories (default: the preference, else here)')
    .option('-s, --subdir <dir>', "artifact's directory in it (default: the artifact's name)")
    .option(
      '--sources <source...>',
      '[ID#][VERSION@]DIR: your own sources, a directory to pack or an archive',
    )
    .option('--include-git-untracked', 'pack files that git ignores, too')
    .option('-n, --name <name>', "your name in the changelog (default: the preference, else git's)")
    .option('-e, --email <address>', "your e-mail address (default: the preference, else git's)")
    .option('-m, --msg <text>', 'message for the changelog (default: the preference)')
    .option('--batch', 'submit only, without watching')
    .option('-i, --interactive', "with your terminal attached; needs the daemon's socket")
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  rackwright build -a hello -d bookworm -m "New upstream release"\n' +
        '  rackwright build -a hello -d bookworm --sources 2.11~rc1@~/src/hello --batch',
    )
    .action((options: BuildOptions, command: Command) =>
      withSession(command, session => build(session, options)),
    );
}

async function build(session: Session, options: BuildOptions): Promise<void> {
  const { api, surroundings } = session;
  const batch = options.batch === true;
  const consoles = options.interactive === true ? api.consoles : null;
  if (options.interactive && !consoles) {
    say(surroundings, `warning: ${api.uri} is an HTTP address, so the build can't be interactive`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-'));
  let id: string;
  try {
    const submission = await prepareBuild(session, options, folder);
    id = await api.submitBuild({ ...submission, interactive: consoles !== null });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (!consoles || batch) return submitted(session, `${options.artifact} build`, id, batch);
  say(surroundings, `Submitted ${options.artifact} build task ${id}`);
  await attachConsole(session, consoles, id);
}

/** Everything of a build; archives are made in `folder`. */
async function prepareBuild(
  session: Session,
  options: BuildOptions,
  folder: string,
): Promise<Omit<Submission, 'interactive'>> {
  const { api, surroundings, preferences } = session;
  const { artifact, derivative } = options;
  if (!ARTIFACT_NAME.test(artifact)) throw new UsageError(`"${artifact}" can't be the name of an artifact`);
  const base = resolve(surroundings.cwd, options.basedir ?? preferences.basedir ?? '.');
  const definition = await readDefinition(join(base, options.subdir ?? artifact), artifact);
  const author = await whoBuilds(session, options, definition.folder);
  const { format, pipeline } = choosePipeline(await api.formats(), {
    format: options.format,
    distribution: options.distribution,
    among: definition.formats,
  });
  checkDerivative(definition, derivative, pipeline.derivatives);
  const architectures = await api.architectures();
  const all = await definition.dependsOnArchitecture(format);
  const sources = await prepareSources(options.sources ?? [], {
    definition,
    derivative,
    cwd: surroundings.cwd,
    home: surroundings.home,
    folder,
    ignored: options.includeGitUntracked === true,
    say: text => say(surroundings, text),
  });
  const archive = join(folder, `${artifact}.definition.tar.xz`);
  await packDefinition(definition.folder, archive);
  return {
    ...author,
    format,
    distribution: pipeline.distribution,
    derivative,
    architectures: all ? architectures : architectures.slice(0, 1),
    artifact,
    definition: { path: archive, filename: `${artifact}.tar.xz` },
    sources,
  };
}

function checkDerivative(definition: Definition, derivative: string, available: readonly string[]): void {
  const refuse = (whose: string, known: readonly string[]): never => {
    const near = closest(derivative, known);
    const meant = near === null ? '' : ` (did you mean ${near}?)`;
    throw new Fault(
      'invalid',
      'bad-input',
      `${whose} has no derivative ${derivative}${meant}; it has ${known.join(', ')}`,
    );
  };
  if (!definition.derivatives.includes(derivative)) refuse(definition.artifact, definition.derivatives);
  if (!available.includes(derivative)) refuse('the distribution', available);
}

/** Who the changelog names, and what it says. */
async function whoBuilds(
  { preferences }: Session,
  options: BuildOptions,
  folder: string,
): Promise<{ author: string; email: string; message: string }> {
  const author = options.name ?? preferences.name ?? (await askGit(folder, 'user.name'));
  if (author === null)
    throw new UsageError('say who builds with -n, or once in the preferences as [user] name');
  const email = options.email ?? preferences.email ?? (await askGit(folder, 'user.email'));
  if (email === null)
    throw new UsageError('add your e-mail address with -e, or in the preferences as [user] email');
  const message = options.msg ?? preferences.message;
  if (message === null || message.trim() === '') {
    throw new UsageError('say what the build is for with -m, or in the preferences as [prefs] message');
  }
  return { author, email, message };
}
