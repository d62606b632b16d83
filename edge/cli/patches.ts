/** `rackwright patches`: an artifact's patches as commits of a temporary git repository, edited in a shell. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Fault } from '../../proto/fault.ts';
import { ARTIFACT_NAME } from '../../proto/words.ts';
import { type Definition, readDefinition } from './definition.ts';
import { UsageError } from './exit.ts';
import { askGit } from './pack.ts';
import { readPatches, writePatches } from './patch-files.ts';
import { openRepository, type Person, placeSource, type Repository, stemOf } from './patch-repository.ts';
import { readPreferences } from './preferences.ts';
import type { GeneralOptions } from './program.ts';
import { fetchSource } from './source-cache.ts';
import { prepareSources } from './sources.ts';
import { print, type Surroundings, say, surroundingsOf } from './surroundings.ts';

interface PatchesOptions extends GeneralOptions {
  readonly artifact: string;
  readonly derivative: string;
  readonly basedir?: string;
  readonly subdir?: string;
  readonly sources?: readonly string[];
  readonly includeGitUntracked?: boolean;
  readonly name?: string;
  readonly email?: string;
}

/** Adds the verb. */
export function addPatchesCommand(program: Command): void {
  program
    .command('patches')
    .summary("edit an artifact's patches as git commits")
    .description(
      "Opens a shell in a temporary git repository of the artifact's source, in which each patch is a commit. Add,\n" +
        'change and reorder commits; when the shell ends they become the patches of the definition. The first line\n' +
        'of a message is the title, the others are the header; "Generic: yes" makes it a patch of every version.',
    )
    .requiredOption('-a, --artifact <name>', 'artifact')
    .option('--derivative <name>', 'derivative', 'main')
    .option('-b, --basedir <dir>', 'directory of artifact directories (default: the preference, else here)')
    .option('-s, --subdir <dir>', "artifact's directory in it (default: the artifact's name)")
    .option(
      '--sources <source...>',
      '[ID#][VERSION@]DIR: your own sources instead of those of the definition',
    )
    .option('--include-git-untracked', 'take files that git ignores, too')
    .option('-n, --name <name>', "your name in patches (default: the preference, else git's)")
    .option('-e, --email <address>', "your e-mail address (default: the preference, else git's)")
    .addHelpText('after', '\nExample:\n  rackwright patches -a hello')
    .action(async (options: PatchesOptions, command: Command) => {
      const surroundings = surroundingsOf(command);
      await editPatches(surroundings, command.optsWithGlobals<PatchesOptions>(), options);
    });
}

async function editPatches(
  surroundings: Surroundings,
  general: GeneralOptions,
  options: PatchesOptions,
): Promise<void> {
  const preferences = readPreferences(surroundings, general.preferences);
  if (!ARTIFACT_NAME.test(options.artifact))
    throw new UsageError(`"${options.artifact}" can't be the name of an artifact`);
  const base = resolve(surroundings.cwd, options.basedir ?? preferences.basedir ?? '.');
  const definition = await readDefinition(join(base, options.subdir ?? options.artifact), options.artifact);
  const person: Person = {
    name:
      options.name ??
      preferences.name ??
      (await askGit(definition.folder, 'user.name')) ??
      surroundings.login,
    email:
      options.email ??
      preferences.email ??
      (await askGit(definition.folder, 'user.email')) ??
      surroundings.login,
  };
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-patches-'));
  let kept = false;
  try {
    const written = await editIn(
      folder,
      surroundings,
      options,
      definition,
      person,
      preferences.commitTemplate,
    );
    if (written === null) say(surroundings, 'No patch has changed');
    else if (general.json) print(surroundings, JSON.stringify({ patches: written }));
    else for (const name of written) print(surroundings, name);
  } catch (error) {
    // Somebody's work may be in there.
    kept = error instanceof Fault && error.kind === 'refused';
    throw error;
  } finally {
    if (!kept) await rm(folder, { recursive: true, force: true });
  }
}

/** The whole edit in a temporary folder; the names of the patches written, null when nothing changed. */
async function editIn(
  folder: string,
  surroundings: Surroundings,
  options: PatchesOptions,
  definition: Definition,
  person: Person,
  template: string | null,
): Promise<string[] | null> {
  const tree = join(folder, options.artifact);
  const version = await placeSources(surroundings, options, definition, folder, tree);
  const patches = await readPatches(definition.folder, version);
  const repository = await openRepository(tree, person, template);
  const applied = patches.filter(patch => !patch.template);
  for (const { file } of patches.filter(patch => patch.template)) {
    say(surroundings, `warning: ${file} is a template, which the server renders; it is left as it is`);
  }
  for (const patch of applied) await repository.apply(patch);
  const before = JSON.stringify(await repository.readBack());
  await openShell(surroundings, repository, options.artifact, applied.length);
  const after = await repository.readBack();
  return JSON.stringify(after) === before ? null : writePatches(definition.folder, version, patches, after);
}

/** Puts all sources where builds have them; the main source's version. */
async function placeSources(
  surroundings: Surroundings,
  options: PatchesOptions,
  definition: Definition,
  folder: string,
  tree: string,
): Promise<string> {
  const given = join(folder, 'sources');
  await mkdir(given);
  const own = await prepareSources(options.sources ?? [], {
    definition,
    derivative: options.derivative,
    cwd: surroundings.cwd,
    home: surroundings.home,
    folder: given,
    ignored: options.includeGitUntracked === true,
    say: text => say(surroundings, text),
  });
  const cache = join(surroundings.env.XDG_CACHE_HOME || join(surroundings.home, '.cache'), 'rackwright');
  let main = '';
  for (const id of definition.sources) {
    const sent = own.find(source => source.id === id);
    const version = sent ? versionOf(id, sent.filename) : definition.version(id, options.derivative);
    if (version === null) {
      throw new Fault(
        'invalid',
        'bad-definition',
        `${definition.artifact} has no version of ${id} for ${options.derivative}`,
      );
    }
    const path = sent?.path ?? (await fetchSource(definition, id, version, cache));
    const isMain = id === definition.artifact || definition.sources.length === 1;
    if (isMain) main = version;
    await placeSource(path, isMain ? tree : join(tree, stemOf(sent?.filename ?? path)));
  }
  return main;
}

/** The version in a name that prepareSources() made, `ID-VERSION.EXT`. */
function versionOf(id: string, filename: string): string {
  return filename.slice(id.length + 1).replace(/\.(?:tar(?:\.\w+)?|tgz|zip)$/, '');
}

function openShell(
  surroundings: Surroundings,
  { folder }: Repository,
  artifact: string,
  count: number,
): Promise<void> {
  const patches = count === 1 ? 'one patch' : `${count} patches`;
  say(
    surroundings,
    `${artifact} with ${patches} as commits on the tag "upstream". Commit your changes, then leave the shell.`,
  );
  return new Promise((done, refuse) => {
    const shell = spawn(surroundings.env.SHELL || '/bin/sh', {
      cwd: folder,
      stdio: 'inherit',
      env: { ...surroundings.env },
    });
    shell.once('error', error =>
      refuse(new Fault('invalid', 'bad-input', `the shell can't be run: ${error.message}`)),
    );
    shell.once('close', () => done());
  });
}
