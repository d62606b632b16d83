/** Patches of a definition: which apply here, in which order, rendered where they ask for it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { BuildSpec } from '../job.ts';
import type { FullVersion, PreparedArchive } from './prepared.ts';
import { readBytes, readFolder, templateText } from './reading.ts';
import type { TemplateRenderer } from './templates.ts';
import { templateVersion } from './versions.ts';

/** Names that a quilt series can hold. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9+._@~-]{0,199}$/;
const MAX_PATCHES = 1000;
/** Bytes of one patch, and of all that apply: links may name a large one many times. */
const MAX_PATCH = 64 * 1024 * 1024;
const MAX_BYTES = 512 * 1024 * 1024;
/** Bytes at the start of a patch that are searched for its header. */
const MAX_HEADER = 1024 * 1024;

/** The header that DEP-3 describes, as far as it concerns us. Field names in lower case. */
export function parseHeader(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let last = '';
  for (const line of text.split(/\r?\n/)) {
    if (/^(---|diff |Index: |\+\+\+ |@@ )/.test(line)) break;
    const field = /^([A-Za-z][A-Za-z0-9-]*):\s*(.*)$/.exec(line);
    if (field) {
      last = (field[1] ?? '').toLowerCase();
      if (!fields.has(last)) fields.set(last, (field[2] ?? '').trim());
    } else if (/^\s+\S/.test(line) && last !== '') fields.set(last, `${fields.get(last)} ${line.trim()}`);
    else last = '';
  }
  return fields;
}

/** Whether a patch with that header is for a build: its `Formats` and `Distributions` name it, or are absent. */
export function isFor(
  header: ReadonlyMap<string, string>,
  spec: Pick<BuildSpec, 'format' | 'distribution'>,
): boolean {
  const permits = (field: string, word: string): boolean => {
    const value = header.get(field);
    return value === undefined || value.split(/[\s,]+/).includes(word);
  };
  return permits('formats', spec.format) && permits('distributions', spec.distribution);
}

export interface PatchSelection {
  readonly spec: BuildSpec;
  readonly version: FullVersion;
  /** Folder of the definition. */
  readonly definition: string;
  /** Folder, made if absent, that the selected patches are written to. */
  readonly target: string;
  readonly renderer: TemplateRenderer;
  readonly tell: (text: string) => void;
}

/** Absolute paths of the patches to apply: generic ones first, then those of the main version, each by name. */
export async function selectPatches(selection: PatchSelection): Promise<string[]> {
  const { spec, version, definition, target, renderer, tell } = selection;
  const selected: string[] = [];
  const seen = new Set<string>();
  let left = MAX_BYTES;
  await mkdir(target, { recursive: true });
  for (const folder of ['generic', version.main]) {
    for (const name of await names(definition, `patches/${folder}`)) {
      const where = `patches/${folder}/${name}`;
      if (!NAME.test(name)) throw bad(`${where}: a patch's name holds letters, digits and + . _ @ ~ - only`);
      const bytes = await readBytes(definition, where, MAX_PATCH, 'bad-patch');
      if (bytes === null) continue;
      // Field names and what we look for are ASCII, whatever the patch is written in.
      const header = parseHeader(bytes.subarray(0, MAX_HEADER).toString('latin1'));
      if (!isFor(header, spec)) {
        tell(`${where} is not for ${spec.format} ${spec.distribution}: skipped`);
        continue;
      }
      const isTemplate = /^(yes|true)$/i.test(header.get('template') ?? '');
      const content = isTemplate
        ? await renderer.render(where, templateText(where, bytes), { version: templateVersion(version) })
        : bytes;
      left -= content.length;
      if (left < 0) throw bad(`patches of more than ${MAX_BYTES} bytes`);
      const final = seen.has(name) ? `${folder}-${name}` : name;
      seen.add(final);
      const path = join(target, final);
      await writeFile(path, content, { mode: 0o644 });
      selected.push(path);
      if (selected.length > MAX_PATCHES) throw bad(`more than ${MAX_PATCHES} patches`);
    }
  }
  return selected;
}

async function names(definition: string, folder: string): Promise<string[]> {
  return (await readFolder(definition, folder))
    .filter(entry => !entry.isDirectory() && !entry.name.startsWith('.'))
    .map(entry => entry.name)
    .sort();
}

/** Writes the patch that links each supplementary source from its id; null when none is needed. */
export async function writeLinksPatch(
  archives: readonly PreparedArchive[],
  target: string,
): Promise<string | null> {
  const links = archives.filter(archive => archive.stem !== null && archive.stem !== archive.id);
  if (links.length === 0) return null;
  const path = join(target, '9998-rackwright-supplementary-sources-symlinks');
  const head =
    'Description: links to the supplementary sources\nOrigin: vendor, Rackwright\nForwarded: not-needed\n\n';
  const body = links.map(({ id, stem }) => linkPatch(id, stem ?? '')).join('');
  await writeFile(path, head + body, { mode: 0o644 });
  return path;
}

/** A new symbolic link in git's patch format, which patch(1) and so dpkg-source understand. */
function linkPatch(from: string, to: string): string {
  return [
    `diff --git a/${from} b/${from}`,
    ...['new file mode 120000', '--- /dev/null', `+++ b/${from}`, '@@ -0,0 +1 @@', `+${to}`],
    '\\ No newline at end of file\n',
  ].join('\n');
}

function bad(message: string): Fault {
  return new Fault('invalid', 'bad-patch', message);
}
