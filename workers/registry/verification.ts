/** Verification: every file against its digest, every index against the catalogue, every signature against the key. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { errorCode, Fault } from '../../proto/fault.ts';
import { currentLink } from '../../proto/layout.ts';
import type { TaskContext, Work } from '../context.ts';
import type { CatalogueEntry, RegistrySpec } from '../job.ts';
import { indexesOf, isListed, recordsOf } from './apt-index.ts';
import { digestFile } from './disk.ts';
import { keyringPath } from './keyring.ts';
import { type HeldRegistry, readCatalogue, servedGeneration, withRegistry } from './publication.ts';
import { type RpmStanza, indexesOf as rpmIndexesOf } from './rpm-package.ts';
import { compareKeys } from './segments.ts';

/** Findings shown one by one; the rest is counted. */
const MAX_SHOWN = 200;
/** Bytes of one index, unpacked. */
const MAX_INDEX = 4 * 1024 * 1024 * 1024;

/** Fails with `catalogue-mismatch` when anything is not as it should be; each finding is a line of the journal. */
export const verificationWork: Work<RegistrySpec> = async (context, spec) => {
  const findings = await withRegistry(context, spec, held => verify(context, held));
  for (const finding of findings.slice(0, MAX_SHOWN)) context.console.log('error', finding);
  if (findings.length === 0) {
    context.console.log(
      'info',
      `${spec.format} ${spec.distribution} is whole: files, indexes and signatures agree`,
    );
    return;
  }
  throw new Fault(
    'conflict',
    'catalogue-mismatch',
    `${findings.length} things are not as the catalogue has them; "registry repair" makes indexes anew`,
    { findings: findings.length },
  );
};

/** What is wrong with a registry that is held, one sentence each. */
export async function verify(context: TaskContext, held: HeldRegistry): Promise<string[]> {
  const { generations } = await context.ask({ type: 'generations', registry: held.key });
  const served = servedGeneration(held);
  const current = generations.find(one => one.superseded === null)?.name ?? null;
  if (served !== current) return [`generation ${served} is served, the catalogue has ${current}`];
  if (served === null) return [];
  const entries = await readCatalogue(context, held.key);
  const findings = await badFiles(context, held, entries);
  const folder = join(held.tree, currentLink(held.key));
  const check = { deb: checkApt, rpm: checkRpm, osi: checkOsi }[held.key.format];
  return [...findings.map(one => one.text), ...(await check(context, held, folder, entries))];
}

/** Files of the pool that are missing or changed. */
export async function badFiles(
  context: TaskContext,
  held: HeldRegistry,
  entries: readonly CatalogueEntry[],
): Promise<{ readonly entry: CatalogueEntry; readonly text: string }[]> {
  const findings: { entry: CatalogueEntry; text: string }[] = [];
  for (const [index, entry] of entries.entries()) {
    context.signal.throwIfAborted();
    context.progress('files', index, entries.length);
    for (const file of entry.files) {
      const found = await digestFile(join(held.tree, file.path)).catch(error => {
        if (errorCode(error) === 'ENOENT') return null;
        throw error;
      });
      if (found?.sha256 === file.sha256) continue;
      findings.push({
        entry,
        text: `${file.path} ${found ? 'has other content than published' : 'is missing'}`,
      });
    }
  }
  return findings;
}

/** gpgv is what apt itself uses. */
async function checkSignature(context: TaskContext, ...files: string[]): Promise<string[]> {
  const { instance, settings } = context.job;
  const keyring = join(keyringPath(settings.dirs.keyring, instance.id), 'public.gpg');
  const { exitCode, stderr } = await context.runTool(['gpgv', '--keyring', keyring, ...files], {
    accept: [0, 1, 2],
  });
  if (exitCode === 0) return [];
  return [`the signature of ${files.at(-1)} is not good: ${stderr.trim().split('\n').at(-1)}`];
}

async function checkApt(
  context: TaskContext,
  _held: HeldRegistry,
  folder: string,
  entries: readonly CatalogueEntry[],
): Promise<string[]> {
  const findings = [
    ...(await checkSignature(context, join(folder, 'InRelease'))),
    ...(await checkSignature(context, join(folder, 'Release.gpg'), join(folder, 'Release'))),
  ];
  const release = readFileSync(join(folder, 'Release'), 'utf8');
  const listed = [...release.matchAll(/^ ([0-9a-f]{64}) +(\d+) (\S+)$/gm)];
  for (const [, sha256 = '', , path = ''] of listed) {
    const file = join(folder, path);
    if (!existsSync(file)) {
      if (path.endsWith('.gz') || path.endsWith('Release')) findings.push(`${path} is listed and missing`);
      continue;
    }
    if ((await digestFile(file)).sha256 !== sha256) findings.push(`${path} is not what Release says`);
    if (!existsSync(join(dirname(file), 'by-hash/SHA256', sha256)))
      findings.push(`${path} is not there by content`);
  }
  const words = (field: string): string[] =>
    new RegExp(`^${field}: (.*)$`, 'm').exec(release)?.[1]?.split(' ').filter(Boolean) ?? [];
  for (const derivative of words('Components')) {
    for (const index of indexesOf(derivative, words('Architectures'))) {
      const records = recordsOf(
        index.kind,
        entries.filter(entry => isListed(index, entry)),
      );
      records.sort((a, b) => compareKeys(a.key, b.key));
      const text = readPacked(join(folder, `${index.path}.gz`));
      if (text !== records.map(one => one.text).join(''))
        findings.push(`${index.path} is not what the catalogue has`);
    }
  }
  return findings;
}

async function checkRpm(
  context: TaskContext,
  _held: HeldRegistry,
  folder: string,
  entries: readonly CatalogueEntry[],
): Promise<string[]> {
  const findings: string[] = [];
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
  const architectures = [...sums.matchAll(/^[0-9a-f]{64} \*([^/]+)\//gm)].map(match => match[1] ?? '');
  for (const architecture of architectures) {
    const repodata = join(folder, architecture, 'repodata');
    findings.push(
      ...(await checkSignature(context, join(repodata, 'repomd.xml.asc'), join(repodata, 'repomd.xml'))),
    );
    const repomd = readFileSync(join(repodata, 'repomd.xml'), 'utf8');
    for (const [, sha256 = '', href = ''] of repomd.matchAll(
      /<checksum type="sha256">([0-9a-f]{64})<\/checksum>[\s\S]*?<location href="([^"]+)"/g,
    )) {
      const found = await digestFile(join(folder, architecture, href)).catch(() => null);
      if (found?.sha256 !== sha256) findings.push(`${architecture}/${href} is not what repomd.xml says`);
    }
    const href = /<location href="([^"]+-primary\.xml\.gz)"/.exec(repomd)?.[1] ?? '';
    const text = readPacked(join(folder, architecture, href)) ?? '';
    const there = text.match(/<package [\s\S]*?<\/package>\n/g) ?? [];
    const words = architectures.filter(word => word !== 'source');
    const wanted = entries
      .filter(entry => rpmIndexesOf(entry.architecture, words).includes(architecture))
      .map(entry => (JSON.parse(entry.stanza) as RpmStanza).primary);
    if ([...there].sort().join('') !== wanted.sort().join('')) {
      findings.push(`the index of ${architecture} is not what the catalogue has`);
    }
  }
  return findings;
}

async function checkOsi(
  context: TaskContext,
  _held: HeldRegistry,
  folder: string,
  entries: readonly CatalogueEntry[],
): Promise<string[]> {
  const findings = await checkSignature(context, join(folder, 'SHA256SUMS.gpg'), join(folder, 'SHA256SUMS'));
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
  const wanted = new Set(
    entries.flatMap(entry => entry.files).map(file => `${file.sha256} *${file.path.split('/').at(-1)}`),
  );
  const there = new Set(sums.split('\n').filter(line => line !== ''));
  for (const line of wanted) if (!there.has(line)) findings.push(`SHA256SUMS lacks ${line.slice(66)}`);
  for (const line of there) {
    if (!wanted.has(line)) findings.push(`SHA256SUMS has ${line.slice(66)}, which the catalogue has not`);
    if (!existsSync(join(folder, line.slice(66)))) findings.push(`${line.slice(66)} is listed and missing`);
  }
  return findings;
}

function readPacked(path: string): string | null {
  try {
    return gunzipSync(readFileSync(path), { maxOutputLength: MAX_INDEX }).toString('utf8');
  } catch {
    return null;
  }
}
