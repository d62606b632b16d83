/** Where a Debian package is made: folders of the workspace that a sandbox shows, and a shell in it. */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunOptions, Sandbox, TaskContext } from '../../context.ts';
import { openShell, type Shell } from '../../sandbox/shell.ts';

/** Where the sandbox shows the two folders, both read-only. */
export const DEFINITION = '/mnt/definition';
export const PACKAGE = '/mnt/package';

/** Folders that the build user may read. */
export interface Folders {
  /** What we make of the definition: `debian`. */
  readonly definition: string;
  /** The source package: first its orig archives, in the end all of it. */
  readonly package: string;
}

export interface Room {
  readonly sandbox: Sandbox;
  readonly shell: Shell;
  /** Ends the shell, then removes the sandbox, which nobody need wait for: the task does not end before. */
  close(): void;
}

/** Makes them, empty; what an interrupted attempt left goes. */
export async function makeFolders(context: TaskContext): Promise<Folders> {
  const fresh = async (name: string): Promise<string> => {
    const path = join(context.job.place, name);
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { mode: 0o755 });
    await chmod(path, 0o755);
    return path;
  };
  return { definition: await fresh('source-input'), package: await fresh('source-package') };
}

/** Enters a sandbox, whose removal becomes the room's. */
export function openRoom(sandbox: Sandbox, folders: Folders, env: RunOptions['env'] = {}): Room {
  const binds = [
    { from: folders.definition, to: DEFINITION },
    { from: folders.package, to: PACKAGE },
  ];
  const shell = openShell(sandbox, { binds, env });
  const close = async (): Promise<void> => {
    await shell.close();
    // That it could not be removed is told when the task ends.
    await sandbox.close().catch(() => undefined);
  };
  return { sandbox, shell, close: () => void close() };
}
