/** Conditional and partial requests (RFC 9110, sections 13 and 14), as pure functions of headers and a file's state. */
import type { IncomingHttpHeaders } from 'node:http';

/** What identifies one state of a file. */
export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  /** When it was last changed, seconds since the epoch. */
  readonly modified: number;
  /** What Last-Modified says; earlier than `modified` while the file may change once more within that second. */
  readonly shown: number;
}

export interface Span {
  readonly start: number;
  /** The last byte, inclusive. */
  readonly end: number;
}

/** More ranges than this in one request are no honest one. */
const MAX_RANGES = 32;

/** Whether the client's copy is still good: 304. If-None-Match goes before If-Modified-Since. */
export function isUnchanged(headers: IncomingHttpHeaders, current: Validators): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags.trim() === '*' || listTags(tags).includes(current.etag);
  const since = seconds(headers['if-modified-since']);
  return since !== null && current.modified <= since;
}

/**
 * The part of a file to send: null for all of it, `unsatisfiable` for 416. A condition in If-Range that does not hold,
 * another unit and broken syntax mean all of it; so do several ranges, unless they are absurdly many.
 */
export function rangeOf(
  headers: IncomingHttpHeaders,
  size: number,
  current: Validators,
): Span | 'unsatisfiable' | null {
  const header = headers.range;
  if (header === undefined || !matchesIfRange(headers['if-range'], current)) return null;
  const list = /^\s*bytes\s*=(.*)$/i.exec(header)?.[1];
  if (list === undefined) return null;
  const ranges = list.split(',').map(range => range.trim());
  if (ranges.length > MAX_RANGES) return 'unsatisfiable';
  if (ranges.length > 1) return null;
  const match = /^(\d{0,15})-(\d{0,15})$/.exec(ranges[0] ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return null;
  if (match[1] === '') {
    const last = Math.min(Number(match[2]), size);
    return last === 0 ? 'unsatisfiable' : { start: size - last, end: size - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end };
}

/** If-Range holds: the same strong tag, or exactly the same date. */
function matchesIfRange(header: string | string[] | undefined, current: Validators): boolean {
  if (header === undefined) return true;
  const value = String(header).trim();
  return value.startsWith('"') ? value === current.etag : seconds(value) === current.shown;
}

/** Tags of a list; weak ones compare like strong ones here. */
function listTags(header: string): string[] {
  return [...header.matchAll(/(?:W\/)?("[^"]*")/g)].map(match => match[1] ?? '');
}

function seconds(date: string | undefined): number | null {
  if (date === undefined) return null;
  const time = Date.parse(date);
  return Number.isNaN(time) ? null : Math.floor(time / 1000);
}
