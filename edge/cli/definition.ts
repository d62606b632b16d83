/**
 * Reads of an artifact's definition what must be known before it is sent: its formats, derivatives and sources. The
 * server reads all of it, and judges.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeDocumentFault, parseYaml } from '../../proto/document.ts';
import { errorCode, Fault } from '../../proto/fault.ts';
import { FORMAT_NAMES } from '../../proto/words.ts';

/** Names of the definition's file, the first found counts. */
const NAMES = ['artifact.yml', 'artifact.yaml', 'meta.yml'] as const;

export interface Definition {
  readonly folder: string;
  readonly artifact: string;
  /** Formats that it is defined for. */
  readonly formats: readonly string[];
  readonly derivatives: readonly string[];
  /** Ids of its sources; the artifact's name for a single one. */
  readonly sources: readonly string[];
  /** The definition's version of a source for a derivative, null without one. */
  version(source: string, derivative: string): string | null;
  /** URL template of a source, null without one. */
  url(source: string): string | null;
  /** Checksums of a source's version by algorithm, in hex. */
  checksums(source: string, version: string): Readonly<Record<string, string>>;
  /** Whether builds differ by architecture. */
  dependsOnArchitecture(format: string): Promise<boolean>;
}

/** Reads the definition in a folder. Throws `invalid` naming the file, and line and column of each fault. */
export async function readDefinition(folder: string, artifact: string): Promise<Definition> {
  const { file, text } = await readFirst(folder);
  // As written: an unquoted 1.10 stays 1.10.
  const { value, faults } = parseYaml(text, undefined, 'failsafe');
  if (faults.length > 0) {
    const told = faults.map(fault => describeDocumentFault(file, fault)).join('\n');
    throw new Fault('invalid', 'bad-definition', told);
  }
  const top = value === '' || value === null ? {} : value;
  if (!isMap(top)) throw new Fault('invalid', 'bad-definition', `${file}: a mapping of keys is expected`);
  const derivatives = isMap(top.derivatives) ? Object.keys(top.derivatives) : ['main'];
  return {
    folder,
    artifact,
    formats: FORMAT_NAMES.filter(format => Object.hasOwn(top, format)),
    derivatives,
    sources: isMap(top.sources) ? Object.keys(top.sources) : [artifact],
    version: (source, derivative) => versionOf(top, source, derivative),
    url: source => textOf(isMap(top.sources) ? top.sources[source] : top.source),
    checksums: (source, version) => {
      const all = isMap(top.checksums) ? top.checksums : {};
      const versions = isMap(top.sources) ? all[source] : all;
      const found = isMap(versions) ? versions[version] : null;
      return isMap(found)
        ? Object.fromEntries(Object.entries(found).map(([name, hex]) => [name, String(hex)]))
        : {};
    },
    dependsOnArchitecture: format => dependsOnArchitecture(folder, artifact, format),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

type Map = Readonly<Record<string, unknown>>;

function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function readFirst(folder: string): Promise<{ file: string; text: string }> {
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory()) throw new Fault('invalid', 'bad-definition', `${folder} is no directory`);
  for (const name of NAMES) {
    const file = join(folder, name);
    try {
      return { file, text: await readFile(file, 'utf8') };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') continue;
      throw new Fault('invalid', 'bad-definition', `${file} can't be read (${errorCode(error)})`);
    }
  }
  throw new Fault('invalid', 'bad-definition', `${folder} holds no ${NAMES[0]}: it defines no artifact`);
}

/** `derivatives` wins over `versions` and `version`; each may be one version or one for each source. */
function versionOf(top: Map, source: string, derivative: string): string | null {
  const one = (value: unknown): string | null => {
    const found = isMap(value) ? value[source] : value;
    return typeof found === 'string' && found !== '' ? found : null;
  };
  if (isMap(top.derivatives)) return one(top.derivatives[derivative]);
  return isMap(top.versions) ? one(top.versions) : one(top.version);
}

async function readAny(...files: string[]): Promise<string | null> {
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text !== null) return text;
  }
  return null;
}

/** The existing client's test, which decides what architectures it asks for. */
async function dependsOnArchitecture(folder: string, artifact: string, format: string): Promise<boolean> {
  if (format === 'deb') {
    const control = join(folder, 'deb/control');
    const text = (await readAny(control, `${control}.j2`)) ?? '';
    const lines = text.split('\n').filter(line => line.startsWith('Architecture:'));
    return lines.some(line => !line.startsWith('Architecture: all'));
  }
  if (format === 'rpm') {
    const text = (await readAny(join(folder, 'rpm', `${artifact}.spec`))) ?? '';
    return !text.split('\n').some(line => line.replaceAll(/\s/g, '') === 'BuildArch:noarch');
  }
  return false;
}
