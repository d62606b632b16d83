/** `rackwright.ini`, which daemon, edge and command line read: its sections, and the keys that more than one goes by. */
import { join } from 'node:path';
import {
  duration,
  int,
  type Loaded,
  type Places,
  path,
  type ReadOptions,
  readSettings,
  type Schema,
  size,
} from './settings.ts';

const GiB = 1024 ** 3;

/** Sections that somebody of us reads. */
const OURS = [
  ...['dirs', 'daemon', 'edge', 'images', 'registry', 'tasks', 'sandbox', 'keyring', 'tokens', 'drawing'],
  ...['format:deb', 'format:rpm', 'format:osi'],
];
/** Sections of other programs, whose files people bring along: nobody reads them. */
const PASSED_OVER = ['drawings', 'inventory', 'slurm'];
/** The same, of which the daemon says what has become of them; nobody else needs to. */
const EXPLAINED = ['web', 'containers'];

/** `[dirs]`. */
export function dirsSection(at: Places) {
  return {
    instances: path(join(at.etc, 'instances.d')),
    registry: path(join(at.lib, 'registry')),
    cache: path(at.cache),
    run: path(at.run),
    tmp: path('/var/tmp'),
  };
}

/** The keys of `[edge]` that the daemon goes by as well; it judges by the policy, the edge does not. */
export function sharedEdgeKeys(at: Places) {
  return {
    policy: path(join(at.etc, 'policy.ini')),
    vendor_policy: path(null),
    /** Bytes of one submission, and of what is unpacked from it. */
    max_upload: size(2 * GiB),
    max_unpacked: size(8 * GiB),
    /** Bytes of one text field of a submission, and of its message; all are in one call to the daemon, which is small. */
    max_text: size(4 * 1024, 64 * 1024),
    max_message: size(64 * 1024, 1024 ** 2),
    /** Source archives of one submission. */
    max_sources: int(64, 0, 1000),
    /** Seconds of silence after which a watched journal shows a sign of life. */
    heartbeat: duration(15),
  };
}

/**
 * Reads the sections of a schema from `{etc}/rackwright.ini`; a missing file means the defaults. `shared` are those that
 * others have further keys in. Throws SettingsError with a line for every fault.
 */
export function readRackwrightIni<S extends Schema>(
  schema: S,
  at: Places,
  { shared = [], explain }: Pick<ReadOptions, 'shared' | 'explain'> = {},
): Loaded<S> {
  const known = [...OURS, ...PASSED_OVER, ...(explain ? [] : EXPLAINED)];
  return readSettings(schema, {
    files: [join(at.etc, 'rackwright.ini')],
    foreign: known.filter(section => !Object.hasOwn(schema, section)),
    shared,
    variables: { etc: at.etc, lib: at.lib, cache: at.cache, run: at.run },
    ...(explain ? { explain } : {}),
  });
}
