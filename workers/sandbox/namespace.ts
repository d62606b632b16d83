/** The way into the mount namespace, and for an ordinary user the user namespace, in which sandboxes are set up. */
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { Fault } from '../../proto/fault.ts';
import { runAnyway } from '../tool.ts';

/** User and group of submitted content inside a sandbox. */
export const BUILD_ID = 1000;

/** How sandboxes are entered by this process. */
export interface Namespace {
  /** Runs the command that follows as root of the sandbox's id map, mounts being its own. */
  readonly mounting: readonly string[];
  /** The same without a mount namespace; empty for root. */
  readonly mapped: readonly string[];
  /** Whether ids are mapped: then overlayfs keeps its marks in user xattrs. */
  readonly isMapped: boolean;
}

/** Milliseconds for removing a tree. */
const REMOVAL = 10 * 60 * 1000;
/** Ids that a map needs; Debian's useradd hands out as many. */
const RANGE = 65_536;

/**
 * Root enters directly. Everybody else gets a map of their range of /etc/subuid, with themselves as the build user:
 * what builds leave behind then belongs to who runs us. Throws a Fault saying what the host lacks.
 */
export async function findNamespace(uid: number): Promise<Namespace> {
  if (uid === 0) {
    return { mounting: ['unshare', '--mount', '--propagation', 'private'], mapped: [], isMapped: false };
  }
  const name = userInfo().username;
  for (const file of ['/etc/subuid', '/etc/subgid']) {
    if (!(await hasRange(file, [name, String(uid)]))) {
      throw missing(
        `user ${name} has no range of ${RANGE} ids in ${file} (usermod --add-subuids --add-subgids)`,
      );
    }
  }
  await access('/usr/bin/newuidmap', constants.X_OK).catch(() => {
    throw missing('/usr/bin/newuidmap is not there (package uidmap)');
  });
  const id = String(BUILD_ID);
  const mapped = ['unshare', '--user', '--map-auto', `--map-user=${id}`, `--map-group=${id}`];
  mapped.push('--setuid', '0', '--setgid', '0');
  return { mounting: [...mapped, '--mount', '--propagation', 'private'], mapped, isMapped: true };
}

/** Removes a folder whose files may belong to ids that only exist inside a sandbox. No task's end cuts it short. */
export async function removeTree({ mapped }: Namespace, folder: string): Promise<void> {
  await runAnyway([...mapped, 'rm', '-rf', '--one-file-system', '--', folder], { timeout: REMOVAL });
}

async function hasRange(file: string, names: readonly string[]): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').some(line => {
    const [who = '', , count = '0'] = line.split(':');
    return names.includes(who) && Number(count) >= RANGE;
  });
}

function missing(what: string): Fault {
  return new Fault('unavailable', 'no-environment', `builds need a map of user ids: ${what}`);
}
