/** Holding every registry still while a backup is taken: a copy of the state, and files that belong to it. */
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../proto/fault.ts';
import type { HoldForBackupResponse } from '../proto/types/rackwright/v1/HoldForBackupResponse.ts';
import type { Places } from '../systemd/settings.ts';
import type { DaemonSettings } from './config.ts';
import { registryName } from './core/claims.ts';
import type { Locks } from './core/locks.ts';
import { keyFrom } from './grpc/registry-place.ts';
import type { Catalogue } from './store/catalogue.ts';
import type { Database } from './store/database.ts';
import type { Definitions } from './store/definitions.ts';

export interface BackupParts {
  readonly places: Places;
  readonly settings: DaemonSettings;
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly definitions: Definitions;
  readonly locks: Locks;
  readonly newId: () => string;
}

/** Holds everything until the signal aborts; the message comes once all is still and the state is copied. */
export type Hold = (signal: AbortSignal) => AsyncGenerator<HoldForBackupResponse>;

/** Milliseconds for which publications may be kept waiting. */
const HOLD_LIMIT = 600_000;
/** Milliseconds after which a stage has no owner any longer: whoever made it was killed. */
const STAGE_AGE = 86_400_000;
/** No instance has such a name, so nothing below it is served. */
const STAGE = '.backup-';

export function backupHold(parts: BackupParts): Hold {
  const { places, settings, database, locks, newId } = parts;
  const { registry } = settings.dirs;
  return async function* hold(signal) {
    const holder = `backup ${newId()}`;
    // Also takes back a place in line.
    const free = (): void => locks.releaseAll(holder);
    signal.addEventListener('abort', free, { once: true });
    try {
      // No task that has a registry waits for another, only for the pool that some share, whose holder waits for none:
      // the order can't lead to a deadlock. Who has every registry has the pools, too.
      for (const name of registries(parts)) {
        await locks.take(name, holder);
        if (signal.aborted) return;
      }
      await mkdir(registry, { recursive: true });
      await removeAbandoned(registry);
      const stage = await mkdtemp(join(registry, STAGE));
      await database.copyTo(join(stage, 'state.db'));
      const folders = [
        ...[places.etc, settings.dirs.instances],
        ...[settings.keyring.storage, settings.tokens.storage, settings.tasks.workspaces],
      ];
      const state = join(places.lib, 'state.db');
      yield { stage, state, registry, folders: [...new Set(folders)], ...places };
      await ended(signal);
    } finally {
      signal.removeEventListener('abort', free);
      free();
    }
  };
}

/** Names of the locks of all registries that there are or may be made. */
function registries({ catalogue, definitions }: BackupParts): Set<string> {
  const names = catalogue
    .places()
    .map(({ instance, ...place }) => `${instance}: ${registryName(keyFrom(place))}`);
  for (const { id, pipelines } of definitions.all()) {
    for (const { format, distribution, derivatives } of pipelines) {
      for (const derivative of derivatives) {
        names.push(`${id}: ${registryName(keyFrom({ format, distribution, derivative }))}`);
      }
    }
  }
  return new Set(names.sort());
}

async function removeAbandoned(registry: string): Promise<void> {
  for (const name of await readdir(registry)) {
    if (!name.startsWith(STAGE)) continue;
    const stage = join(registry, name);
    if (Date.now() - (await stat(stage)).mtimeMs > STAGE_AGE)
      await rm(stage, { recursive: true, force: true });
  }
}

/** Resolves when the caller is done. Throws `timeout` when that takes too long: publications are waiting. */
function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', done);
      reject(
        new Fault('unavailable', 'timeout', `the backup held the registries for ${HOLD_LIMIT / 1000} s`),
      );
    }, HOLD_LIMIT);
    signal.addEventListener('abort', done, { once: true });
  });
}
