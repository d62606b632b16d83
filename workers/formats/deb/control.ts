/** Reads `debian/control` (deb-src-control(5)) strictly: what it builds, where, and what it needs. */
import { Fault } from '../../../proto/fault.ts';

export interface Control {
  readonly source: string;
  /** Build-Depends and its kin as items; `indep` only where architecture-independent packages are built. */
  readonly dependencies: {
    readonly always: readonly string[];
    readonly arch: readonly string[];
    readonly indep: readonly string[];
  };
  readonly conflicts: {
    readonly always: readonly string[];
    readonly arch: readonly string[];
    readonly indep: readonly string[];
  };
  readonly packages: readonly { readonly name: string; readonly architectures: readonly string[] }[];
}

const NAME = /^[a-z0-9][a-z0-9+.-]+$/;
/** Bytes of a control file, and paragraphs. */
const MAX_SIZE = 1024 * 1024;
const MAX_PACKAGES = 1000;

type Paragraph = Map<string, { value: string; line: number }>;

/** Throws `bad-package` with the line: a field twice, a continuation of nothing, a missing field, a bad name. */
export function parseControl(text: string, file: string): Control {
  if (text.length > MAX_SIZE) throw bad(file, 0, `larger than ${MAX_SIZE} bytes`);
  const [head, ...rest] = paragraphs(text, file);
  if (!head) throw bad(file, 1, 'is empty');
  const source = head.get('source');
  if (!source) throw bad(file, 1, 'its first paragraph has no "Source"');
  if (!NAME.test(source.value))
    throw bad(file, source.line, `"${source.value.slice(0, 80)}" is no name for a source`);
  if (rest.length > MAX_PACKAGES) throw bad(file, 0, `more than ${MAX_PACKAGES} packages`);
  const packages = rest.map(paragraph => {
    const name = paragraph.get('package');
    const line = name?.line ?? [...paragraph.values()][0]?.line ?? 0;
    if (!name || !NAME.test(name.value)) throw bad(file, line, 'a paragraph without a proper "Package"');
    const architectures = paragraph.get('architecture')?.value.split(/\s+/) ?? [];
    if (architectures.length === 0) throw bad(file, line, `package ${name.value} has no "Architecture"`);
    return { name: name.value, architectures };
  });
  if (packages.length === 0) throw bad(file, 0, 'names no package');
  const items = (prefix: string) => ({
    always: relations(head.get(prefix)?.value),
    arch: relations(head.get(`${prefix}-arch`)?.value),
    indep: relations(head.get(`${prefix}-indep`)?.value),
  });
  return {
    source: source.value,
    dependencies: items('build-depends'),
    conflicts: items('build-conflicts'),
    packages,
  };
}

/** Items of a relation field, each on one line. */
function relations(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map(item => item.replace(/\s+/g, ' ').trim())
    .filter(item => item !== '');
}

/** Whether a package whose `Architecture` is given is built on an architecture, by Debian's name; `all` for indep. */
export function isBuiltOn(architectures: readonly string[], architecture: string): boolean {
  return architectures.some(word => {
    if (word === architecture) return true;
    if (architecture === 'all') return false;
    // any, linux-any, any-amd64: the kernel is always Linux here.
    return (
      word === 'any' ||
      word === 'linux-any' ||
      word === `any-${architecture}` ||
      word === `linux-${architecture}`
    );
  });
}

function paragraphs(text: string, file: string): Paragraph[] {
  const found: Paragraph[] = [];
  let current: Paragraph | null = null;
  let last: { value: string; line: number } | null = null;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.startsWith('#')) continue;
    if (line.trim() === '') {
      [current, last] = [null, null];
      continue;
    }
    if (/^[ \t]/.test(line)) {
      if (last === null) throw bad(file, at + 1, 'a continuation line without a field before it');
      last.value += `\n${line.trim()}`;
      continue;
    }
    const [, name = '', value = ''] = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === '' || name.startsWith('-')) throw bad(file, at + 1, 'is neither a field nor a continuation');
    if (current === null) {
      current = new Map();
      found.push(current);
    }
    const key = name.toLowerCase();
    if (current.has(key)) throw bad(file, at + 1, `the field "${name}" is there twice`);
    last = { value: value.trim(), line: at + 1 };
    current.set(key, last);
  }
  return found;
}

function bad(file: string, line: number, what: string): Fault {
  return new Fault('invalid', 'bad-package', `${file}${line > 0 ? `:${line}` : ''}: ${what}`);
}
