/** Promotion: artifacts of one place published in another as they are, without a new build. */
import { linkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { debPool, osiPool, publicTree, rpmPool } from '../../proto/layout.ts';
import type { TaskContext, Work } from '../context.ts';
import type { CatalogueEntry, RegistryKey, RegistryPlace, RegistrySpec } from '../job.ts';
import { compareVersions } from '../source/versions.ts';
import { copyDurably } from './disk.ts';
import { readCatalogue, withStaging } from './publication.ts';
import { publishEntries } from './publish.ts';
import { readRpmFiles } from './rpm-publish.ts';
import type { StagedEntry, StagedFile } from './staged.ts';
import { WRITERS } from './writers.ts';

/** Parameters: `instance distribution derivative` of the origin, and `snapshot artifact version` to narrow it. */
export const promotionWork: Work<RegistrySpec> = async (context, spec) => {
  const { format, distribution, derivative } = spec;
  const to: RegistryPlace = { format, distribution, derivative };
  const origin = spec.parameters.instance ?? context.job.instance.id;
  const entries = await choose(context, spec, origin);
  await withStaging(context, format, async staging => {
    const staged = await stage(context, { entries, origin, to, staging });
    await publishEntries(context, to, staged, WRITERS[format]);
  });
  const from = `${origin} ${spec.parameters.distribution}/${spec.parameters.derivative}`;
  for (const { name, version, architecture } of entries) {
    context.console.log('info', `Promoted ${name} ${version} (${architecture}) from ${from}`);
  }
};

async function choose(context: TaskContext, spec: RegistrySpec, origin: string): Promise<CatalogueEntry[]> {
  const { distribution = '', derivative = '', snapshot, artifact, version } = spec.parameters;
  const registry: RegistryKey = {
    format: spec.format,
    distribution,
    derivative: spec.format === 'deb' ? null : derivative,
  };
  const all = await readCatalogue(context, registry, {
    instance: origin,
    ...(snapshot === undefined ? {} : { generation: snapshot }),
  });
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
    const files = entries.map(entry => join(tree, entry.files[0]?.path ?? ''));
    return readRpmFiles(context, to, moving.staging, files);
  }
  const staged: StagedEntry[] = [];
  for (const entry of entries) staged.push(await relocate(context, entry, moving, tree));
  return staged;
}

async function relocate(
  context: TaskContext,
  entry: CatalogueEntry,
  { to, staging }: Moving,
  tree: string,
): Promise<StagedEntry> {
  const files: StagedFile[] = [];
  for (const [index, file] of entry.files.entries()) {
    const path = poolPath(entry, file.path, to);
    const staged = join(staging, `${entry.row}-${index}`);
    await linkOrCopy(join(tree, file.path), staged);
    files.push({ ...file, path, staged });
  }
  const moved: CatalogueEntry = {
    ...entry,
    ...to,
    row: 0,
    files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
    stanza: moveStanza(entry, files),
    published: Math.floor(Date.now() / 1000),
    task: context.job.task,
  };
  return { entry: moved, files };
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
  if (entry.format === 'deb') return debPool(to.derivative, parts.at(-2) ?? '', file);
  if (entry.format === 'rpm') return rpmPool(to.distribution, to.derivative, parts.at(-2) ?? '', file);
  return osiPool(to.distribution, to.derivative, file);
}

/** A Debian stanza names its files by their place in the pool. */
function moveStanza(entry: CatalogueEntry, files: readonly StagedFile[]): string {
  const path = files[0]?.path ?? '';
  if (entry.format !== 'deb') return entry.stanza;
  return entry.architecture === 'src'
    ? entry.stanza.replace(/^Directory: .*$/m, `Directory: ${dirname(path)}`)
    : entry.stanza.replace(/^Filename: .*$/m, `Filename: ${path}`);
}
