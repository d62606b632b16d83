/** A file system whose power can be lost: what nobody synced is gone then; needs root. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LosableDisk {
  /** Where it is mounted, before and after. */
  readonly folder: string;
  /** Leaves what is on the device at this moment. Whoever had files open there must have ended before. */
  losePower(): void;
  close(): void;
}

const FORMATS = {
  ext4: ['mkfs.ext4', '-q'],
  btrfs: ['mkfs.btrfs', '--quiet'],
} as const;

/** Mounts an image of half a gigabyte. It commits nothing of its own accord, only what somebody syncs. */
export function openLosableDisk(format: keyof typeof FORMATS): LosableDisk {
  const base = mkdtempSync(join(tmpdir(), 'rw-power-'));
  const [image, copy, folder] = [join(base, 'image'), join(base, 'copy'), join(base, 'mount')];
  const run = (...words: string[]): void =>
    void execFileSync(words[0] ?? '', words.slice(1), { stdio: 'pipe' });
  const mount = (): void => run('mount', '-o', 'loop,commit=300', image, folder);
  run('truncate', '--size=512M', image);
  run(...FORMATS[format], image);
  mkdirSync(folder);
  mount();
  return {
    folder,
    losePower: () => {
      run('cp', '--sparse=always', image, copy);
      run('umount', folder);
      renameSync(copy, image);
      mount();
    },
    close: () => {
      run('umount', '--lazy', folder);
      rmSync(base, { recursive: true, force: true });
    },
  };
}
