/** Publishes Debian packages: pool files, indexes, signature, then one switch; and takes them out again. */
import type { TaskContext } from '../context.ts';
import type { BuiltArtifacts } from '../formats/format.ts';
import type { BuildSpec, CatalogueEntry, RegistryKey } from '../job.ts';

/** Publishes what a build made. Throws Faults: bad-package, version-exists, key-expired, signing-failed, disk-full. */
export async function publishDeb(
  _context: TaskContext,
  _built: BuiltArtifacts,
  _spec: BuildSpec,
): Promise<void> {}

/** Takes exactly one entry out of its registry. */
export async function unpublishDeb(
  _context: TaskContext,
  _registry: RegistryKey,
  _entry: CatalogueEntry,
): Promise<void> {}
