/** What tasks of an earlier life were about to put into a pool. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { stagingFolder } from '../../proto/layout.ts';
import { FORMAT_NAMES } from '../../proto/words.ts';

/** Removes it. To be called before any task runs: each makes its own anew. */
export function sweepStaging(registry: string): void {
  const instances = existsSync(registry) ? readdirSync(registry) : [];
  for (const instance of instances) {
    for (const format of FORMAT_NAMES) {
      rmSync(stagingFolder({ registry, instance, format }), { recursive: true, force: true });
    }
  }
}
