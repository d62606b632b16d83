/** Reads a database's files, one file or a folder tree, as one tree with places. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { type DocumentLimits, readTree } from '../../../proto/document.ts';
import { errorCode } from '../../../proto/fault.ts';
import type { Finding, Place, Tree, TreeEntry } from '../../../proto/tree.ts';
import { compareNatural } from './nodeset.ts';

/** What one database file may hold; inventories are larger than what strangers send. */
const FILE_LIMITS: DocumentLimits = { bytes: 32 * 1024 * 1024, depth: 40, expansions: 100_000 };
/** Entries that a database's folders may have in all. */
const MAX_ENTRIES = 100_000;
const YAML = ['.yml', '.yaml'];

export interface Files {
  /** Null exactly when a finding is an error. */
  readonly tree: Tree | null;
  readonly findings: readonly Finding[];
  /** Folders whose changes concern the database, absolute. */
  readonly folders: readonly string[];
}

/** Reads the file or folder at a path. */
export function readFiles(path: string): Files {
  const reader = new FilesReader();
  const root = resolve(path);
  const tree = reader.read(root, []);
  const failed = reader.findings.some(finding => finding.level === 'error');
  return { tree: failed ? null : tree, findings: reader.findings, folders: [...reader.folders] };
}

/** One reading of the files. */
class FilesReader {
  readonly findings: Finding[] = [];
  readonly folders = new Set<string>();
  #entries = 0;

  read(path: string, above: readonly string[]): Tree | null {
    try {
      const real = realpathSync(path);
      if (above.includes(real)) return this.#refuse('cycle', path, 'a link leads back to a folder above it');
      this.folders.add(dirname(path));
      const stat = statSync(real);
      if (stat.isDirectory()) return this.#folder(path, [...above, real]);
      this.folders.add(dirname(real));
      if (stat.isFile()) return this.#file(path);
      return this.#refuse('unreadable', path, 'neither a file nor a folder');
    } catch (error) {
      const code = errorCode(error);
      if (code === '') throw error;
      // No database at all is an ordinary state of a site without drawings.
      if (code === 'ENOENT' && above.length === 0) return this.#refuse('absent', path, 'not there');
      return this.#refuse('unreadable', path, code === 'ENOENT' ? 'not there' : `can't be read (${code})`);
    }
  }

  #file(path: string): Tree | null {
    const { tree, findings } = readTree(readFileSync(path, 'utf8'), path, 'yaml', FILE_LIMITS);
    this.findings.push(...findings);
    return tree;
  }

  #folder(path: string, above: readonly string[]): Tree | null {
    this.folders.add(path);
    const place: Place = { file: path, line: 0, column: 0 };
    const list = extname(path) === '.l';
    const entries = new Map<string, TreeEntry>();
    const items: Tree[] = [];
    const stems = new Map<string, string>();
    for (const name of readdirSync(path).sort(compareNatural)) {
      if (++this.#entries > MAX_ENTRIES)
        return this.#refuse('too-large', path, `more than ${MAX_ENTRIES} entries`);
      const stem = this.#stem(join(path, name), name);
      if (stem === null) continue;
      const earlier = stems.get(stem);
      if (earlier !== undefined && !list) {
        this.#refuse('repeated-file', join(path, name), `stands beside ${earlier}: both are "${stem}"`);
        continue;
      }
      stems.set(stem, name);
      const value = this.read(join(path, name), above);
      if (value === null) continue;
      if (list) items.push(value);
      else entries.set(stem, { key: { file: join(path, name), line: 0, column: 0 }, value });
    }
    return list ? { ...place, kind: 'list', items } : { ...place, kind: 'map', entries };
  }

  /** The key that an entry stands for; null when it is no part of the database. */
  #stem(path: string, name: string): string | null {
    if (name.startsWith('.')) return null;
    const suffix = extname(name);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
      return suffix === '.l' ? name.slice(0, -2) : name;
    if (YAML.includes(suffix)) return name.slice(0, -suffix.length);
    this.#find('warning', 'skipped-file', path, 'skipped: no .yml or .yaml file');
    return null;
  }

  #refuse(code: string, file: string, message: string): null {
    this.#find('error', code, file, message);
    return null;
  }

  #find(level: Finding['level'], code: string, file: string, message: string): void {
    this.findings.push({ file, line: 0, column: 0, level, code, path: '', message });
  }
}
