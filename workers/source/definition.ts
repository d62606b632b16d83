/** Reads an artifact's definition file; every fault in it is told at once, with file and line. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DOCUMENT_LIMITS, type Document, describeDocumentFault, parseYaml } from '../../proto/document.ts';
import { errorCode, Fault } from '../../proto/fault.ts';
import { ARTIFACT_NAME, FORMAT_NAMES, type FormatName, isFormat } from '../../proto/words.ts';
import { DEFINITION_FILES } from './archives.ts';
import { checkMain, checkRelease, checkSupplementary } from './versions.ts';

/** Checksum algorithms and the length of their hex. */
const ALGORITHMS = { sha1: 40, sha256: 64, sha384: 96, sha512: 128 } as const;
export type Algorithm = keyof typeof ALGORITHMS;
export type Checksums = Readonly<Partial<Record<Algorithm, string>>>;

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
  /** What is odd, but no fault. */
  readonly warnings: readonly string[];
}

const KEYS = ['source', 'sources', 'version', 'versions', 'derivatives', 'checksums', ...FORMAT_NAMES];

/** Reads the definition in a folder that `extractDefinition` made. Throws `bad-definition`, `bad-version`. */
export async function readDefinition(folder: string, artifact: string): Promise<Definition> {
  for (const file of DEFINITION_FILES) {
    const text = await readText(folder, file);
    if (text !== null) return parseDefinition(text, file, artifact);
  }
  throw new Fault('invalid', 'bad-layout', `the definition has none of ${DEFINITION_FILES.join(', ')}`);
}

/** A text file of a definition; null when it is not there. A link that loops is `unsafe-archive` (hardening R12). */
export async function readText(folder: string, name: string): Promise<string | null> {
  try {
    const path = join(folder, name);
    const { size } = await stat(path);
    if (size > DOCUMENT_LIMITS.bytes) {
      throw new Fault('invalid', 'bad-definition', `${name} is larger than ${DOCUMENT_LIMITS.bytes} bytes`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (code === 'ELOOP')
      throw new Fault('invalid', 'unsafe-archive', `${name} is a link that leads in a circle`);
    if (code === 'EISDIR') throw new Fault('invalid', 'bad-layout', `${name} is a directory`);
    throw error;
  }
}

/** The same for a text. */
export function parseDefinition(text: string, file: string, artifact: string): Definition {
  const document = parseYaml(text, DOCUMENT_LIMITS, 'failsafe');
  const reader = new Reader(document, file);
  const top = reader.map([], document.value ?? {});
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
    artifact,
  );
  const sums = reader.checksums(top.get('checksums'), single || templates.size === 0, artifact);
  const formats = new Map(
    FORMAT_NAMES.flatMap(name =>
      top.has(name) ? [[name, reader.format(name, top.get(name))] as const] : [],
    ),
  );
  if (formats.size === 0) reader.fault([], 'names no format: one of deb, rpm, osi is needed');
  for (const key of top.keys()) if (!KEYS.includes(key)) reader.warn([key], 'is not known and has no effect');
  reader.finish();
  const named = reader.map(['derivatives'], top.get('derivatives') ?? {});
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
    derivatives: named.size > 0 ? [...named.keys()] : ['main'],
    formats,
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

type Steps = readonly string[];

/** Collects faults while values are taken out of a document. */
class Reader {
  readonly warnings: string[] = [];
  readonly #faults: { readonly reason: 'bad-definition' | 'bad-version'; readonly text: string }[] = [];
  readonly #document: Document;
  readonly #file: string;

  constructor(document: Document, file: string) {
    this.#document = document;
    this.#file = file;
    for (const fault of document.faults) {
      this.#faults.push({ reason: 'bad-definition', text: describeDocumentFault(file, fault) });
    }
  }

  #at(path: Steps): string {
    return `${this.#file}:${Math.max(this.#document.locate(path).line, 1)}: ${path.join('.')}`;
  }

  fault(path: Steps, message: string): void {
    this.#faults.push({
      reason: 'bad-definition',
      text: `${this.#at(path)}${path.length > 0 ? ' ' : ''}${message}`,
    });
  }

  warn(path: Steps, message: string): void {
    this.warnings.push(`${this.#at(path)} ${message}`);
  }

  finish(): void {
    if (this.#faults.length === 0) return;
    const reason = this.#faults.every(fault => fault.reason === 'bad-version')
      ? 'bad-version'
      : 'bad-definition';
    throw new Fault('invalid', reason, this.#faults.map(fault => fault.text).join('\n'));
  }

  map(path: Steps, value: unknown): Map<string, unknown> {
    if (value === '' || value === null || value === undefined) return new Map();
    if (typeof value !== 'object' || Array.isArray(value)) {
      this.fault(path, 'must be a map of keys and values');
      return new Map();
    }
    return new Map(Object.entries(value));
  }

  text(path: Steps, value: unknown): string {
    if (typeof value === 'string' && value !== '') return value;
    this.fault(path, 'must be a text');
    return '';
  }

  texts(path: Steps, value: unknown): Map<string, string> {
    return new Map([...this.map(path, value)].map(([key, held]) => [key, this.text([...path, key], held)]));
  }

  #version(path: Steps, value: unknown, main: boolean): string {
    const text = this.text(path, value);
    try {
      if (text !== '') (main ? checkMain : checkSupplementary)(text, this.#at(path));
    } catch (error) {
      this.#faults.push({ reason: 'bad-version', text: (error as Error).message });
    }
    return text;
  }

  /** Versions by source id, then derivative. `derivatives` wins over `version` and `versions`. */
  versions(
    top: Map<string, unknown>,
    ids: readonly string[],
    several: boolean,
    artifact: string,
  ): Map<string, Map<string, string>> {
    const found = new Map(ids.map(id => [id, new Map<string, string>()]));
    const set = (id: string, derivative: string, path: Steps, value: unknown): void => {
      const versions = found.get(id);
      if (versions) versions.set(derivative, this.#version(path, value, id === artifact));
      else this.fault(path, 'names no source of this definition');
    };
    const [only = ''] = ids;
    if (top.has('version')) {
      if (several) this.fault(['version'], 'is for a single source; use "versions"');
      else set(only, 'main', ['version'], top.get('version'));
    }
    for (const [id, value] of this.map(['versions'], top.get('versions')))
      set(id, 'main', ['versions', id], value);
    for (const [derivative, value] of this.map(['derivatives'], top.get('derivatives'))) {
      const path = ['derivatives', derivative];
      if (!several && typeof value === 'string') set(only, derivative, path, value);
      else for (const [id, version] of this.map(path, value)) set(id, derivative, [...path, id], version);
    }
    return found;
  }

  /** Checksums by source id, then version. */
  checksums(value: unknown, single: boolean, artifact: string): Map<string, Map<string, Checksums>> {
    const bySource = single ? new Map([[artifact, value]]) : this.map(['checksums'], value);
    return new Map(
      [...bySource].map(([id, versions]) => {
        const path = single ? ['checksums'] : ['checksums', id];
        const byVersion = [...this.map(path, versions)];
        return [
          id,
          new Map(byVersion.map(([version, sums]) => [version, this.#sums([...path, version], sums)])),
        ];
      }),
    );
  }

  #sums(path: Steps, value: unknown): Checksums {
    const found: Partial<Record<Algorithm, string>> = {};
    for (const [name, hex] of this.texts(path, value)) {
      if (!Object.hasOwn(ALGORITHMS, name)) {
        this.fault([...path, name], `is no algorithm that is known: ${Object.keys(ALGORITHMS).join(', ')}`);
      } else if (!/^[0-9a-f]+$/i.test(hex) || hex.length !== ALGORITHMS[name as Algorithm]) {
        this.fault([...path, name], `must be ${ALGORITHMS[name as Algorithm]} hexadecimal digits`);
      } else found[name as Algorithm] = hex.toLowerCase();
    }
    return found;
  }

  format(name: FormatName, value: unknown): { release: string; buildArguments: string } {
    const keys = this.map([name], value);
    const allowed = name === 'osi' ? [] : name === 'rpm' ? ['release', 'buildargs'] : ['release'];
    for (const key of keys.keys())
      if (!allowed.includes(key)) this.warn([name, key], 'is not known and has no effect');
    if (name === 'osi') return { release: '0', buildArguments: '' };
    if (!keys.has('release')) this.fault([name], '"release" is missing');
    const release = keys.has('release') ? this.text([name, 'release'], keys.get('release')) : '';
    try {
      if (release !== '') checkRelease(release, this.#at([name, 'release']));
    } catch (error) {
      this.#faults.push({ reason: 'bad-version', text: (error as Error).message });
    }
    const buildArguments = keys.get('buildargs');
    return { release, buildArguments: typeof buildArguments === 'string' ? buildArguments : '' };
  }
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
