/** Builds through REST by a pair of processes, timed from the request to the end of the task. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { type Connection, connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';
import { newestLayer, type Roots, type SourceParts, sourceParts } from './bare-build.ts';
import { buildForm } from './build-form.ts';
import type { Sample } from './definitions.ts';
import { type Pair, startPair } from './pair.ts';

const POLICY =
  '[roles]\nanonymous\n[anonymous]\nactions=view-pipeline,view-registry,view-task,view-keyring,build\n';

export interface TimedBuilds {
  /** Seconds from the request until the daemon tells that the task has finished. Throws unless it succeeded. */
  build(sample: Sample): Promise<number>;
  /** Environment and layer of build dependencies of the build before, lowest first. */
  roots(): Roots;
  /** A copy of the source package of that name that was published last, which later builds replace. */
  publishedSource(name: string): SourceParts;
  close(): Promise<void>;
}

/** Starts the pair over an empty folder, one build at a time, lintian off; environments and layers are the demo's. */
export async function openTimedBuilds(home: string): Promise<TimedBuilds> {
  const cache = join(homedir(), '.cache/rackwright/demo');
  mkdirSync(cache, { recursive: true });
  mkdirSync(join(home, 'etc'));
  writeFileSync(join(home, 'etc/policy.ini'), POLICY);
  writeFileSync(
    join(home, 'etc/rackwright.ini'),
    `[dirs]\ncache = ${cache}\n[format:deb]\nlintian = no\n[tasks]\nworkers = 1\nmax_workers = 1\n`,
  );
  const pair = await startPair({ home });
  const control = connect(loadProtocol(), `unix:${pair.controlSocket}`);
  const ends = watchEnds(control);
  return {
    build: sample => buildOnce(pair, ends, sample, home),
    roots: () => [pair.environmentRoot(), newestLayer(cache)],
    publishedSource: name => publishedSource(home, name),
    close: async () => {
      await ends.close();
      control.close();
      await pair.stop();
    },
  };
}

/** How tasks end, told as the daemon tells it. */
interface Ends {
  of(task: string): Promise<string>;
  close(): Promise<void>;
}

/** Watches from now on, so that no build's time has the opening of a stream in it. */
function watchEnds(control: Connection): Ends {
  const known = new Map<string, PromiseWithResolvers<string>>();
  const end = (task: string): PromiseWithResolvers<string> => {
    const found = known.get(task) ?? Promise.withResolvers<string>();
    known.set(task, found);
    return found;
  };
  const stop = new AbortController();
  const watching = (async () => {
    const call = { signal: stop.signal, timeout: 24 * 3_600_000 };
    for await (const { task } of control.service('TaskService').watchTasks({ instance: 'default' }, call)) {
      if (task?.state === 'TASK_STATE_FINISHED') end(task.id).resolve(`${task.result} ${task.reason}`);
    }
  })().catch((error: unknown) => {
    if (stop.signal.aborted) return;
    for (const { reject } of known.values()) reject(error);
  });
  return {
    of: task => end(task).promise,
    close: async () => {
      stop.abort();
      await watching;
    },
  };
}

async function buildOnce(pair: Pair, ends: Ends, sample: Sample, home: string): Promise<number> {
  const { distribution } = pair;
  const form = await buildForm(sample, { distribution, folder: home, message: 'Measure' });
  const began = performance.now();
  const answer = await fetch(`${pair.url}/default/build`, { method: 'POST', body: form });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  const { task } = JSON.parse(text) as { task: string };
  const how = await ends.of(task);
  const seconds = (performance.now() - began) / 1000;
  if (!how.startsWith('TASK_RESULT_SUCCESS')) throw new Error(`${how}\n${pair.log().slice(-2000)}`);
  return seconds;
}

function publishedSource(home: string, name: string): SourceParts {
  const registry = join(home, 'lib/registry');
  const found = (readdirSync(registry, { recursive: true }) as string[]).find(
    path => basename(path).startsWith(`${name}_`) && path.endsWith('.dsc'),
  );
  if (found === undefined) throw new Error(`no source package of ${name} below ${registry}`);
  const from = sourceParts(join(registry, found, '..'));
  const folder = join(home, `published-${name}`);
  mkdirSync(folder);
  const names = [from.dsc, from.orig, from.debian];
  execFileSync('install', ['-m', '644', ...names.map(file => join(from.folder, file)), folder]);
  return { ...from, folder };
}
