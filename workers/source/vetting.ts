/** Judges the members of an archive before anything of them is written. */
import { Fault } from '../../proto/fault.ts';
import type { Member } from './tar.ts';

/** Files that make a folder a definition, in the order in which they are looked for. */
export const DEFINITION_FILES = ['artifact.yml', 'artifact.yaml', 'meta.yml'] as const;

/** `definition`: all must be readable text names inside the tree. `source`: names and outward links are kept as they are. */
export type Rules = 'definition' | 'source';

export interface VettingLimits {
  /** Bytes that all members may unpack to; 0 = no such limit. */
  readonly unpacked: number;
  /** Size of the archive file itself, for the ratio. */
  readonly packed: number;
}

/** build-service.md section 4. */
const MAX_MEMBERS = 100_000;
/** Bytes unpacked for each byte of the archive; not asked below RATIO_FLOOR, since blocks of zeros pack well. */
const MAX_RATIO = 1000;
const RATIO_FLOOR = 1024 * 1024;
const MAX_NAME = 4095;
const MAX_COMPONENT = 255;
const MAX_DEPTH = 100;
/** Links followed to find where one leads, as Linux does. */
const MAX_HOPS = 40;
/** Names passed to find where all links lead; each may pass MAX_HOPS times a whole target, and nothing else runs then. */
const MAX_STEPS = 5_000_000;
/** Characters that change the direction of the text around them. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const ESCAPED = 120;

/** A member that passed: path relative to the root, without `.` components, as a latin1 string (one char a byte). */
export interface Vetted {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** Target of a symlink as written; path of a hardlink's file. */
  readonly target: string;
}

/** What is known of an archive once all its members are. */
export interface Finished {
  /** Names at its top. */
  readonly roots: readonly string[];
  /** The top directory that a definition's root is looked for in; '' = the archive's own top. */
  readonly top: string;
}

/** One archive's members in order; `check()` each, then `finish()`. */
export class Vetting {
  readonly #rules: Rules;
  readonly #limits: VettingLimits;
  readonly #label: string;
  /** Path → type of all that was vetted; a symlink's value is its target. */
  readonly #tree = new Map<string, { type: 'file' | 'directory' | 'symlink'; target: string }>();
  /** Normalised spelling → path, to find twins. */
  readonly #spellings = new Map<string, string>();
  #steps = 0;
  #members = 0;
  #bytes = 0;

  constructor(rules: Rules, limits: VettingLimits, label: string) {
    this.#rules = rules;
    this.#limits = limits;
    this.#label = label;
  }

  /** Null for the root itself. Throws `unsafe-archive` or `archive-too-large`. */
  check(member: Member): Vetted | null {
    this.#count(member);
    const path = this.#path(member.name, 'member');
    if (member.type === 'other') throw this.#unsafe(member.name, 'is neither file, directory nor link');
    if (path === '') {
      if (member.type !== 'directory') throw this.#unsafe(member.name, 'replaces the root of the archive');
      return null;
    }
    this.#parents(path, member.name);
    const before = this.#tree.get(path)?.type;
    const type = member.type === 'hardlink' ? 'file' : member.type;
    if (before !== undefined && before !== type) {
      const through = before === 'symlink' ? 'is written through a link' : `replaces what was a ${before}`;
      throw this.#unsafe(member.name, through);
    }
    let target = '';
    if (member.type === 'hardlink') {
      target = this.#path(member.target, 'hard link to');
      if (this.#tree.get(target)?.type !== 'file') {
        throw this.#unsafe(
          member.name,
          `is a hard link to "${shown(member.target)}", no file of this archive`,
        );
      }
    } else if (member.type === 'symlink') {
      target = member.target.toString('latin1');
      if (target === '' || target.includes('\0') || target.length > MAX_NAME) {
        throw this.#unsafe(member.name, 'is a link without a usable target');
      }
    }
    this.#tree.set(path, { type, target });
    return { path, type: member.type, target };
  }

  /** Where all members are known: every link of a definition must lead inside of what will be its root. */
  finish(): Finished {
    const roots = [...new Set([...this.#tree.keys()].map(path => path.split('/', 1)[0] ?? ''))];
    if (this.#rules === 'source') return { roots, top: '' };
    const top = this.#top(roots);
    for (const [path, node] of this.#tree) {
      if (node.type === 'symlink' && this.#leaves(path, node.target, top === '' ? 0 : 1)) {
        throw this.#unsafe(
          Buffer.from(path, 'latin1'),
          `is a link to "${shown(node.target)}", out of the tree`,
        );
      }
    }
    return { roots, top };
  }

  #top(roots: readonly string[]): string {
    const [only] = roots;
    const isDefinition = DEFINITION_FILES.some(name => this.#tree.has(name));
    if (isDefinition || only === undefined || roots.length > 1) return '';
    return this.#tree.get(only)?.type === 'directory' ? only : '';
  }

  #count(member: Member): void {
    this.#members++;
    this.#bytes += member.size;
    const { unpacked, packed } = this.#limits;
    const tooLarge = (what: string): Fault =>
      new Fault('invalid', 'archive-too-large', `${this.#label}: ${what}`, { member: shown(member.name) });
    if (this.#members > MAX_MEMBERS) throw tooLarge(`more than ${MAX_MEMBERS} members`);
    if (unpacked > 0 && this.#bytes > unpacked) {
      throw tooLarge(`unpacks to ${this.#bytes} bytes and more, of ${unpacked} allowed`);
    }
    if (this.#bytes > RATIO_FLOOR && this.#bytes > packed * MAX_RATIO) {
      throw tooLarge(`unpacks to more than ${MAX_RATIO} times its own ${packed} bytes`);
    }
  }

  #path(name: Buffer, what: string): string {
    if (name.length > MAX_NAME) throw this.#unsafe(name, `${what} name is ${name.length} bytes long`);
    if (name.length === 0) throw this.#unsafe(name, `${what} name is empty`);
    if (name.includes(0)) throw this.#unsafe(name, `${what} name holds a NUL`);
    if (name[0] === 0x2f) throw this.#unsafe(name, `${what} name is absolute`);
    const parts = name
      .toString('latin1')
      .split('/')
      .filter(part => part !== '' && part !== '.');
    if (parts.includes('..')) throw this.#unsafe(name, `${what} name has a ".." in it`);
    if (parts.length > MAX_DEPTH) throw this.#unsafe(name, `is deeper than ${MAX_DEPTH} directories`);
    if (parts.some(part => part.length > MAX_COMPONENT)) {
      throw this.#unsafe(name, `has a part longer than ${MAX_COMPONENT} bytes`);
    }
    const path = parts.join('/');
    if (this.#rules === 'definition') this.#readable(name, path);
    return path;
  }

  #readable(name: Buffer, path: string): void {
    const text = name.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(name)) throw this.#unsafe(name, 'has a name that is no UTF-8');
    if (DIRECTION.test(text))
      throw this.#unsafe(name, 'has a character in its name that turns the direction of text');
    if (/\p{Cc}/u.test(text)) throw this.#unsafe(name, 'has a control character in its name');
    const spelling = Buffer.from(path, 'latin1').toString('utf8').normalize('NFC');
    const twin = this.#spellings.get(spelling);
    if (twin !== undefined && twin !== path)
      throw this.#unsafe(name, 'differs from another only in how it is encoded');
    this.#spellings.set(spelling, path);
  }

  /** Makes the directories on the way known; none may be a file or a link. */
  #parents(path: string, name: Buffer): void {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const parent = path.slice(0, at);
      const node = this.#tree.get(parent);
      if (node?.type === 'symlink') throw this.#unsafe(name, 'is written through a link');
      if (node?.type === 'file') throw this.#unsafe(name, 'lies in what is a file');
      if (!node) this.#tree.set(parent, { type: 'directory', target: '' });
    }
  }

  /**
   * Walks a link's target through this archive's own links; `depth` is that of the root to be, whose folders above are
   * gone once it is unpacked. A loop leads nowhere, so it doesn't leave.
   */
  #leaves(path: string, target: string, depth: number): boolean {
    const at = path.split('/').slice(0, -1);
    const ahead = target.split('/').reverse();
    if (target.startsWith('/')) return true;
    for (let hops = 0; ahead.length > 0; ) {
      const part = ahead.pop() ?? '';
      if (++this.#steps > MAX_STEPS) {
        throw this.#unsafe(Buffer.from(path, 'latin1'), 'is one link too many of those with long ways');
      }
      if (part === '' || part === '.') continue;
      if (part === '..') {
        if (at.length <= depth) return true;
        at.pop();
        continue;
      }
      at.push(part);
      const node = this.#tree.get(at.join('/'));
      if (node?.type !== 'symlink') continue;
      if (++hops > MAX_HOPS) return false;
      if (node.target.startsWith('/')) return true;
      at.pop();
      ahead.push(...node.target.split('/').reverse());
    }
    return false;
  }

  #unsafe(name: Buffer, what: string): Fault {
    return new Fault('invalid', 'unsafe-archive', `${this.#label}: "${shown(name)}" ${what}`, {
      member: shown(name),
    });
  }
}

/** A foreign name fit to be shown: printable ASCII and harmless letters as they are, all else escaped, cut when long. */
export function shown(name: Buffer | string): string {
  const bytes = typeof name === 'string' ? Buffer.from(name, 'latin1') : name;
  const text = bytes.toString('utf8');
  const whole = Buffer.from(text, 'utf8').equals(bytes) ? text : bytes.toString('latin1');
  let escaped = '';
  for (const character of whole) {
    const code = character.codePointAt(0) ?? 0;
    const plain = whole === text ? /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character) : code > 31 && code < 127;
    escaped += plain && character !== '\\' ? character : `\\x${code.toString(16).padStart(2, '0')}`;
    if (escaped.length > ESCAPED) return `${escaped}…`;
  }
  return escaped;
}
