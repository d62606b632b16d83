/** What a build costs without us: the same commands in the same roots, by hand. */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { sandboxCommand } from '../../workers/sandbox/command.ts';
import { BUILD_ID, findNamespace, type Namespace } from '../../workers/sandbox/namespace.ts';

/** A source package unpacked to nothing yet: its folder, and the names of its parts. */
export interface SourceParts {
  readonly folder: string;
  readonly dsc: string;
  readonly orig: string;
  readonly debian: string;
}

/** Roots below a build, lowest first: environment and layer of build dependencies. */
export type Roots = readonly string[];

/** The layer of build dependencies that was used last. */
export function newestLayer(cache: string): string {
  const store = join(cache, 'layers');
  const layers = readdirSync(store)
    .filter(name => !name.startsWith('.'))
    .map(name => ({
      path: join(store, name, 'upper'),
      used: statSync(join(store, name, 'layer.json')).mtimeMs,
    }))
    .sort((a, b) => b.used - a.used);
  const [first] = layers;
  if (!first) throw new Error(`no layer in ${store}`);
  return first.path;
}

/** The parts of the only source package in a folder of the pool. */
export function sourceParts(folder: string): SourceParts {
  const names = readdirSync(folder);
  const find = (pattern: RegExp): string => {
    const found = names.filter(name => pattern.test(name)).at(-1);
    if (found === undefined) throw new Error(`no ${pattern} among ${names.join(', ')} in ${folder}`);
    return found;
  };
  const dsc = find(/\.dsc$/);
  const files = readFileSync(join(folder, dsc), 'utf8');
  const part = (pattern: RegExp): string => pattern.exec(files)?.[0] ?? find(pattern);
  return { folder, dsc, orig: part(/\S+\.orig\.tar\.\w+/), debian: part(/\S+\.debian\.tar\.\w+/) };
}

/** Seconds of source package and binary packages made by hand: mounts, bwrap, dpkg-source, dpkg-buildpackage. */
export async function bareBuild(source: SourceParts, roots: Roots, work: string): Promise<number> {
  const namespace = await findNamespace(process.getuid?.() ?? 0);
  const began = performance.now();
  prepareWork(work, roots, namespace);
  const script = [
    'set -e; umask 022; mkdir up; tar -C up --strip-components=1 -xf /mnt/source/$ORIG',
    'tar -C up -xf /mnt/source/$DEBIAN; ln -s /mnt/source/$ORIG .',
    'dpkg-source --build up; dpkg-source --no-check --extract ./*.dsc tree; cd tree',
    'dpkg-buildpackage --unsigned-source --unsigned-changes -b',
  ].join('\n');
  const command = sandboxCommand(['sh', '-c', script], {
    ...{ work, roots: roots.length, hostname: 'build', namespace, filter: null, processes: 0, names: [] },
    env: {
      ORIG: source.orig,
      DEBIAN: source.debian,
      DEB_BUILD_OPTIONS: `parallel=${availableParallelism()}`,
    },
    binds: [{ from: source.folder, to: '/mnt/source' }],
  });
  await runCommand(command);
  const seconds = (performance.now() - began) / 1000;
  await runCommand([...namespace.mapped, 'rm', '-rf', '--one-file-system', '--', work]);
  return seconds;
}

function prepareWork(work: string, roots: Roots, namespace: Namespace): void {
  mkdirSync(join(work, 'build'), { recursive: true });
  chmodSync(work, 0o755);
  for (const [at, root] of roots.entries()) symlinkSync(root, join(work, `l${at}`));
  if (!namespace.isMapped) chownSync(join(work, 'build'), BUILD_ID, BUILD_ID);
}

/** Runs a command. Throws with its last words when it fails. */
export async function runCommand(command: readonly string[], cwd?: string): Promise<void> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  let said = '';
  const hear = (chunk: Buffer): void => {
    said = (said + chunk).slice(-20_000);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  // Where bwrap tells its status; it does not start without.
  (child.stdio[3] as Readable).resume();
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} ended with ${code}:\n${said}`);
}
