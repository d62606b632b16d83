/** Paths of stored files: from the raw URL to names that may be looked up below the public tree. */

/** Bytes of a path that a file system takes at most, and segments that a registry never exceeds. */
const MAX_SEGMENTS = 32;
const MAX_SEGMENT = 255;

/**
 * The segments of a raw URL path, each decoded once (`+` stays a plus), the first `skip` left out. Null for what names
 * nothing public: invalid encoding, NUL or other control characters, backslash, an encoded slash, `.` and `..`, names
 * that begin with a dot. A trailing slash is dropped.
 */
export function publicSegments(rawPath: string, skip: number): string[] | null {
  const parts = rawPath.split('/').slice(1 + skip);
  if (parts.at(-1) === '') parts.pop();
  if (parts.length > MAX_SEGMENTS) return null;
  const segments: string[] = [];
  for (const part of parts) {
    const segment = decode(part);
    if (segment === null || !isPublicName(segment)) return null;
    segments.push(segment);
  }
  return segments;
}

/** Whether a file of this name may be shown at all. */
export function isPublicName(name: string): boolean {
  return (
    name !== '' &&
    !name.startsWith('.') &&
    Buffer.byteLength(name) <= MAX_SEGMENT &&
    !/[\0-\x1f\x7f/\\]/.test(name)
  );
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  deb: 'application/vnd.debian.binary-package',
  rpm: 'application/x-rpm',
  xml: 'application/xml',
  gz: 'application/gzip',
  xz: 'application/x-xz',
  zst: 'application/zstd',
};

/** Media type by extension; never one that makes a client unpack or run what it gets. */
export function mediaTypeOf(name: string): string {
  const extension = /\.([a-z0-9]+)$/.exec(name)?.[1] ?? '';
  return (Object.hasOwn(TYPES, extension) && TYPES[extension]) || 'application/octet-stream';
}
