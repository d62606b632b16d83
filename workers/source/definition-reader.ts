/** Takes the values of a definition out of its document and collects every fault in them, with file and line. */
import { type Document, describeDocumentFault } from '../../proto/document.ts';
import { Fault } from '../../proto/fault.ts';
import { LIMIT_KEYS, type Limits, readLimits } from '../../proto/limits.ts';
import type { FormatName } from '../../proto/words.ts';
import { checkMain, checkRelease, checkSupplementary } from './versions.ts';

/** Checksum algorithms and the length of their hex. */
const ALGORITHMS = { sha1: 40, sha256: 64, sha384: 96, sha512: 128 } as const;
export type Algorithm = keyof typeof ALGORITHMS;
export type Checksums = Readonly<Partial<Record<Algorithm, string>>>;

type Steps = readonly string[];

/** Collects faults while values are taken out of a document. */
export class DefinitionReader {
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

  /** `formats` are those whose main version it is; null for a source beside the main one. */
  #version(path: Steps, value: unknown, formats: readonly FormatName[] | null): string {
    const text = this.text(path, value);
    try {
      if (text !== '' && formats === null) checkSupplementary(text, this.#at(path));
      // Without any format the definition is refused for that.
      else if (text !== '' && formats?.length) checkMain(text, this.#at(path), formats);
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
    main: { readonly artifact: string; readonly formats: readonly FormatName[] },
  ): Map<string, Map<string, string>> {
    const found = new Map(ids.map(id => [id, new Map<string, string>()]));
    const set = (id: string, derivative: string, path: Steps, value: unknown): void => {
      const versions = found.get(id);
      if (versions)
        versions.set(derivative, this.#version(path, value, id === main.artifact ? main.formats : null));
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
      if (release !== '') checkRelease(release, this.#at([name, 'release']), name);
    } catch (error) {
      this.#faults.push({ reason: 'bad-version', text: (error as Error).message });
    }
    const buildArguments = keys.get('buildargs');
    return { release, buildArguments: typeof buildArguments === 'string' ? buildArguments : '' };
  }

  limits(value: unknown): Partial<Limits> {
    const stated = this.texts(['limits'], value);
    for (const key of stated.keys())
      if (!LIMIT_KEYS.includes(key)) this.warn(['limits', key], 'is not known and has no effect');
    // What is no text is told of already.
    const texts = new Map([...stated].filter(([, text]) => text !== ''));
    return readLimits(texts, (key, message) => this.fault(['limits', key], message));
  }
}
