/** Reads rpms into catalogue entries: rpm checks and queries them, rpmsign signs them, createrepo_c describes them. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Fault } from '../../proto/fault.ts';
import { rpmPool } from '../../proto/layout.ts';
import type { TaskContext } from '../context.ts';
import type { CatalogueEntry, RegistryPlace } from '../job.ts';
import { copyDurably, digestFile, syncFile } from './disk.ts';
import { distinctEntries, type ReadEntry } from './distinct.ts';
import { locateRegistry } from './publication.ts';
import { bad, query, WORD } from './rpm-query.ts';
import type { Signer } from './signing.ts';
import type { ReadProgress, StagedEntry } from './staged.ts';

const MAX_METADATA = 512 * 1024 * 1024;
/** Milliseconds for reading an rpm to its end, or a folder of them: they may have many gigabytes. */
const READING_LIMIT = 3_600_000;
/** Files that one run of rpmsign is given: the system bounds how long a command may be. */
const SIGNED_AT_ONCE = 200;
/** Milliseconds for one run of rpmsign. */
const SIGNING_LIMIT = 600_000;

/** The XML pieces of a package, one for each index; what an entry's stanza holds as JSON. */
export interface RpmStanza {
  readonly primary: string;
  readonly filelists: string;
  readonly other: string;
  /** SHA-256 of the header: the same package signed again has the same. */
  readonly header: string;
}

export interface RpmReading {
  readonly context: TaskContext;
  readonly place: RegistryPlace;
  readonly staging: string;
  /** Seconds since the epoch that entries say they were published at. */
  readonly published: number;
  /** Architectures of the indexes; noarch packages go into each. */
  readonly architectures: readonly string[];
  readonly signer: Signer;
  readonly progress: ReadProgress;
}

/** Copies, checks, signs and reads rpms. Throws `bad-package`, `signing-failed`. */
export async function readRpms(reading: RpmReading, paths: readonly string[]): Promise<StagedEntry[]> {
  const folder = join(reading.staging, 'rpms');
  const rpms = await copyRpms(paths, folder);
  // Each is looked at before it is signed, signed, and looked at again.
  let steps = 0;
  const step = (count = 1): void => {
    steps += count;
    reading.progress(steps, 3 * rpms.length);
  };
  const fresh: string[] = [];
  for (const { copy } of rpms) {
    await check(reading.context, copy);
    if (!(await takePublished(reading, copy))) fresh.push(copy);
    step();
  }
  step(rpms.length - fresh.length);
  for (let at = 0; at < fresh.length; at += SIGNED_AT_ONCE) {
    const piece = fresh.slice(at, at + SIGNED_AT_ONCE);
    await sign(reading, piece);
    step(piece.length);
  }
  const pieces = await describe(reading.context, folder);
  const entries: ReadEntry[] = [];
  for (const { copy, from } of rpms) {
    entries.push({ ...(await readOne(reading, copy, pieces)), from });
    step();
  }
  return distinctEntries(entries);
}

interface Copied {
  readonly copy: string;
  readonly from: string;
}

/** Copies each rpm, those with the same content once: repositories have a noarch package for each architecture. */
async function copyRpms(paths: readonly string[], folder: string): Promise<Copied[]> {
  const copied = new Map<string, Copied>();
  for (const [index, from] of paths.entries()) {
    const name = basename(from);
    if (!WORD.test(name)) throw bad(name, 'has a name that no repository can hold');
    // A folder for each: others may have the same name.
    const own = join(folder, String(index));
    mkdirSync(own, { recursive: true });
    const copy = join(own, name);
    const { sha256 } = await copyDurably(from, copy);
    if (copied.has(sha256)) rmSync(own, { recursive: true });
    else copied.set(sha256, { copy, from });
  }
  return [...copied.values()];
}

/**
 * Puts what the pool has in the place of a copy that differs by its signature only: signed anew it would be another
 * file of that name, which the published or kept state that has the first one does not allow.
 */
async function takePublished(reading: RpmReading, copy: string): Promise<boolean> {
  const { context, place, architectures } = reading;
  const file = basename(copy);
  const word = /\.([^.]+)\.rpm$/.exec(file)?.[1] ?? '';
  const [index = ''] = indexesOf(word, architectures);
  const path = rpmPool(place.distribution, place.derivative, index, file);
  const there = join(locateRegistry(context, place).tree, path);
  if (!existsSync(there)) return false;
  const { users } = await context.ask<'pool-file'>({ type: 'pool-file', format: 'rpm', path });
  const { sha256 } = await digestFile(there);
  if (!users.some(user => user.sha256 === sha256)) return false;
  if ((await query(context, there)).header !== (await query(context, copy)).header) return false;
  rmSync(copy);
  await copyDurably(there, copy);
  return true;
}

/** Digests of header and payload, before anything else looks into the file. */
async function check(context: TaskContext, path: string): Promise<void> {
  const command = ['rpmkeys', '--checksig', '--nosignature', path];
  const { exitCode, stderr, stdout } = await context.runTool(command, {
    jail: { read: [path] },
    accept: [0, 1, 2],
    timeout: READING_LIMIT,
  });
  if (exitCode !== 0)
    throw bad(
      basename(path),
      `is no sound rpm: ${(stderr.trim() || stdout.toString('utf8')).trim().slice(-300)}`,
    );
}

async function sign({ context, signer }: RpmReading, files: readonly string[]): Promise<void> {
  const extra = `--batch --no-tty --pinentry-mode loopback --passphrase-file ${signer.passphrase} --lock-never`;
  const defines = [
    ['__gpg', '/usr/bin/gpg'],
    ['_gpg_path', signer.home],
    ['_gpg_name', `${signer.keyring.subkey.fingerprint}!`],
    ['_gpg_sign_cmd_extra_args', extra],
    ['_gpg_digest_algo', 'sha256'],
  ].flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  const command = ['rpmsign', ...defines, '--resign', ...files];
  const { exitCode, stderr } = await context.runTool(command, {
    accept: [0, 1, 2, 255],
    timeout: SIGNING_LIMIT,
  });
  if (exitCode !== 0)
    throw new Fault('internal', 'signing-failed', `rpmsign failed: ${stderr.trim().slice(-500)}`);
  for (const file of files) syncFile(file);
}

type Pieces = Readonly<Record<'primary' | 'filelists' | 'other', ReadonlyMap<string, string>>>;

/** The XML of each package by its digest. */
async function describe(context: TaskContext, folder: string): Promise<Pieces> {
  const options = ['--quiet', '--no-database', '--simple-md-filenames', '--general-compress-type', 'gz'];
  await context.runTool(['createrepo_c', ...options, folder], {
    jail: { read: [], write: [folder] },
    timeout: READING_LIMIT,
  });
  const read = (kind: string): Map<string, string> => {
    const packed = readFileSync(join(folder, 'repodata', `${kind}.xml.gz`));
    const xml = gunzipSync(packed, { maxOutputLength: MAX_METADATA }).toString('utf8');
    const found = xml.match(/<package [\s\S]*?<\/package>/g) ?? [];
    return new Map(found.map(piece => [packageId(piece), `${piece}\n`]));
  };
  return { primary: read('primary'), filelists: read('filelists'), other: read('other') };
}

/** The digest that names a package in all three indexes. */
export function packageId(piece: string): string {
  return /pkgid="(?:YES">)?([0-9a-f]{64})/.exec(piece)?.[1] ?? '';
}

async function readOne(reading: RpmReading, path: string, pieces: Pieces): Promise<StagedEntry> {
  const file = basename(path);
  const tags = await query(reading.context, path);
  const { size, sha256 } = await digestFile(path);
  const target = `${tags.name}-${tags.version}-${tags.release}.${tags.architecture}.rpm`;
  const targets = indexesOf(tags.architecture, reading.architectures);
  const { distribution, derivative } = reading.place;
  const files = targets.map(arch => ({
    path: rpmPool(distribution, derivative, arch, target),
    size,
    sha256,
  }));
  const piece = (kind: keyof Pieces): string => pieces[kind].get(sha256) ?? '';
  const stanza: RpmStanza = {
    primary: piece('primary').replace(/<location href="[^"]*"\/>/, `<location href="Packages/${target}"/>`),
    filelists: piece('filelists'),
    other: piece('other'),
    header: tags.header,
  };
  if (stanza.primary === '') throw bad(file, 'was not described by createrepo_c');
  const epoch = tags.epoch === '' || tags.epoch === '0' ? '' : `${tags.epoch}:`;
  const entry: CatalogueEntry = {
    row: 0,
    ...reading.place,
    architecture: tags.architecture,
    name: tags.name,
    version: `${epoch}${tags.version}-${tags.release}`,
    size,
    source: tags.source,
    files,
    stanza: JSON.stringify(stanza),
    changelog: tags.changelog,
    content: tags.content,
    published: reading.published,
    task: reading.context.job.task,
  };
  // Each copy of an architecture-independent package waits in a file of its own.
  const staged = [];
  for (const [index, one] of files.entries()) {
    const copy = join(dirname(path), `${index}-${target}`);
    if (index === files.length - 1) renameSync(path, copy);
    else await copyDurably(path, copy);
    staged.push({ ...one, staged: copy });
  }
  return { entry, files: staged };
}

/** Indexes that a package is listed in: `source` for sources, all others for noarch. */
export function indexesOf(architecture: string, architectures: readonly string[]): string[] {
  if (architecture === 'src') return ['source'];
  return architecture === 'noarch' ? [...architectures] : [architecture];
}
