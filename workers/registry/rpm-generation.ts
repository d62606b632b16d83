/** Writes a generation of an rpm derivative: for each architecture its repodata, signed, durable, not served yet. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { generationPath, rpmPool } from '../../proto/layout.ts';
import type { CatalogueEntry, RegistryKey } from '../job.ts';
import { linkFile, makeFolder, syncFolder, writeDurably } from './disk.ts';
import { readJson, writeJson } from './manifest.ts';
import { indexesOf, packageId, type RpmStanza } from './rpm-package.ts';
import { type IndexRecord, type Segment, SegmentStore } from './segments.ts';
import type { Signer } from './signing.ts';

const KINDS = ['primary', 'filelists', 'other'] as const;
type Kind = (typeof KINDS)[number];

/** Opening tags of the three indexes (the formats that createrepo writes); the count goes between. */
const OPENING: Readonly<Record<Kind, string>> = {
  primary:
    '<metadata xmlns="http://linux.duke.edu/metadata/common" xmlns:rpm="http://linux.duke.edu/metadata/rpm"',
  filelists: '<filelists xmlns="http://linux.duke.edu/metadata/filelists"',
  other: '<otherdata xmlns="http://linux.duke.edu/metadata/other"',
};
const CLOSING: Readonly<Record<Kind, string>> = {
  primary: '</metadata>\n',
  filelists: '</filelists>\n',
  other: '</otherdata>\n',
};

/** Seconds for which superseded metadata stays readable by its name. */
const KEPT_FOR = 7 * 86_400;

interface IndexState {
  readonly segments: readonly Segment[];
  readonly count: number;
  readonly file: string;
  readonly data: string;
}

interface ArchitectureState {
  readonly indexes: Readonly<Record<Kind, IndexState>>;
  /** Superseded metadata by name, with the time at which it was superseded. */
  readonly kept: Readonly<Record<string, number>>;
}

export interface RpmManifest {
  readonly version: 1;
  readonly architectures: Readonly<Record<string, ArchitectureState>>;
}

export interface RpmPlan {
  readonly registry: RegistryKey;
  readonly generation: string;
  readonly tree: string;
  readonly state: string;
  /** Seconds since the epoch; also the revision. */
  readonly date: number;
  /** Architectures of the indexes, without `source`. */
  readonly architectures: readonly string[];
  readonly current: { readonly generation: string; readonly manifest: RpmManifest } | null;
  readonly add: readonly CatalogueEntry[];
  readonly remove: readonly CatalogueEntry[];
  readonly all: () => Promise<readonly CatalogueEntry[]>;
  /** Armored public key, beside the signature for clients that look for it there. */
  readonly publicKey: Buffer;
}

/** Reads the manifest of a generation; null when everything must be made anew. */
export function readRpmManifest(
  state: string,
  registry: RegistryKey,
  generation: string,
): RpmManifest | null {
  const manifest = readJson<RpmManifest>(state, registry, generation);
  return manifest?.version === 1 ? manifest : null;
}

/** Writes the generation's folder; answers the digest of its list of entry files. */
export async function writeRpmGeneration(plan: RpmPlan, signer: Signer): Promise<string> {
  const folder = join(plan.tree, generationPath(plan.registry, plan.generation));
  makeFolder(dirname(folder));
  mkdirSync(folder);
  const segments = new SegmentStore(join(plan.state, 'segments'));
  const states: Record<string, ArchitectureState> = {};
  const sums: string[] = [];
  for (const architecture of [...plan.architectures, 'source']) {
    const state = await writeArchitecture(plan, folder, architecture, segments);
    const text = renderRepomd(
      plan.date,
      KINDS.map(kind => state.indexes[kind].data),
    );
    const repodata = join(folder, architecture, 'repodata');
    writeDurably(join(repodata, 'repomd.xml.asc'), [await signer.detach(text, true)]);
    writeDurably(join(repodata, 'repomd.xml.key'), [plan.publicKey]);
    writeDurably(join(repodata, 'repomd.xml'), [Buffer.from(text, 'utf8')]);
    syncFolder(repodata);
    syncFolder(dirname(repodata));
    states[architecture] = state;
    const sum = createHash('sha256').update(text).digest('hex');
    sums.push(`${sum} *${architecture}/repodata/repomd.xml\n`);
  }
  writeJson(plan.state, plan.registry, plan.generation, {
    version: 1,
    architectures: states,
  } satisfies RpmManifest);
  const list = Buffer.from(sums.join(''), 'utf8');
  writeDurably(join(folder, 'SHA256SUMS'), [list]);
  syncFolder(folder);
  syncFolder(dirname(folder));
  return createHash('sha256').update(list).digest('hex');
}

async function writeArchitecture(
  plan: RpmPlan,
  folder: string,
  architecture: string,
  segments: SegmentStore,
): Promise<ArchitectureState> {
  const { distribution, derivative } = plan.registry;
  const repodata = join(folder, architecture, 'repodata');
  mkdirSync(repodata, { recursive: true });
  const pool = dirname(join(plan.tree, rpmPool(distribution, derivative ?? '', architecture, 'x')));
  makeFolder(pool);
  symlinkSync(relative(dirname(repodata), pool), join(folder, architecture, 'Packages'));
  const old = plan.current?.manifest.architectures[architecture] ?? null;
  const listed = (entry: CatalogueEntry): boolean =>
    indexesOf(entry.architecture, plan.architectures).includes(architecture);
  const [add, remove] = [plan.add.filter(listed), plan.remove.filter(listed)];
  const before = plan.current
    ? join(plan.tree, generationPath(plan.registry, plan.current.generation), architecture, 'repodata')
    : '';
  if (old && add.length === 0 && remove.length === 0) {
    for (const name of [...KINDS.map(kind => old.indexes[kind].file), ...Object.keys(old.kept)]) {
      linkKept(before, repodata, name);
    }
    return old;
  }
  const all = old ? [] : (await plan.all()).filter(listed);
  const write = (kind: Kind): IndexState => {
    const { next, count } = old
      ? changeIndex(segments, old.indexes[kind], kind, add, remove)
      : { next: segments.create(all.map(entry => recordOf(kind, entry))), count: all.length };
    return storeIndex(plan, repodata, kind, next, count, segments);
  };
  const indexes = { primary: write('primary'), filelists: write('filelists'), other: write('other') };
  return { indexes, kept: keepSuperseded(plan, old, indexes, before, repodata) };
}

function changeIndex(
  segments: SegmentStore,
  old: IndexState,
  kind: Kind,
  add: readonly CatalogueEntry[],
  remove: readonly CatalogueEntry[],
): { next: Segment[]; count: number } {
  const changes = new Map<string, string | null>();
  for (const entry of remove) changes.set(recordOf(kind, entry).key, null);
  for (const entry of add) {
    const { key, text } = recordOf(kind, entry);
    changes.set(key, text);
  }
  return {
    next: segments.update(old.segments, changes, splitPackages),
    count: old.count + add.length - remove.length,
  };
}

function recordOf(kind: Kind, entry: CatalogueEntry): IndexRecord {
  const text = (JSON.parse(entry.stanza) as RpmStanza)[kind];
  return { key: keyOf(text), text };
}

/** Name, then digest: packages of one name lie together. */
function keyOf(piece: string): string {
  const name = /<name>([^<]*)<\/name>|^<package pkgid="[0-9a-f]+" name="([^"]*)"/.exec(piece);
  return `${name?.[1] ?? name?.[2] ?? ''} ${packageId(piece)}`;
}

function splitPackages(text: string): IndexRecord[] {
  return (text.match(/<package [\s\S]*?<\/package>\n/g) ?? []).map(piece => ({
    key: keyOf(piece),
    text: piece,
  }));
}

/** Writes an index by its content, as a chain of gzip members: head, segments, end. */
function storeIndex(
  plan: RpmPlan,
  repodata: string,
  kind: Kind,
  list: readonly Segment[],
  count: number,
  segments: SegmentStore,
): IndexState {
  const head = `<?xml version="1.0" encoding="UTF-8"?>\n${OPENING[kind]} packages="${count}">\n`;
  const open = createHash('sha256');
  const packed = createHash('sha256');
  const pieces: Buffer[] = [];
  let [openSize, size] = [0, 0];
  const push = (plain: Buffer, gzip: Buffer): void => {
    open.update(plain);
    packed.update(gzip);
    pieces.push(gzip);
    openSize += plain.length;
    size += gzip.length;
  };
  const pushText = (text: string): void => {
    const plain = Buffer.from(text, 'utf8');
    push(plain, gzipSync(plain));
  };
  pushText(head);
  for (const segment of list) {
    const { plain, gzip } = segments.read(segment);
    push(plain, gzip);
  }
  pushText(CLOSING[kind]);
  const sha256 = packed.digest('hex');
  const file = `${sha256}-${kind}.xml.gz`;
  const path = join(repodata, file);
  if (!existsSync(path)) writeDurably(path, pieces);
  const data = [
    `  <data type="${kind}">`,
    `    <checksum type="sha256">${sha256}</checksum>`,
    `    <open-checksum type="sha256">${open.digest('hex')}</open-checksum>`,
    `    <location href="repodata/${file}"/>`,
    `    <timestamp>${plan.date}</timestamp>`,
    `    <size>${size}</size>`,
    `    <open-size>${openSize}</open-size>`,
    '  </data>',
  ].join('\n');
  return { segments: list, count, file, data };
}

/** Links superseded metadata into the new generation: a client that holds the old repomd.xml still finds it. */
function keepSuperseded(
  plan: RpmPlan,
  old: ArchitectureState | null,
  indexes: Readonly<Record<Kind, IndexState>>,
  before: string,
  repodata: string,
): Record<string, number> {
  const kept: Record<string, number> = {};
  if (!old) return kept;
  const fresh = new Set(KINDS.map(kind => indexes[kind].file));
  const candidates = { ...old.kept };
  for (const kind of KINDS) candidates[old.indexes[kind].file] = plan.date;
  for (const [name, superseded] of Object.entries(candidates)) {
    if (fresh.has(name) || plan.date - superseded > KEPT_FOR) continue;
    if (linkKept(before, repodata, name)) kept[name] = superseded;
  }
  return kept;
}

function linkKept(from: string, to: string, name: string): boolean {
  const source = join(from, name);
  if (!existsSync(source)) return false;
  if (!existsSync(join(to, name))) linkFile(source, to, name);
  return true;
}

function renderRepomd(date: number, data: readonly string[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<repomd xmlns="http://linux.duke.edu/metadata/repo" xmlns:rpm="http://linux.duke.edu/metadata/rpm">',
    `  <revision>${date}</revision>`,
    ...data,
    '</repomd>',
    '',
  ].join('\n');
}
