/** Import: publishes what a folder holds, or what a repository on the network lists. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext, Work } from '../context.ts';
import type { RegistryPlace, RegistrySpec } from '../job.ts';
import { readDebFiles } from './apt-publish.ts';
import { readImageFiles } from './osi-publish.ts';
import { withStaging } from './publication.ts';
import { publishEntries } from './publish.ts';
import { fetchApt, fetchDnf } from './repository.ts';
import { readRpmFiles } from './rpm-publish.ts';
import type { StagedEntry } from './staged.ts';
import { WRITERS } from './writers.ts';

/** Parameter `source`: an absolute path, or the address of a repository with `suite`, `components`, `keys`. */
export const importWork: Work<RegistrySpec> = async (context, spec) => {
  const { source = '' } = spec.parameters;
  const { format, distribution, derivative } = spec;
  const place: RegistryPlace = { format, distribution, derivative };
  await withStaging(context, format, async staging => {
    const folder = /^https?:/.test(source) ? await fetchAll(context, spec, join(staging, 'fetched')) : source;
    const files = findFiles(folder, format);
    context.console.log('info', `Importing ${files.length} files of ${source}`);
    const entries = await readEntries(context, place, staging, files);
    await publishEntries(context, place, entries, WRITERS[format]);
  });
};

/** Fetches a repository on the network; answers the folder that holds its packages. */
async function fetchAll(context: TaskContext, spec: RegistrySpec, folder: string): Promise<string> {
  const { source = '', suite = '', components = '', keys = '' } = spec.parameters;
  const words = components.split(' ').filter(word => word !== '');
  const repository = {
    url: source.replace(/\/+$/, ''),
    suite: suite || spec.distribution,
    components: words,
    keys,
  };
  if (spec.format === 'osi') throw new Fault('invalid', 'bad-input', 'images are imported from folders only');
  await (spec.format === 'deb' ? fetchApt : fetchDnf)(context, repository, folder);
  return folder;
}

const WANTED = { deb: /\.(deb|dsc)$/, rpm: /\.rpm$/, osi: /./ } as const;

function findFiles(folder: string, format: keyof typeof WANTED): string[] {
  if (!existsSync(folder)) throw new Fault('not_found', 'not-found', `${folder} is not there`);
  const files = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && WANTED[format].test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new Fault('not_found', 'not-found', `${folder} holds nothing to import`);
  return files;
}

async function readEntries(
  context: TaskContext,
  place: RegistryPlace,
  staging: string,
  files: readonly string[],
): Promise<StagedEntry[]> {
  if (place.format === 'rpm') return readRpmFiles(context, place, staging, files);
  if (place.format === 'deb') return readDebFiles(context, place, staging, files);
  return readImageFiles(context, place, staging, files);
}
