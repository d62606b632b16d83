/** `rackwright draw`: pictures of infrastructures, rooms and racks from a local inventory, and its check. Needs no server. */
import type { Command } from 'commander';
import { Fault } from '../../proto/fault.ts';
import type { DrawingRequest, Entity, ImageFormat } from '../../proto/renderer.ts';
import type { Finding } from '../../proto/tree.ts';
import { type DrawingSettings, readDrawingSettings } from '../../systemd/drawing.ts';
import { places } from '../../systemd/settings.ts';
import { readAll, type Target, targetOf, writeTargets } from './draw-files.ts';
import { type LocalRenderer, openLocalRenderer } from './draw-renderer.ts';
import { EXIT, UsageError } from './exit.ts';
import type { GeneralOptions } from './program.ts';
import { print, type Surroundings, say, surroundingsOf } from './surroundings.ts';

const ENTITIES = ['infrastructure', 'room', 'rack'] as const satisfies readonly Entity[];
const FORMATS: readonly string[] = ['png', 'svg', 'pdf'] satisfies ImageFormat[];

interface Located extends GeneralOptions {
  readonly db?: string;
  readonly extensions?: string;
  readonly home?: string;
}

interface DrawOptions extends Located {
  readonly name: string;
  readonly parameters?: string;
  readonly format?: string;
  readonly output?: string;
  readonly coordinates?: string | true;
  readonly coordinatesFormat?: string;
  readonly full?: boolean;
  readonly datacenter?: string;
}

/** Adds `draw infrastructure`, `draw room`, `draw rack` and `draw check`. */
export function addDrawCommand(program: Command): void {
  const draw = program.command('draw').description('draw the machine room from its inventory');
  const located = (command: Command): Command =>
    command
      .option('--db <path>', 'inventory: a YAML file or a folder (default: the configured one)')
      .option('--extensions <path>', 'extensions of the inventory’s schema')
      .option('--home <dir>', 'folder that holds everything, as for `up`');
  for (const entity of ENTITIES) {
    located(draw.command(entity))
      .description(`draw ${entity === 'infrastructure' ? 'an' : 'a'} ${entity}`)
      .requiredOption('--name <name>', `name of the ${entity}`)
      .option('--parameters <path>', 'drawing parameters, YAML or JSON; - reads standard input')
      .option('--format <format>', 'png, svg or pdf (default: the suffix of --output, else png)')
      .option('--output <path>', 'file to write; - is standard output (default: ./NAME.FORMAT)')
      .option('-c, --coordinates [path]', 'write coordinates too (default: coordinates.json)')
      .option('--coordinates-format <format>', 'json or yaml')
      .option('--full', 'all that is known in coordinates: polygons, racks, rows')
      .option('--datacenter <name>', 'which one, where two have one of that name')
      .addHelpText(
        'after',
        `\nExample:\n  rackwright draw ${entity} --name=NAME --parameters=drawing.yml --output=plan.svg`,
      )
      .action((_options, command: Command) =>
        run(command, (call, options) => drawOne(entity, call, options as DrawOptions)),
      );
  }
  located(draw.command('check'))
    .description('check the inventory and print what is wrong or doubtful')
    .addHelpText('after', '\nExample:\n  rackwright draw check --db /var/lib/racksdb')
    .action((_options, command: Command) => run(command, check));
}

/** What a command works with. */
interface Call {
  readonly around: Surroundings;
  readonly settings: DrawingSettings;
  /** Starts the renderer; it ends with the command. */
  open(): LocalRenderer;
}

async function run(command: Command, work: (call: Call, options: Located) => Promise<void>): Promise<void> {
  const around = surroundingsOf(command);
  const options = command.optsWithGlobals<Located>();
  let renderer: LocalRenderer | null = null;
  let stopped: NodeJS.Signals | null = null;
  const settings = readDrawingSettings(places(options.home ?? null));
  const forget = around.onStop(signal => {
    stopped = signal;
    renderer?.close();
  });
  try {
    const open = (): LocalRenderer => {
      renderer = openLocalRenderer(around.env);
      return renderer;
    };
    await work({ around, settings, open }, options);
  } catch (error) {
    if (stopped !== null) around.exit.code = stopped === 'SIGINT' ? EXIT.interrupted : 143;
    else if (error instanceof Fault) {
      say(around, `error: ${error.message}`);
      around.exit.code = EXIT.refused;
    } else throw error;
  } finally {
    forget();
    (renderer as LocalRenderer | null)?.close();
  }
}

async function drawOne(entity: Entity, call: Call, options: DrawOptions): Promise<void> {
  const { around, settings } = call;
  const target = targetOf(options, around.cwd);
  if (!FORMATS.includes(target.format)) throw new UsageError(`unsupported image format ${target.format}`);
  if (options.coordinatesFormat !== undefined && !['json', 'yaml'].includes(options.coordinatesFormat))
    throw new UsageError('unsupported coordinates format');
  const parameters = options.parameters === undefined ? '' : await readAll(options.parameters, around);
  const request: DrawingRequest = {
    entity,
    name: options.name,
    format: target.format as ImageFormat,
    datacenter: options.datacenter ?? null,
    parameters,
    syntax: 'yaml',
    source:
      options.parameters === undefined
        ? null
        : options.parameters === '-'
          ? 'standard input'
          : options.parameters,
    settings: [],
    defaults: settings.parameters && options.db === undefined ? [settings.parameters] : [],
    coordinates: target.coordinates === null ? null : target.coordinatesFormat,
    fullCoordinates: options.full === true,
    date: Math.floor(around.now() / 1000),
  };
  const renderer = call.open();
  await load(renderer, call, options);
  await renderer.ask({ type: 'plan', request });
  const inked = await renderer.ask({ type: 'ink' });
  writeTargets(target, inked, around);
  told(target, around);
}

function told({ image, coordinates }: Target, around: Surroundings): void {
  if (image !== null) say(around, `Generated image file ${image}`);
  if (coordinates !== null) say(around, `Generated coordinates file ${coordinates}`);
}

/** Reads the inventory; its errors are one fault that tells the first few. */
async function load(renderer: LocalRenderer, { settings }: Call, options: Located): Promise<void> {
  const reading = await renderer.ask(readingOf(settings, options));
  if (reading.snapshot) return;
  const errors = reading.findings.filter(finding => finding.level === 'error');
  const lines = errors.slice(0, 20).map(sentence);
  if (errors.length > lines.length) lines.push(`and ${errors.length - lines.length} more`);
  throw new Fault('invalid', 'bad-inventory', `Unable to load the inventory:\n  ${lines.join('\n  ')}`);
}

function readingOf(settings: DrawingSettings, options: Located) {
  return {
    type: 'read',
    database: options.db ?? settings.database,
    extensions: options.extensions ?? (options.db === undefined ? settings.extensions : null),
  } as const;
}

async function check(call: Call, options: Located): Promise<void> {
  const { around, settings } = call;
  const { findings, snapshot } = await call.open().ask(readingOf(settings, options));
  if (options.json) print(around, JSON.stringify(findings));
  else for (const finding of findings) print(around, `${finding.level}: ${sentence(finding)}`);
  const count = (level: Finding['level']): number =>
    findings.filter(finding => finding.level === level).length;
  say(around, `${count('error')} errors, ${count('warning')} warnings`);
  if (!snapshot) around.exit.code = EXIT.refused;
}

/** `FILE:LINE:COLUMN: PATH: MESSAGE`. */
function sentence({ file, line, column, path, message }: Finding): string {
  const where = line > 0 ? `${file}:${line}:${column}` : file;
  return `${where}: ${path === '' ? '' : `${path}: `}${message}`;
}
