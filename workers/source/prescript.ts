/** The prescript of a definition (`pre.sh`): its rules, and its run in the sandbox, which becomes patches and archives. */
import { chmod, copyFile, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { Sandbox, TaskContext } from '../context.ts';
import type { BuildSpec } from '../job.ts';
import { BASH } from '../tool.ts';
import { collect } from './collect.ts';
import type { FullVersion, PreparedArchive } from './prepared.ts';
import { applyLine, layoutScript, quote, treeName, withoutEpoch } from './tree.ts';

/** What the comments of a prescript ask for. */
export interface PrescriptRules {
  /** Packages to install, without those of `modules`. */
  readonly dependencies: readonly string[];
  /** dnf modules: `python39` of `module:python39`, whole rest kept. */
  readonly modules: readonly string[];
  /** Directories to pack as archives of their own. */
  readonly tarballs: readonly string[];
}

const RULE = /^#PRESCRIPT_(DEPS|TARBALLS)(?:@(distributions?|formats?):([A-Za-z0-9._,-]+))?[ \t]+(.+)$/;
const PACKAGE = /^[a-z0-9][a-z0-9+._-]*(?::[a-z0-9]+)?$/i;
/** What our own part of the run needs in the sandbox. */
export const PRESCRIPT_TOOLS = ['bash', 'git', 'curl', 'ca-certificates', 'xz-utils', 'patch'];
/** Where the sandbox shows the inputs. */
const INPUT = '/mnt/source';
const MAX_PATCH = 512 * 1024 * 1024;
/** git takes a folder with a repository of its own for a submodule, none of whose files are in a patch. */
const FORGET_CLONES = 'find . -mindepth 2 -name .git -prune -exec rm -rf {} +';
/** Exit codes by which the script tells what failed. */
const EXIT = { patch: 81, script: 82, tarball: 83 } as const;

/** Reads the rules: for each, the first matching distribution line wins over a format line, that over a plain one. */
export function parseRules(script: string, spec: Pick<BuildSpec, 'format' | 'distribution'>): PrescriptRules {
  const best: Record<string, { rank: number; words: string[] }> = Object.create(null);
  for (const line of script.split(/\r?\n/)) {
    const [, rule = '', scope, names = '', rest = ''] = RULE.exec(line) ?? [];
    if (rule === '') continue;
    const listed = names.split(',');
    let rank = 1;
    if (scope?.startsWith('distribution')) rank = listed.includes(spec.distribution) ? 3 : 0;
    else if (scope?.startsWith('format')) rank = listed.includes(spec.format) ? 2 : 0;
    if (rank > (best[rule]?.rank ?? 0)) best[rule] = { rank, words: rest.trim().split(/\s+/) };
  }
  const words = best.DEPS?.words ?? [];
  const modules = words.filter(word => word.startsWith('module:')).map(word => word.slice('module:'.length));
  const dependencies = words.filter(word => !word.startsWith('module:'));
  const odd = dependencies.find(word => !PACKAGE.test(word));
  if (odd !== undefined) throw bad(`pre.sh: "${odd.slice(0, 80)}" in PRESCRIPT_DEPS is no package name`);
  const tarballs = best.TARBALLS?.words.map(word => word.replace(/\/+$/, '')) ?? [];
  for (const folder of tarballs) {
    const parts = folder.split('/');
    if (folder.startsWith('/') || parts.includes('..') || parts.includes('.') || parts.includes('')) {
      throw bad(`pre.sh: "${folder.slice(0, 80)}" in PRESCRIPT_TARBALLS is no directory of the source tree`);
    }
  }
  return { dependencies, modules, tarballs };
}

export interface PrescriptRun {
  readonly spec: BuildSpec;
  readonly version: FullVersion;
  /** As it was sent: it need not be UTF-8. */
  readonly script: Buffer;
  readonly rules: PrescriptRules;
  readonly archives: readonly PreparedArchive[];
  readonly patches: readonly string[];
  /** Folder that the made patch and archives are written to; absent or from an interrupted attempt. */
  readonly target: string;
  /** Opens a sandbox in which the dependencies and PRESCRIPT_TOOLS are installed. */
  open(): Promise<Sandbox>;
}

/** Runs it. Answers the patch, null when nothing changed, and the archives. Throws `bad-patch`, `prescript-failed`. */
export async function runPrescript(
  context: TaskContext,
  run: PrescriptRun,
): Promise<{ patch: string | null; archives: readonly PreparedArchive[] }> {
  await rm(run.target, { recursive: true, force: true });
  const input = join(run.target, 'input');
  await mkdir(join(input, 'patches'), { recursive: true, mode: 0o755 });
  await chmod(input, 0o755);
  await writeFile(join(input, 'pre.sh'), run.script, { mode: 0o644 });
  for (const patch of run.patches)
    await writeFile(join(input, 'patches', basename(patch)), await readFile(patch));
  await placeArchives(run.archives, join(input, 'archives'));
  const names = tarballNames(run, context);
  const sandbox = await run.open();
  try {
    const { exitCode } = await sandbox.run([...BASH, script(run, names)], {
      network: true,
      env: { SOURCE_DATE_EPOCH: String(context.job.submission) },
      binds: [{ from: input, to: INPUT }],
    });
    explain(exitCode);
    return await results(run, names, sandbox);
  } finally {
    await sandbox.close();
  }
}

/** Puts the archives where the build user may read them, under their ids. */
async function placeArchives(archives: readonly PreparedArchive[], folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o755 });
  for (const { id, path } of archives) {
    const target = join(folder, id);
    await link(path, target).catch(() => copyFile(path, target));
    await chmod(target, 0o644);
  }
}

interface Tarball {
  readonly folder: string;
  /** What it is renamed to: its name, the day, the first eight digits of the task. */
  readonly name: string;
  readonly file: string;
}

function tarballNames(run: PrescriptRun, context: TaskContext): Tarball[] {
  const day = new Date(context.job.submission * 1000).toISOString().slice(0, 10).replaceAll('-', '');
  const main = withoutEpoch(run.version.main);
  const before =
    run.spec.format === 'deb' ? `${run.spec.artifact}_${main}.orig-` : `${run.spec.artifact}_${main}-`;
  return run.rules.tarballs.map(folder => {
    const name = `${sanitised(folder)}-${day}-${context.job.task.slice(0, 8)}`;
    return { folder, name, file: `${before}${name}.tar.xz` };
  });
}

function sanitised(folder: string): string {
  return folder.replaceAll('/', '-').replace(/[^A-Za-z0-9-]/g, '');
}

function script(run: PrescriptRun, tarballs: readonly Tarball[]): string {
  const tree = treeName(run.spec.artifact, run.version);
  const git = 'git --git-dir=/build/.before --work-tree=.';
  const paths = tarballs.map(tarball => quote(tarball.folder)).join(' ');
  const patch = tarballs.length > 0 ? '9999-rackwright-prescript-symlinks' : '9999-rackwright-prescript';
  return [
    'set -e',
    layoutScript(tree, run.archives, `${INPUT}/archives`, archive => archive.id),
    `cd ${quote(tree)}`,
    ...run.patches.map(path => applyLine(`${INPUT}/patches/${basename(path)}`, EXIT.patch)),
    'mkdir -p /build/out /build/.home && export HOME=/build/.home GIT_CONFIG_NOSYSTEM=1',
    'git init -q --bare /build/.before',
    // Whatever the tree says about line ends and filters, it is compared byte by byte.
    "mkdir -p /build/.before/info && echo '* -text -ident -filter !diff' >/build/.before/info/attributes",
    FORGET_CLONES,
    `${git} add -A -f .`,
    `${git} -c user.name=rackwright -c user.email=rackwright@localhost commit -q --allow-empty -m before`,
    `export RACKWRIGHT_SOURCE_DIR=$PWD FATBUILDR_SOURCE_DIR=$PWD`,
    'DL() { curl --fail --silent --show-error --location --proto =http,https --output "$2" -- "$1"; }',
    'export -f DL',
    `bash ${INPUT}/pre.sh || exit ${EXIT.script}`,
    ...tarballs.flatMap(({ folder, name, file }) => [
      `[ -d ${quote(folder)} ] && [ ! -L ${quote(folder)} ] || { echo "pre.sh made no directory "${quote(folder)} >&2; exit ${EXIT.tarball}; }`,
      `mv ${quote(folder)} ${quote(name)}`,
      `tar --sort=name --mtime=@"$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cJf /build/out/${quote(file)} ${quote(name)}`,
      `rm -rf ${quote(name)}`,
      `ln -s ${quote('../'.repeat(folder.split('/').length - 1) + name)} ${quote(folder)}`,
    ]),
    FORGET_CLONES,
    `${git} add -A -f ${paths === '' ? '.' : `-- ${paths}`}`,
    `${git} diff --cached --no-color --no-ext-diff --no-renames >/build/out/${patch}`,
  ].join('\n');
}

function explain(exitCode: number): void {
  if (exitCode === 0) return;
  if (exitCode === EXIT.patch)
    throw bad('a patch does not apply to the source: see the output above', 'bad-patch');
  if (exitCode === EXIT.script) throw bad('pre.sh failed: see the output above');
  if (exitCode === EXIT.tarball) throw bad('pre.sh did not make a directory that PRESCRIPT_TARBALLS names');
  throw bad(`the source tree for pre.sh could not be made (exit code ${exitCode}): see the output above`);
}

async function results(
  run: PrescriptRun,
  tarballs: readonly Tarball[],
  sandbox: Sandbox,
): Promise<{ patch: string | null; archives: readonly PreparedArchive[] }> {
  const wanted = new Set(tarballs.map(tarball => tarball.file));
  const found = await collect(
    join(sandbox.exchange, 'out'),
    run.target,
    name => wanted.has(name) || /^9999-rackwright-prescript/.test(name),
  );
  const missing = tarballs.find(tarball => !found.includes(tarball.file));
  if (missing) throw bad(`pre.sh: the archive of ${missing.folder} is not there`);
  const name = found.find(file => file.startsWith('9999-'));
  const archives = tarballs.map(tarball => ({
    id: tarball.name,
    path: join(run.target, tarball.file),
    stem: tarball.name,
  }));
  return { patch: name === undefined ? null : await finishPatch(join(run.target, name)), archives };
}

/** Puts a header before the changes. Changes of binary files can't be in a patch, so they are a fault. */
async function finishPatch(path: string): Promise<string | null> {
  const changes = await readFile(path);
  if (changes.length === 0) return null;
  if (changes.length > MAX_PATCH) throw bad(`pre.sh changed more than ${MAX_PATCH} bytes`);
  const text = changes.toString('latin1');
  const clone = /(?:^|\n)diff --git (.*)\nnew file mode 160000\n/.exec(text);
  if (clone) {
    throw bad(
      `pre.sh left a repository in the source tree, which no patch can hold (${clone[1]?.slice(0, 200)}): remove its .git`,
    );
  }
  const binary = /^Binary files .* differ$/m.exec(text);
  if (binary) {
    throw bad(
      `pre.sh changed a binary file, which no patch can hold (${binary[0].slice(0, 200)}): list its directory in #PRESCRIPT_TARBALLS`,
    );
  }
  const head =
    'Description: changes made by the prescript\nOrigin: vendor, Rackwright\nForwarded: not-needed\n\n';
  await writeFile(path, Buffer.concat([Buffer.from(head), changes]));
  return path;
}

function bad(message: string, reason: 'prescript-failed' | 'bad-patch' = 'prescript-failed'): Fault {
  return new Fault('invalid', reason, message);
}
