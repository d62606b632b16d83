/** Import: publishes what a folder holds, or what a repository on the network lists. */
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext, Work } from '../context.ts';
import type { RegistryPlace, RegistrySpec } from '../job.ts';
import { withoutCredentials } from '../source/download.ts';
import { readDebFiles } from './apt-publish.ts';
import { findFiles, resolveFolder } from './folder.ts';
import { readImageFiles } from './osi-publish.ts';
import { withStaging } from './publication.ts';
import { publishEntries } from './publish.ts';
import { fetchApt, fetchDnf } from './repository.ts';
import { readRpmFiles } from './rpm-publish.ts';
import type { StagedEntry } from './staged.ts';
import { unpack } from './unpack.ts';
import { joinNotices, MAX_UPDATEINFO, type Notice, readNotices } from './updateinfo.ts';
import { WRITERS } from './writers.ts';

/** Parameter `source`: an absolute path, below `root` where that is given, or the address of a repository with `suite`, `components`, `keys`. */
export const importWork: Work<RegistrySpec> = async (context, spec) => {
  const { source = '' } = spec.parameters;
  const { format, distribution, derivative } = spec;
  const place: RegistryPlace = { format, distribution, derivative };
  await withStaging(context, format, async staging => {
    const remote = /^https?:/.test(source);
    const folder = remote ? join(staging, 'fetched') : await resolveFolder(source, spec.parameters.root);
    const fetched = remote ? await fetchAll(context, spec, folder) : [];
    const files = await findFiles(folder, WANTED[format], context.signal);
    const shown = remote ? withoutCredentials(source) : source;
    if (files.length === 0) throw new Fault('not_found', 'not-found', `${shown} holds nothing to import`);
    context.console.log('info', `Importing ${files.length} files of ${shown}`);
    const notices = remote || format !== 'rpm' ? fetched : await findNotices(context, folder);
    if (notices.length > 0) context.console.log('info', `With ${notices.length} update notices`);
    const entries = await readEntries(context, place, staging, files);
    await publishEntries(context, place, entries, WRITERS[format], { notices });
  });
};

/** Fetches the packages of a repository on the network into a folder; answers its update notices. */
async function fetchAll(context: TaskContext, spec: RegistrySpec, folder: string): Promise<Notice[]> {
  const { source = '', suite = '', components = '', keys = '' } = spec.parameters;
  const words = components.split(' ').filter(word => word !== '');
  const repository = {
    url: source.replace(/\/+$/, ''),
    suite: suite || spec.distribution,
    components: words,
    keys,
  };
  if (spec.format === 'osi') throw new Fault('invalid', 'bad-input', 'images are imported from folders only');
  if (spec.format === 'rpm') return fetchDnf(context, repository, folder);
  await fetchApt(context, repository, folder);
  return [];
}

/** What createrepo calls the file, with its digest or without. */
const UPDATEINFO = /^([0-9a-f]{32,128}-)?updateinfo\.xml(\.(gz|zst|xz|bz2))?$/;

/** Update notices that lie among the packages of a folder. */
async function findNotices(context: TaskContext, folder: string): Promise<Notice[]> {
  let notices: Notice[] = [];
  for (const path of await findFiles(folder, UPDATEINFO, context.signal))
    notices = joinNotices(notices, readNotices(await unpack(context, path, MAX_UPDATEINFO), path));
  return notices;
}

const WANTED = { deb: /\.(deb|dsc)$/, rpm: /\.rpm$/, osi: /./ } as const;

async function readEntries(
  context: TaskContext,
  place: RegistryPlace,
  staging: string,
  files: readonly string[],
): Promise<StagedEntry[]> {
  const read = { deb: readDebFiles, rpm: readRpmFiles, osi: readImageFiles }[place.format];
  return read(context, place, staging, files, (done, total) => context.progress('reading', done, total));
}
