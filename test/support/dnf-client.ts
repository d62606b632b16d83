/** The real dnf and zypper with folders of their own. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RpmClient {
  readonly root: string;
  run(...words: string[]): Promise<{ code: number; output: string }>;
  close(): void;
}

export interface RpmClientOptions {
  readonly url: string;
  /** Absolute path of the armored key to trust. */
  readonly key: string;
  /** What it signs in with; nothing unless told. */
  readonly login?: { readonly username: string; readonly password: string };
}

function execute(
  file: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; output: string }> {
  return new Promise(resolve => {
    execFile(file, args, { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr });
    });
  });
}

/** dnf over an empty root of its own, gpgcheck and repo_gpgcheck on. */
export function openDnf({ url, key, login }: RpmClientOptions): RpmClient {
  const folder = mkdtempSync(join(tmpdir(), 'rw-dnf-'));
  const root = join(folder, 'root');
  for (const name of ['repos', 'root', 'cache', 'log']) mkdirSync(join(folder, name));
  const as = login ? `username=${login.username}\npassword=${login.password}\n` : '';
  writeFileSync(
    join(folder, 'repos/t.repo'),
    `[t]\nname=t\nbaseurl=${url}\nenabled=1\ngpgcheck=1\nrepo_gpgcheck=1\nmetadata_expire=0\ngpgkey=file://${key}\n${as}`,
  );
  const settings = [
    '-y',
    '--noplugins',
    // Looks anew each time: by metadata_expire=0 alone what came within the same second still counts as fresh.
    '--refresh',
    `--installroot=${root}`,
    '--releasever=1',
    `--setopt=reposdir=${folder}/repos`,
    `--setopt=cachedir=${folder}/cache`,
    `--setopt=logdir=${folder}/log`,
    '--setopt=install_weak_deps=False',
    '--setopt=retries=1',
    '--setopt=proxy=',
  ];
  return {
    root,
    run: (...words) => execute('dnf', [...settings, ...words], { ...process.env, LC_ALL: 'C.UTF-8' }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** zypper over an empty root of its own; the key is given to its rpm database. */
export async function openZypper({ url, key }: RpmClientOptions): Promise<RpmClient> {
  const folder = mkdtempSync(join(tmpdir(), 'rw-zyp-'));
  const root = join(folder, 'root');
  mkdirSync(join(root, 'etc/zypp/repos.d'), { recursive: true });
  writeFileSync(
    join(root, 'etc/zypp/repos.d/t.repo'),
    `[t]\nname=t\nbaseurl=${url}\nenabled=1\ngpgcheck=1\nrepo_gpgcheck=1\npkg_gpgcheck=1\nautorefresh=1\ntype=rpm-md\n`,
  );
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  await execute('rpm', ['--root', root, '--initdb'], env);
  await execute('rpmkeys', ['--root', root, '--import', key], env);
  return {
    root,
    run: (...words) => execute('zypper', ['--root', root, '--non-interactive', ...words], env),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
