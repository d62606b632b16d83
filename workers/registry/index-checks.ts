/** Checks of one state of a registry: every signature, every index against its digest, and against the catalogue. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { generationPath } from '../../proto/layout.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry } from '../job.ts';
import { indexesOf, isListed, recordsOf } from './apt-index.ts';
import { keyringPath } from './keyring.ts';
import type { Digests } from './pool-checks.ts';
import type { HeldRegistry } from './publication.ts';
import { KINDS, recordOf, splitPackages } from './rpm-index.ts';
import { indexesOf as rpmIndexesOf } from './rpm-package.ts';
import { compareKeys } from './segments.ts';
import { signatureFault, signedText } from './signatures.ts';
import { readUnpacked } from './unpack.ts';
import { MAX_UPDATEINFO, readNotices } from './updateinfo.ts';

/** Bytes of one index, unpacked. */
const MAX_INDEX = 4 * 1024 * 1024 * 1024;

interface State {
  readonly context: TaskContext;
  /** Absolute path of the generation. */
  readonly folder: string;
  /** What the catalogue says of it; null where only signatures and digests are to be checked. */
  readonly entries: readonly CatalogueEntry[] | null;
  readonly digests: Digests;
}

/** What is wrong with a kept state, one sentence each; its indexes are compared with `entries` unless that is null. */
export async function checkState(
  context: TaskContext,
  registry: HeldRegistry,
  generation: string,
  entries: readonly CatalogueEntry[] | null,
  digests: Digests,
): Promise<string[]> {
  const folder = join(registry.tree, generationPath(registry.key, generation));
  if (!existsSync(folder)) return ['its folder is missing'];
  const check = { deb: checkApt, rpm: checkRpm, osi: checkOsi }[registry.key.format];
  try {
    return await check({ context, folder, entries, digests });
  } catch (error) {
    const { path = '' } = error as NodeJS.ErrnoException;
    if (errorCode(error) === 'ENOENT' && path.startsWith(folder)) return [`${path} is missing`];
    throw error;
  }
}

function publicKeys({ job }: TaskContext): string {
  return join(keyringPath(job.settings.dirs.keyring, job.instance.id), 'public.gpg');
}

async function checkSignature(context: TaskContext, signature: string, file: string): Promise<string[]> {
  const fault = await signatureFault(context, publicKeys(context), [signature, file]);
  return fault === null ? [] : [`the signature of ${file} is not good: ${fault}`];
}

/** Clients read either: both must say the same. */
async function checkInRelease(context: TaskContext, file: string, release: string): Promise<string[]> {
  try {
    const text = await signedText(context, publicKeys(context), file, file);
    // The frame of a clear signature may end with a further line ending.
    return text.trimEnd() === release.trimEnd() ? [] : [`${file} says something else than Release`];
  } catch (error) {
    if (error instanceof Fault) return [`the signature is not good: ${error.message}`];
    throw error;
  }
}

async function checkApt({ context, folder, entries, digests }: State): Promise<string[]> {
  const release = readFileSync(join(folder, 'Release'), 'utf8');
  const findings = [
    ...(await checkInRelease(context, join(folder, 'InRelease'), release)),
    ...(await checkSignature(context, join(folder, 'Release.gpg'), join(folder, 'Release'))),
  ];
  for (const [, sha256 = '', , path = ''] of release.matchAll(/^ ([0-9a-f]{64}) +(\d+) (\S+)$/gm)) {
    const file = join(folder, path);
    const found = await digests.of(file);
    if (found === null) {
      if (/(\.gz|\.xz|Release)$/.test(path)) findings.push(`${path} is listed and missing`);
      continue;
    }
    if (found !== sha256) findings.push(`${path} is not what Release says`);
    const byContent = await digests.of(join(dirname(file), 'by-hash/SHA256', sha256));
    if (byContent === null) findings.push(`${path} is not there by content`);
    else if (byContent !== sha256) findings.push(`${path} by content is another file`);
  }
  return entries === null
    ? findings
    : [...findings, ...(await compareApt(context, folder, release, entries))];
}

async function compareApt(
  context: TaskContext,
  folder: string,
  release: string,
  entries: readonly CatalogueEntry[],
): Promise<string[]> {
  const findings: string[] = [];
  const words = (field: string): string[] =>
    new RegExp(`^${field}: (.*)$`, 'm').exec(release)?.[1]?.split(' ').filter(Boolean) ?? [];
  for (const derivative of words('Components')) {
    for (const index of indexesOf(derivative, words('Architectures'))) {
      const records = recordsOf(
        index.kind,
        entries.filter(entry => isListed(index, entry)),
      );
      records.sort((a, b) => compareKeys(a.key, b.key));
      const wanted = records.map(one => one.text).join('');
      if (readPacked(join(folder, `${index.path}.gz`)) !== wanted)
        findings.push(`${index.path} is not what the catalogue has`);
      const xz = join(folder, `${index.path}.xz`);
      if (existsSync(xz) && (await readXz(context, xz)) !== wanted)
        findings.push(`${index.path}.xz is not what the catalogue has`);
    }
  }
  return findings;
}

async function checkRpm({ context, folder, entries, digests }: State): Promise<string[]> {
  const findings: string[] = [];
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
  const listed = [...sums.matchAll(/^([0-9a-f]{64}) \*(([^/]+)\/.*)$/gm)];
  const architectures = listed.map(match => match[3] ?? '');
  for (const [, sha256, path = '', architecture = ''] of listed) {
    if ((await digests.of(join(folder, path))) !== sha256)
      findings.push(`${path} is not what SHA256SUMS says`);
    const repomd = join(folder, architecture, 'repodata/repomd.xml');
    findings.push(...(await checkSignature(context, `${repomd}.asc`, repomd)));
    const data = dataOf(readFileSync(repomd, 'utf8'));
    for (const one of data) {
      const found = await digests.of(join(folder, architecture, one.href));
      if (found !== one.sha256) findings.push(`${architecture}/${one.href} is not what repomd.xml says`);
    }
    if (entries === null) continue;
    const words = architectures.filter(word => word !== 'source');
    const wanted = entries.filter(entry => rpmIndexesOf(entry.architecture, words).includes(architecture));
    for (const problem of compareRpm(join(folder, architecture), data, wanted))
      findings.push(`${problem} of ${architecture} is not what the catalogue has`);
    for (const href of lostLocations(join(folder, architecture), data, wanted))
      findings.push(`${architecture}/${href} is listed and missing`);
  }
  return findings;
}

interface Data {
  readonly kind: string;
  readonly sha256: string;
  readonly href: string;
}

/** The files that a repomd.xml of ours names. */
function dataOf(repomd: string): Data[] {
  const element =
    /<data type="([^"]+)">[\s\S]*?<checksum type="sha256">([0-9a-f]{64})<\/checksum>[\s\S]*?<location href="([^"]+)"/g;
  return [...repomd.matchAll(element)].map(([, kind = '', sha256 = '', href = '']) => ({
    kind,
    sha256,
    href,
  }));
}

/** Which of the indexes of an architecture are not what they should be. */
function compareRpm(folder: string, data: readonly Data[], entries: readonly CatalogueEntry[]): string[] {
  const bad: string[] = KINDS.filter(kind => {
    const text = readPacked(join(folder, data.find(one => one.kind === kind)?.href ?? '')) ?? '';
    const there = splitPackages(text).map(one => one.text);
    const wanted = entries.map(entry => recordOf(kind, entry).text);
    return there.sort().join('') !== wanted.sort().join('');
  });
  const notices = data.find(one => one.kind === 'updateinfo');
  if (notices && !hasNotices(join(folder, notices.href))) bad.push('updateinfo');
  return bad;
}

/** Files that an architecture's index names and nobody has. Those that the catalogue knows are looked at with the pool. */
function lostLocations(folder: string, data: readonly Data[], entries: readonly CatalogueEntry[]): string[] {
  const known = new Set(
    entries.flatMap(entry => entry.files).map(file => file.path.split('/').slice(-2).join('/')),
  );
  const primary = readPacked(join(folder, data.find(one => one.kind === 'primary')?.href ?? '')) ?? '';
  return [...primary.matchAll(/<location href="([^"]+)"/g)]
    .map(match => match[1] ?? '')
    .filter(href => !known.has(`${basename(folder)}/${basename(href)}`) && !existsSync(join(folder, href)));
}

/** The catalogue does not know update notices: that clients can read them is what can be checked. */
function hasNotices(path: string): boolean {
  try {
    readNotices(readUnpacked(path, MAX_UPDATEINFO), path);
    return true;
  } catch {
    return false;
  }
}

async function checkOsi({ context, folder, entries, digests }: State): Promise<string[]> {
  const findings = await checkSignature(context, join(folder, 'SHA256SUMS.gpg'), join(folder, 'SHA256SUMS'));
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
  const there = new Set(sums.split('\n').filter(line => line !== ''));
  for (const line of there) {
    const found = await digests.of(join(folder, line.slice(66)));
    if (found === null) findings.push(`${line.slice(66)} is listed and missing`);
    else if (found !== line.slice(0, 64)) findings.push(`${line.slice(66)} is not what SHA256SUMS says`);
  }
  if (entries === null) return findings;
  const wanted = new Set(
    entries.flatMap(entry => entry.files).map(file => `${file.sha256} *${file.path.split('/').at(-1)}`),
  );
  for (const line of wanted) if (!there.has(line)) findings.push(`SHA256SUMS lacks ${line.slice(66)}`);
  for (const line of there)
    if (!wanted.has(line)) findings.push(`SHA256SUMS has ${line.slice(66)}, which the catalogue has not`);
  return findings;
}

async function readXz(context: TaskContext, path: string): Promise<string> {
  const command = ['xz', '--decompress', '--stdout', path];
  const { stdout } = await context.runTool(command, { accept: [0, 1, 2], maxOutput: MAX_INDEX });
  return stdout.toString('utf8');
}

function readPacked(path: string): string | null {
  try {
    return readUnpacked(path, MAX_INDEX).toString('utf8');
  } catch {
    return null;
  }
}
