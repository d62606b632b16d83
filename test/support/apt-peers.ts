/** The peers of our apt registry, reprepro and aptly, set up and signed as their manuals say. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface AptPeer {
  readonly name: string;
  /** Absolute path of the tree that a web server serves. */
  readonly tree: string;
  /** Adds packages and publishes them, signed. */
  publish(files: readonly string[]): void;
}

export interface Peers {
  readonly reprepro: AptPeer;
  readonly aptly: AptPeer;
  close(): void;
}

/** Sets both up with an RSA key of 4096 bits, empty. */
export function openPeers(): Peers {
  const folder = mkdtempSync(join(tmpdir(), 'rwp-'));
  const env = { ...process.env, GNUPGHOME: join(folder, 'g'), HOME: folder, LC_ALL: 'C.UTF-8' };
  mkdirSync(env.GNUPGHOME, { mode: 0o700 });
  const run = (file: string, args: readonly string[]): string =>
    execFileSync(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 }).toString();
  const user = 'Peer <peer@example.org>';
  run('gpg', ['--batch', '--passphrase', '', '--quick-generate-key', user, 'rsa4096', 'sign', 'never']);
  const key = /^fpr:+([0-9A-F]{40}):$/m.exec(run('gpg', ['--with-colons', '--list-keys']))?.[1] ?? '';
  return {
    reprepro: openReprepro(join(folder, 'reprepro'), key, run),
    aptly: openAptly(join(folder, 'aptly'), key, run),
    close: () => {
      execFileSync('gpgconf', ['--homedir', env.GNUPGHOME, '--kill', 'gpg-agent']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Run = (file: string, args: readonly string[]) => string;

function openReprepro(base: string, key: string, run: Run): AptPeer {
  mkdirSync(join(base, 'conf'), { recursive: true });
  writeFileSync(
    join(base, 'conf/distributions'),
    `Codename: bookworm\nComponents: main\nArchitectures: amd64 source\nSignWith: ${key}\n`,
  );
  return {
    name: 'reprepro',
    tree: base,
    publish: files => void run('reprepro', ['-b', base, 'includedeb', 'bookworm', ...files]),
  };
}

function openAptly(base: string, key: string, run: Run): AptPeer {
  mkdirSync(base, { recursive: true });
  const config = join(base, 'aptly.conf');
  writeFileSync(config, JSON.stringify({ rootDir: base, architectures: ['amd64'], gpgProvider: 'gpg' }));
  const aptly = (...args: string[]): string => run('aptly', [`-config=${config}`, ...args]);
  aptly('repo', 'create', '-distribution=bookworm', '-component=main', 'site');
  let published = false;
  return {
    name: 'aptly',
    tree: join(base, 'public'),
    publish: files => {
      aptly('repo', 'add', '-force-replace', 'site', ...files);
      if (published) aptly('publish', 'update', '-batch', `-gpg-key=${key}`, 'bookworm');
      else aptly('publish', 'repo', '-batch', '-acquire-by-hash', `-gpg-key=${key}`, 'site');
      published = true;
    },
  };
}
