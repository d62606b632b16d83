/** Update notices of a dnf registry, the content of updateinfo.xml: read, checked, joined, chosen from. */
import { Fault } from '../../proto/fault.ts';
import type { CatalogueEntry } from '../job.ts';
import { readXml } from './xml.ts';

/** Bytes of the notices of one registry. */
export const MAX_UPDATEINFO = 256 * 1024 * 1024;

/** A notice as it was written, with what it is told apart by. */
export interface Notice {
  readonly id: string;
  /** Packages that it names, `name [epoch:]version-release architecture`. */
  readonly packages: readonly string[];
  /** The element `<update>`, whole. */
  readonly text: string;
}

/** Reads notices; `what` is named when they are no updateinfo. Throws `bad-input` with the line. */
export function readNotices(bytes: Uint8Array, what: string): Notice[] {
  try {
    return parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Fault('invalid', 'bad-input', `${what} is no list of update notices: ${why}`);
  }
}

function parse(text: string): Notice[] {
  const notices: Notice[] = [];
  let start = 0;
  let id = '';
  let packages: string[] = [];
  readXml(text, {
    open: (name, attributes, depth, at) => {
      if (depth === 1 && name !== 'updates') throw new Error(`its root is <${name}>, not <updates>`);
      if (depth === 2) {
        if (name !== 'update') throw new Error(`<${name}> stands where only <update> may`);
        [start, id, packages] = [at, '', []];
      } else if (name === 'package') packages.push(packageOf(attributes));
    },
    close: (name, inside, depth, to) => {
      if (depth === 3 && name === 'id') id = inside.trim();
      if (depth !== 2) return;
      if (id === '') throw new Error(`notice ${notices.length + 1} has no <id>`);
      notices.push({ id, packages, text: text.slice(start, to) });
    },
  });
  return notices;
}

function packageOf(attributes: ReadonlyMap<string, string>): string {
  const [name, epoch, version, release, arch] = ['name', 'epoch', 'version', 'release', 'arch'].map(
    key => attributes.get(key) ?? '',
  );
  return `${name} ${epoch === '' || epoch === '0' ? '' : `${epoch}:`}${version}-${release} ${arch}`;
}

/** The file that lists notices; null for none at all. */
export function writeNotices(notices: readonly Notice[]): Buffer | null {
  if (notices.length === 0) return null;
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<updates>', ...notices.map(one => one.text)];
  return Buffer.from([...lines, '</updates>', ''].join('\n'), 'utf8');
}

/**
 * Old notices with further ones. A notice takes the place of one of the same id for the same architectures: repositories
 * of several architectures have one of an id each.
 */
export function joinNotices(old: readonly Notice[], further: readonly Notice[]): Notice[] {
  const joined = new Map<string, Notice>();
  for (const notice of [...old, ...further]) joined.set(`${notice.id} ${architecturesOf(notice)}`, notice);
  return [...joined.values()];
}

/** Whether two lists are the same, word for word. */
export function areSameNotices(one: readonly Notice[], other: readonly Notice[]): boolean {
  return one.length === other.length && one.every((notice, at) => notice.text === other[at]?.text);
}

function architecturesOf({ packages }: Notice): string {
  const words = new Set(packages.map(one => one.split(' ').at(-1) ?? ''));
  return [...words]
    .filter(word => word !== 'noarch' && word !== 'src')
    .sort()
    .join(' ');
}

/** Those that name one of the artifacts. */
export function noticesOf(notices: readonly Notice[], entries: readonly CatalogueEntry[]): Notice[] {
  const names = new Set(
    entries.map(({ name, version, architecture }) => `${name} ${version} ${architecture}`),
  );
  return notices.filter(notice => notice.packages.some(one => names.has(one)));
}
