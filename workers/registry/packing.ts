/** Apt indexes as xz: smaller than gzip by a quarter, and slow to make, so never while a publication waits for it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Fault } from '../../proto/fault.ts';
import { generationPath } from '../../proto/layout.ts';
import type { TaskContext } from '../context.ts';
import { readManifest } from './apt-manifest.ts';
import type { HeldRegistry } from './publication.ts';

/** Bytes of one index, unpacked and packed. */
const MAX_INDEX = 4 * 1024 * 1024 * 1024;
/** Milliseconds for one index. */
const TIMEOUT = 3_600_000;

/** Packed indexes by the SHA-256 of what they unpack to. */
export type Packed = ReadonlyMap<string, Buffer>;

/**
 * Packs those indexes of a generation that have no xz yet, `Packages` and `Sources`. The registry need not be held:
 * a generation never changes.
 */
export async function packIndexes(
  context: TaskContext,
  registry: Pick<HeldRegistry, 'key' | 'tree' | 'state'>,
  generation: string,
): Promise<Packed> {
  const manifest = readManifest(registry.state, registry.key, generation);
  const folder = join(registry.tree, generationPath(registry.key, generation));
  const packed = new Map<string, Buffer>();
  const wanted = Object.entries(manifest?.indexes ?? {}).filter(
    ([path, { files }]) =>
      /\/(Packages|Sources)$/.test(path) && !files.some(file => file.path === `${path}.xz`),
  );
  for (const [index, [path, { files }]] of wanted.entries()) {
    context.signal.throwIfAborted();
    context.progress('packing', index, wanted.length);
    const sha256 = files.find(file => file.path === path)?.sha256 ?? '';
    if (packed.has(sha256)) continue;
    const started = performance.now();
    const plain = await promisify(gunzip)(readFileSync(join(folder, `${path}.gz`)), {
      maxOutputLength: MAX_INDEX,
    });
    if (createHash('sha256').update(plain).digest('hex') !== sha256) {
      throw new Fault('conflict', 'catalogue-mismatch', `${path}.gz is not what Release says: repair first`);
    }
    const { stdout } = await context.runTool(['nice', '-n', '19', 'xz', '-6', '--stdout'], {
      input: plain,
      maxOutput: MAX_INDEX,
      timeout: TIMEOUT,
    });
    packed.set(sha256, stdout);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    context.console.log('info', `Packed ${path}: ${plain.length} bytes to ${stdout.length} in ${seconds} s`);
  }
  return packed;
}
