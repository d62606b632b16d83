/** A source that is ready to be built: what `source/` hands to a format. Types only. */
import type { ChangelogEntry } from '../job.ts';

export interface FullVersion {
  /** Upstream version. */
  readonly main: string;
  readonly release: string;
  /** Distribution tag; null for none. */
  readonly dist: string | null;
  /** -1 when absent. */
  readonly build: number;
  /** `{main}-{release}[.{dist}][+build{N}]` */
  readonly full: string;
  /** `{release}[.{dist}][+build{N}]` */
  readonly fullrelease: string;
}

export interface PreparedArchive {
  readonly id: string;
  /** Absolute path of the archive file in the workspace. */
  readonly path: string;
  /** Folder it unpacks to inside the tree; null for the main source. */
  readonly stem: string | null;
}

export interface PreparedSource {
  readonly artifact: string;
  readonly version: FullVersion;
  /** Absolute path of the extracted definition, templates rendered. */
  readonly definition: string;
  /** Main archive first. */
  readonly archives: readonly PreparedArchive[];
  /** Absolute paths of patches to apply, in order; generated ones last. */
  readonly patches: readonly string[];
  /** This build's entry first, then those of the published source package. */
  readonly changelog: readonly ChangelogEntry[];
  /** Words of `buildargs` of the definition (rpm). */
  readonly buildArguments: readonly string[];
}
