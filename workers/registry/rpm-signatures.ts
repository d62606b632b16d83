/** Whether rpms carry the instance's own signature, as rpm itself checks it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../proto/fault.ts';
import type { TaskContext } from '../context.ts';
import { keyringPath } from './keyring.ts';

/** Files that one run of rpmkeys is given. */
const BATCH = 200;
/** Milliseconds for one run. */
const TIMEOUT = 600_000;

/** What is wrong with the signatures of files, given by their absolute paths; one sentence each. */
export async function badRpmSignatures(context: TaskContext, files: readonly string[]): Promise<string[]> {
  const { instance, settings } = context.job;
  const key = join(keyringPath(settings.dirs.keyring, instance.id), 'public.asc');
  // A database of our own that knows this one key: what the host trusts must not matter.
  const database = mkdtempSync(join(settings.dirs.tmp, 'rw-rpmdb-'));
  const rpmkeys = ['rpmkeys', '--define', `_dbpath ${database}`];
  try {
    await context.runTool([...rpmkeys, '--import', key]);
    const findings: string[] = [];
    for (let at = 0; at < files.length; at += BATCH) {
      context.progress('signatures', at, files.length);
      const batch = files.slice(at, at + BATCH);
      const command = [...rpmkeys, '--checksig', ...batch];
      const { stdout, stderr } = await context.runTool(command, {
        jail: { read: [...batch, database] },
        accept: [0, 1],
        timeout: TIMEOUT,
      });
      const lines = stdout.toString('utf8').split('\n').filter(Boolean);
      if (lines.length < batch.length) {
        throw new Fault(
          'internal',
          'internal',
          `rpmkeys told of fewer files than it was given: ${stderr.trim()}`,
        );
      }
      // One without a signature has sound digests, and no more is said of it.
      const bad = lines.filter(line => !line.endsWith(': digests signatures OK'));
      findings.push(...bad.map(line => `the signature of an rpm is not good: ${line}`));
    }
    return findings;
  } finally {
    rmSync(database, { recursive: true, force: true });
  }
}
