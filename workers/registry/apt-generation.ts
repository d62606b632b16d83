/** Writes a generation of an apt distribution: every index, Release and its signatures, all durable, none served yet. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { byHashFolder, generationPath } from '../../proto/layout.ts';
import type { CatalogueEntry, RegistryKey } from '../job.ts';
import { type AptIndex, indexesOf, isListed, keyOf, recordsOf, splitRecords } from './apt-index.ts';
import type { AptManifest, IndexFile } from './apt-manifest.ts';
import { type ReleaseFields, renderRelease } from './apt-release.ts';
import { linkFile, makeFolder, syncFolder, writeDurably } from './disk.ts';
import { writeJson } from './manifest.ts';
import { type Segment, SegmentStore } from './segments.ts';
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
}

/** Writes the generation's folder; answers the digest of its InRelease. */
export async function writeAptGeneration(plan: AptPlan, signer: Signer): Promise<string> {
  const folder = join(plan.tree, generationPath(plan.registry, plan.generation));
  const hashed = join(plan.tree, byHashFolder(plan.registry.distribution), 'SHA256');
  makeFolder(dirname(folder));
  makeFolder(hashed);
  mkdirSync(folder);
  const writer = new GenerationWriter(plan, folder, hashed);
  const { derivatives, architectures } = plan.release;
  for (const derivative of derivatives) {
    writer.openComponent(derivative, architectures);
    for (const index of indexesOf(derivative, architectures)) await writer.writeIndex(index);
  }
  writeJson(plan.state, plan.registry, plan.generation, writer.manifest());
  const release = renderRelease(plan.release, writer.files());
  const [inline, detached] = await Promise.all([signer.clearSign(release), signer.detach(release, true)]);
  // Entry files last: whoever finds InRelease in a folder finds all that it names.
  writeDurably(join(folder, 'Release.gpg'), [detached]);
  writeDurably(join(folder, 'Release'), [Buffer.from(release, 'utf8')]);
  writeDurably(join(folder, 'InRelease'), [inline]);
  syncFolders(folder);
  syncFolder(hashed);
  syncFolder(dirname(folder));
  return createHash('sha256').update(inline).digest('hex');
}

class GenerationWriter {
  readonly #plan: AptPlan;
  readonly #folder: string;
  readonly #hashed: string;
  readonly #segments: SegmentStore;
  readonly #indexes: Record<string, { segments: readonly Segment[]; files: readonly IndexFile[] }> = {};
  readonly #small: IndexFile[] = [];

  constructor(plan: AptPlan, folder: string, hashed: string) {
    this.#plan = plan;
    this.#folder = folder;
    this.#hashed = hashed;
    this.#segments = new SegmentStore(join(plan.state, 'segments'));
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
      this.#small.push(this.#store(`${path}/Release`, [Buffer.from(text, 'utf8')]));
    }
  }

  #open(path: string): void {
    const folder = join(this.#folder, path);
    mkdirSync(folder);
    symlinkSync(relative(folder, dirname(this.#hashed)), join(folder, 'by-hash'));
  }

  async writeIndex(index: AptIndex): Promise<void> {
    const old = this.#plan.current?.manifest.indexes[index.path];
    const keys = new Set(
      this.#plan.changed.filter(entry => isListed(index, entry)).map(entry => keyOf(index.kind, entry)),
    );
    if (old && keys.size === 0) {
      for (const file of old.files) if (file.stored) this.#link(file);
      this.#indexes[index.path] = old;
      return;
    }
    const segments = old
      ? this.#segments.update(old.segments, this.#changes(index, keys), splitRecords(index.kind))
      : this.#segments.create(
          recordsOf(
            index.kind,
            (await this.#plan.all()).filter(entry => isListed(index, entry)),
          ),
        );
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
    const plain: Buffer[] = [];
    const gzip: Buffer[] = [];
    const hash = createHash('sha256');
    let size = 0;
    for (const segment of segments) {
      const pieces = this.#segments.read(segment);
      hash.update(pieces.plain);
      size += pieces.plain.length;
      if (size <= MAX_PLAIN) plain.push(pieces.plain);
      gzip.push(pieces.gzip);
    }
    if (gzip.length === 0) gzip.push(gzipSync(Buffer.alloc(0)));
    const packed = this.#store(`${path}.gz`, gzip);
    if (size <= MAX_PLAIN) return [this.#store(path, plain), packed];
    return [{ path, size, sha256: hash.digest('hex'), stored: false }, packed];
  }

  /** Stores by content, then gives it its plain name. */
  #store(path: string, pieces: readonly Buffer[]): IndexFile {
    const hash = createHash('sha256');
    let size = 0;
    for (const piece of pieces) {
      hash.update(piece);
      size += piece.length;
    }
    const file = { path, size, sha256: hash.digest('hex'), stored: true };
    const target = join(this.#hashed, file.sha256);
    if (!existsSync(target)) {
      const temporary = join(this.#plan.state, `${file.sha256}.${this.#plan.generation}`);
      writeDurably(temporary, pieces);
      renameSync(temporary, target);
    }
    this.#link(file);
    return file;
  }

  #link(file: IndexFile): void {
    linkFile(join(this.#hashed, file.sha256), this.#folder, file.path);
  }
}

/** Syncs a folder and those in it, the innermost first. */
function syncFolders(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) syncFolders(join(path, entry.name));
  }
  syncFolder(path);
}
