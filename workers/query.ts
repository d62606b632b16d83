/** The thread entry for short work that the daemon's own thread must not wait for. */
import { existsSync, readFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FORMAT_NAMES } from '../proto/words.ts';
import { GROUPS_FILE } from './attempt.ts';
import { groupName, killGroups, markedProcesses, signal } from './group.ts';
import type { ImageState, Query, QueryAnswers } from './job.ts';
import { sweepHomes } from './registry/gnupg.ts';
import { outdated, retentionOf } from './registry/retention.ts';
import { findNamespace, removeTree } from './sandbox/namespace.ts';
import { environmentFolder, imageFolder, readImageRecord, readRecord } from './sandbox/roots.ts';
import { SANDBOX_MARK } from './sandbox/sandbox.ts';

/** Milliseconds until killed processes must be gone, and between looks. */
const GONE = 30_000;
const LOOK = 20;
/** Folders below a workspace in which sandboxes are looked for. */
const DEPTH = 3;

export default async function answer(query: Query): Promise<QueryAnswers[Query['type']]> {
  switch (query.type) {
    case 'sweep':
      return sweep(query);
    case 'images':
      return { images: await listImages(query) };
    case 'retention':
      return planRetention(query);
  }
}

function planRetention(query: Extract<Query, { type: 'retention' }>): QueryAnswers['retention'] {
  const { instance, place, live, now } = query;
  const rule = query.rule ?? retentionOf(instance, place);
  const numbered = live.map((version, at) => ({ ...version, at }));
  const found = outdated(place.format, numbered, rule, now);
  return { rule, outdated: found.map(({ entry, newerVersions }) => ({ at: entry.at, newerVersions })) };
}

type Sweep = Extract<Query, { type: 'sweep' }>;

/** Kills what interrupted attempts left running, and removes their sandboxes. */
async function sweep({ tasks, homes }: Sweep): Promise<{ killed: number }> {
  const killed = new Set<number>();
  const deadline = performance.now() + GONE;
  for (;;) {
    const left = leftOf(tasks);
    if (left.length === 0 || performance.now() > deadline) break;
    for (const pid of left) {
      killed.add(pid);
      signal(pid, 'SIGKILL');
    }
    await sleep(LOOK);
  }
  for (const { place } of tasks) {
    await removeSandboxes(place, DEPTH);
    await rm(join(place, GROUPS_FILE), { force: true });
  }
  for (const base of homes) sweepHomes(base);
  return { killed: killed.size };
}

/** Processes of those tasks: those in their groups, and those that carry their mark. */
function leftOf(tasks: Sweep['tasks']): number[] {
  const left = new Set(markedProcesses(new Set(tasks.map(({ id }) => id))));
  for (const { id, place } of tasks) {
    const file = join(place, GROUPS_FILE);
    const folders = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    // The name is checked, so that a damaged file kills nothing else.
    for (const pid of killGroups(folders.filter(folder => folder.endsWith(`/${groupName(id)}`))))
      left.add(pid);
  }
  return [...left];
}

async function removeSandboxes(folder: string, depth: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    if (await stat(join(path, SANDBOX_MARK)).catch(() => null))
      await removeTree(await findNamespace(process.getuid?.() ?? 0), path);
    else if (depth > 1) await removeSandboxes(path, depth - 1);
  }
}

async function listImages(query: Extract<Query, { type: 'images' }>): Promise<ImageState[]> {
  const { instance, images } = query;
  const states: ImageState[] = [];
  for (const format of FORMAT_NAMES) {
    const pipelines = instance.pipelines.filter(each => each.format === format);
    if (pipelines.length === 0) continue;
    const record = await readImageRecord(imageFolder(images, instance.id, format));
    const names = [
      ...new Set(pipelines.flatMap(each => (each.environment === null ? [] : [each.environment]))),
    ];
    const environments: ImageState['environments'][number][] = [];
    for (const name of names) {
      for (const architecture of instance.architectures) {
        const folder = environmentFolder(images, instance.id, { format, environment: name, architecture });
        const known = existsSync(join(folder, 'root')) ? await readRecord(folder) : null;
        environments.push({
          name,
          architecture,
          exists: known !== null,
          created: known?.created ?? 0,
          updated: known?.updated ?? 0,
          size: known?.size ?? 0,
        });
      }
    }
    states.push({
      format,
      exists: record !== null,
      created: record?.created ?? 0,
      updated: record?.updated ?? 0,
      environments,
    });
  }
  return states;
}
