/**
 * Archives from outside: vets every member, and unpacks definitions. Sources are only vetted here; they are unpacked
 * inside the sandbox.
 */
import { lstat, mkdir, open, readFile, rename, rm, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import { type ArchiveKind, compressXz, decompress, recogniseArchive } from './compression.ts';
import { type Member, readTar } from './tar.ts';
import { DEFINITION_FILES, type Finished, type Rules, shown, type Vetted, Vetting } from './vetting.ts';
import { readZip, writeTar } from './zip.ts';

export interface UnpackOptions {
  /** Bytes that all members may unpack to; 0 = no such limit. */
  readonly unpacked: number;
  readonly signal: AbortSignal;
  /** What the archive is called in messages; the file's name unless told. */
  readonly label?: string;
}

/** What an archive of sources is, once vetted. */
export interface VettedArchive {
  readonly kind: ArchiveKind;
  /** Names at its top. */
  readonly roots: readonly string[];
}

/** Reads an upstream source to its end and judges every member. Throws the faults of hardening R1 to R12. */
export async function vetSource(path: string, options: UnpackOptions): Promise<VettedArchive> {
  const kind = await recogniseArchive(path);
  const { roots } = await eachMember(path, kind, 'source', options, async () => undefined);
  return { kind, roots };
}

/**
 * Unpacks a definition into `target`, an absent folder whose parent exists and is ours alone. Files get mode 0644 or
 * 0755, links are made last, so that nothing is ever written through one. A single top directory that holds the
 * definition is taken for the root. Nothing is left behind on a fault.
 */
export async function extractDefinition(path: string, target: string, options: UnpackOptions): Promise<void> {
  const staging = `${target}.part`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { mode: 0o755 });
  try {
    const kind = await recogniseArchive(path);
    const links = new Map<string, string>();
    const finished = await eachMember(path, kind, 'definition', options, async (vetted, member) => {
      if (vetted.type === 'symlink') links.set(vetted.path, vetted.target);
      else await write(staging, vetted, member);
    });
    for (const [link, to] of links) {
      await mkdir(dirname(inside(staging, link)), { recursive: true });
      await symlink(Buffer.from(to, 'latin1'), inside(staging, link));
    }
    await rename(await definitionRoot(staging, finished, options.label ?? basename(path)), target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function definitionRoot(staging: string, { roots, top }: Finished, label: string): Promise<string> {
  const folder = inside(staging, top);
  if (await holdsDefinition(folder)) return folder;
  const found =
    roots.length === 0 ? 'it is empty' : `at its top are ${roots.slice(0, 5).map(shown).join(', ')}`;
  throw new Fault(
    'invalid',
    'bad-layout',
    `${label}: no ${DEFINITION_FILES.join(' or ')} at its top; ${found}`,
  );
}

async function holdsDefinition(folder: string): Promise<boolean> {
  for (const name of DEFINITION_FILES) {
    const exists = await lstat(join(folder, name)).then(
      () => true,
      () => false,
    );
    if (exists) return true;
  }
  return false;
}

async function eachMember(
  path: string,
  kind: ArchiveKind,
  rules: Rules,
  options: UnpackOptions,
  use: (vetted: Vetted, member: Member) => Promise<void>,
): Promise<Finished> {
  const label = options.label ?? basename(path);
  const packed = (await lstat(path)).size;
  const vetting = new Vetting(rules, { unpacked: options.unpacked, packed }, label);
  for await (const member of members(path, kind, label, options.signal)) {
    options.signal.throwIfAborted();
    const vetted = vetting.check(member);
    if (vetted !== null) await use(vetted, member);
  }
  return vetting.finish();
}

function members(
  path: string,
  kind: ArchiveKind,
  label: string,
  signal: AbortSignal,
): AsyncGenerator<Member> {
  return kind.container === 'zip'
    ? readZip(path, label)
    : readTar(decompress(path, kind.compression, signal), label, kind.compression === 'none');
}

function inside(root: string, path: string): string {
  return join(root, Buffer.from(path, 'latin1').toString('utf8'));
}

async function write(root: string, vetted: Vetted, member: Member): Promise<void> {
  const path = inside(root, vetted.path);
  if (vetted.type === 'directory') {
    await mkdir(path, { recursive: true, mode: 0o755 });
    return;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  const content = vetted.type === 'hardlink' ? await readFile(inside(root, vetted.target)) : null;
  // A later member of the same name replaces the earlier one, as tar has it.
  await unlink(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  const file = await open(path, 'wx', member.executable ? 0o755 : 0o644);
  try {
    if (content !== null) await file.writeFile(content);
    else for await (const chunk of member.data()) await file.writeFile(chunk);
    await file.chmod(member.executable ? 0o755 : 0o644);
  } finally {
    await file.close();
  }
}

/**
 * Rewrites an archive as `target`, a tar.xz: Debian's source format takes neither zip nor zstd nor plain tar. Equal
 * archives give equal files.
 */
export async function convertToTarXz(
  path: string,
  kind: ArchiveKind,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const bytes =
    kind.container === 'zip'
      ? writeTar(readZip(path, basename(path)))
      : decompress(path, kind.compression, signal);
  await compressXz(bytes, target, signal);
}
