/** The layout of a source tree, as a shell script that runs inside the sandbox: unpacking is never done outside of it. */
import type { FullVersion, PreparedArchive } from './prepared.ts';

/** Name of the tree's folder. An epoch is no part of file names (deb-version(7)). */
export function treeName(artifact: string, version: FullVersion): string {
  return `${artifact}-${withoutEpoch(version.main)}`;
}

/** A version as file names have it. */
export function withoutEpoch(version: string): string {
  return version.replace(/^\d+:/, '');
}

/** A word for sh, whatever it holds. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Unpacks an archive as a folder, without its single top directory if it has just one: what dpkg-source does with
 * orig archives, and rpm's `%setup` likewise. Archives with wild modes still give a tree that can be changed.
 */
const UNPACK = `unpack() {
  rm -rf .unpack && mkdir .unpack
  tar --extract --file "$1" --directory .unpack --no-same-owner --no-same-permissions --delay-directory-restore
  chmod -R u+rwX .unpack
  inner=.unpack
  if [ "$(ls -A .unpack | wc -l)" -eq 1 ]; then
    only=.unpack/$(ls -A .unpack)
    if [ -d "$only" ] && [ ! -L "$only" ]; then inner=$only; fi
  fi
  rm -rf "$2"
  mv "$inner" "$2"
  rm -rf .unpack
}`;

/**
 * Lines that lay out the tree of a build below the current directory, from archives in the folder `from` under the
 * names of `nameOf`. An upstream `debian/` is discarded. Needs `set -e`.
 */
export function layoutScript(
  tree: string,
  archives: readonly PreparedArchive[],
  from: string,
  nameOf: (archive: PreparedArchive) => string,
): string {
  const lines = archives.map(archive => {
    const target = archive.stem === null ? tree : `${tree}/${archive.stem}`;
    return `unpack ${quote(`${from}/${nameOf(archive)}`)} ${quote(target)}`;
  });
  return [UNPACK, ...lines.slice(0, 1), `rm -rf ${quote(`${tree}/debian`)}`, ...lines.slice(1)].join('\n');
}

/** A line that applies a patch to the tree in the current directory, as strictly as dpkg-source, or ends the script. */
export function applyLine(patch: string, exitCode: number): string {
  return `patch -p1 -N -F0 -t -E -u -V never --no-backup-if-mismatch -i ${quote(patch)} || exit ${exitCode}`;
}
