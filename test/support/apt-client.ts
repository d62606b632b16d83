/** The real apt with folders of its own: updates, resolves and downloads as a user's machine does, without root. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface AptClient {
  readonly folder: string;
  /** Runs apt-get or apt-cache with these words. Never throws for an exit code. */
  run(tool: 'apt-get' | 'apt-cache', ...words: string[]): Promise<{ code: number; output: string }>;
  close(): void;
}

/** `options` go behind `-o`. The source line is one of sources.list. */
export function openAptClient(sources: string, options: readonly string[] = []): AptClient {
  const folder = mkdtempSync(join(tmpdir(), 'rw-aptc-'));
  for (const name of [
    'state/lists/partial',
    'cache/archives/partial',
    'etc/apt.conf.d',
    'etc/preferences.d',
    'download',
  ]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'status'), '');
  // Read before all others: what the host's administrator has set must not matter.
  writeFileSync(
    join(folder, 'apt.conf'),
    `Dir::Etc::main "none";\nDir::Etc::parts "${folder}/etc/apt.conf.d";\n`,
  );
  writeFileSync(join(folder, 'sources.list'), `${sources}\n`);
  const settings = [
    `Dir=${folder}`,
    `Dir::Etc=${folder}/etc`,
    `Dir::State=${folder}/state`,
    `Dir::State::status=${folder}/status`,
    `Dir::Cache=${folder}/cache`,
    `Dir::Etc::sourcelist=${folder}/sources.list`,
    `Dir::Etc::sourceparts=${folder}/etc/none`,
    'APT::Sandbox::User=root',
    'Acquire::http::Proxy=false',
    'Acquire::Retries=0',
    ...options,
  ].flatMap(option => ['-o', option]);
  const env = { ...process.env, APT_CONFIG: join(folder, 'apt.conf'), LC_ALL: 'C.UTF-8' };
  return {
    folder,
    run: (tool, ...words) =>
      new Promise(resolve => {
        const options_ = { cwd: join(folder, 'download'), env, maxBuffer: 1 << 26 };
        execFile(tool, [...settings, ...words], options_, (error, stdout, stderr) => {
          resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr });
        });
      }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
