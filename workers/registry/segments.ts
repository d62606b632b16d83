/**
 * Large indexes in pieces: an index is the concatenation of its segments, and so is its packed file, since gzip members
 * concatenate (RFC 1952, 2.2) and zstd frames do (RFC 8878, 3). A change rewrites the segments that it touches; the rest
 * is copied as it is.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Landing } from './landing.ts';

/** How indexes are packed: what packed files' names end with, and a piece of which whole ones may be put together. */
export interface Packing {
  readonly end: string;
  pack(plain: Uint8Array): Buffer;
}

export const GZIP: Packing = { end: '.gz', pack: plain => gzipSync(plain, { level: 6 }) };
export const ZSTD: Packing = { end: '.zst', pack: plain => zstdCompressSync(plain) };

/** Bytes from which a segment is split in two. */
const SPLIT = 384 * 1024;
/** Bytes that a segment is filled to when an index is made anew. */
const FILL = 192 * 1024;

/** One record of an index: its place in the order, and its text with everything that separates it from the next. */
export interface IndexRecord {
  readonly key: string;
  readonly text: string;
}

/** How records are told apart again in the text of a segment. */
export type SplitRecords = (text: string) => IndexRecord[];

export interface Segment {
  /** Key of the first record. */
  readonly first: string;
  /** SHA-256 of the plain text, which also names the segment's files. */
  readonly sha256: string;
}

/** Changes by key: a text takes the record's place or makes one, null removes it. */
export type IndexChanges = ReadonlyMap<string, string | null>;

/** Keeps segments in a folder by their content; new ones are among the files that land with a generation. */
export class SegmentStore {
  readonly #folder: string;
  readonly #landing: Landing;
  readonly #packing: Packing;

  constructor(folder: string, landing: Landing, packing: Packing) {
    this.#folder = folder;
    this.#landing = landing;
    this.#packing = packing;
  }

  /** An index made anew, whatever lies in the folder already. Records may come in any order. */
  create(records: readonly IndexRecord[]): Segment[] {
    const sorted = [...records].sort((a, b) => compareKeys(a.key, b.key));
    return this.#write(sorted, FILL);
  }

  /** The segments after a change: the same ones where nothing is another. */
  update(segments: readonly Segment[], changes: IndexChanges, split: SplitRecords): Segment[] {
    const keys = [...changes.keys()].sort(compareKeys);
    if (segments.length === 0) {
      return this.create(keys.flatMap(key => record(key, changes.get(key) ?? null)));
    }
    const touched = new Map<number, string[]>();
    for (const key of keys) {
      const index = segmentOf(segments, key);
      touched.set(index, [...(touched.get(index) ?? []), key]);
    }
    return segments.flatMap((segment, index) => {
      const own = touched.get(index);
      return own ? this.#rewrite(segment, own, changes, split) : [segment];
    });
  }

  /** Whether all are there: what a disk has lost is made anew from the catalogue. */
  has(segments: readonly Segment[]): boolean {
    return segments.every(({ sha256 }) => existsSync(this.#landing.find(join(this.#folder, sha256))));
  }

  /** The plain text and the packed piece of a segment. */
  read(segment: Segment): { readonly plain: Buffer; readonly packed: Buffer } {
    const path = join(this.#folder, segment.sha256);
    const packed = path + this.#packing.end;
    const plain = readFileSync(this.#landing.find(path));
    // One that was packed another way until now.
    if (!existsSync(this.#landing.find(packed))) this.#landing.put(packed, [this.#packing.pack(plain)]);
    return { plain, packed: readFileSync(this.#landing.find(packed)) };
  }

  #rewrite(segment: Segment, keys: readonly string[], changes: IndexChanges, split: SplitRecords): Segment[] {
    const records = new Map(split(this.read(segment).plain.toString('utf8')).map(one => [one.key, one.text]));
    const different = keys.filter(key => records.get(key) !== (changes.get(key) ?? undefined));
    if (different.length === 0) return [segment];
    for (const key of different) {
      const text = changes.get(key) ?? null;
      if (text === null) records.delete(key);
      else records.set(key, text);
    }
    const sorted = [...records].map(([key, text]) => ({ key, text }));
    sorted.sort((a, b) => compareKeys(a.key, b.key));
    const size = sorted.reduce((sum, one) => sum + one.text.length, 0);
    return this.#write(sorted, size > SPLIT ? FILL : Number.POSITIVE_INFINITY);
  }

  #write(sorted: readonly IndexRecord[], fill: number): Segment[] {
    const segments: Segment[] = [];
    let texts: string[] = [];
    let first = '';
    let size = 0;
    for (const { key, text } of sorted) {
      if (texts.length === 0) first = key;
      texts.push(text);
      size += text.length;
      if (size < fill) continue;
      segments.push(this.#put(first, texts.join('')));
      [texts, size] = [[], 0];
    }
    if (texts.length > 0) segments.push(this.#put(first, texts.join('')));
    return segments;
  }

  #put(first: string, text: string): Segment {
    const plain = Buffer.from(text, 'utf8');
    const sha256 = createHash('sha256').update(plain).digest('hex');
    const path = join(this.#folder, sha256);
    // The plain file lands last: where it is, both are whole.
    this.#landing.put(path + this.#packing.end, [this.#packing.pack(plain)]);
    this.#landing.put(path, [plain]);
    return { first, sha256 };
  }
}

function record(key: string, text: string | null): IndexRecord[] {
  return text === null ? [] : [{ key, text }];
}

/** Whether two indexes are made of the same segments. */
export function areSame(one: readonly Segment[], other: readonly Segment[]): boolean {
  return one.length === other.length && one.every((segment, at) => segment.sha256 === other[at]?.sha256);
}

/** By code unit: the same on every machine, whatever its language. */
export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The last segment that begins at or before the key; the first one takes what comes before all. */
function segmentOf(segments: readonly Segment[], key: string): number {
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (compareKeys(segments[middle]?.first ?? '', key) <= 0) low = middle;
    else high = middle - 1;
  }
  return low;
}
