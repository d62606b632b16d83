/** A user of this machine with a range of subordinate ids and no other right, for what root must not run itself. */
import { execFileSync } from 'node:child_process';

export interface OrdinaryUser {
  readonly name: string;
  readonly uid: number;
  readonly home: string;
}

const NAME = 'rackwright-test';

/** Made on first need; needs root. */
export function ordinaryUser(): OrdinaryUser {
  const entry = (): string =>
    execFileSync('getent', ['passwd', NAME], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  let found: string;
  try {
    found = entry();
  } catch {
    execFileSync('useradd', ['--create-home', '--shell', '/bin/sh', NAME], { stdio: 'ignore' });
    found = entry();
  }
  const [name = '', , uid = '', , , home = ''] = found.trim().split(':');
  return { name, uid: Number(uid), home };
}
