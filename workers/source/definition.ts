/** Reads an artifact's definition file; every fault in it is told at once, with file and line. */
import { DOCUMENT_LIMITS, parseYaml } from '../../proto/document.ts';
import { Fault } from '../../proto/fault.ts';
import type { Limits } from '../../proto/limits.ts';
import { ARTIFACT_NAME, FORMAT_NAMES, type FormatName, isFormat } from '../../proto/words.ts';
import { type Checksums, DefinitionReader } from './definition-reader.ts';
import { readText } from './reading.ts';
import { DEFINITION_FILES } from './vetting.ts';

export interface SourceDefinition {
  /** Template of the URL, without the suffix `!name`. */
  readonly url: string;
  /** Template of the stored file's name; null = the last segment of the URL's path. */
  readonly filename: string | null;
  /** Plain version by derivative. */
  readonly versions: ReadonlyMap<string, string>;
  /** By version. */
  readonly checksums: ReadonlyMap<string, Checksums>;
}

export interface Definition {
  /** Name of the file it was read from. */
  readonly file: string;
  /** By source id, in the order of the file; the main one is that named as the artifact. */
  readonly sources: ReadonlyMap<string, SourceDefinition>;
  /** Versions by derivative of a definition without sources (osi). */
  readonly versions: ReadonlyMap<string, string>;
  readonly derivatives: readonly string[];
  readonly formats: ReadonlyMap<FormatName, { readonly release: string; readonly buildArguments: string }>;
  /** Asked of the task that builds it, which they only lower. */
  readonly limits: Partial<Limits>;
  /** What is odd, but no fault. */
  readonly warnings: readonly string[];
}

const KEYS = [
  ...['source', 'sources', 'version', 'versions', 'derivatives', 'checksums', 'limits'],
  ...FORMAT_NAMES,
];

/** Reads the definition in a folder that `extractDefinition` made. Throws `bad-definition`, `bad-version`. */
export async function readDefinition(folder: string, artifact: string): Promise<Definition> {
  for (const file of DEFINITION_FILES) {
    const text = await readText(folder, file);
    if (text !== null) return parseDefinition(text, file, artifact);
  }
  throw new Fault('invalid', 'bad-layout', `the definition has none of ${DEFINITION_FILES.join(', ')}`);
}

/** The same for a text. */
export function parseDefinition(text: string, file: string, artifact: string): Definition {
  const document = parseYaml(text, DOCUMENT_LIMITS, 'failsafe');
  const reader = new DefinitionReader(document, file);
  const top = reader.map([], document.value ?? {});
  const named = FORMAT_NAMES.filter(name => top.has(name));
  const single = top.has('source');
  if (single && top.has('sources')) reader.fault(['sources'], '"source" and "sources" exclude each other');
  const templates = single
    ? new Map([[artifact, reader.text(['source'], top.get('source'))]])
    : reader.texts(['sources'], top.get('sources'));
  for (const id of templates.keys()) {
    if (!ARTIFACT_NAME.test(id)) reader.fault(['sources', id], 'is no name for a source');
  }
  if (templates.size > 0 && !templates.has(artifact)) {
    reader.fault(['sources'], `no source is named "${artifact}", as the main source must be`);
  }
  const versions = reader.versions(
    top,
    templates.size > 0 && !single ? [...templates.keys()] : [artifact],
    !single && templates.size > 0,
    { artifact, formats: named },
  );
  const sums = reader.checksums(top.get('checksums'), single || templates.size === 0, artifact);
  const formats = new Map(named.map(name => [name, reader.format(name, top.get(name))]));
  const limits = reader.limits(top.get('limits'));
  if (formats.size === 0) reader.fault([], 'names no format: one of deb, rpm, osi is needed');
  for (const key of top.keys()) if (!KEYS.includes(key)) reader.warn([key], 'is not known and has no effect');
  reader.finish();
  const derivatives = reader.map(['derivatives'], top.get('derivatives') ?? {});
  return {
    file,
    sources: new Map(
      [...templates].map(([id, template]) => [
        id,
        {
          ...splitTemplate(template),
          versions: versions.get(id) ?? new Map(),
          checksums: sums.get(id) ?? new Map(),
        },
      ]),
    ),
    versions: versions.get(artifact) ?? new Map(),
    derivatives: derivatives.size > 0 ? [...derivatives.keys()] : ['main'],
    formats,
    limits,
    warnings: reader.warnings,
  };
}

/** `URL!name` in two. A `!` inside the last template expression or path counts only when what follows has no slash. */
function splitTemplate(template: string): { url: string; filename: string | null } {
  const at = template.lastIndexOf('!');
  const name = template.slice(at + 1);
  if (at <= 0 || name === '' || name.includes('/') || name.startsWith('='))
    return { url: template, filename: null };
  return { url: template.slice(0, at), filename: name };
}

/** Checks that a definition can be built as asked. Throws `bad-definition` naming what it supports instead. */
export function checkSupport(definition: Definition, format: FormatName, derivative: string): void {
  const { file, formats, derivatives } = definition;
  if (!isFormat(format) || !formats.has(format)) {
    throw new Fault(
      'invalid',
      'bad-definition',
      `${file}: has no "${format}"; it supports ${[...formats.keys()].join(', ')}`,
    );
  }
  if (!derivatives.includes(derivative)) {
    throw new Fault(
      'invalid',
      'bad-definition',
      `${file}: does not support derivative "${derivative}", only ${derivatives.join(', ')}`,
    );
  }
}
