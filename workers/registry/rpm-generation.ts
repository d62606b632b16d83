/** Writes a generation of an rpm derivative: for each architecture its repodata, signed, durable, not served yet. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { generationPath, rpmPool } from '../../proto/layout.ts';
import type { CatalogueEntry, RegistryKey } from '../job.ts';
import { linkFile, makeFolder, writeDurably } from './disk.ts';
import { Landing, Pieces, syncFolders } from './landing.ts';
import { writeJson } from './manifest.ts';
import {
  CLOSING,
  KINDS,
  type Kind,
  OPENING,
  recordOf,
  renderData,
  renderRepomd,
  splitPackages,
} from './rpm-index.ts';
import { type ArchitectureState, filesOf, type IndexState, type RpmManifest } from './rpm-manifest.ts';
import { carryNotices, type NoticesFile, storeNotices } from './rpm-notices.ts';
import { indexesOf } from './rpm-package.ts';
import { type Packing, type Segment, SegmentStore } from './segments.ts';
import type { Signer } from './signing.ts';

/** The signed list of indexes, last, with what clients check it by. */
const PUBLIC_KEY = 'repomd.xml.key';
const ENTRY_FILES = ['repomd.xml.asc', PUBLIC_KEY, 'repomd.xml'];
/** Seconds for which superseded metadata stays readable by its name. */
const KEPT_FOR = 7 * 86_400;

export interface RpmPlan {
  readonly registry: RegistryKey;
  readonly generation: string;
  readonly tree: string;
  readonly state: string;
  /** Seconds since the epoch; also the revision. */
  readonly date: number;
  /** Architectures of the indexes, without `source`. */
  readonly architectures: readonly string[];
  /** The generation served now; null before the first. */
  readonly served: string | null;
  /** The same with its manifest; null where that is lost, too. */
  readonly current: { readonly generation: string; readonly manifest: RpmManifest } | null;
  /** Make every index anew. */
  readonly anew: boolean;
  readonly add: readonly CatalogueEntry[];
  readonly remove: readonly CatalogueEntry[];
  readonly all: () => Promise<readonly CatalogueEntry[]>;
  /** How indexes are packed. */
  readonly packing: Packing;
  /** The content of updateinfo.xml; null for none, absent = as it was. */
  readonly notices?: Uint8Array | null;
  /** Armored public key, beside the signature for clients that look for it there. */
  readonly publicKey: Buffer;
}

/** Writes the generation's folder; answers the digest of its list of entry files. */
export async function writeRpmGeneration(plan: RpmPlan, signer: Signer): Promise<string> {
  const segments = join(plan.state, 'segments');
  makeFolder(segments);
  const landing = new Landing(segments, plan.generation);
  try {
    const store = new SegmentStore(segments, landing, plan.packing);
    return await writeFolder(plan, signer, landing, store);
  } finally {
    await landing.drop();
  }
}

async function writeFolder(
  plan: RpmPlan,
  signer: Signer,
  landing: Landing,
  segments: SegmentStore,
): Promise<string> {
  const folder = join(plan.tree, generationPath(plan.registry, plan.generation));
  makeFolder(dirname(folder));
  mkdirSync(folder);
  const architectures: Record<string, ArchitectureState> = {};
  for (const architecture of [...plan.architectures, 'source']) {
    const places = { folder: join(folder, architecture), landing, segments };
    architectures[architecture] = await writeArchitecture(plan, architecture, places);
  }
  const entries = await Promise.all(
    Object.entries(architectures).map(([word, state]) => signEntry(plan, signer, word, state)),
  );
  await landing.land();
  writeJson(plan.state, plan.registry, plan.generation, { version: 1, architectures } satisfies RpmManifest);
  for (const entry of entries) writeEntry(plan, join(folder, entry.architecture, 'repodata'), entry);
  const sums = entries.map(({ architecture, text }) => {
    const sum = createHash('sha256').update(text).digest('hex');
    return `${sum} *${architecture}/repodata/repomd.xml\n`;
  });
  const list = Buffer.from(sums.join(''), 'utf8');
  writeDurably(join(folder, 'SHA256SUMS'), [list]);
  const made = entries.map(({ architecture }) => join(folder, architecture));
  await syncFolders([...made.map(path => join(path, 'repodata')), ...made, folder, dirname(folder)]);
  return createHash('sha256').update(list).digest('hex');
}

/** An architecture's repomd.xml; `signature` null where it is that of the state before, files and all. */
interface Entry {
  readonly architecture: string;
  readonly text: string;
  readonly signature: Buffer | null;
}

async function signEntry(
  plan: RpmPlan,
  signer: Signer,
  architecture: string,
  state: ArchitectureState,
): Promise<Entry> {
  if (state === plan.current?.manifest.architectures[architecture]) {
    const before = repodataBefore(plan, architecture);
    const files = ENTRY_FILES.map(name => join(before, name));
    if (
      files.every(file => existsSync(file)) &&
      readFileSync(join(before, PUBLIC_KEY)).equals(plan.publicKey)
    ) {
      return { architecture, text: readFileSync(join(before, 'repomd.xml'), 'utf8'), signature: null };
    }
  }
  const text = renderRepomd(
    plan.date,
    [...KINDS.map(kind => state.indexes[kind]), state.notices].flatMap(one => (one ? [one.data] : [])),
  );
  return { architecture, text, signature: await signer.detach(text, true) };
}

function writeEntry(plan: RpmPlan, repodata: string, { architecture, text, signature }: Entry): void {
  if (signature === null) {
    for (const name of ENTRY_FILES) linkKept(repodataBefore(plan, architecture), repodata, name);
    return;
  }
  writeDurably(join(repodata, 'repomd.xml.asc'), [signature]);
  writeDurably(join(repodata, PUBLIC_KEY), [plan.publicKey]);
  writeDurably(join(repodata, 'repomd.xml'), [Buffer.from(text, 'utf8')]);
}

/** Absolute path of an architecture's metadata as it is served now. */
function repodataBefore(plan: RpmPlan, architecture: string): string {
  const path = generationPath(plan.registry, plan.served ?? '');
  return join(plan.tree, path, architecture, 'repodata');
}

/** Where an architecture's part of a generation is written. */
interface Places {
  readonly folder: string;
  readonly landing: Landing;
  readonly segments: SegmentStore;
}

async function writeArchitecture(
  plan: RpmPlan,
  architecture: string,
  places: Places,
): Promise<ArchitectureState> {
  const { distribution, derivative } = plan.registry;
  const { folder, segments } = places;
  const repodata = join(folder, 'repodata');
  mkdirSync(repodata, { recursive: true });
  const pool = dirname(join(plan.tree, rpmPool(distribution, derivative ?? '', architecture, 'x')));
  makeFolder(pool);
  symlinkSync(relative(folder, pool), join(folder, 'Packages'));
  const served = plan.current?.manifest.architectures[architecture] ?? null;
  const whole = served !== null && KINDS.every(kind => segments.has(served.indexes[kind].segments));
  const old = whole && !plan.anew ? served : null;
  const listed = (entry: CatalogueEntry): boolean =>
    indexesOf(entry.architecture, plan.architectures).includes(architecture);
  const [add, remove] = [plan.add.filter(listed), plan.remove.filter(listed)];
  const before = repodataBefore(plan, architecture);
  const notices = noticesFor(plan, architecture, places);
  const packed = old?.indexes.primary.file.endsWith(plan.packing.end) === true;
  if (old && packed && plan.notices === undefined && add.length === 0 && remove.length === 0) {
    for (const name of [...filesOf(old), ...Object.keys(old.kept)]) linkKept(before, repodata, name);
    return old;
  }
  const all = old ? [] : (await plan.all()).filter(listed);
  const write = (kind: Kind): IndexState => {
    const { next, count } = old
      ? changeIndex(segments, old.indexes[kind], kind, add, remove)
      : { next: segments.create(all.map(entry => recordOf(kind, entry))), count: all.length };
    return storeIndex(plan, places, kind, next, count);
  };
  const indexes = { primary: write('primary'), filelists: write('filelists'), other: write('other') };
  const state = { indexes, notices, kept: {} };
  return { ...state, kept: keepSuperseded(plan, served, state, before, repodata) };
}

function noticesFor(plan: RpmPlan, architecture: string, { folder, landing }: Places): NoticesFile | null {
  // Notices name what is installed.
  if (architecture === 'source' || plan.notices === null) return null;
  const repodata = join(folder, 'repodata');
  if (plan.notices !== undefined) return storeNotices(plan.notices, plan, repodata, landing);
  // An architecture that is new has those of the others.
  const words = plan.served === null ? [] : [architecture, ...plan.architectures];
  return carryNotices(
    words.map(word => repodataBefore(plan, word)),
    repodata,
  );
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

/** Writes an index by its content, as a chain of packed pieces: head, segments, end. */
function storeIndex(
  plan: RpmPlan,
  { folder, landing, segments }: Places,
  kind: Kind,
  list: readonly Segment[],
  count: number,
): IndexState {
  const open = new Pieces();
  const packed = new Pieces();
  const add = (plain: Uint8Array, piece: Uint8Array): void => {
    open.add(plain, false);
    packed.add(piece);
  };
  const addText = (text: string): void => {
    const plain = Buffer.from(text, 'utf8');
    add(plain, plan.packing.pack(plain));
  };
  addText(`<?xml version="1.0" encoding="UTF-8"?>\n${OPENING[kind]} packages="${count}">\n`);
  for (const segment of list) {
    const pieces = segments.read(segment);
    add(pieces.plain, pieces.packed);
  }
  addText(CLOSING[kind]);
  const sha256 = packed.sha256();
  const file = `${sha256}-${kind}.xml${plan.packing.end}`;
  landing.put(join(folder, 'repodata', file), packed.list);
  const opened = { sha256: open.sha256(), size: open.size };
  const data = { kind, file, packed: { sha256, size: packed.size }, open: opened };
  return { segments: list, count, file, data: renderData(data, plan.date) };
}

/** Links superseded metadata into the new generation: a client that holds the old repomd.xml still finds it. */
function keepSuperseded(
  plan: RpmPlan,
  served: ArchitectureState | null,
  state: ArchitectureState,
  before: string,
  repodata: string,
): Record<string, number> {
  const kept: Record<string, number> = {};
  if (!served) return kept;
  const fresh = new Set(filesOf(state));
  const candidates = { ...served.kept };
  for (const file of filesOf(served)) candidates[file] = plan.date;
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
