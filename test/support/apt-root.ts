/** A real apt in a throw-away root: what a user's machine does with our registry. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('apt-root.sh', import.meta.url));

export interface AptRoot {
  /** Runs a shell command inside. Never throws for an exit code. */
  run(command: string): Promise<{ code: number; output: string }>;
  close(): Promise<void>;
}

/** Opens a client over a prepared root (a folder with a Debian system). */
export async function openAptRoot(root: string): Promise<AptRoot> {
  const work = await mkdtemp(join(tmpdir(), 'rackwright-apt-'));
  return {
    run: command =>
      new Promise(resolve => {
        execFile('bash', [SCRIPT, root, work, command], { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
          resolve({
            code: typeof error?.code === 'number' ? error.code : error ? -1 : 0,
            output: stdout + stderr,
          });
        });
      }),
    close: () => rm(work, { recursive: true, force: true }),
  };
}

/** The line of sources.list for a registry of ours, its key kept in the root by `addRegistry`. */
export function sourceLine(base: string, distribution: string, derivatives: readonly string[]): string {
  return `deb [signed-by=/etc/apt/keyrings/rackwright.asc] ${base}/deb ${distribution} ${derivatives.join(' ')}`;
}

/** The shell command that makes our registry the only source of the root: key, source line, update. */
export function addRegistry(keyring: string, line: string): string {
  return [
    'rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*',
    'mkdir -p /etc/apt/keyrings',
    `cat >/etc/apt/keyrings/rackwright.asc <<'KEY'\n${keyring.trim()}\nKEY`,
    `echo '${line}' >/etc/apt/sources.list.d/rackwright.list`,
    'apt-get -qq update',
  ].join('\n');
}
