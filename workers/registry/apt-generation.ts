/** Writes a generation of an apt distribution: every index, Release and its signatures, all durable, none served yet. */
import { createHash } from 'node:crypto';
import { mkdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { byHashFolder, generationPath } from '../../proto/layout.ts';
import type { CatalogueEntry, RegistryKey } from '../job.ts';
import { type AptIndex, indexesOf, isListed, keyOf, recordsOf, splitRecords } from './apt-index.ts';
import type { AptManifest, IndexFile } from './apt-manifest.ts';
import { type ReleaseFields, renderRelease } from './apt-release.ts';
import { makeFolder, writeDurably } from './disk.ts';
import { Landing, Pieces, syncFolders } from './landing.ts';
import { writeJson } from './manifest.ts';
import type { Packed } from './packing.ts';
import { areSame, GZIP, type Segment, SegmentStore } from './segments.ts';
import type { Signer } from './signing.ts';

/**
 * Bytes up to which an index is also stored plain. Larger ones are served compressed only, as Debian's own archive
 * does; Release states the digest of both, which clients check after unpacking.
 */
const MAX_PLAIN = 4 * 1024 * 1024;

/** What a generation is made from. */
export interface AptPlan {
  readonly registry: RegistryKey;
  readonly generation: string;
  readonly tree: string;
  readonly state: string;
  readonly release: ReleaseFields;
  /** The generation served now, with its manifest; null to make every index anew. */
  readonly current: { readonly generation: string; readonly manifest: AptManifest } | null;
  /** What comes and what goes. */
  readonly changed: readonly CatalogueEntry[];
  /** All entries, after the change, of the names that changed. */
  readonly siblings: readonly CatalogueEntry[];
  /** All entries after the change: asked only where an index must be made anew. */
  readonly all: () => Promise<readonly CatalogueEntry[]>;
  /** Xz of indexes, made beforehand: those that do not change get it, and keep it. */
  readonly packed: Packed;
}

/** Writes the generation's folder; answers the digest of its InRelease. */
export async function writeAptGeneration(plan: AptPlan, signer: Signer): Promise<string> {
  const segments = join(plan.state, 'segments');
  makeFolder(segments);
  const landing = new Landing(segments, plan.generation);
  try {
    return await writeFolder(plan, signer, landing, new SegmentStore(segments, landing, GZIP));
  } finally {
    await landing.drop();
  }
}

async function writeFolder(
  plan: AptPlan,
  signer: Signer,
  landing: Landing,
  segments: SegmentStore,
): Promise<string> {
  const folder = join(plan.tree, generationPath(plan.registry, plan.generation));
  const hashed = join(plan.tree, byHashFolder(plan.registry.distribution), 'SHA256');
  makeFolder(dirname(folder));
  makeFolder(hashed);
  const writer = new GenerationWriter(plan, { folder, hashed, landing, segments });
  const release = writer.writeAll();
  const signed = signer.signText(release);
  // Whichever fails, nothing is written any longer when that is told.
  await Promise.allSettled([release, signed]);
  const { inline, detached } = await signed;
  await landing.land();
  writeJson(plan.state, plan.registry, plan.generation, writer.manifest());
  // Entry files last: whoever finds InRelease in a folder finds all that it names.
  writeDurably(join(folder, 'Release.gpg'), [detached]);
  writeDurably(join(folder, 'Release'), [Buffer.from(await release, 'utf8')]);
  writeDurably(join(folder, 'InRelease'), [inline]);
  if (plan.current) dateAfter(folder, join(dirname(folder), plan.current.generation));
  await syncFolders([...writer.folders, dirname(folder)]);
  return createHash('sha256').update(inline).digest('hex');
}

/**
 * Gives the entry files of a generation a time at least a second later than those of the one before: by whole seconds
 * a plain web server tells its clients whether theirs are still good.
 */
function dateAfter(folder: string, before: string): void {
  for (const name of ['Release.gpg', 'Release', 'InRelease']) {
    const old = statSync(join(before, name), { throwIfNoEntry: false });
    const path = join(folder, name);
    const earliest = Math.floor((old?.mtimeMs ?? 0) / 1000) + 1;
    if (statSync(path).mtimeMs < earliest * 1000) utimesSync(path, earliest, earliest);
  }
}

/** Where a generation is written. */
interface Places {
  readonly folder: string;
  /** The folder of indexes by their content. */
  readonly hashed: string;
  readonly landing: Landing;
  readonly segments: SegmentStore;
}

class GenerationWriter {
  readonly #plan: AptPlan;
  readonly #places: Places;
  readonly #indexes: Record<string, { segments: readonly Segment[]; files: readonly IndexFile[] }> = {};
  readonly #small: IndexFile[] = [];
  /** Folders that were made, all of which must be durable. */
  readonly folders: string[] = [];

  constructor(plan: AptPlan, places: Places) {
    this.#plan = plan;
    this.#places = places;
    this.#make('');
  }

  /** Writes every index; answers the text of Release. */
  async writeAll(): Promise<string> {
    // Gpg, which waits for this text, is started first.
    await new Promise(resolve => setImmediate(resolve));
    const { derivatives, architectures } = this.#plan.release;
    for (const derivative of derivatives) {
      this.openComponent(derivative, architectures);
      for (const index of indexesOf(derivative, architectures)) await this.writeIndex(index);
    }
    return renderRelease(this.#plan.release, this.files());
  }

  manifest(): AptManifest {
    const { derivatives, architectures } = this.#plan.release;
    return {
      version: 1,
      derivatives: [...derivatives],
      architectures: [...architectures],
      indexes: this.#indexes,
    };
  }

  files(): IndexFile[] {
    return [...Object.values(this.#indexes).flatMap(index => index.files), ...this.#small];
  }

  /** Makes a component's folders, each with its way to the indexes by content and its own small Release. */
  openComponent(derivative: string, architectures: readonly string[]): void {
    this.#open(derivative);
    for (const architecture of [...architectures, 'source']) {
      const path =
        architecture === 'source' ? `${derivative}/source` : `${derivative}/binary-${architecture}`;
      this.#open(path);
      const { origin } = this.#plan.release;
      const text = `Origin: ${origin}\nLabel: ${origin}\nComponent: ${derivative}\nArchitecture: ${architecture}\n`;
      const pieces = new Pieces();
      pieces.add(Buffer.from(text, 'utf8'));
      this.#small.push(this.#store(`${path}/Release`, pieces));
    }
  }

  #open(path: string): void {
    const folder = this.#make(path);
    symlinkSync(relative(folder, dirname(this.#places.hashed)), join(folder, 'by-hash'));
  }

  #make(path: string): string {
    const folder = join(this.#places.folder, path);
    mkdirSync(folder);
    this.folders.push(folder);
    return folder;
  }

  async writeIndex(index: AptIndex): Promise<void> {
    const before = this.#plan.current?.manifest.indexes[index.path];
    const old = before && this.#places.segments.has(before.segments) ? before : undefined;
    const keys = new Set(
      this.#plan.changed.filter(entry => isListed(index, entry)).map(entry => keyOf(index.kind, entry)),
    );
    const segments = old
      ? this.#places.segments.update(old.segments, this.#changes(index, keys), splitRecords(index.kind))
      : this.#places.segments.create(
          recordsOf(
            index.kind,
            (await this.#plan.all()).filter(entry => isListed(index, entry)),
          ),
        );
    // Contents is as it was where the next version of a package has the same files.
    if (old && areSame(segments, old.segments)) {
      for (const file of old.files) if (file.stored) this.#link(file);
      this.#indexes[index.path] = { ...old, files: [...old.files, ...this.#pack(index, old.files)] };
      return;
    }
    this.#indexes[index.path] = { segments, files: this.#assemble(index.path, segments) };
  }

  #changes(index: AptIndex, keys: ReadonlySet<string>): Map<string, string | null> {
    const changes = new Map<string, string | null>([...keys].map(key => [key, null]));
    const siblings = this.#plan.siblings.filter(
      entry => isListed(index, entry) && keys.has(keyOf(index.kind, entry)),
    );
    for (const { key, text } of recordsOf(index.kind, siblings)) changes.set(key, text);
    return changes;
  }

  #assemble(path: string, segments: readonly Segment[]): IndexFile[] {
    const plain = new Pieces();
    const packed = new Pieces();
    for (const segment of segments) {
      const pieces = this.#places.segments.read(segment);
      plain.add(pieces.plain, plain.size + pieces.plain.length <= MAX_PLAIN);
      packed.add(pieces.packed);
    }
    if (segments.length === 0) packed.add(GZIP.pack(Buffer.alloc(0)));
    const files = [this.#store(`${path}.gz`, packed)];
    if (plain.size <= MAX_PLAIN) return [this.#store(path, plain), ...files];
    return [{ path, size: plain.size, sha256: plain.sha256(), stored: false }, ...files];
  }

  #pack({ kind, path }: AptIndex, files: readonly IndexFile[]): IndexFile[] {
    const xz = this.#plan.packed.get(files.find(file => file.path === path)?.sha256 ?? '');
    const name = `${path}.xz`;
    if (xz === undefined || kind === 'contents' || files.some(file => file.path === name)) return [];
    const pieces = new Pieces();
    pieces.add(xz);
    return [this.#store(name, pieces)];
  }

  /** Stores by content, then gives it its plain name. */
  #store(path: string, pieces: Pieces): IndexFile {
    const file = { path, size: pieces.size, sha256: pieces.sha256(), stored: true };
    this.#places.landing.put(join(this.#places.hashed, file.sha256), pieces.list);
    this.#link(file);
    return file;
  }

  #link(file: IndexFile): void {
    const { landing, hashed, folder } = this.#places;
    landing.link(join(hashed, file.sha256), join(folder, file.path));
  }
}
