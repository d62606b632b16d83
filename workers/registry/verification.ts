/** Verification: every file against its digest, every index against the catalogue, every signature against the key. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import { currentLink, generationPath, snapshotTree } from '../../proto/layout.ts';
import type { TaskContext, Work } from '../context.ts';
import type { CatalogueEntry, KeptGeneration, RegistrySpec } from '../job.ts';
import { checkState } from './index-checks.ts';
import { badFiles, Digests, stillNeeded, strays } from './pool-checks.ts';
import {
  type HeldRegistry,
  keptStates,
  locateRegistry,
  readCatalogue,
  servedGeneration,
  withRegistry,
} from './publication.ts';
import { badRpmSignatures } from './rpm-signatures.ts';

/** Findings shown one by one; the rest is counted. */
const MAX_SHOWN = 200;
/** Files that nothing needs shown one by one. */
const MAX_STRAYS = 20;

/** Fails with `catalogue-mismatch` when anything is not as it should be; each finding is a line of the journal. */
export const verificationWork: Work<RegistrySpec> = async (context, spec) => {
  const registry = locateRegistry(context, spec);
  const findings = await verify(context, registry);
  for (const finding of findings.slice(0, MAX_SHOWN)) context.console.log('error', finding);
  await tellStrays(context, registry);
  if (findings.length === 0) {
    context.console.log(
      'info',
      `${spec.format} ${spec.distribution} is whole: files, indexes and signatures of all kept states agree`,
    );
    return;
  }
  throw new Fault(
    'conflict',
    'catalogue-mismatch',
    `${findings.length} things are not as the catalogue has them; "registry repair" makes indexes anew`,
    { findings: findings.length },
  );
};

/**
 * What is wrong with a registry and its kept states, one sentence each. It is held only for a moment: publications go
 * on meanwhile, so each state is looked at by its own name, and what has been collected by the end is left out.
 */
export async function verify(context: TaskContext, registry: HeldRegistry): Promise<string[]> {
  const { key } = registry;
  const { served, generations } = await withRegistry(context, key, async held => ({
    served: servedGeneration(held),
    generations: await keptStates(context, registry),
  }));
  const current = generations.find(one => one.superseded === null)?.name ?? null;
  if (served !== current) return [`generation ${served} is served, the catalogue has ${current}`];
  if (current === null) return [];
  const live = await readCatalogue(context, key, { generation: current });
  const digests = new Digests();
  const findings = await checkFiles(context, registry, live, digests);
  findings.push(...(await checkState(context, registry, current, live, digests)));
  const ofKept = new Map<string, string[]>();
  for (const [index, state] of generations.entries()) {
    context.progress('states', index, generations.length);
    const isCurrent = state.name === current;
    const bad = isCurrent ? [] : await checkState(context, registry, state.name, null, digests);
    ofKept.set(state.name, [...bad, ...badSnapshots(registry, state)]);
  }
  for (const { name, snapshots } of await keptStates(context, registry)) {
    const what = snapshots.length > 0 ? `snapshot ${snapshots.join(', ')}` : `kept state ${name}`;
    findings.push(...(ofKept.get(name) ?? []).map(text => `${what}: ${text}`));
  }
  return findings;
}

/** Files of the pool that are bad, those that only kept states need among them. */
async function checkFiles(
  context: TaskContext,
  registry: HeldRegistry,
  live: readonly CatalogueEntry[],
  digests: Digests,
): Promise<string[]> {
  const present = new Set(live.map(entry => entry.row));
  const all = await readCatalogue(context, registry.key, { kept: true });
  const kept = all.filter(entry => !present.has(entry.row));
  const bad = await stillNeeded(context, await badFiles(context, registry, [...live, ...kept], digests));
  const texts = bad.map(({ entry, text }) =>
    present.has(entry.row) ? text : `${text}: a kept state needs it`,
  );
  const signatures =
    registry.key.format === 'rpm' ? await badSignatures(context, registry, [...live, ...kept]) : [];
  return [...new Set([...texts, ...signatures])];
}

/** Each rpm carries a signature of its own. */
async function badSignatures(
  context: TaskContext,
  { tree }: HeldRegistry,
  entries: readonly CatalogueEntry[],
): Promise<string[]> {
  const files = new Set(entries.flatMap(entry => entry.files[0]?.path ?? []).map(path => join(tree, path)));
  return badRpmSignatures(
    context,
    [...files].filter(file => existsSync(file)),
  );
}

/** Addresses of a state's snapshots that lead elsewhere. */
function badSnapshots(registry: HeldRegistry, { name, snapshots }: KeptGeneration): string[] {
  const folder = join(registry.tree, generationPath(registry.key, name));
  return snapshots.flatMap(snapshot => {
    const link = join(registry.tree, snapshotTree(snapshot), currentLink(registry.key));
    const isGood = existsSync(link) && existsSync(folder) && realpathSync(link) === realpathSync(folder);
    return isGood ? [] : [`${link} does not lead to it`];
  });
}

/** Files that nothing needs do no harm, and go by themselves once they are a day old. */
async function tellStrays(context: TaskContext, registry: HeldRegistry): Promise<void> {
  if (!existsSync(join(registry.tree, 'pool'))) return;
  const found = await strays(context, registry);
  if (found.length === 0) return;
  const shown = found.slice(0, MAX_STRAYS).join(', ');
  const rest = found.length > MAX_STRAYS ? ` and ${found.length - MAX_STRAYS} more` : '';
  context.console.log(
    'info',
    `Nothing that is published or kept needs these files of the pool, unless a publication is under way: ${shown}${rest}`,
  );
}
