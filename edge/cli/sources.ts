/** The `--sources` of builds: directories packed, or archives taken as they are, under the names that servers expect. */
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import { ARTIFACT_NAME } from '../../proto/words.ts';
import type { Upload } from './api.ts';
import type { Definition } from './definition.ts';
import { UsageError } from './exit.ts';
import { describeByGit, packSources } from './pack.ts';

/** `[ID#][VERSION@]PATH`, the path of a directory or of an archive. */
export interface SourceWord {
  readonly id: string | null;
  readonly version: string | null;
  readonly path: string;
}

/** Extensions of archives that servers take. */
export const ARCHIVE = /\.(?:tar(?:\.(?:xz|gz|bz2|zst))?|tgz|zip)$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9.+~:_-]{0,127}$/;

/** Takes one word apart. Throws UsageError for an id or version that can't be one. */
export function parseSource(word: string): SourceWord {
  const match = /^(?:([^#@/]*)#)?(?:([^@/]*)@)?(.*)$/s.exec(word);
  const [, id, version, path = ''] = match ?? [];
  if (path === '') throw new UsageError(`--sources ${word}: a directory is missing ([ID#][VERSION@]DIR)`);
  if (id !== undefined && !ARTIFACT_NAME.test(id)) {
    throw new UsageError(`--sources ${word}: "${id}" can't be the id of a source`);
  }
  if (version !== undefined && !VERSION.test(version)) {
    throw new UsageError(`--sources ${word}: "${version}" can't be a version`);
  }
  return { id: id ?? null, version: version ?? null, path };
}

export interface SourcesOptions {
  readonly definition: Definition;
  readonly derivative: string;
  readonly cwd: string;
  /** The user's home directory: shells leave a `~` behind an @ alone. */
  readonly home: string;
  /** Folder for archives that are made. */
  readonly folder: string;
  /** Whether files that git ignores are packed, too. */
  readonly ignored: boolean;
  readonly say: (text: string) => void;
}

/** Archives for all words, ready to send. Throws for unknown or repeated ids and for versions nobody knows. */
export async function prepareSources(
  words: readonly string[],
  options: SourcesOptions,
): Promise<(Upload & { id: string })[]> {
  const { definition } = options;
  const prepared: (Upload & { id: string })[] = [];
  for (const word of words) {
    const source = parseSource(word);
    const id = source.id ?? mainSource(definition);
    if (!definition.sources.includes(id)) {
      throw new UsageError(
        `--sources ${word}: ${definition.artifact} has no source ${id}, only ${definition.sources.join(', ')}`,
      );
    }
    if (prepared.some(other => other.id === id))
      throw new UsageError(`--sources ${word}: source ${id} is given twice`);
    prepared.push({ id, ...(await prepareSource(id, source, options)) });
  }
  return prepared;
}

/** The source meant where no id is given: the main one, which has the artifact's name. */
function mainSource({ artifact, sources }: Definition): string {
  return sources.length === 1 ? (sources[0] ?? artifact) : artifact;
}

async function prepareSource(id: string, source: SourceWord, options: SourcesOptions): Promise<Upload> {
  const path = resolve(options.cwd, source.path.replace(/^~(?=\/|$)/, options.home));
  const found = await stat(path).catch(() => null);
  if (!found) throw new Fault('invalid', 'no-source', `${path}: there is no such directory or archive`);
  if (found.isFile()) return archiveSource(id, source, path);
  const version = source.version ?? (await versionOf(id, path, options));
  const top = `${id}-${version}`;
  const archive = join(options.folder, `${top}.tar.xz`);
  options.say(`Packing ${path} as ${top}.tar.xz`);
  await packSources({ folder: path, top, ignored: options.ignored }, archive);
  return { path: archive, filename: `${top}.tar.xz` };
}

/** An archive as it is, under the name that tells its version: `hello_2.10.orig.tar.gz` is hello-2.10. */
function archiveSource(id: string, { version }: SourceWord, path: string): Upload {
  const name = basename(path);
  const extension = ARCHIVE.exec(name)?.[0];
  if (extension === undefined) {
    throw new Fault(
      'invalid',
      'no-source',
      `${path} is neither a directory nor an archive (.tar.xz, .tar.gz, .zip, …)`,
    );
  }
  const stem = name.slice(0, -extension.length).replace(/\.orig$/, '');
  const told = stem.startsWith(id) ? stem.slice(id.length + 1) : '';
  const known = version ?? (VERSION.test(told) ? told : null);
  if (known === null) throw new UsageError(`the name of ${path} tells no version: add it, VERSION@${path}`);
  return { path, filename: `${id}-${known}${extension}` };
}

/** The definition's version, else what git calls the tree. */
async function versionOf(
  id: string,
  path: string,
  { definition, derivative }: SourcesOptions,
): Promise<string> {
  const version = definition.version(id, derivative) ?? (await describeByGit(path));
  if (version === null) {
    throw new UsageError(`the version of ${path} is not known: add it, ${id}#VERSION@${path}`);
  }
  if (!VERSION.test(version))
    throw new UsageError(`"${version}" can't be the version of ${path}: name one, VERSION@${path}`);
  return version;
}
