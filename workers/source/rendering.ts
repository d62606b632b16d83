/**
 * The child process that renders templates. Templates are hostile: the engine compiles them to code and is no sandbox,
 * so this process has nothing worth taking (no file system, no child, no network, an unprivileged user), refuses every
 * construct outside a small language before compiling, and looks members up itself. The only importer of nunjucks.
 *
 * Started by `templates.ts`; reads one JSON request a line, answers one JSON line each.
 */
import { createInterface } from 'node:readline';
import nunjucks from 'nunjucks';
import { guard, type Node } from './template-guard.ts';
import { FILTERS, lookup, slice } from './template-words.ts';

/** What `templates.ts` sends. */
export interface RenderRequest {
  readonly name: string;
  readonly template: string;
  readonly context: Readonly<Record<string, unknown>>;
  /** Bytes of output allowed. */
  readonly maxOutput: number;
}

/** What it gets back. */
export type RenderAnswer = { readonly output: string } | { readonly error: string };

/** Parts of nunjucks that its published types leave out. */
interface Engine {
  readonly runtime: {
    memberLookup: (target: unknown, key: unknown, ...rest: unknown[]) => unknown;
    contextOrFrameLookup: (context: Context, frame: Frame, name: string) => unknown;
  };
  readonly compiler: { Compiler: { prototype: { _getNodeName: () => string } } };
  readonly parser: { parse(template: string, extensions: unknown[], options: object): Node };
  readonly Environment: new (
    loaders: unknown[],
    options: object,
  ) => {
    filters: Record<string, unknown>;
    tests: Record<string, unknown>;
    globals: Record<string, unknown>;
  };
  readonly Template: new (
    source: string,
    environment: unknown,
    path: string,
    eager: boolean,
  ) => { render(context: object): string };
  installJinjaCompat(): void;
}

interface Context {
  readonly ctx: Readonly<Record<string, unknown>>;
  readonly env: { readonly globals: Readonly<Record<string, unknown>> };
}

interface Frame {
  lookup(name: string): unknown;
}

const NOBODY = 65_534;
const OPTIONS = { autoescape: false, trimBlocks: true, lstripBlocks: true, throwOnUndefined: false };
/** Filters of nunjucks that are Jinja's own and take no attribute names; those that do are in `template-words.ts`. */
const PLAIN_FILTERS = [
  ...[
    'abs',
    'batch',
    'capitalize',
    'center',
    'default',
    'd',
    'first',
    'float',
    'indent',
    'int',
    'last',
    'length',
  ],
  ...[
    'list',
    'lower',
    'reverse',
    'round',
    'string',
    'title',
    'trim',
    'truncate',
    'upper',
    'wordcount',
    'escape',
  ],
  ...['e', 'safe', 'urlencode', 'replace', 'random', 'wordwrap'],
];

const engine = nunjucks as unknown as Engine;

function createEnvironment(): InstanceType<Engine['Environment']> {
  engine.installJinjaCompat();
  engine.runtime.memberLookup = (target, key, ...rest) =>
    rest.length >= 2 ? slice(target, key, rest[0], rest[1]) : lookup(target, key);
  engine.runtime.contextOrFrameLookup = (context, frame, name) => {
    const local = frame.lookup(name);
    if (local !== undefined) return local;
    if (Object.hasOwn(context.ctx, name)) return context.ctx[name];
    return Object.hasOwn(context.env.globals, name) ? context.env.globals[name] : undefined;
  };
  // The engine writes the name of what is called into its code, for messages only: any text of the template.
  engine.compiler.Compiler.prototype._getNodeName = () => 'that';
  const environment = new engine.Environment([], OPTIONS);
  const own: Record<string, unknown> = Object.create(null);
  for (const name of PLAIN_FILTERS) {
    if (Object.hasOwn(environment.filters, name)) own[name] = environment.filters[name];
  }
  environment.filters = Object.assign(own, FILTERS);
  environment.tests = Object.assign(Object.create(null), environment.tests);
  const { range, cycler, joiner } = environment.globals;
  environment.globals = Object.assign(Object.create(null), {
    ...{ range, cycler, joiner },
    ...{ True: true, False: false, None: null, true: true, false: false, none: null },
  });
  return environment;
}

/** The context given to templates: no prototype anywhere, so that no name but its own is found. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plain(held)])),
  );
}

function render(environment: InstanceType<Engine['Environment']>, request: RenderRequest): RenderAnswer {
  try {
    guard(engine.parser.parse(request.template, [], OPTIONS), {
      filters: Object.keys(environment.filters),
      tests: Object.keys(environment.tests),
    });
    const template = new engine.Template(request.template, environment, request.name, true);
    const output = template.render(plain(request.context) as object);
    if (Buffer.byteLength(output) > request.maxOutput) {
      return { error: `gives more than ${request.maxOutput} bytes` };
    }
    return { output };
  } catch (error) {
    return { error: describe(error) };
  }
}

/** nunjucks puts the template's name before the place, and its own class names around. */
function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const place = /\[Line (\d+), Column (\d+)\]/.exec(text);
  const line = place?.[1] ?? (error as { lineno?: number } | null)?.lineno;
  const what = (text.split('\n').at(-1) ?? text)
    .replace(/^\s*(Template render error|Error|TypeError): /, '')
    .trim();
  return `${line ? `line ${line}: ` : ''}${what.slice(0, 500)}`;
}

function dropPrivileges(): void {
  if (process.getuid?.() !== 0) return;
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}

const environment = createEnvironment();
dropPrivileges();
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(render(environment, JSON.parse(line) as RenderRequest))}\n`);
}
