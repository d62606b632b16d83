/** Promotion: artifacts of one place published in another as they are, without a new build. */
import { linkSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { osiPool, publicTree, rpmPool } from '../../proto/layout.ts';
import type { TaskContext, Work } from '../context.ts';
import type { CatalogueEntry, RegistryKey, RegistryPlace, RegistrySpec } from '../job.ts';
import { compareVersions } from '../source/versions.ts';
import { debPathIn, moveTo, settlePaths } from './deb-paths.ts';
import { copyDurably, digestFile } from './disk.ts';
import { checkWhole } from './pool-checks.ts';
import { findGeneration, readCatalogue, withStaging } from './publication.ts';
import { publishEntries } from './publish.ts';
import { noticesIn } from './rpm-notices.ts';
import { readRpmFiles } from './rpm-publish.ts';
import type { StagedEntry, StagedFile } from './staged.ts';
import { noticesOf } from './updateinfo.ts';
import { WRITERS } from './writers.ts';

/**
 * Parameters: `instance distribution derivative` of the origin, and `snapshot artifact version` to narrow it. The journal
 * tells who took what from which state.
 */
export const promotionWork: Work<RegistrySpec> = async (context, spec) => {
  const { format, distribution, derivative } = spec;
  const to: RegistryPlace = { format, distribution, derivative };
  const origin = spec.parameters.instance ?? context.job.instance.id;
  const from = `${origin} ${spec.parameters.distribution}/${spec.parameters.derivative}`;
  const state = await findGeneration(context, originOf(spec), spec.parameters.snapshot, origin);
  context.console.log('info', `${context.job.user} promotes from ${from} in state ${state}`);
  const entries = await choose(context, spec, origin, state);
  const root = { registry: context.job.settings.dirs.registry, instance: origin, format };
  const notices = noticesIn({ key: originOf(spec), tree: publicTree(root), state: '' }, state);
  await withStaging(context, format, async staging => {
    const staged = await stage(context, { entries, origin, to, staging });
    await publishEntries(context, to, staged, WRITERS[format], { notices: noticesOf(notices, entries) });
  });
  for (const { name, version, architecture } of entries) {
    context.console.log('info', `Promoted ${name} ${version} (${architecture}) from ${from}`);
  }
};

/** The registry that artifacts come from. */
function originOf({ format, parameters }: RegistrySpec): RegistryKey {
  const { distribution = '', derivative = '' } = parameters;
  return { format, distribution, derivative: format === 'deb' ? null : derivative };
}

async function choose(
  context: TaskContext,
  spec: RegistrySpec,
  origin: string,
  generation: string,
): Promise<CatalogueEntry[]> {
  const { distribution = '', derivative = '', artifact, version } = spec.parameters;
  const all = await readCatalogue(context, originOf(spec), { instance: origin, generation });
  const there = all.filter(entry => entry.derivative === derivative);
  const chosen = artifact === undefined ? there : chooseOne(spec, there, artifact, version);
  if (chosen.length === 0) {
    const what =
      artifact === undefined ? 'nothing' : `no ${artifact}${version === undefined ? '' : ` ${version}`}`;
    throw new Fault(
      'not_found',
      'not-found',
      `${what} is published in ${origin} ${distribution}/${derivative}`,
    );
  }
  return chosen;
}

/** A source with all that was built from it, or a binary alone; the newest version unless told. */
function chooseOne(
  spec: RegistrySpec,
  there: readonly CatalogueEntry[],
  artifact: string,
  version: string | undefined,
): CatalogueEntry[] {
  const belongs = (entry: CatalogueEntry): string | null => {
    if (entry.architecture === 'src' ? entry.name === artifact : entry.source?.name === artifact) {
      return entry.architecture === 'src' ? entry.version : (entry.source?.version ?? null);
    }
    return null;
  };
  const family = there.filter(entry => belongs(entry) !== null);
  const versionOf = family.length > 0 ? belongs : (entry: CatalogueEntry) => entry.version;
  const candidates = family.length > 0 ? family : there.filter(entry => entry.name === artifact);
  const newest = candidates
    .map(entry => versionOf(entry) ?? '')
    .sort((a, b) => compareVersions(spec.format, b, a))[0];
  return candidates.filter(entry => versionOf(entry) === (version ?? newest));
}

interface Moving {
  readonly entries: readonly CatalogueEntry[];
  readonly origin: string;
  readonly to: RegistryPlace;
  readonly staging: string;
}

async function stage(context: TaskContext, moving: Moving): Promise<StagedEntry[]> {
  const { entries, origin, to } = moving;
  const root = { registry: context.job.settings.dirs.registry, instance: origin, format: to.format };
  const tree = publicTree(root);
  // Each rpm carries its signature: of another instance's only the new one counts.
  if (to.format === 'rpm' && origin !== context.job.instance.id) {
    await checkWhole(context, { key: to, tree, state: '' }, entries);
    const files = entries.map(entry => join(tree, entry.files[0]?.path ?? ''));
    return readRpmFiles(context, to, moving.staging, files);
  }
  const staged: StagedEntry[] = [];
  for (const entry of entries) staged.push(await relocate(context, entry, moving, tree));
  return to.format === 'deb' ? settlePaths(context, staged) : staged;
}

async function relocate(
  context: TaskContext,
  entry: CatalogueEntry,
  { to, staging }: Moving,
  tree: string,
): Promise<StagedEntry> {
  const files: StagedFile[] = [];
  for (const [index, file] of entry.files.entries()) {
    const staged = join(staging, `${entry.row}-${index}`);
    await linkOrCopy(join(tree, file.path), staged).catch(error => {
      throw errorCode(error) === 'ENOENT' ? notWhole(entry, `${file.path} is missing`, file.path) : error;
    });
    if ((await digestFile(staged)).sha256 !== file.sha256)
      throw notWhole(entry, `${file.path} has other content than published`, file.path);
    files.push({ ...file, staged });
  }
  const published = Math.floor(Date.now() / 1000);
  const moved: CatalogueEntry = { ...entry, ...to, row: 0, published, task: context.job.task };
  return moveTo({ entry: moved, files }, path => poolPath(entry, path, to));
}

function notWhole({ name, version, architecture }: CatalogueEntry, what: string, path: string): Fault {
  const message = `${what}: ${name} ${version} (${architecture}) can't be promoted`;
  return new Fault('conflict', 'catalogue-mismatch', message, { file: path });
}

/** Pool files never change: a second name is as good as a copy where both are on one file system. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV' && errorCode(error) !== 'EMLINK') throw error;
    await copyDurably(from, to);
  }
}

function poolPath(entry: CatalogueEntry, path: string, to: RegistryPlace): string {
  const parts = path.split('/');
  const file = parts.at(-1) ?? '';
  if (entry.format === 'deb') return debPathIn(to.derivative, path);
  if (entry.format === 'rpm') return rpmPool(to.distribution, to.derivative, parts.at(-2) ?? '', file);
  return osiPool(to.distribution, to.derivative, file);
}
