/** The update notices among an rpm derivative's metadata: written where they are given, carried from state to state. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { generationPath } from '../../proto/layout.ts';
import { linkFile } from './disk.ts';
import type { Landing } from './landing.ts';
import { type HeldRegistry, servedGeneration } from './publication.ts';
import { renderData } from './rpm-index.ts';
import type { Packing } from './segments.ts';
import { readUnpacked } from './unpack.ts';
import { MAX_UPDATEINFO, type Notice, readNotices } from './updateinfo.ts';

/** updateinfo.xml of an architecture: its file in the repodata, and its element in repomd.xml. */
export interface NoticesFile {
  readonly file: string;
  readonly data: string;
}

/** Writes notices for an architecture. `date` in seconds. */
export function storeNotices(
  notices: Uint8Array,
  { packing, date }: { readonly packing: Packing; readonly date: number },
  repodata: string,
  landing: Landing,
): NoticesFile {
  const digest = (bytes: Uint8Array) => ({
    sha256: createHash('sha256').update(bytes).digest('hex'),
    size: bytes.length,
  });
  const bytes = packing.pack(notices);
  const packed = digest(bytes);
  const file = `${packed.sha256}-updateinfo.xml${packing.end}`;
  landing.put(join(repodata, file), [bytes]);
  return { file, data: renderData({ kind: 'updateinfo', file, packed, open: digest(notices) }, date) };
}

/** Takes the notices over from the first of other repodata folders that has some; null where none has. */
export function carryNotices(folders: readonly string[], repodata: string): NoticesFile | null {
  for (const folder of folders) {
    const found = listedNotices(folder);
    if (!found || !existsSync(join(folder, found.file))) continue;
    if (!existsSync(join(repodata, found.file))) linkFile(join(folder, found.file), repodata, found.file);
    return found;
  }
  return null;
}

/** What a repomd.xml of ours says of notices. */
function listedNotices(folder: string): NoticesFile | null {
  const path = join(folder, 'repomd.xml');
  if (!existsSync(path)) return null;
  const data = / *<data type="updateinfo">[\s\S]*?<\/data>/.exec(readFileSync(path, 'utf8'))?.[0];
  const file = /<location href="repodata\/([^"/]+)"/.exec(data ?? '')?.[1];
  return data === undefined || file === undefined ? null : { file, data };
}

/** Notices of a registry, as a kept generation has them; of the served one unless told. A damaged file counts as none. */
export function noticesIn(held: HeldRegistry, generation: string | null = servedGeneration(held)): Notice[] {
  if (held.key.format !== 'rpm' || generation === null) return [];
  const folder = join(held.tree, generationPath(held.key, generation));
  if (!existsSync(folder)) return [];
  for (const architecture of readdirSync(folder)) {
    const repodata = join(folder, architecture, 'repodata');
    const found = listedNotices(repodata);
    if (!found || !isWhole(join(repodata, found.file))) continue;
    return readNotices(readUnpacked(join(repodata, found.file), MAX_UPDATEINFO), found.file);
  }
  return [];
}

/** Whether any architecture of the served state lists notices, be they there or not. */
export function listsNotices(held: HeldRegistry): boolean {
  const folder = join(held.tree, generationPath(held.key, servedGeneration(held) ?? ''));
  if (held.key.format !== 'rpm' || !existsSync(folder)) return false;
  return readdirSync(folder).some(word => listedNotices(join(folder, word, 'repodata')) !== null);
}

/** The name begins with the digest. */
function isWhole(path: string): boolean {
  if (!existsSync(path)) return false;
  return basename(path).startsWith(createHash('sha256').update(readFileSync(path)).digest('hex'));
}
