/** Takes away what nothing needs any longer: old generations, their indexes, files of the pool. */
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { byHashFolder, generationPath, suitePath } from '../../proto/layout.ts';
import type { TaskContext } from '../context.ts';
import type { KeptGeneration } from '../job.ts';
import { manifestFolder, removeJson } from './manifest.ts';
import { type HeldRegistry, servedGeneration } from './publication.ts';

/** Seconds for which a superseded state stays readable, and how many stay whatever their age. */
const KEPT_FOR = 7 * 86_400;
const KEPT_AT_LEAST = 3;
/** Seconds that a file nobody needs must have lain in the pool: a publication under way needs its files later. */
const SETTLED = 86_400;
/** Paths asked about at once. */
const BATCH = 1000;
/** Seconds between two collections that follow publications. */
const EVERY = 86_400;

/** Collects after a publication, now and then. The registry is held. */
export async function collectNowAndThen(context: TaskContext, held: HeldRegistry): Promise<void> {
  try {
    const stamp = join(held.state, `collected-${suitePath(held.key).replaceAll('/', '-')}`);
    const now = Date.now() / 1000;
    const last = existsSync(stamp) ? statSync(stamp).mtimeMs / 1000 : null;
    if (last !== null && now - last < EVERY) return;
    writeFileSync(stamp, '');
    // A registry that has just been opened has nothing to collect.
    if (last !== null) await collect(context, held);
  } catch (error) {
    // What was published stays published; the next collection tries again.
    context.console.log(
      'warning',
      `Collecting old files failed: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Removes what neither the catalogue nor a kept index needs. The registry is held. `now` in seconds since the epoch. */
export async function collect(
  context: TaskContext,
  held: HeldRegistry,
  now = Date.now() / 1000,
): Promise<void> {
  const { generations } = await context.ask({ type: 'generations', registry: held.key });
  const old = expired(generations, now);
  const served = servedGeneration(held);
  const kept = new Set(generations.map(one => one.name).filter(name => !old.includes(name)));
  const folder = join(held.tree, dirname(generationPath(held.key, 'x')));
  const found = existsSync(folder) ? readdirSync(folder) : [];
  // Also what a crash left of generations that were never served.
  for (const name of found.filter(one => !kept.has(one) && one !== served)) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
  removeManifests(held, kept, served);
  removeUnlinked(held);
  await context.ask({ type: 'forget', registry: held.key, generations: old });
  removeSegments(held, now);
  const files = await collectPool(context, held, now);
  context.console.log('info', `Collected ${old.length} old states and ${files} files that nothing needs`);
}

/** Removes all of a generation that was never served. The registry is held. */
export function dropGeneration(held: HeldRegistry, generation: string): void {
  if (servedGeneration(held) === generation) return;
  rmSync(join(held.tree, generationPath(held.key, generation)), { recursive: true, force: true });
  removeJson(held.state, held.key, generation);
  removeUnlinked(held);
}

/** Names of superseded generations that may go; `generations` are the newest first. */
export function expired(generations: readonly KeptGeneration[], now: number): string[] {
  return generations
    .slice(KEPT_AT_LEAST)
    .filter(one => one.superseded !== null && now - one.superseded > KEPT_FOR && one.snapshots.length === 0)
    .map(one => one.name);
}

function removeManifests(held: HeldRegistry, kept: ReadonlySet<string>, served: string | null): void {
  const folder = manifestFolder(held.state, held.key);
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder)) {
    const name = file.replace(/\.json$/, '');
    if (file.endsWith('.json') && !kept.has(name) && name !== served) rmSync(join(folder, file));
  }
}

/** An apt index by content that no generation has a name for any longer has one link left. */
function removeUnlinked(held: HeldRegistry): void {
  const folder = join(held.tree, byHashFolder(held.key.distribution), 'SHA256');
  if (held.key.format !== 'deb' || !existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (lstatSync(path).nlink === 1) rmSync(path);
  }
}

/** Segments that no kept manifest of any registry of this format names. */
function removeSegments(held: HeldRegistry, now: number): void {
  const folder = join(held.state, 'segments');
  const manifests = join(held.state, 'manifests');
  if (!existsSync(folder) || !existsSync(manifests)) return;
  const named = digestsIn(manifests);
  for (const name of readdirSync(folder)) {
    if (named.has(name.slice(0, 64))) continue;
    const path = join(folder, name);
    if (isSettled(path, now)) rmSync(path);
  }
}

/** Every digest that stands in a file below the folder. */
function digestsIn(folder: string): Set<string> {
  const found = new Set<string>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.json')) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    for (const [digest] of text.matchAll(/\b[0-9a-f]{64}\b/g)) found.add(digest);
  }
  return found;
}

async function collectPool(context: TaskContext, held: HeldRegistry, now: number): Promise<number> {
  const pool = join(held.tree, 'pool');
  if (!existsSync(pool)) return 0;
  const paths = readdirSync(pool, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(held.tree, join(entry.parentPath, entry.name)));
  let removed = 0;
  for (let at = 0; at < paths.length; at += BATCH) {
    const batch = paths.slice(at, at + BATCH);
    const { format } = held.key;
    const { needed } = await context.ask({ type: 'needed-files', format, paths: batch });
    const keep = new Set(needed);
    for (const path of batch) {
      if (keep.has(path) || !isSettled(join(held.tree, path), now)) continue;
      rmSync(join(held.tree, path));
      removed++;
    }
    context.progress('collecting', Math.min(at + BATCH, paths.length), paths.length);
  }
  return removed;
}

/** The change time is that of the rename into the pool. */
function isSettled(path: string, now: number): boolean {
  return now - lstatSync(path).ctimeMs / 1000 > SETTLED;
}
