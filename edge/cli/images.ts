/** `rackwright images`: images and build environments, and shells in them. */
import type { Command } from 'commander';
import { Fault } from '../../proto/fault.ts';
import { FORMATS, isFormat } from '../../proto/words.ts';
import type { ImageTarget } from './api.ts';
import { showImage } from './blocks.ts';
import { UsageError } from './exit.ts';
import { attachConsole } from './interact.ts';
import { type Session, withSession } from './session.ts';
import { print, say } from './surroundings.ts';
import { submittedAll } from './watch.ts';

/** Why a server makes no image of a format: it can't build it, or its settings leave it out. */
const UNMADE: readonly string[] = ['not-built-yet', 'no-image'];

interface ImageOptions {
  readonly format?: string;
  readonly distribution?: string;
  readonly architecture?: string;
  readonly force?: boolean;
  readonly batch?: boolean;
}

/** Adds the verb. */
export function addImagesCommand(program: Command): void {
  const images = program
    .command('images')
    .summary('create, update or enter images and build environments')
    .description(
      'Images hold the build environments of a format. They are made on first need; these verbs make, update or\n' +
        'enter them at other times, one task for each that fits the options.',
    )
    .addHelpText('after', '\nExample:\n  rackwright images env-update -f deb -d bookworm');
  const format = '-f, --format <name>';
  images
    .command('list', { isDefault: true })
    .summary('list images and build environments')
    .description('Lists the images with their build environments, made or not.')
    .addHelpText('after', '\nExample:\n  rackwright images list')
    .action((_options: unknown, command: Command) =>
      withSession(command, async ({ api, surroundings, json }) => {
        const found = await api.images();
        if (json) print(surroundings, JSON.stringify(found));
        else surroundings.stdout.write(found.map(showImage).join(''));
      }),
    );
  images
    .command('create')
    .summary('create images')
    .description('Creates the image of a format, or of all.')
    .option(format, 'only this format')
    .option('--force', 'replace one that is there')
    .option('--batch', 'submit only, without watching')
    .addHelpText('after', '\nExample:\n  rackwright images create -f deb --force')
    .action((options: ImageOptions, command: Command) =>
      withSession(command, session => change(session, options, 'image creation', 'images')),
    );
  images
    .command('update')
    .summary('update images')
    .description('Updates the image of a format, or of all.')
    .option(format, 'only this format')
    .option('--batch', 'submit only, without watching')
    .addHelpText('after', '\nExample:\n  rackwright images update --batch')
    .action((options: ImageOptions, command: Command) =>
      withSession(command, session => change(session, options, 'image update', 'images')),
    );
  addEnvironments(images);
  addShells(images);
}

function addEnvironments(images: Command): void {
  for (const [verb, what, does] of [
    ['env-create', 'image build environment creation', 'Creates'],
    ['env-update', 'image build environment update', 'Updates'],
  ] as const) {
    images
      .command(verb)
      .summary(`${does.toLowerCase().slice(0, -1)} build environments`)
      .description(`${does} the build environments that fit the options.`)
      .option('-f, --format <name>', 'only this format')
      .option('-d, --distribution <name>', 'only that of this distribution')
      .option('-a, --architecture <arch>', 'only this architecture')
      .option('--batch', 'submit only, without watching')
      .addHelpText('after', `\nExample:\n  rackwright images ${verb} -d bookworm -a x86_64`)
      .action((options: ImageOptions, command: Command) =>
        withSession(command, session => change(session, options, what, 'environments')),
      );
  }
}

function addShells(images: Command): void {
  images
    .command('shell')
    .argument('[command...]', 'command instead of a shell; options after --')
    .summary('a shell in an image')
    .description(
      "Opens a shell, or runs a command, as root in the image of a format. Needs the daemon's socket.",
    )
    .option('-f, --format <name>', 'format')
    .addHelpText('after', '\nExample:\n  rackwright images shell -f deb')
    .action((words: string[], options: ImageOptions, command: Command) =>
      withSession(command, session => shell(session, options, words, 'images')),
    );
  images
    .command('env-shell')
    .argument('[command...]', 'command instead of a shell; options after --')
    .summary('a shell in a build environment')
    .description(
      "Opens a shell, or runs a command, as root in a build environment. Needs the daemon's socket.",
    )
    .option('-f, --format <name>', 'format')
    .option('-d, --distribution <name>', 'distribution')
    .option('-a, --architecture <arch>', 'architecture')
    .addHelpText('after', '\nExample:\n  rackwright images env-shell -d bookworm -- apt-cache policy gcc')
    .action((words: string[], options: ImageOptions, command: Command) =>
      withSession(command, session => shell(session, options, words, 'environments')),
    );
}

/** Every image or environment that fits the options. Throws UsageError when none does. */
async function targets(
  { api }: Session,
  options: ImageOptions,
  of: 'images' | 'environments',
): Promise<readonly ImageTarget[]> {
  const formats = Object.entries(await api.formats()).filter(
    ([format]) => options.format === undefined || format === options.format,
  );
  if (formats.length === 0) throw new UsageError(`the instance builds no ${options.format ?? 'format'}`);
  if (of === 'images') return formats.map(([format]) => ({ format }));
  const known = await api.architectures();
  const architectures = options.architecture === undefined ? known : [options.architecture];
  if (!architectures.every(name => known.includes(name))) {
    throw new UsageError(`the instance builds for ${known.join(', ')}, not for ${options.architecture}`);
  }
  const found: ImageTarget[] = [];
  const seen = new Set<string>();
  for (const [format, pipelines] of formats) {
    if (isFormat(format) && !FORMATS[format].environments) continue;
    for (const { distribution, environment } of pipelines) {
      if (options.distribution !== undefined && options.distribution !== distribution) continue;
      // Distributions may share an environment.
      if (environment === null || seen.has(`${format} ${environment}`)) continue;
      seen.add(`${format} ${environment}`);
      found.push(...architectures.map(architecture => ({ format, environment, architecture })));
    }
  }
  if (found.length === 0) throw new UsageError('no build environment fits these options');
  return found;
}

function nameOf({ format, environment, architecture }: ImageTarget): string {
  return environment === undefined ? format : `${format} ${environment} ${architecture}`;
}

async function change(
  session: Session,
  options: ImageOptions,
  what: string,
  of: 'images' | 'environments',
): Promise<void> {
  const creates = what.endsWith('creation');
  const tasks: { what: string; id: string }[] = [];
  const unmade: { what: string; fault: Fault }[] = [];
  for (const target of await targets(session, options, of)) {
    try {
      const id = creates
        ? await session.api.createImage(target, options.force === true)
        : await session.api.updateImage(target);
      tasks.push({ what: `${nameOf(target)} ${what}`, id });
    } catch (error) {
      // Asked for all formats, those that the server has no images of stay unmade and the others are made.
      if (!(error instanceof Fault && UNMADE.includes(error.reason))) throw error;
      unmade.push({ what: `${nameOf(target)} ${what}`, fault: error });
    }
  }
  if (unmade[0] && tasks.length === 0) throw unmade[0].fault;
  for (const { what, fault } of unmade) say(session.surroundings, `No ${what}: ${fault.message}`);
  await submittedAll(session, tasks, options.batch === true);
}

async function shell(
  session: Session,
  options: ImageOptions,
  words: readonly string[],
  of: 'images' | 'environments',
): Promise<void> {
  const { api, surroundings } = session;
  if (!api.consoles) {
    throw new UsageError(`a shell needs the daemon's socket; ${api.uri} is an HTTP address`);
  }
  const [target, ...others] = await targets(session, options, of);
  if (!target) return;
  if (others.length > 0) {
    const names = [target, ...others].map(nameOf).join('; ');
    throw new UsageError(`the options fit more than one: ${names}`);
  }
  const id = await api.consoles.openShell(target, surroundings.env.TERM ?? '', words);
  say(surroundings, `Submitted ${nameOf(target)} shell task ${id}`);
  await attachConsole(session, api.consoles, id);
}
