/** The instance's own published repository as a source of build dependencies. */

import { createHash } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publicTree } from '../../../proto/layout.ts';
import type { TaskContext } from '../../context.ts';
import type { BuildSpec, CatalogueEntry } from '../../job.ts';
import type { AptSource } from '../../sandbox/layers.ts';

/** Where it is shown inside while packages are installed. */
const FOLDER = '/srv/rackwright';
/** Added for each step up the chain of derivatives: anything of ours wins over the distribution's 500. */
const PRIORITY = 1000;
/** Entries of the catalogue asked for at once. */
const PAGE = 500;

/** From `main` up to the derivative: each extends the one before. */
export function chainOf(parents: Readonly<Record<string, string>>, derivative: string): string[] {
  const chain = [derivative];
  for (let at = derivative; at !== 'main' && chain.length <= Object.keys(parents).length + 1; ) {
    at = parents[at] ?? 'main';
    chain.unshift(at);
  }
  return chain;
}

/**
 * The source, null while nothing is published in that distribution. Its digest covers only what it offers of the
 * packages that such a build installs: publishing anything else leaves cached layers in use.
 */
export async function registrySource(
  context: TaskContext,
  spec: BuildSpec,
  dependencies: readonly string[],
  architecture: string,
): Promise<AptSource | null> {
  const { dirs } = context.job.settings;
  const { id, name, extends: parents } = context.job.instance;
  const tree = publicTree({ registry: dirs.registry, instance: id, format: 'deb' });
  const dist = join(tree, 'dists', spec.distribution);
  const chain: string[] = [];
  for (const derivative of chainOf(parents, spec.derivative)) {
    if (await exists(join(dist, derivative))) chain.push(derivative);
  }
  if (chain.length === 0 || !(await exists(join(dist, 'InRelease')))) return null;
  const keyring = join(dirs.keyring, id, 'public.asc');
  const names = await relevantNames(context, spec, dependencies, architecture);
  return {
    name: 'rackwright',
    text: `Types: deb\nURIs: file:${FOLDER}\nSuites: ${spec.distribution}\nComponents: ${chain.join(' ')}\n`,
    preferences: chain
      .map((derivative, step) => preference(name, spec.distribution, derivative, step))
      .join('\n'),
    keyring: (await exists(keyring)) ? keyring : null,
    folder: { from: tree, to: FOLDER },
    digest: await offerDigest(context, spec, chain, names),
  };
}

function preference(label: string, distribution: string, component: string, step: number): string {
  // A comma separates conditions; apt takes `?` for any character.
  const origin = label.replaceAll(/[,\n]/g, '?');
  const pin = `release o=${origin},n=${distribution},c=${component}`;
  return `Package: *\nPin: ${pin}\nPin-Priority: ${PRIORITY * (step + 1)}\n`;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Names in Build-Depends items, alternatives included. */
export function namesIn(items: readonly string[]): string[] {
  return items.flatMap(item =>
    item.split('|').map(choice => /^\s*([a-z0-9][a-z0-9+.-]*)/i.exec(choice)?.[1] ?? ''),
  );
}

/** File that remembers what the last build with these dependencies had installed. */
function memoryOf(
  context: TaskContext,
  spec: BuildSpec,
  dependencies: readonly string[],
  architecture: string,
): string {
  const { cache } = context.job.settings.dirs;
  const key = JSON.stringify([
    context.job.instance.id,
    spec.distribution,
    architecture,
    [...dependencies].sort(),
  ]);
  return join(cache, 'layers-installed', createHash('sha256').update(key).digest('hex'));
}

async function relevantNames(
  context: TaskContext,
  spec: BuildSpec,
  dependencies: readonly string[],
  architecture: string,
): Promise<string[]> {
  const file = memoryOf(context, spec, dependencies, architecture);
  const installed = await readFile(file, 'utf8').catch(() => '');
  return [...new Set([...namesIn(dependencies), ...installed.split('\n')])]
    .filter(name => name !== '')
    .sort();
}

/** Remembers what is installed in a build sandbox: the next build asks the registry for just these. */
export async function rememberInstalled(
  context: TaskContext,
  spec: BuildSpec,
  dependencies: readonly string[],
  architecture: string,
  installed: readonly string[],
): Promise<void> {
  const file = memoryOf(context, spec, dependencies, architecture);
  const text = `${[...installed].sort().join('\n')}\n`;
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  await mkdir(join(context.job.settings.dirs.cache, 'layers-installed'), { recursive: true });
  await writeFile(file, text, { mode: 0o644 });
}

async function offerDigest(
  context: TaskContext,
  spec: BuildSpec,
  chain: readonly string[],
  names: readonly string[],
): Promise<string> {
  const registry = { format: 'deb', distribution: spec.distribution, derivative: null } as const;
  const offered: string[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const page: { entries: readonly CatalogueEntry[]; next: number | null } = await context.ask<'catalogue'>({
      ...{ type: 'catalogue', registry, names, after, limit: PAGE },
    });
    for (const { architecture, derivative, files } of page.entries) {
      if (architecture !== 'src' && chain.includes(derivative))
        offered.push(...files.map(file => `${derivative} ${file.sha256}`));
    }
    after = page.next;
  }
  if (offered.length === 0) return 'none';
  return createHash('sha256').update(offered.sort().join('\n')).digest('hex');
}
