/** `rackwright registry`: what is published, one artifact whole, a search, and deletion; further verbs stand beside. */
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { Fault } from '../../proto/fault.ts';
import type { Api, Artifact, Place } from './api.ts';
import { showArtifact, showDescription } from './blocks.ts';
import { UsageError } from './exit.ts';
import { addCareVerbs } from './registry-care.ts';
import { type ChangeOptions, changing, placed, placeOf } from './registry-place.ts';
import { addStateVerbs } from './registry-states.ts';
import { type Session, withSession } from './session.ts';
import { print, say } from './surroundings.ts';
import { submittedAll } from './watch.ts';

interface RegistryOptions extends ChangeOptions {
  readonly artifact?: string;
  readonly architecture?: string;
  readonly artifactVersion?: string;
  readonly exact?: boolean;
  readonly yes?: boolean;
}

/** Adds the verb. */
export function addRegistryCommand(program: Command): void {
  const registry = program
    .command('registry')
    .summary('published artifacts and the states of registries')
    .description(
      'Published artifacts: list them (the default), show one whole, search by name, delete, import, promote. States of\n' +
        'a registry: list, name, compare, go back. Care: verify, repair, take old versions out.',
    )
    .addHelpText('after', '\nExample:\n  rackwright registry -d bookworm');
  placed(registry.command('list', { isDefault: true }))
    .summary('list artifacts')
    .description('Lists the artifacts published for a distribution and derivative.')
    .option('-a, --artifact <text>', 'only names that contain this')
    .addHelpText('after', '\nExample:\n  rackwright registry list -d bookworm -a hello')
    .action((options: RegistryOptions, command: Command) =>
      withSession(command, async session => {
        const artifacts = await selected(session, await placeOf(session, options), options);
        if (session.json) return print(session.surroundings, JSON.stringify(artifacts));
        session.surroundings.stdout.write(artifacts.map(showArtifact).join(''));
        if (artifacts.length === 0) say(session.surroundings, 'No artifact');
      }),
    );
  placed(registry.command('show'))
    .summary('show one artifact')
    .description(
      'Shows an artifact whole: where it comes from or what it became, its changelog and its files.',
    )
    .requiredOption('-a, --artifact <name>', 'name')
    .option('--architecture <arch>', 'architecture, where there are several')
    .addHelpText('after', '\nExample:\n  rackwright registry show -d bookworm -a hello --architecture src')
    .action((options: RegistryOptions, command: Command) =>
      withSession(command, session => showOne(session, options)),
    );
  registry
    .command('search')
    .argument('<text>', 'part of a name')
    .summary('search all distributions')
    .description(
      'Searches every format, distribution and derivative for artifacts whose name contains a text.',
    )
    .addHelpText('after', '\nExample:\n  rackwright registry search hello')
    .action((text: string, _options: unknown, command: Command) =>
      withSession(command, session => search(session, text)),
    );
  addDeletion(registry);
  addStateVerbs(registry);
  addCareVerbs(registry);
}

function addDeletion(registry: Command): void {
  changing(registry.command('delete'))
    .summary('delete artifacts')
    .description(
      'Deletes every artifact whose name contains the text, each in a task of its own. On a terminal it shows\n' +
        'them and asks first.',
    )
    .requiredOption('-a, --artifact <text>', 'part of the name')
    .option('--exact', 'the text is the whole name')
    .option('--architecture <arch>', 'only this architecture')
    .option('--artifact-version <version>', 'only this version')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  rackwright registry delete -d bookworm -a hello --exact --yes')
    .action((options: RegistryOptions, command: Command) =>
      withSession(command, session => deleteAll(session, options)),
    );
}

async function selected(
  { api }: Session,
  place: Place,
  { artifact, exact, architecture, artifactVersion }: RegistryOptions,
): Promise<readonly Artifact[]> {
  const named = (name: string): boolean =>
    artifact === undefined || (exact === true ? name === artifact : name.includes(artifact));
  return (await published(api, place)).filter(
    found =>
      named(found.name) &&
      (architecture === undefined || found.architecture === architecture) &&
      (artifactVersion === undefined || found.version === artifactVersion),
  );
}

/** Artifacts of a place; none where it is known, and nothing was published to it yet. */
async function published(api: Api, place: Place): Promise<readonly Artifact[]> {
  try {
    return await api.artifacts(place);
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
    const pipelines = (await api.formats(place.distribution))[place.format] ?? [];
    if (pipelines.some(({ derivatives }) => derivatives.includes(place.derivative))) return [];
    throw error;
  }
}

async function showOne(session: Session, options: RegistryOptions): Promise<void> {
  const place = await placeOf(session, options);
  const found = await selected(session, place, { ...options, exact: true });
  // Of one name the source and its binaries may be there; what people look for is the binary.
  const artifact = found.find(({ architecture }) => architecture !== 'src') ?? found[0];
  if (!artifact) {
    const where = `${options.distribution}, derivative ${options.derivative}`;
    throw new Fault('not_found', 'not-found', `there is no artifact ${options.artifact} in ${where}`);
  }
  const others = new Set(found.map(({ architecture }) => architecture));
  if (options.architecture === undefined && others.size > 1) {
    say(session.surroundings, `Architectures: ${[...others].join(', ')}; this is ${artifact.architecture}`);
  }
  const described = await session.api.describe(place, artifact.architecture, artifact.name);
  if (session.json) print(session.surroundings, JSON.stringify(described));
  else session.surroundings.stdout.write(showDescription(described, artifact));
}

async function search({ api, surroundings, json }: Session, text: string): Promise<void> {
  const found = await api.search(text);
  if (json) return print(surroundings, JSON.stringify(found));
  let count = 0;
  for (const [format, distributions] of Object.entries(found)) {
    for (const [distribution, derivatives] of Object.entries(distributions)) {
      for (const [derivative, artifacts] of Object.entries(derivatives)) {
        print(surroundings, `${format} ${distribution} ${derivative}:`);
        surroundings.stdout.write(artifacts.map(showArtifact).join(''));
        count += artifacts.length;
      }
    }
  }
  if (count === 0) say(surroundings, `No artifact's name contains "${text}"`);
}

async function deleteAll(session: Session, options: RegistryOptions): Promise<void> {
  const { api, surroundings } = session;
  if (options.artifact === '') throw new UsageError('an empty text would delete everything');
  const place = await placeOf(session, options);
  const found = await selected(session, place, options);
  if (found.length === 0) {
    const where = `${options.distribution}, derivative ${options.derivative}`;
    throw new Fault('not_found', 'not-found', `no artifact in ${where} fits; nothing was deleted`);
  }
  if (!options.yes && surroundings.stdin.isTTY && surroundings.stderr.isTTY) {
    surroundings.stderr.write(found.map(showArtifact).join(''));
    const asked = createInterface({ input: surroundings.stdin, output: surroundings.stderr });
    const answer = await asked.question(
      `Delete ${found.length === 1 ? 'this' : `these ${found.length}`}? [y/N] `,
    );
    asked.close();
    if (!/^y(es)?$/i.test(answer.trim())) return say(surroundings, 'Nothing was deleted');
  }
  const tasks: { what: string; id: string }[] = [];
  for (const artifact of found) {
    const what = `${artifact.name} ${artifact.version} (${artifact.architecture}) deletion`;
    tasks.push({ what, id: await api.deleteArtifact(place, artifact) });
  }
  await submittedAll(session, tasks, options.batch === true);
}
