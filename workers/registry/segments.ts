/**
 * Large indexes in pieces: an index is the concatenation of its segments, and so is its gzip file, since gzip members
 * concatenate (RFC 1952, 2.2). A change rewrites the segments that it touches; the rest is copied as it is.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeDurably } from './disk.ts';

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

/** Keeps segments in a folder by their content. */
export class SegmentStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** An index made anew. Records may come in any order. */
  create(records: readonly IndexRecord[]): Segment[] {
    const sorted = [...records].sort((a, b) => compareKeys(a.key, b.key));
    return this.#write(sorted, FILL);
  }

  /** The segments after a change. */
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

  /** The plain text and the gzip members of a segment. */
  read(segment: Segment): { readonly plain: Buffer; readonly gzip: Buffer } {
    const path = join(this.#folder, segment.sha256);
    return { plain: readFileSync(path), gzip: readFileSync(`${path}.gz`) };
  }

  #rewrite(segment: Segment, keys: readonly string[], changes: IndexChanges, split: SplitRecords): Segment[] {
    const records = new Map(split(this.read(segment).plain.toString('utf8')).map(one => [one.key, one.text]));
    for (const key of keys) {
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
    // The plain file comes last: where it is, both are whole.
    if (!existsSync(path)) {
      const suffix = `.${process.pid}.${Math.random().toString(36).slice(2)}`;
      writeDurably(`${path}.gz${suffix}`, [gzipSync(plain, { level: 6 })]);
      renameSync(`${path}.gz${suffix}`, `${path}.gz`);
      writeDurably(path + suffix, [plain]);
      renameSync(path + suffix, path);
    }
    return { first, sha256 };
  }
}

function record(key: string, text: string | null): IndexRecord[] {
  return text === null ? [] : [{ key, text }];
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
