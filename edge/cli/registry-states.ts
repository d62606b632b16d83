/** `rackwright registry`: states, snapshots, differences, promotion and the way back. */
import type { Command } from 'commander';
import { showGeneration } from './blocks.ts';
import { UsageError } from './exit.ts';
import type { Promotion } from './registry-api.ts';
import {
  type ChangeOptions,
  change,
  changing,
  type PlaceOptions,
  placed,
  placeOf,
} from './registry-place.ts';
import { type Session, withSession } from './session.ts';
import { print, say } from './surroundings.ts';

/** Adds the verbs. */
export function addStateVerbs(registry: Command): void {
  placed(registry.command('states'))
    .summary('list the states that are kept')
    .description(
      'Lists the states of a registry that can be returned to, the present one first, with their snapshots.',
    )
    .addHelpText('after', '\nExample:\n  rackwright registry states -d bookworm')
    .action((options: PlaceOptions, command: Command) =>
      withSession(command, async session => {
        const generations = await session.api.states.list(await placeOf(session, options));
        if (session.json) return print(session.surroundings, JSON.stringify(generations));
        session.surroundings.stdout.write(generations.map(showGeneration).join(''));
        if (generations.length === 0) say(session.surroundings, 'Nothing was published yet');
      }),
    );
  placed(registry.command('diff'))
    .argument('[from]', 'state or snapshot (default: the present state)')
    .argument('[to]', 'state or snapshot (default: the present state)')
    .summary('compare two states')
    .description(
      'Shows what only one of two states has: lines with - are in the first, lines with + in the second.',
    )
    .addHelpText('after', '\nExample:\n  rackwright registry diff -d bookworm release-1')
    .action((from: string | undefined, to: string | undefined, options: PlaceOptions, command: Command) =>
      withSession(command, session => compare(session, options, from ?? '', to ?? '')),
    );
  addSnapshotVerbs(registry);
  addMoves(registry);
}

function addSnapshotVerbs(registry: Command): void {
  changing(registry.command('snapshot'))
    .argument('<name>', 'name of the new snapshot')
    .summary('name the present state and keep it')
    .description(
      'Names the present state of a registry. It stays readable at an address of its own until it is deleted.',
    )
    .addHelpText('after', '\nExample:\n  rackwright registry snapshot release-1 -d bookworm')
    .action((name: string, options: ChangeOptions, command: Command) =>
      change(command, options, `snapshot ${name}`, ({ api }, place) =>
        api.states.createSnapshot(place, name),
      ),
    );
  changing(registry.command('snapshot-delete'))
    .argument('<name>', 'name of the snapshot')
    .summary('give a snapshot up')
    .description('Gives a snapshot up; what only it held is collected later.')
    .addHelpText('after', '\nExample:\n  rackwright registry snapshot-delete release-1 -d bookworm')
    .action((name: string, options: ChangeOptions, command: Command) =>
      change(command, options, `snapshot ${name} deletion`, ({ api }, place) =>
        api.states.deleteSnapshot(place, name),
      ),
    );
}

interface PromoteOptions extends ChangeOptions {
  readonly fromInstance?: string;
  readonly fromDistribution?: string;
  readonly fromDerivative?: string;
  readonly snapshot?: string;
  readonly artifact?: string;
  readonly artifactVersion?: string;
}

function addMoves(registry: Command): void {
  changing(registry.command('promote'))
    .option('--from-instance <name>', 'instance to take from (default: this one)')
    .option('--from-distribution <name>', 'distribution to take from (default: that of -d)')
    .option('--from-derivative <name>', 'derivative to take from (default: that of --derivative)')
    .option('--snapshot <name>', 'as it was in this snapshot or state')
    .option('-a, --artifact <name>', 'only this source with its binaries, or this binary')
    .option('--artifact-version <version>', 'only this version (default: the newest)')
    .summary('take over what another place has')
    .description(
      'Publishes what another derivative, distribution or instance has, without a new build. The same packages, new\n' +
        'indexes and signatures. You must be permitted to view the place that it comes from, too.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  rackwright registry promote -d bookworm --from-derivative testing -a hello\n' +
        '  rackwright registry promote -d bookworm --from-instance staging --snapshot release-1',
    )
    .action((options: PromoteOptions, command: Command) =>
      change(command, options, 'promotion', ({ api }, place) => api.states.promote(place, originOf(options))),
    );
  changing(registry.command('rollback'))
    .argument('<to>', 'state or snapshot')
    .summary('go back to an earlier state')
    .description(
      'Makes the content of an earlier state or a snapshot the present one, under a new signature.',
    )
    .addHelpText('after', '\nExample:\n  rackwright registry rollback release-1 -d bookworm')
    .action((to: string, options: ChangeOptions, command: Command) =>
      change(command, options, `rollback to ${to}`, ({ api }, place) => api.states.rollBack(place, to)),
    );
}

function originOf(options: PromoteOptions): Promotion {
  const { fromInstance, fromDistribution, fromDerivative, snapshot, artifact, artifactVersion } = options;
  if ([fromInstance, fromDistribution, fromDerivative, snapshot].every(one => one === undefined)) {
    throw new UsageError(
      'say where from: --from-instance, --from-distribution, --from-derivative or --snapshot',
    );
  }
  if (artifactVersion !== undefined && artifact === undefined) {
    throw new UsageError('--artifact-version needs --artifact');
  }
  return {
    ...(fromInstance === undefined ? {} : { instance: fromInstance }),
    ...(fromDistribution === undefined ? {} : { distribution: fromDistribution }),
    ...(fromDerivative === undefined ? {} : { derivative: fromDerivative }),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(artifact === undefined ? {} : { artifact }),
    ...(artifactVersion === undefined ? {} : { version: artifactVersion }),
  };
}

async function compare(session: Session, options: PlaceOptions, from: string, to: string): Promise<void> {
  if (from === '' && to === '')
    throw new UsageError('name a state or a snapshot; `registry states` lists them');
  const found = await session.api.states.compare(await placeOf(session, options), from, to);
  if (session.json) return print(session.surroundings, JSON.stringify(found));
  const lines = [
    ...found.removed.map(one => ({ sign: '-', ...one })),
    ...found.added.map(one => ({ sign: '+', ...one })),
  ].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (const { sign, name, version, architecture, derivative } of lines)
    print(session.surroundings, `${sign} ${name} ${version} (${architecture}) ${derivative}`);
  if (lines.length === 0) say(session.surroundings, 'No difference');
}
