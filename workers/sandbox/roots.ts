/** Where the roots of build environments lie, how one replaces another under running builds, and what is known of each. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import { type FormatName, toDebianArchitecture } from '../../proto/words.ts';
import type { TaskContext } from '../context.ts';
import type { EnvironmentKey } from '../job.ts';
import { tryLockAlone } from './lock.ts';

/** What `environment.json` holds; seconds since the epoch, bytes. */
export interface EnvironmentRecord {
  readonly created: number;
  readonly updated: number;
  readonly size: number;
  /** What the root was made from, for people. */
  readonly sources: string;
}

/** Milliseconds for removing a root. */
const REMOVAL = 10 * 60 * 1000;

/** Folder of a format's image: `{images}/{instance}/{format}.img`. */
export function imageFolder(images: string, instance: string, format: FormatName): string {
  return join(images, instance, `${format}.img`);
}

/** Folder of an environment in it, named with the format's own word for the architecture. */
export function environmentFolder(images: string, instance: string, key: EnvironmentKey): string {
  const architecture = key.format === 'deb' ? toDebianArchitecture(key.architecture) : key.architecture;
  return join(imageFolder(images, instance, key.format), `rackwright-${key.environment}-${architecture}`);
}

/** Absolute path of an environment's root, which sandboxes are opened over. It is a link: see `installRoot`. */
export function environmentRoot(images: string, instance: string, key: EnvironmentKey): string {
  return join(environmentFolder(images, instance, key), 'root');
}

/** A name for a new root beside the link. */
export function newRoot(target: string): string {
  return join(dirname(target), `root-${randomBytes(8).toString('hex')}`);
}

/**
 * Makes the link `target` point to a finished root, in one rename. The old root stays as long as a build uses it: builds
 * hold a shared lock on its real path.
 */
export async function installRoot(context: TaskContext, made: string, target: string): Promise<void> {
  const old = await readlink(target).catch(() => null);
  const link = `${target}.${randomBytes(4).toString('hex')}`;
  await symlink(basename(made), link);
  await rename(link, target);
  if (old !== null && old !== basename(made)) await sweepRoots(context, target);
}

/** Removes roots that the link no longer names and no build uses. */
export async function sweepRoots(context: TaskContext, target: string): Promise<void> {
  const current = await readlink(target).catch(() => '');
  for (const name of await readdir(dirname(target)).catch(() => [])) {
    if (!name.startsWith('root-') || name === current) continue;
    const folder = join(dirname(target), name);
    const release = await tryLockAlone(folder);
    if (!release) continue;
    try {
      await context.runTool(['rm', '-rf', '--one-file-system', '--', folder], {
        mapped: true,
        timeout: REMOVAL,
      });
    } finally {
      release();
    }
  }
}

/** The real path behind a root's link. Throws `no-environment` when there is none. */
export async function resolveRoot(target: string): Promise<string> {
  return realpath(target).catch(() => {
    const name = basename(dirname(target)).replace(/^rackwright-/, '');
    throw new Fault('refused', 'no-environment', `the build environment ${name} has not been created`, {
      root: target,
    });
  });
}

/** What `image.json` holds: seconds since the epoch. */
export interface ImageRecord {
  readonly created: number;
  readonly updated: number;
}

/** What is known of an environment; null when it has not been created. */
export async function readRecord(folder: string): Promise<EnvironmentRecord | null> {
  const record = await readJson<EnvironmentRecord>(join(folder, 'environment.json'));
  return record && { created: 0, updated: 0, size: 0, sources: '', ...record };
}

/** What is known of an image; null when it has not been created. */
export async function readImageRecord(folder: string): Promise<ImageRecord | null> {
  const record = await readJson<ImageRecord>(join(folder, 'image.json'));
  return record && { created: 0, updated: 0, ...record };
}

export async function writeRecord(folder: string, record: EnvironmentRecord): Promise<void> {
  await replaceJson(join(folder, 'environment.json'), record);
}

export async function writeImageRecord(folder: string, record: ImageRecord): Promise<void> {
  await replaceJson(join(folder, 'image.json'), record);
}

async function readJson<T>(file: string): Promise<Partial<T> | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<T>;
  } catch {
    return null;
  }
}

/** Replaces a file in one rename. */
async function replaceJson(file: string, value: unknown): Promise<void> {
  const fresh = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(fresh, `${JSON.stringify(value)}\n`, { mode: 0o644 });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
