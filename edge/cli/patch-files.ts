/** Patches as a definition keeps them: files `NNNN-title` with a header, generic or of one version. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

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

/**
 * Replaces the patches `earlier` by `patches`; the names of all of these. Templates stay. A patch whose title was there
 * keeps its file's name as long as names in order still tell the order of patches; all others get the next free number.
 */
export async function writePatches(
  folder: string,
  version: string,
  earlier: readonly KeptPatch[],
  patches: readonly Patch[],
): Promise<string[]> {
  const names = new Map<Patch, string>();
  for (const generic of [true, false]) {
    const place = generic ? GENERIC : version;
    const wanted = patches.filter(patch => patch.generic === generic);
    const there = earlier.filter(patch => patch.generic === generic);
    for (const [at, name] of nameAll(there, wanted).entries()) {
      const patch = wanted[at];
      if (patch) names.set(patch, `patches/${place}/${name}`);
    }
    if (wanted.length > 0) await mkdir(join(folder, 'patches', place), { recursive: true });
  }
  for (const [{ header, diff }, name] of names) {
    await writeFile(join(folder, name), header === '' ? diff : `${header}\n\n${diff}`);
  }
  const written = new Set([...names.values()].map(name => join(folder, name)));
  for (const { file, template } of earlier)
    if (!template && !written.has(file)) await rm(file, { force: true });
  return patches.map(patch => names.get(patch) ?? '');
}

/** File names for the patches of one place, in their order. */
function nameAll(there: readonly KeptPatch[], wanted: readonly Patch[]): string[] {
  const templates = there.filter(patch => patch.template).map(patch => numberOf(basename(patch.file)));
  const free = there.filter(patch => !patch.template);
  const own = wanted.map(({ title }) => {
    const at = free.findIndex(patch => patch.title === title);
    const [found] = at < 0 ? [] : free.splice(at, 1);
    return found ? basename(found.file) : null;
  });
  const stay = longestRise(own);
  const given = new Set<number>();
  let last = '';
  return wanted.map(({ title }, at) => {
    const name = own[at] ?? null;
    if (name !== null && stay.has(name) && name > last && !given.has(numberOf(name))) last = name;
    else {
      last = nextName(last, title, templates);
      given.add(numberOf(last));
    }
    return last;
  });
}

/** Of names in a new order as many as rise, which is how they are sorted when patches are applied. */
function longestRise(names: readonly (string | null)[]): Set<string> {
  const longest = (runs: readonly string[][]): string[] =>
    runs.reduce((best, run) => (run.length > best.length ? run : best), []);
  const runs: string[][] = [];
  for (const name of names) {
    if (name !== null) runs.push([...longest(runs.filter(run => (run.at(-1) ?? '') < name)), name]);
  }
  return new Set(longest(runs));
}

/** A name that is sorted behind `last`, with the lowest number that no template has. */
function nextName(last: string, title: string, templates: readonly number[]): string {
  // As wide as the numbers that are there: names are compared character by character.
  const width = /^\d+/.exec(last)?.[0].length ?? 4;
  for (let number = numberOf(last) + 1; ; number++) {
    const name = `${String(number).padStart(width, '0')}-${slug(title)}`;
    if (name > last && !templates.includes(number)) return name;
  }
}

function numberOf(name: string): number {
  return Number(/^\d+/.exec(name)?.[0] ?? 0);
}
