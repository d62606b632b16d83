/** The root of a real build environment, made once and kept for all tests of this user. */
import { mkdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createDebEnvironment } from '../../workers/formats/deb/environment.ts';
import type { PipelineSlice } from '../../workers/job.ts';
import { lockExclusive, lockShared } from '../../workers/sandbox/lock.ts';
import { environmentRoot, resolveRoot } from '../../workers/sandbox/roots.ts';
import { openAttempt } from './attempt.ts';

/** Milliseconds after which the root is made again. */
const FRESH = 7 * 24 * 3600 * 1000;

/** Where tests keep what takes long to make: `$RACKWRIGHT_TEST_CACHE`, else below the home folder. */
export function testCache(): string {
  const user = process.getuid?.() ?? 0;
  const base = process.env.RACKWRIGHT_TEST_CACHE ?? join(homedir(), '.cache', 'rackwright-test');
  const folder = join(base, `uid-${user}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Codename of the release that runs the tests. */
export function hostCodename(): string {
  return /^VERSION_CODENAME="?([^"\n]*)"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'bookworm';
}

/** A pipeline of the host's own release. */
export function hostPipeline(): PipelineSlice {
  const codename = hostCodename();
  return {
    format: 'deb',
    distribution: codename,
    environment: codename,
    tag: null,
    derivatives: ['main'],
    mirror: null,
    components: [],
    modules: [],
    retention: {},
  };
}

/** `uname -m` word of the host. */
export function hostArchitecture(): string {
  return { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string] ?? process.arch;
}

/**
 * Absolute path of the root of an environment of the host's release, made on first need (half a minute). As long as this
 * process lives nobody removes it, also who makes it again.
 */
export async function preparedRoot(): Promise<string> {
  const cache = testCache();
  const pipeline = hostPipeline();
  const key = {
    format: 'deb',
    environment: pipeline.environment ?? '',
    architecture: hostArchitecture(),
  } as const;
  const target = environmentRoot(join(cache, 'images'), 'test', key);
  const release = await lockExclusive(`test ${target}`);
  try {
    const record = await stat(join(dirname(target), 'environment.json')).catch(() => null);
    if (record !== null && Date.now() - record.mtimeMs < FRESH) return await held(target);
    mkdirSync(dirname(target), { recursive: true });
    const opened = await openAttempt({ base: cache, pipelines: [pipeline] });
    try {
      await createDebEnvironment(opened.attempt.context, { ...key, pipeline, target });
    } finally {
      await opened.close();
    }
    return await held(target);
  } finally {
    release();
  }
}

/** The lock ends with the process. What is opened over the root must not change it when a new one is made. */
async function held(target: string): Promise<string> {
  const root = await resolveRoot(target);
  await lockShared(root);
  return root;
}
