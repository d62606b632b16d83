/** Sandboxes for builds: an environment's root, a cached layer with the build dependencies, and a fresh layer on top. */
import { Fault } from '../../proto/fault.ts';
import type { Sandbox, TaskContext } from '../context.ts';

/** A further source of packages for the installation of build dependencies (the instance's own registry). */
export interface AptSource {
  /** Name of its files: letters, digits, `-` and `_`. */
  readonly name: string;
  /** deb822 text of the source. `Signed-By:` is added when there is a keyring. */
  readonly text: string;
  /** Text for apt_preferences(5); empty for none. */
  readonly preferences: string;
  /** Absolute host path of a binary (.gpg) or armored (.asc) public keyring; null for none. */
  readonly keyring: string | null;
  /** Host folder shown read-only inside while installing, for `file:` URIs; null for none. */
  readonly folder: { readonly from: string; readonly to: string } | null;
  /** Identity of what the source offers now (digest of its InRelease): a layer is used again only for an equal one. */
  readonly digest: string;
}

export interface BuildSandboxOptions {
  /** Absolute path of the environment's root: `…/rackwright-{env}-{arch}/root`. */
  readonly environmentRoot: string;
  /** Items in the syntax of Build-Depends, alternatives, versions, architectures and profiles included. */
  readonly dependencies: readonly string[];
  /** Items in the syntax of Build-Conflicts. */
  readonly conflicts?: readonly string[];
  readonly aptSources?: readonly AptSource[];
  /** Folder of the sandbox's own, absent or empty, in the task's workspace. */
  readonly work: string;
}

/**
 * Opens a sandbox in which the dependencies are installed. The layer that holds them is made on first need and used
 * again by every build with the same root, dependencies and sources. Throws `mirror` naming the URL when packages
 * can't be fetched, `build-failed` naming what can't be satisfied, `no-environment` without a root.
 */
export async function openBuildSandbox(
  _context: TaskContext,
  options: BuildSandboxOptions,
): Promise<Sandbox> {
  throw new Fault('unavailable', 'not-built-yet', `no sandbox over ${options.environmentRoot}`);
}
