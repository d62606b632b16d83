/** Sandboxes for builds: an environment's root, a cached layer with the build dependencies, and a fresh layer on top. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Sandbox, TaskContext } from '../context.ts';
import { digestOf } from '../formats/deb/apt-sources.ts';
import { type AptSource, type InstallPlan, installDependencies } from './install.ts';
import { lockExclusive, lockShared, type Release, tryLockAlone } from './lock.ts';
import { resolveRoot } from './roots.ts';

export type { AptSource } from './install.ts';

export interface BuildSandboxOptions {
  /** Absolute path of the environment's root: `…/rackwright-{env}-{arch}/root`. */
  readonly environmentRoot: string;
  /** Items in the syntax of Build-Depends, alternatives, versions, architectures and profiles included. */
  readonly dependencies: readonly string[];
  /** Items in the syntax of Build-Conflicts. */
  readonly conflicts?: readonly string[];
  readonly aptSources?: readonly AptSource[];
  /** Folder of the sandbox's own, absent or empty, in the task's workspace. */
  readonly work: string;
  /** Open it only where nothing has to be installed for it. */
  readonly onlyReady?: boolean;
}

export interface BuildSandbox extends Sandbox {
  /** Names of the packages that are installed in it from the start; to be asked before anything runs in it. */
  installed(): Promise<string[]>;
}

/** Layers that are kept, and bytes they take in all; those in use are never removed. */
const MAX_LAYERS = 200;
const MAX_BYTES = 20 * 1024 ** 3;
/** Milliseconds after which an unfinished layer is nobody's. */
const ABANDONED = 24 * 3600 * 1000;
/** Milliseconds for removing a layer. */
const REMOVAL = 5 * 60 * 1000;
/** Milliseconds for writing to the disk what waits for it, that of others too. */
const SYNC = 10 * 60 * 1000;
/** File whose time tells when a layer was last used, and whose content says what is in it. */
const RECORD = 'layer.json';
/** File beside it with the names of all packages that are installed, one a line; and bytes of such a list. */
const INSTALLED = 'installed';
const MAX_LIST = 1024 * 1024;

/**
 * Opens a sandbox in which the dependencies are installed. The layer that holds them is made on first need and used
 * again by every build with the same root, dependencies and sources. Throws `mirror` naming the URL when packages
 * can't be fetched, `build-failed` naming what can't be satisfied, `no-environment` without a root. Null only where the
 * layer would have to be made and `onlyReady` forbids that.
 */
export async function openBuildSandbox(
  context: TaskContext,
  options: BuildSandboxOptions & { readonly onlyReady?: false },
): Promise<BuildSandbox>;
export async function openBuildSandbox(
  context: TaskContext,
  options: BuildSandboxOptions,
): Promise<BuildSandbox | null>;
export async function openBuildSandbox(
  context: TaskContext,
  options: BuildSandboxOptions,
): Promise<BuildSandbox | null> {
  const releases: Release[] = [];
  const release = (): void => {
    for (const each of releases.splice(0)) each();
  };
  try {
    const root = await resolveRoot(options.environmentRoot);
    releases.push(await lockShared(root, context.signal));
    const roots = [root];
    let layer: string | null = null;
    const plan = planOf(root, options);
    if (plan.dependencies.length > 0 || plan.conflicts.length > 0) {
      layer = layerFolder(context, plan);
      if (options.onlyReady && !(await isThere(layer))) {
        release();
        return null;
      }
      releases.push(await provideLayer(context, plan, layer));
      roots.push(join(layer, 'upper'));
    }
    const sandbox = await context.openSandbox({ roots, work: options.work });
    return {
      exchange: sandbox.exchange,
      layer: sandbox.layer,
      run: (command, run) => sandbox.run(command, run),
      close: () => {
        const closed = sandbox.close().finally(release);
        closed.catch(() => undefined);
        return closed;
      },
      installed: () => installedIn(context, sandbox, layer),
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Asked in the sandbox before anything else runs there, and noted beside the layer for the builds to come. */
async function installedIn(context: TaskContext, sandbox: Sandbox, layer: string | null): Promise<string[]> {
  const noted = layer === null ? null : join(layer, INSTALLED);
  const known = noted === null ? null : await readFile(noted, 'utf8').catch(() => null);
  // Empty where power was lost before it was on the disk.
  if (known) return known.split('\n');
  const query = ['dpkg-query', '--show', '--showformat', `\${Package}\\n`];
  const { stdout } = await sandbox.run(query, { capture: MAX_LIST });
  const names = stdout.toString('latin1').trim();
  if (noted !== null) {
    await writeFile(`${noted}.${context.job.task}`, names, { mode: 0o644, flush: true });
    await rename(`${noted}.${context.job.task}`, noted);
  }
  return names.split('\n');
}

/** What is to be installed, in an order that does not depend on how it was written. */
function planOf(root: string, options: BuildSandboxOptions): InstallPlan {
  const tidy = (items: readonly string[]): string[] =>
    [...new Set(items.map(item => item.replace(/\s+/g, ' ').trim()).filter(Boolean))].toSorted();
  return {
    root,
    dependencies: tidy(options.dependencies),
    conflicts: tidy(options.conflicts ?? []),
    aptSources: options.aptSources ?? [],
  };
}

function layerFolder(context: TaskContext, plan: InstallPlan): string {
  const key = digestOf(
    plan.root,
    ...plan.dependencies,
    '',
    ...plan.conflicts,
    '',
    // A source that offers nothing of it changes nothing: the layer made before it existed serves on.
    ...plan.aptSources
      .filter(({ digest }) => digest !== 'none')
      .flatMap(({ name, text, preferences, digest }) => [name, text, preferences, digest]),
  );
  return join(context.job.settings.dirs.cache, 'layers', key.slice(0, 40));
}

/** Sees to it that the layer is there, and holds it: the returned function lets it go. */
async function provideLayer(context: TaskContext, plan: InstallPlan, layer: string): Promise<Release> {
  const making = await lockExclusive(layer, context.signal);
  try {
    const held = await lockShared(layer, context.signal);
    try {
      if (await isThere(layer)) {
        context.console.log('info', 'Build dependencies are installed already');
      } else {
        await makeLayer(context, plan, layer);
      }
      const now = new Date();
      await utimes(join(layer, RECORD), now, now).catch(() => undefined);
      return held;
    } catch (error) {
      held();
      throw error;
    }
  } finally {
    making();
  }
}

async function isThere(layer: string): Promise<boolean> {
  return stat(join(layer, RECORD)).then(
    () => true,
    () => false,
  );
}

async function makeLayer(context: TaskContext, plan: InstallPlan, layer: string): Promise<void> {
  const store = join(layer, '..');
  const work = join(store, `.new-${context.job.task}`);
  const clear = async (...paths: string[]): Promise<void> => {
    await context.runTool(['rm', '-rf', '--one-file-system', '--', ...paths], {
      mapped: true,
      timeout: REMOVAL,
    });
  };
  await mkdir(store, { recursive: true, mode: 0o755 });
  await clear(work);
  const sandbox = await context.openSandbox({ roots: [plan.root], work });
  try {
    context.progress('installing build dependencies', 0, 1);
    await installDependencies(context, sandbox, plan, join(work, 'apt'));
    const others = (await readdir(work)).filter(name => name !== 'upper').map(name => join(work, name));
    await clear(...others);
    const { stdout } = await context.runTool(['du', '-sx', '--block-size=1', '--', work], { mapped: true });
    const bytes = Number.parseInt(stdout.toString('utf8'), 10) || 0;
    // A layer that has its record is used for ever: after a loss of power too every file must be whole.
    await context.runTool(['sync', '--file-system', '--', work], { timeout: SYNC });
    const record = `${JSON.stringify({ bytes, dependencies: plan.dependencies })}\n`;
    await writeFile(join(work, RECORD), record, { flush: true });
    await rm(layer, { recursive: true, force: true });
    await rename(work, layer);
    context.progress('installing build dependencies', 1, 1);
  } finally {
    await sandbox.close();
  }
  await dropOldLayers(store, clear);
}

/** Bytes that a record tells; 0 where it is damaged. */
function bytesIn(record: string): number {
  try {
    return (JSON.parse(record) as { bytes?: number }).bytes ?? 0;
  } catch {
    return 0;
  }
}

/** Removes the layers that were not used for longest, until the rest is within the bounds. */
async function dropOldLayers(store: string, clear: (path: string) => Promise<void>): Promise<void> {
  const layers: { path: string; used: number; bytes: number }[] = [];
  for (const name of await readdir(store)) {
    const path = join(store, name);
    if (name.startsWith('.')) {
      // Half a layer of a daemon that was killed; no installation takes so long.
      const state = await stat(path).catch(() => null);
      if (state && Date.now() - state.mtimeMs > ABANDONED) await clear(path);
      continue;
    }
    const record = await readFile(join(path, RECORD), 'utf8').catch(() => null);
    if (record === null) continue;
    layers.push({ path, used: (await stat(join(path, RECORD))).mtimeMs, bytes: bytesIn(record) });
  }
  layers.sort((a, b) => b.used - a.used);
  let total = 0;
  for (const [at, { path, bytes }] of layers.entries()) {
    total += bytes;
    if (at < MAX_LAYERS && total <= MAX_BYTES) continue;
    const alone = await tryLockAlone(path);
    if (!alone) continue;
    try {
      // Out of sight first: a removal that is cut short must leave no half layer behind, and may have left that name.
      const gone = join(store, `.old-${basename(path)}-${randomUUID()}`);
      await rename(path, gone);
      await clear(gone);
    } finally {
      alone();
    }
  }
}
