/** From a submitted definition to a source that a format can build: reads, fetches, renames, renders, patches. */
import { chmod, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { Sandbox, TaskContext } from '../context.ts';
import type { BuildSpec, PipelineSlice } from '../job.ts';
import { extractDefinition } from './archives.ts';
import { buildEntry } from './changelog.ts';
import { checkSupport, type Definition, readDefinition } from './definition.ts';
import { selectPatches, writeLinksPatch } from './patches.ts';
import type { FullVersion, PreparedSource } from './prepared.ts';
import { type PrescriptRules, parseRules, runPrescript } from './prescript.ts';
import { readBytes, readFolder, readTemplate, readText } from './reading.ts';
import { applyRenaming } from './renaming.ts';
import { type FoundSources, findSources, type VettedSources, vetSent } from './sources.ts';
import { TemplateRenderer } from './templates.ts';
import { compareVersions, nextVersion, templateVersion } from './versions.ts';

/** Opens a sandbox that has the prescript's dependencies: how they are installed is the format's. */
export type OpenPrescript = (rules: PrescriptRules) => Promise<Sandbox>;

/** Templates of one definition at most. */
const MAX_TEMPLATES = 1000;

/** Does all that precedes building. Faults name the file at fault, and its line where there is one. */
export async function prepareSource(
  context: TaskContext,
  spec: BuildSpec,
  pipeline: PipelineSlice,
  openPrescript: OpenPrescript,
): Promise<PreparedSource> {
  const ending = new AbortController();
  const vetted = vetSent(context, spec, AbortSignal.any([context.signal, ending.signal]));
  try {
    return await prepare(context, spec, pipeline, openPrescript, vetted);
  } finally {
    ending.abort();
    await Promise.allSettled(vetted.values());
  }
}

async function prepare(
  context: TaskContext,
  spec: BuildSpec,
  pipeline: PipelineSlice,
  openPrescript: OpenPrescript,
  vetted: VettedSources,
): Promise<PreparedSource> {
  const { console, job, signal } = context;
  const folder = join(job.place, 'definition');
  // A first attempt that was interrupted may have left one behind.
  await rm(folder, { recursive: true, force: true });
  const limits = { unpacked: job.settings.limits.unpacked, signal, label: 'definition' };
  await extractDefinition(spec.definition, folder, limits);
  const definition = await readDefinition(folder, spec.artifact);
  for (const warning of definition.warnings) console.log('warning', warning);
  context.lowerLimits(definition.limits, definition.file);
  if (definition.file === 'meta.yml')
    console.log('warning', 'meta.yml is a deprecated name: call it artifact.yml');
  checkSupport(definition, spec.format, spec.derivative);
  const renderer = new TemplateRenderer(signal);
  try {
    const found = await findSources(context, spec, definition, renderer, vetted);
    const version = await decideVersion(context, spec, pipeline, definition, found.main);
    context.facts({ archives: found.archives.map(({ id, path }) => ({ id, path })), version: version.full });
    console.log(
      'info',
      `building ${spec.artifact} ${version.full} for ${spec.distribution} ${spec.derivative}`,
    );
    await rename(context, folder, version, renderer);
    const { patches, archives } = await patch(context, spec, folder, version, found, renderer, openPrescript);
    await renderTemplates(folder, spec.format, version, renderer);
    const published = await publishedChangelog(context, spec);
    return {
      ...{ artifact: spec.artifact, version, definition: folder, archives, patches },
      changelog: [buildEntry(job, spec, version.full), ...published],
      buildArguments: (definition.formats.get(spec.format)?.buildArguments ?? '')
        .split(/\s+/)
        .filter(word => word !== ''),
    };
  } finally {
    renderer.close();
  }
}

async function published(context: TaskContext, spec: BuildSpec) {
  const { format, distribution, derivative, artifact } = spec;
  const place = { format, distribution, derivative };
  return context.ask<'published-source'>({ type: 'published-source', ...place, artifact });
}

async function publishedChangelog(context: TaskContext, spec: BuildSpec) {
  return (await published(context, spec)).source?.changelog ?? [];
}

async function decideVersion(
  context: TaskContext,
  spec: BuildSpec,
  pipeline: PipelineSlice,
  definition: Definition,
  main: string,
): Promise<FullVersion> {
  const release = definition.formats.get(spec.format)?.release ?? '0';
  const { source, versions } = await published(context, spec);
  const before = source?.version ?? null;
  // Kept states count: what they hold is not to be replaced, which would be found out only once all is built.
  const version = nextVersion(main, release, pipeline.tag, versions);
  if (before !== null && compareVersions(spec.format, version.full, before) < 0) {
    context.console.log(
      'warning',
      `${version.full} is older than ${before}, which is published: clients will not upgrade to it`,
    );
  }
  return version;
}

async function rename(
  context: TaskContext,
  folder: string,
  version: FullVersion,
  renderer: TemplateRenderer,
): Promise<void> {
  const template = await readTemplate(folder, 'rename.j2');
  const file = template === null ? 'rename' : 'rename.j2';
  const rules =
    template === null
      ? await readText(folder, file)
      : await renderer.render(file, template, { version: templateVersion(version) });
  if (rules === null) return;
  const warn = (text: string): void => context.console.log('warning', text);
  await applyRenaming(folder, rules, file, warn, context.signal);
}

async function patch(
  context: TaskContext,
  spec: BuildSpec,
  folder: string,
  version: FullVersion,
  found: FoundSources,
  renderer: TemplateRenderer,
  openPrescript: OpenPrescript,
): Promise<Pick<PreparedSource, 'patches' | 'archives'>> {
  if (spec.format === 'osi') return { patches: [], archives: found.archives };
  const target = join(context.job.place, 'patches');
  await rm(target, { recursive: true, force: true });
  const tell = (text: string): void => context.console.log('info', text);
  const patches = await selectPatches({ spec, version, definition: folder, target, renderer, tell });
  if (patches.length > 0)
    tell(`${patches.length} ${patches.length === 1 ? 'patch applies' : 'patches apply'} to this build`);
  const links = await writeLinksPatch(found.archives, target);
  if (links !== null) patches.push(links);
  const script = await readBytes(folder, 'pre.sh');
  if (script === null) return { patches, archives: found.archives };
  const rules = parseRules(script.toString('utf8'), spec);
  context.progress('prescript', 2, spec.architectures.length + 4);
  tell('running pre.sh in the sandbox, with network');
  const made = await runPrescript(context, {
    ...{ spec, version, script, rules, archives: found.archives, patches },
    target: join(context.job.place, 'prescript'),
    open: () => openPrescript(rules),
  });
  tell(
    made.patch === null
      ? 'pre.sh changed nothing in the source tree'
      : 'the changes of pre.sh are a patch now',
  );
  return {
    patches: made.patch === null ? patches : [...patches, made.patch],
    archives: [...found.archives, ...made.archives],
  };
}

/** Renders every `*.j2` below the format's directory to its name without suffix. A spec file waits for its format. */
async function renderTemplates(
  folder: string,
  format: string,
  version: FullVersion,
  renderer: TemplateRenderer,
): Promise<void> {
  const templates = await findTemplates(folder, format);
  if (templates.length > MAX_TEMPLATES) {
    throw new Fault('invalid', 'bad-template', `${format}/ holds more than ${MAX_TEMPLATES} templates`);
  }
  for (const name of templates) {
    const text = await readTemplate(folder, name);
    if (text === null) continue;
    const path = join(folder, name);
    const output = await renderer.render(name, text, { version: templateVersion(version) });
    const { mode } = await stat(path);
    const target = path.slice(0, -'.j2'.length);
    // Removed first: a link of that name is replaced, not written through.
    await rm(target, { force: true });
    await writeFile(target, output, { flag: 'wx' });
    await chmod(target, mode & 0o777);
    await rm(path);
  }
}

/** Names below the definition's folder. */
async function findTemplates(definition: string, folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readFolder(definition, folder)) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await findTemplates(definition, name)));
    else if (entry.name.endsWith('.j2') && entry.name.length > '.j2'.length) found.push(name);
  }
  return found.sort();
}
