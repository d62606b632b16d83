/** The three kinds of apt indexes: what an entry contributes to each, and how it is found again. */
import { toDebianArchitecture } from '../../proto/words.ts';
import type { CatalogueEntry } from '../job.ts';
import { compareDebian } from '../source/versions.ts';
import { firstLine } from './control.ts';
import type { IndexRecord } from './segments.ts';

export type IndexKind = 'packages' | 'sources' | 'contents';

/** One index of a distribution. */
export interface AptIndex {
  readonly kind: IndexKind;
  readonly derivative: string;
  /** Debian's word; `source` for sources. */
  readonly architecture: string;
  /** Relative to the generation, `main/binary-amd64/Packages`. */
  readonly path: string;
}

/** All indexes of a component, in the order of Release. */
export function indexesOf(derivative: string, architectures: readonly string[]): AptIndex[] {
  return [
    ...architectures.flatMap((architecture): AptIndex[] => [
      { kind: 'contents', derivative, architecture, path: `${derivative}/Contents-${architecture}` },
      { kind: 'packages', derivative, architecture, path: `${derivative}/binary-${architecture}/Packages` },
    ]),
    { kind: 'sources', derivative, architecture: 'source', path: `${derivative}/source/Sources` },
  ];
}

/** Whether an entry belongs in an index: architecture-independent packages are in that of every architecture. */
export function isListed(index: AptIndex, entry: CatalogueEntry): boolean {
  if (entry.derivative !== index.derivative) return false;
  if (entry.architecture === 'src') return index.kind === 'sources';
  if (index.kind === 'sources') return false;
  return entry.architecture === 'noarch' || toDebianArchitecture(entry.architecture) === index.architecture;
}

/** The key of an entry in an index. Contents knows names only: it shows the highest version of each. */
export function keyOf(kind: IndexKind, entry: CatalogueEntry): string {
  if (kind === 'contents') return entry.name;
  if (kind === 'sources') return `${entry.name} ${entry.version}`;
  return `${entry.name} ${entry.version} ${toDebianArchitecture(entry.architecture)}`;
}

/** The records of entries, of which all belong in the index; where a key has several, the highest version's. */
export function recordsOf(kind: IndexKind, entries: Iterable<CatalogueEntry>): IndexRecord[] {
  const chosen = new Map<string, CatalogueEntry>();
  for (const entry of entries) {
    const key = keyOf(kind, entry);
    const other = chosen.get(key);
    if (!other || compareDebian(other.version, entry.version) < 0) chosen.set(key, entry);
  }
  return [...chosen]
    .map(([key, entry]) => ({ key, text: textOf(kind, entry) }))
    .filter(record => record.text !== '');
}

function textOf(kind: IndexKind, entry: CatalogueEntry): string {
  if (kind !== 'contents') return `${entry.stanza}\n`;
  const section = /^\S+$/.exec(firstLine(entry.stanza, 'Section'))?.[0] ?? 'misc';
  return entry.content
    .filter(file => file.type !== 'd' && !file.path.includes('\n'))
    .map(file => `${file.path.slice(1)}\t${section}/${entry.name}\n`)
    .sort()
    .join('');
}

/** Takes the text of an index apart again. */
export function splitRecords(kind: IndexKind): (text: string) => IndexRecord[] {
  return kind === 'contents' ? splitContents : kind === 'sources' ? splitSources : splitPackages;
}

function splitPackages(text: string): IndexRecord[] {
  return stanzas(text).map(stanza => ({
    key: `${firstLine(stanza, 'Package')} ${firstLine(stanza, 'Version')} ${toDebianArchitecture(firstLine(stanza, 'Architecture'))}`,
    text: stanza,
  }));
}

function splitSources(text: string): IndexRecord[] {
  return stanzas(text).map(stanza => ({
    key: `${firstLine(stanza, 'Package')} ${firstLine(stanza, 'Version')}`,
    text: stanza,
  }));
}

function splitContents(text: string): IndexRecord[] {
  const records = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const key = line.slice(line.lastIndexOf('/') + 1);
    records.set(key, `${records.get(key) ?? ''}${line}\n`);
  }
  return [...records].map(([key, lines]) => ({ key, text: lines }));
}

/** Stanzas with the blank line behind each. */
function stanzas(text: string): string[] {
  return text
    .split('\n\n')
    .filter(stanza => stanza !== '')
    .map(stanza => `${stanza}\n\n`);
}
