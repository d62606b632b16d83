/** The thread entry for short work on files that the daemon's own thread must not wait for. */
import { existsSync, readFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FORMAT_NAMES } from '../proto/words.ts';
import { GROUPS_FILE } from './attempt.ts';
import { groupName, killGroups, markedProcesses, signal } from './group.ts';
import type { ImageState, Query, QueryAnswers } from './job.ts';
import { findNamespace } from './sandbox/namespace.ts';
import { environmentFolder, imageFolder, readImageRecord, readRecord } from './sandbox/roots.ts';
import { SANDBOX_MARK } from './sandbox/sandbox.ts';
import { runTool } from './tool.ts';

/** Milliseconds until killed processes must be gone, and between looks. */
const GONE = 30_000;
const LOOK = 20;
/** Folders below a workspace in which sandboxes are looked for. */
const DEPTH = 3;
/** Milliseconds for removing one sandbox. */
const REMOVAL = 10 * 60 * 1000;

export default async function answer(query: Query): Promise<QueryAnswers[Query['type']]> {
  if (query.type === 'sweep') return sweep(query.tasks);
  return { images: await listImages(query) };
}

type Interrupted = Extract<Query, { type: 'sweep' }>['tasks'];

/** Kills what interrupted attempts left running, and removes their sandboxes. */
async function sweep(tasks: Interrupted): Promise<{ killed: number }> {
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
  return { killed: killed.size };
}

/** Processes of those tasks: those in their groups, and those that carry their mark. */
function leftOf(tasks: Interrupted): number[] {
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
    if (await stat(join(path, SANDBOX_MARK)).catch(() => null)) await removeTree(path);
    else if (depth > 1) await removeSandboxes(path, depth - 1);
  }
}

/** Files in it may belong to ids that only exist inside a sandbox. */
async function removeTree(path: string): Promise<void> {
  const { mapped } = await findNamespace(process.getuid?.() ?? 0);
  await runTool(
    [...mapped, 'rm', '-rf', '--one-file-system', '--', path],
    { timeout: REMOVAL },
    { signal: new AbortController().signal, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' } },
  );
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
