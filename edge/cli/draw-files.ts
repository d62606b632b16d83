/** Files of the draw command: where pictures go, reading parameters, and writing so that no half file is ever seen. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { errorCode, Fault } from '../../proto/fault.ts';
import type { Inked } from '../../proto/renderer.ts';
import type { Surroundings } from './surroundings.ts';

/** Bytes of a parameters document. */
const MAX_PARAMETERS = 1024 * 1024;

/** Where a drawing goes. */
export interface Target {
  readonly format: string;
  /** Path as the user is told; null = standard output. */
  readonly image: string | null;
  /** Null = none are wanted. */
  readonly coordinates: string | null;
  readonly coordinatesFormat: 'json' | 'yaml';
  /** What relative paths are relative to. */
  readonly cwd: string;
}

/** Reads where to write from the command's options. */
export function targetOf(
  options: {
    readonly name: string;
    readonly format?: string;
    readonly output?: string;
    readonly coordinates?: string | true;
    readonly coordinatesFormat?: string;
  },
  cwd: string,
): Target {
  const suffix =
    options.output === undefined || options.output === '-' ? '' : extname(options.output).slice(1);
  const format = options.format ?? (suffix === '' ? 'png' : suffix);
  const image = options.output === '-' ? null : (options.output ?? `./${safeName(options.name)}.${format}`);
  const coordinatesFormat = options.coordinatesFormat === 'yaml' ? 'yaml' : 'json';
  const given = options.coordinates;
  const coordinates =
    given === undefined ? null : given === true ? `coordinates.${coordinatesFormat}` : given;
  return { format, image, coordinates, coordinatesFormat, cwd };
}

/** A file name for any name: slashes, control characters and a leading dot become underscores. */
function safeName(name: string): string {
  return name.replace(/[/\x00-\x1f\x7f]/g, '_').replace(/^\./, '_');
}

/** The text of a file, or of standard input for `-`. Throws a Fault. */
export async function readAll(path: string, { stdin, cwd }: Surroundings): Promise<string> {
  if (path === '-') {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of stdin) {
      size += (piece as Buffer).length;
      if (size > MAX_PARAMETERS)
        throw new Fault(
          'invalid',
          'too-large',
          `Unable to load drawing parameters: larger than ${MAX_PARAMETERS} bytes`,
        );
      pieces.push(Buffer.from(piece as Buffer));
    }
    return Buffer.concat(pieces).toString('utf8');
  }
  try {
    return readFileSync(resolve(cwd, path), 'utf8');
  } catch (error) {
    const code = errorCode(error);
    throw new Fault(
      'invalid',
      'bad-parameters',
      `Unable to load drawing parameters: ${path}: ${code === 'ENOENT' ? 'not there' : code}`,
    );
  }
}

/** Writes all files or none: each beside its place first, then renamed. Throws a Fault. */
export function writeTargets(target: Target, inked: Inked, around: Surroundings): void {
  const files: { path: string; bytes: Uint8Array }[] = [];
  if (target.image !== null) files.push({ path: target.image, bytes: inked.image });
  if (target.coordinates !== null && inked.coordinates)
    files.push({ path: target.coordinates, bytes: inked.coordinates });
  const written: { from: string; to: string }[] = [];
  try {
    for (const { path, bytes } of files) {
      const to = resolve(target.cwd, path);
      const from = join(dirname(to), `.${basename(to)}.${process.pid}.part`);
      written.push({ from, to });
      writeFileSync(from, bytes);
    }
    for (const { from, to } of written) renameSync(from, to);
  } catch (error) {
    for (const { from } of written) rmSync(from, { force: true });
    const code = errorCode(error);
    if (code === '') throw error;
    const at = files[Math.max(0, written.length - 1)]?.path;
    throw new Fault(
      'invalid',
      'bad-input',
      `Unable to write ${at}: ${code === 'ENOENT' ? 'its folder is not there' : code}`,
    );
  }
  if (target.image === null) around.stdout.write(inked.image);
}
