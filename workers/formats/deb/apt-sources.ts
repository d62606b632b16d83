/** Reads the machine's apt sources, in both of apt's notations, and picks those that make an environment. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One source as apt knows it; the keys of `options` are those of deb822. */
export interface AptEntry {
  readonly types: readonly string[];
  readonly uris: readonly string[];
  readonly suites: readonly string[];
  readonly components: readonly string[];
  readonly options: Readonly<Record<string, string>>;
}

/** Names of options in one-line notation that read otherwise than their deb822 field (sources.list(5)). */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  arch: 'Architectures',
  lang: 'Languages',
  target: 'Targets',
  pdiffs: 'PDiffs',
  'by-hash': 'By-Hash',
};

/** Reads a *.sources file. Disabled entries are left out. */
export function parseDeb822(text: string): AptEntry[] {
  const entries: AptEntry[] = [];
  for (const paragraph of text.replaceAll('\r\n', '\n').split(/\n[ \t]*\n/)) {
    const fields: Record<string, string> = {};
    let last = '';
    for (const line of paragraph.split('\n')) {
      if (line.startsWith('#') || line.trim() === '') continue;
      if (/^[ \t]/.test(line)) {
        if (last) fields[last] = `${fields[last] ?? ''}\n${line}`;
        continue;
      }
      const colon = line.indexOf(':');
      if (colon <= 0) continue;
      last = fieldName(line.slice(0, colon));
      fields[last] = line.slice(colon + 1).trim();
    }
    const { Types = '', Uris = '', Suites = '', Components = '', Enabled = 'yes', ...options } = fields;
    if (/^(no|false|off|0|without|disable)$/i.test(Enabled)) continue;
    if (Types === '' || Uris === '' || Suites === '') continue;
    entries.push({
      types: words(Types),
      uris: words(Uris),
      suites: words(Suites),
      components: words(Components),
      options,
    });
  }
  return entries;
}

/** Reads a *.list file. */
export function parseOneLine(text: string): AptEntry[] {
  const entries: AptEntry[] = [];
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(deb|deb-src)\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)([^#]*)/.exec(line);
    if (!match) continue;
    const [, type = '', bracket = '', uri = '', suite = '', rest = ''] = match;
    const options: Record<string, string> = {};
    for (const option of words(bracket)) {
      const [key = '', value = ''] = option.split('=', 2);
      options[OPTION_NAMES[key.toLowerCase()] ?? fieldName(key)] = value.replaceAll(',', ' ');
    }
    entries.push({ types: [type], uris: [uri], suites: [suite], components: words(rest), options });
  }
  return entries;
}

/** All sources below an etc/apt folder. */
export async function readAptSources(folder: string): Promise<AptEntry[]> {
  const entries = parseOneLine(await readFile(join(folder, 'sources.list'), 'utf8').catch(() => ''));
  const parts = join(folder, 'sources.list.d');
  for (const name of (await readdir(parts).catch(() => [])).toSorted()) {
    const text = await readFile(join(parts, name), 'utf8').catch(() => '');
    if (name.endsWith('.sources')) entries.push(...parseDeb822(text));
    if (name.endsWith('.list')) entries.push(...parseOneLine(text));
  }
  return entries;
}

/**
 * The sources for an environment: those of the machine whose suite is the environment's, or one of its companions
 * (`-updates`, `-security`, …). For another release than the machine's own the codename is replaced.
 */
export function selectSources(
  entries: readonly AptEntry[],
  environment: string,
  codename: string,
  components: readonly string[],
): AptEntry[] {
  const chosen = (name: string): AptEntry[] =>
    entries
      .filter(entry => entry.types.includes('deb'))
      .map(entry => ({ ...entry, suites: entry.suites.filter(suite => isOf(suite, name)) }))
      .filter(entry => entry.suites.length > 0);
  const own = chosen(environment);
  const found =
    own.length > 0 || environment === codename || codename === ''
      ? own
      : chosen(codename).map(entry => ({
          ...entry,
          suites: entry.suites.map(suite => environment + suite.slice(codename.length)),
        }));
  return found.map(({ types: _types, options, ...entry }) => {
    const { Architectures: _architectures, ...kept } = options;
    return {
      ...entry,
      types: ['deb'],
      components: components.length > 0 ? components : entry.components,
      options: kept,
    };
  });
}

function isOf(suite: string, name: string): boolean {
  return suite === name || suite.startsWith(`${name}-`) || suite.startsWith(`${name}/`);
}

/** Text of a *.sources file. `signedBy` gives each entry's keyring. */
export function renderSources(
  entries: readonly AptEntry[],
  signedBy: (entry: AptEntry, at: number) => string | null,
): string {
  return entries
    .map((entry, at) => {
      const { 'Signed-By': _signedBy, ...options } = entry.options;
      const keyring = signedBy(entry, at);
      const fields: [string, string][] = [
        ['Types', entry.types.join(' ')],
        ['URIs', entry.uris.join(' ')],
        ['Suites', entry.suites.join(' ')],
        ...(entry.components.length > 0
          ? [['Components', entry.components.join(' ')] as [string, string]]
          : []),
        ...Object.entries(options),
        ...(keyring === null ? [] : [['Signed-By', keyring] as [string, string]]),
      ];
      return fields.map(([name, value]) => `${name}: ${value}\n`).join('');
    })
    .join('\n');
}

/** SHA-256 of texts, lower-case hex; no two lists of texts share one by how they are cut. */
export function digestOf(...texts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${Buffer.byteLength(text)}:`).update(text);
  return hash.digest('hex');
}

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** `signed-by` and `SIGNED-BY` as `Signed-By`: deb822 ignores case. */
function fieldName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/(^|-)([a-z])/g, (_all, before: string, letter: string) => before + letter.toUpperCase());
}
