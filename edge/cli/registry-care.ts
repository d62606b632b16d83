/** `rackwright registry`: import, checks, repair, and making room. */
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { errorCode, Fault } from '../../proto/fault.ts';
import { describeRetention, readRetention } from '../../proto/retention.ts';
import { showOutdated } from './blocks.ts';
import { UsageError } from './exit.ts';
import type { Care, WrittenRule } from './registry-api.ts';
import { type ChangeOptions, change, changing, placeOf } from './registry-place.ts';
import { type Session, withSession } from './session.ts';
import { print, say } from './surroundings.ts';

interface ImportOptions extends ChangeOptions {
  readonly suite?: string;
  readonly components?: string;
  readonly keys?: string;
}

interface RetainOptions extends ChangeOptions {
  readonly dryRun?: boolean;
  readonly last?: string;
  readonly newer?: string;
}

/** Adds the verbs. */
export function addCareVerbs(registry: Command): void {
  changing(registry.command('import'))
    .argument('<source>', "folder on the daemon's host, or address of an apt or dnf repository")
    .option('--keys <file>', 'armored public keys that the repository must be signed with')
    .option('--suite <name>', 'suite of an apt repository (default: the distribution)')
    .option('--components <names>', 'components of an apt repository, separated by commas (default: all)')
    .summary('publish the packages of a folder or repository')
    .description(
      'Publishes all packages or images below a folder, or those that an apt or dnf repository lists.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  rackwright registry import /srv/old -d bookworm\n' +
        '  rackwright registry import https://example.org/el9 -d el9 --keys example.asc',
    )
    .action((source: string, options: ImportOptions, command: Command) =>
      change(command, options, 'import', async (session, place) => {
        const { suite = '', components = '' } = options;
        const keys = options.keys === undefined ? '' : await readKeys(session, options.keys);
        const words = components.split(',').filter(word => word !== '');
        return session.api.states.importFrom(place, {
          source: sourceOf(session, source),
          ...{ suite, components: words, keys },
        });
      }),
    );
  addUpdateInfo(registry);
  addCare(registry, 'verify', 'verification', 'check every file, index and signature', [
    'Checks every file against its digest, every index against the catalogue and every signature against the key.',
    'Ends with 3 when something is wrong; what it is stands in the output.',
  ]);
  addCare(registry, 'repair', 'repair', 'make indexes and snapshots anew', [
    'Makes indexes and the addresses of snapshots anew from the catalogue; what lost its files is taken out.',
  ]);
  addCare(registry, 'collect', 'collection', 'remove what nothing needs any longer', [
    'Removes old states and files that nothing published, kept or held by a snapshot needs. That happens by itself',
    'about once a day with a publication.',
  ]);
  addRetain(registry);
}

function addUpdateInfo(registry: Command): void {
  changing(registry.command('updateinfo'))
    .argument('[file]', 'updateinfo.xml, plain or packed by gzip, zstd, xz or bzip2')
    .option('--remove', 'take the notices away')
    .summary('give a dnf registry its update notices')
    .description(
      'Replaces the update notices of a dnf registry, which `dnf updateinfo` shows. They stay until they are replaced;\n' +
        'snapshots keep theirs, an import adds those of the repository that it takes.',
    )
    .addHelpText('after', '\nExample:\n  rackwright registry updateinfo updateinfo.xml -d el9')
    .action(
      async (file: string | undefined, options: ChangeOptions & { remove?: boolean }, command: Command) => {
        if ((file === undefined) !== (options.remove === true))
          throw new UsageError('name a file, or give --remove');
        return change(command, options, 'update notices', async ({ api, surroundings }, place) => {
          const path = file === undefined ? null : resolve(surroundings.cwd, file);
          if (path !== null) await checkReadable(path);
          return api.states.setUpdateInfo(place, path);
        });
      },
    );
}

async function checkReadable(path: string): Promise<void> {
  await access(path, constants.R_OK).catch(error => {
    throw new Fault('not_found', 'not-found', `${path} can't be read (${errorCode(error)})`);
  });
}

function addCare(
  registry: Command,
  how: Exclude<Care, 'retain'>,
  what: string,
  summary: string,
  description: readonly string[],
): void {
  changing(registry.command(how))
    .summary(summary)
    .description(description.join('\n'))
    .addHelpText('after', `\nExample:\n  rackwright registry ${how} -d bookworm`)
    .action((options: ChangeOptions, command: Command) =>
      change(command, options, what, ({ api }, place) => api.states.care(place, how)),
    );
}

function addRetain(registry: Command): void {
  changing(registry.command('retain'))
    .option('--dry-run', 'only show what would go')
    .option('--last <n>', 'with --dry-run: as if the newest N versions were kept')
    .option('--newer <span>', 'with --dry-run: as if versions younger than 12h, 30d, 4w, 6m or 1y were kept')
    .summary('take old versions out')
    .description(
      "Takes out what the derivative's retention, a key of the instance's file, does not keep. What a snapshot holds\n" +
        'stays there. With --dry-run it shows what would go; --last and --newer then try another rule.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  rackwright registry retain -d bookworm --dry-run --last 3\n  rackwright registry retain -d bookworm',
    )
    .action(async (options: RetainOptions, command: Command) => {
      const { last, newer } = options;
      const rule: WrittenRule = {
        ...(last === undefined ? {} : { last }),
        ...(newer === undefined ? {} : { newer }),
      };
      if (readRetention(rule) === null) {
        throw new UsageError('--last takes a number, --newer a span such as 12h, 30d, 4w, 6m or 1y');
      }
      if (options.dryRun) return withSession(command, session => showPlan(session, options, rule));
      if (Object.keys(rule).length > 0)
        throw new UsageError(
          "--last and --newer go with --dry-run; what is applied stands in the instance's file",
        );
      return change(command, options, 'retention', ({ api }, place) => api.states.care(place, 'retain'));
    });
}

async function showPlan(session: Session, options: RetainOptions, rule: WrittenRule): Promise<void> {
  const plan = await session.api.states.plan(await placeOf(session, options), rule);
  if (session.json) return print(session.surroundings, JSON.stringify(plan));
  session.surroundings.stdout.write(plan.outdated.map(showOutdated).join(''));
  const count = plan.outdated.length;
  const what = count === 0 ? 'Nothing' : `${count} ${count === 1 ? 'artifact' : 'artifacts'}`;
  say(session.surroundings, `${what} would go: ${describeRetention(plan.rule)}`);
}

/** A folder may be named from here where here is the daemon's host. */
function sourceOf({ target, surroundings }: Session, source: string): string {
  if (/^https?:\/\//.test(source) || source.startsWith('/')) return source;
  if (target.kind === 'http') {
    throw new UsageError(`${source}: over HTTP a folder is named by its absolute path on the daemon's host`);
  }
  return resolve(surroundings.cwd, source);
}

async function readKeys({ surroundings }: Session, file: string): Promise<string> {
  try {
    return await readFile(resolve(surroundings.cwd, file), 'utf8');
  } catch (error) {
    throw new Fault('not_found', 'not-found', `${file} can't be read (${errorCode(error)})`);
  }
}
