/** Patches as a definition keeps them: files `NNNN-title` with a header, generic or of one version. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Patch {
  readonly title: string;
  /** Lines before the diff (DEP-3), without the title. */
  readonly header: string;
  readonly diff: string;
  readonly generic: boolean;
}

/** A patch that is kept in a file. */
export interface KeptPatch extends Patch {
  readonly file: string;
  /** Rendered by the server, so it can't be applied here as it is. */
  readonly template: boolean;
}

const GENERIC = 'generic';
/** Where a diff begins. */
const DIFF = /^(diff --git |--- |Index: )/m;

/** Patches for a version in the order in which they apply: generic ones first. */
export async function readPatches(folder: string, version: string): Promise<KeptPatch[]> {
  const found: KeptPatch[] = [];
  for (const name of [GENERIC, version]) {
    const place = join(folder, 'patches', name);
    const files = (await readdir(place).catch(() => [])).filter(file => /^\d+-/.test(file)).sort();
    for (const file of files) {
      const text = await readFile(join(place, file), 'utf8');
      const at = text.search(DIFF);
      const header = (at < 0 ? text : text.slice(0, at)).trim();
      found.push({
        title: file.replace(/^\d+-/, '').replace(/\.patch$/, ''),
        header,
        diff: at < 0 ? '' : text.slice(at),
        generic: name === GENERIC,
        file: join(place, file),
        template: /^Template:\s*yes\s*$/im.test(header),
      });
    }
  }
  return found;
}

/** A title as a file name has it. */
function slug(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9.+_]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return words.slice(0, 80) || 'patch';
}

/** Replaces the patches `earlier` by `patches`, numbered from 1 in each place; the names written. */
export async function writePatches(
  folder: string,
  version: string,
  earlier: readonly KeptPatch[],
  patches: readonly Patch[],
): Promise<string[]> {
  for (const { file } of earlier) await rm(file, { force: true });
  const written: string[] = [];
  const numbers = new Map<string, number>();
  for (const { title, header, diff, generic } of patches) {
    const place = generic ? GENERIC : version;
    const number = (numbers.get(place) ?? 0) + 1;
    numbers.set(place, number);
    const name = `patches/${place}/${String(number).padStart(4, '0')}-${slug(title)}`;
    await mkdir(join(folder, 'patches', place), { recursive: true });
    await writeFile(join(folder, name), header === '' ? diff : `${header}\n\n${diff}`);
    written.push(name);
  }
  return written;
}
