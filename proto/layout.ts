/** Where everything of a registry lies on disk, as pure path functions: publication writes it, the edge serves it. */
import { join } from 'node:path';
import type { FormatName } from './words.ts';

/**
 * Below `{registry}/{instance}/{format}` lies the public tree; nothing private is in it:
 *
 *     deb/pool/{derivative}/{h}/{source}/FILE                    packages and sources
 *     deb/dists/{dist}                  -> ../generations/{dist}/{generation}
 *     deb/generations/{dist}/{generation}/{derivative}/binary-{arch}/Packages.gz …
 *     deb/by-hash/{dist}/SHA256/{sha256}                         indexes by content, the by-hash links lead here
 *     rpm/{dist}/{derivative}           -> ../generations/{dist}/{derivative}/{generation}; osi the same
 *     rpm/pool/{dist}/{derivative}/{arch}/FILE.rpm
 *     {format}/snapshots/{name}/…       the same addresses as below {format}, fixed at that snapshot
 *
 * `{registry}/{instance}/state/{format}` is private: staging and the pieces that indexes are made of.
 */
export interface RegistryRoot {
  readonly registry: string;
  readonly instance: string;
  readonly format: FormatName;
}

/** The folders that the three formats' public trees and the private state occupy; names of path segments. */
const STATE = 'state';
const GENERATIONS = 'generations';
const SNAPSHOTS = 'snapshots';

/** What one signed entry file covers: for deb a distribution (derivative null), else a derivative of it. */
export interface Suite {
  readonly format: FormatName;
  readonly distribution: string;
  readonly derivative: string | null;
}

/** Absolute path of the public tree. */
export function publicTree(root: RegistryRoot): string {
  return join(root.registry, root.instance, root.format);
}

/** Absolute path of what publication keeps for itself; on the same file system as the public tree. */
export function stateTree(root: RegistryRoot): string {
  return join(root.registry, root.instance, STATE, root.format);
}

/** Absolute path of the folder of files on their way into a pool, a folder for each task; no task owns them for long. */
export function stagingFolder(root: RegistryRoot): string {
  return join(stateTree(root), 'staging');
}

/** `bookworm` for deb, `el9/main` for rpm and osi. */
export function suitePath(suite: Suite): string {
  return suite.derivative === null ? suite.distribution : join(suite.distribution, suite.derivative);
}

/** The symbolic link whose one rename makes a generation current; relative to the public tree. */
export function currentLink(suite: Suite): string {
  return suite.format === 'deb' ? join('dists', suitePath(suite)) : suitePath(suite);
}

/** What `currentLink` points at, as the link's own text. */
export function currentTarget(suite: Suite, generation: string): string {
  // Both `dists/{dist}` and `{dist}/{derivative}` are one folder below the tree's root.
  return join('..', generationPath(suite, generation));
}

/** A generation's folder; relative to the public tree. */
export function generationPath(suite: Suite, generation: string): string {
  return join(GENERATIONS, suitePath(suite), generation);
}

/** The file whose digest stands for a generation: for rpm it lists the digests of each architecture's repomd.xml. */
export function entryFile(format: FormatName): string {
  return format === 'deb' ? 'InRelease' : 'SHA256SUMS';
}

/** The folder of a distribution's indexes by content; relative to the public tree. */
export function byHashFolder(distribution: string): string {
  return join('by-hash', distribution);
}

/** First letter, or `lib` and the letter behind it: the shelf of a Debian pool. */
function poolShelf(source: string): string {
  return source.startsWith('lib') && source.length > 3 ? source.slice(0, 4) : source.slice(0, 1);
}

/** Where a Debian file lies; relative to the public tree. */
export function debPool(derivative: string, source: string, file: string): string {
  return join('pool', derivative, poolShelf(source), source, file);
}

/** Where an rpm lies; relative to the public tree. `arch` is the index's: x86_64, aarch64, source. */
export function rpmPool(distribution: string, derivative: string, arch: string, file: string): string {
  return join('pool', distribution, derivative, arch, file);
}

/** Where an image lies; relative to the public tree. */
export function osiPool(distribution: string, derivative: string, file: string): string {
  return join('pool', distribution, derivative, file);
}

/** A snapshot's own tree, in which the usual addresses lead to it; relative to the public tree. */
export function snapshotTree(name: string): string {
  return join(SNAPSHOTS, name);
}

/** How a request below the public tree relates to generations. */
export interface PinPoint {
  /** The link that a connection may be pinned at, relative to the public tree. */
  readonly link: string;
  /** What follows it. */
  readonly rest: string;
  /** Whether a client starts from this file: serving it sets the pin. */
  readonly entry: boolean;
}

const ENTRY_FILES: Readonly<Record<FormatName, RegExp>> = {
  deb: /^(InRelease|Release)$/,
  rpm: /^[^/]+\/repodata\/repomd\.xml$/,
  osi: /^SHA256SUMS$/,
};

/**
 * Splits a decoded path below the public tree at its generation link: `dists/bookworm/InRelease`, `el9/main/x86_64/…`.
 * Null for what isn't behind a link (pool, by-hash folders, snapshots): that never changes.
 */
export function pinPoint(format: FormatName, path: string): PinPoint | null {
  const parts = path.split('/').filter(part => part !== '');
  if (format === 'deb' ? parts[0] !== 'dists' : PRIVATE_FIRST.has(parts[0] ?? '')) return null;
  if (parts.length < 3) return null;
  const rest = parts.slice(2).join('/');
  return { link: parts.slice(0, 2).join('/'), rest, entry: ENTRY_FILES[format].test(rest) };
}

/** First path segments of rpm and osi trees that are no distribution. */
const PRIVATE_FIRST: ReadonlySet<string> = new Set([GENERATIONS, SNAPSHOTS, 'pool', 'metadata']);

/** Names that no distribution may have: they would meet our own folders in an rpm or osi tree. */
export function isReservedDistribution(name: string): boolean {
  return PRIVATE_FIRST.has(name) || name === 'dists' || name === 'by-hash';
}
