/** The peer of our rpm registry: rpmsign, createrepo_c and gpg in turn, as their manuals say. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface RpmPeer {
  /** Adds packages and updates the repodata, nothing signed. */
  update(files: readonly string[]): void;
  /** Signs packages, adds them, updates the repodata and signs it. */
  publish(files: readonly string[]): void;
  close(): void;
}

/** Sets it up with an RSA key of 4096 bits, empty. */
export function openRpmPeer(): RpmPeer {
  const folder = mkdtempSync(join(tmpdir(), 'rwp-'));
  const tree = join(folder, 'tree');
  const env = { ...process.env, GNUPGHOME: join(folder, 'g'), HOME: folder, LC_ALL: 'C.UTF-8' };
  mkdirSync(env.GNUPGHOME, { mode: 0o700 });
  mkdirSync(tree);
  const run = (file: string, ...args: string[]): void =>
    void execFileSync(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  const user = 'Peer <peer@example.org>';
  run('gpg', '--batch', '--passphrase', '', '--quick-generate-key', user, 'rsa4096', 'sign', 'never');
  run('createrepo_c', '--quiet', tree);
  const add = (files: readonly string[]): string[] =>
    files.map(file => {
      const to = join(tree, basename(file));
      copyFileSync(file, to);
      return to;
    });
  return {
    update: files => {
      add(files);
      run('createrepo_c', '--quiet', '--update', tree);
    },
    publish: files => {
      const gpg = ['--define', '__gpg /usr/bin/gpg', '--define', `_gpg_name ${user}`];
      run('rpmsign', ...gpg, '--addsign', ...add(files));
      run('createrepo_c', '--quiet', '--update', tree);
      run('gpg', '--batch', '--yes', '--armor', '--detach-sign', join(tree, 'repodata/repomd.xml'));
    },
    close: () => {
      execFileSync('gpgconf', ['--homedir', env.GNUPGHOME, '--kill', 'gpg-agent']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
