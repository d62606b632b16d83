/** Finds a stored file on disk: below the public tree and nowhere else, in the generation that the reader is pinned to. */
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { errorCode } from '../../proto/fault.ts';
import { type PinPoint, pinPoint, publicTree, type RegistryRoot } from '../../proto/layout.ts';
import { Refusal } from '../http/problem.ts';
import type { Pins, Reader } from './pins.ts';

/** An open file or directory of the public tree. The caller closes the handle. */
export interface Located {
  readonly path: string;
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** Opens what the segments name. Throws 404. Serving an entry file pins the reader. */
export async function locate(
  root: RegistryRoot,
  segments: readonly string[],
  reader: Reader,
  pins: Pins,
): Promise<Located> {
  const tree = await resolve(publicTree(root));
  const point = pinPoint(root.format, segments.join('/'));
  if (!tree) throw missing();
  if (!point) return (await openInside(tree, join(tree, ...segments))) ?? fail();
  const link = `${root.instance}/${root.format}/${point.link}`;
  const pinned = point.entry ? null : pins.find(reader, link);
  const found = pinned === null ? null : await openInside(tree, join(pinned, point.rest));
  if (found) return found;
  return locateCurrent(tree, point, link, reader, pins);
}

/** The file in the present generation. The link is followed once, so that the file and the pin mean the same one. */
async function locateCurrent(
  tree: string,
  point: PinPoint,
  link: string,
  reader: Reader,
  pins: Pins,
): Promise<Located> {
  const folder = await resolve(join(tree, point.link));
  const found = folder === null ? null : await openInside(tree, join(folder, point.rest));
  if (!found || folder === null) throw missing();
  if (point.entry) pins.set(reader, link, folder);
  return found;
}

async function openInside(tree: string, path: string): Promise<Located | null> {
  const real = await resolve(path);
  if (real === null || (real !== tree && !real.startsWith(tree + sep))) return null;
  let handle: FileHandle;
  try {
    handle = await open(real, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  const stats = await handle.stat({ bigint: true });
  if (stats.isFile() || stats.isDirectory()) return { path: real, handle, stats };
  await handle.close();
  return null;
}

async function resolve(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG', 'ENXIO'].includes(errorCode(error));
}

function missing(): Refusal {
  return new Refusal(404, 'there is no such file');
}

function fail(): never {
  throw missing();
}
