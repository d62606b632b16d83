/** Versions of artifacts: how a full version is made, read back, and ordered as dpkg orders it. */
import { Fault } from '../../proto/fault.ts';
import type { FormatName } from '../../proto/words.ts';
import type { FullVersion } from './prepared.ts';

/** Longest version accepted, in characters. */
const MAX_VERSION = 200;

/** What a version of a format may be, and the same in words. */
interface Syntax {
  readonly main: RegExp;
  readonly mainInWords: string;
  readonly release: RegExp;
  readonly releaseInWords: string;
}

const SYNTAX: Readonly<Record<FormatName, Syntax>> = {
  // deb-version(7), with an optional epoch: what follows it may hold no further colon.
  deb: {
    main: /^(?:\d{1,9}:)?[0-9][A-Za-z0-9.+~-]*$/,
    mainInWords: 'it begins with a digit and holds letters, digits and . + ~ -',
    release: /^[A-Za-z0-9][A-Za-z0-9.+~]*$/,
    releaseInWords: 'it holds letters, digits and . + ~',
  },
  // What rpmbuild takes (ALLOWED_CHARS_VERREL of its parser). It takes no hyphen in a version: templates turn one into
  // `~` with the filter rpm_version, so it is let pass.
  rpm: {
    main: /^(?:\d{1,9}:)?[A-Za-z0-9][A-Za-z0-9._+~^-]*$/,
    mainInWords: 'it begins with a letter or digit and holds letters, digits and . _ + ~ ^ -',
    release: /^[A-Za-z0-9][A-Za-z0-9._+~^]*$/,
    releaseInWords: 'it holds letters, digits and . _ + ~ ^',
  },
  // A part of a file name, after the last `_`.
  osi: {
    main: /^[A-Za-z0-9][A-Za-z0-9.+~^-]*$/,
    mainInWords: 'it begins with a letter or digit and holds letters, digits and . + ~ ^ -',
    release: /^0$/,
    releaseInWords: 'it is 0',
  },
};

/**
 * Refuses what none of `formats` takes as an upstream version: all of a definition's when it is read, since one version
 * is given for all, then that which is built. Throws `bad-version`.
 */
export function checkMain(main: string, where: string, formats: readonly FormatName[]): void {
  if (main.length <= MAX_VERSION && formats.some(format => SYNTAX[format].main.test(main))) return;
  const rules = [...new Set(formats.map(format => SYNTAX[format].mainInWords))];
  const words = `${where}: "${main.slice(0, 80)}" is not a version: ${rules.join('; or ')}`;
  throw new Fault('invalid', 'bad-version', words);
}

/** The same for a source beside the main one: its version goes into no package's. Throws `bad-version`. */
export function checkSupplementary(version: string, where: string): void {
  if (version.length <= MAX_VERSION && /^[A-Za-z0-9][A-Za-z0-9.+~_-]*$/.test(version)) return;
  throw new Fault(
    'invalid',
    'bad-version',
    `${where}: "${version.slice(0, 80)}" is not a version: it holds letters, digits and . + ~ _ -`,
  );
}

/** Refuses what can't be a release of the format. Throws `bad-version`. */
export function checkRelease(release: string, where: string, format: FormatName): void {
  const syntax = SYNTAX[format];
  if (release.length <= MAX_VERSION && syntax.release.test(release)) return;
  const words = `${where}: "${release.slice(0, 80)}" is not a release: ${syntax.releaseInWords}`;
  throw new Fault('invalid', 'bad-version', words);
}

/** Joins the parts: `{main}-{release}[.{dist}][+build{N}]`. */
function fullVersion(main: string, release: string, dist: string | null, build: number): FullVersion {
  const fullrelease = `${release}${dist === null ? '' : `.${dist}`}${build < 0 ? '' : `+build${build}`}`;
  return { main, release, dist, build, full: `${main}-${fullrelease}`, fullrelease };
}

/**
 * Reads a published version back: cut at the last `-`, `+build{N}` taken from the end, then `.{dist}` where it is
 * there. What has no `-` has release `0`.
 */
export function parseVersion(version: string, dist: string | null): FullVersion {
  const cut = version.lastIndexOf('-');
  const main = cut < 0 ? version : version.slice(0, cut);
  let release = cut < 0 ? '0' : version.slice(cut + 1);
  let build = -1;
  const suffix = /\+build(\d{1,9})$/.exec(release);
  if (suffix) {
    build = Number(suffix[1]);
    release = release.slice(0, suffix.index);
  }
  const tagged = dist !== null && release.endsWith(`.${dist}`);
  if (tagged) release = release.slice(0, -dist.length - 1);
  return fullVersion(main, release, tagged ? dist : null, build);
}

/** The version of a new build, given those that are taken: counts rebuilds of the same release. */
export function nextVersion(
  main: string,
  release: string,
  dist: string | null,
  taken: readonly string[],
): FullVersion {
  const builds = taken
    .map(version => parseVersion(version, dist))
    .filter(one => one.main === main && one.release === release && one.dist === dist)
    .map(one => one.build + 1);
  return fullVersion(
    main,
    release,
    dist,
    builds.reduce((a, b) => Math.max(a, b), -1),
  );
}

/** What templates see of a version: `major`, the first part of `main`, is a number where it is all digits. */
export function templateVersion(version: FullVersion): FullVersion & { readonly major: string | number } {
  const [first = ''] = version.main.split('.');
  return { ...version, major: /^\d{1,15}$/.test(first) ? Number(first) : first };
}

/** Orders versions as a format does; negative when `a` is older. */
export function compareVersions(format: FormatName, a: string, b: string): number {
  return format === 'rpm' ? compareRpm(a, b) : compareDebian(a, b);
}

/** deb-version(7): epoch, then upstream version, then revision. Negative when `a` is older, 0 when equal. */
export function compareDebian(a: string, b: string): number {
  const [x, y] = [split(a), split(b)];
  return x.epoch - y.epoch || comparePart(x.main, y.main) || comparePart(x.revision, y.revision);
}

function split(version: string): { epoch: number; main: string; revision: string } {
  const colon = version.indexOf(':');
  const rest = colon < 0 ? version : version.slice(colon + 1);
  const dash = rest.lastIndexOf('-');
  return {
    epoch: colon < 0 ? 0 : Number(version.slice(0, colon)),
    main: dash < 0 ? rest : rest.slice(0, dash),
    revision: dash < 0 ? '' : rest.slice(dash + 1),
  };
}

/** Weight of one character of a non-digit run: `~` before the end, the end before letters, letters before others. */
function weight(character: string | undefined): number {
  if (character === undefined || /[0-9]/.test(character)) return 0;
  if (character === '~') return -1;
  return /[A-Za-z]/.test(character) ? character.charCodeAt(0) : character.charCodeAt(0) + 256;
}

function comparePart(a: string, b: string): number {
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a[i])) || (j < b.length && !isDigit(b[j]))) {
      const order = weight(a[i]) - weight(b[j]);
      if (order !== 0) return order;
      if (i < a.length) i++;
      if (j < b.length) j++;
    }
    const [left, right] = [digits(a, i), digits(b, j)];
    i += left.length;
    j += right.length;
    const order = compareNumbers(left, right);
    if (order !== 0) return order;
  }
  return 0;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

function digits(text: string, from: number): string {
  return /^\d*/.exec(text.slice(from))?.[0] ?? '';
}

/** Compares runs of digits of any length as numbers. */
function compareNumbers(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return x.length - y.length || (x < y ? -1 : x > y ? 1 : 0);
}

/** `version-release` as rpm orders it (rpmvercmp of rpm 4.10 and later, with `~` and `^`). */
export function compareRpm(a: string, b: string): number {
  const [x, y] = [split(a), split(b)];
  return x.epoch - y.epoch || compareSegments(x.main, y.main) || compareSegments(x.revision, y.revision);
}

function compareSegments(a: string, b: string): number {
  const tokens = (text: string): string[] => text.match(/\d+|[A-Za-z]+|~|\^/g) ?? [];
  const [left, right] = [tokens(a), tokens(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [x, y] = [left[at], right[at]];
    if (x === '~' || y === '~') {
      if (x !== y) return x === '~' ? -1 : 1;
    } else if (x === '^' || y === '^') {
      if (x !== y) return x === undefined ? -1 : y === undefined ? 1 : x === '^' ? -1 : 1;
    } else if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    else if (isDigit(x[0]) !== isDigit(y[0])) return isDigit(x[0]) ? 1 : -1;
    else {
      const order = isDigit(x[0]) ? compareNumbers(x, y) : x < y ? -1 : x > y ? 1 : 0;
      if (order !== 0) return order;
    }
  }
  return 0;
}
