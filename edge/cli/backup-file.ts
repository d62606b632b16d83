/** The file that a backup is: what is in it, where its parts belong, and the tools that write and read it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { access, open, readdir } from 'node:fs/promises';
import { relative } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import type { Places } from '../../systemd/settings.ts';

/** Characters of a tool's complaints that are shown. */
const MAX_COMPLAINT = 4000;
/** Bytes of zeros, at least, with which tar ends an archive. */
const END = 1024;
/** The first member of a backup: what it is and where its parts belong. */
export const MANIFEST = 'backup.json';

export interface Manifest {
  readonly rackwright: string;
  /** The roots that it was taken from. */
  readonly places: Places;
  /** Absolute paths. */
  readonly state: string;
  /** The registries' folder first. */
  readonly folders: readonly Kept[];
}

/** A folder with what tar does not put back of the top of a tree. */
export interface Kept {
  /** Absolute. */
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Names in a folder; null when there is none. */
export async function contentOf(folder: string): Promise<string[] | null> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Throws `bad-input` for an archive without an end: tar takes one that was cut off between two members for whole. */
export async function refuseCut(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(END), 0, END, Math.max(0, size - END));
    if (bytesRead === END && buffer.every(byte => byte === 0)) return;
  } finally {
    await handle.close();
  }
  throw new Fault('invalid', 'bad-input', `${path} is cut off: its end is missing`);
}

/** Runs a tool; answers what it printed. Throws its complaint when it ends otherwise than expected. */
export function tool(command: readonly string[], expected: readonly number[] = [0]): Promise<string> {
  const [name = '', ...parameters] = command;
  return new Promise((done, fail) => {
    const child: ChildProcess = spawn(name, parameters, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    });
    let output = '';
    let complaint = '';
    child.stdout?.on('data', chunk => {
      output += chunk;
    });
    child.stderr?.on('data', chunk => {
      complaint = (complaint + chunk).slice(-MAX_COMPLAINT);
    });
    child.once('error', error => fail(new Fault('unavailable', 'internal', `${name}: ${error.message}`)));
    child.once('close', code => {
      if (code !== null && expected.includes(code)) done(output);
      else fail(new Fault('unavailable', 'internal', `${name} failed (${code}): ${complaint.trim()}`));
    });
  });
}

/** Whether a path is a folder or lies below it. */
export function isBelow(path: string, folder: string): boolean {
  return !/^\.\.(\/|$)/.test(relative(folder, path));
}
