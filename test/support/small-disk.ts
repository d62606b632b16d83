/** Small file systems of their own, to be filled to the last byte; they need root. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes that a tmpfs gives out at once. */
const PAGE = 4096;

export interface SmallDisk {
  /** Where it is mounted. */
  readonly folder: string;
  /** Takes all room but for so many bytes, or so many names of files, until `empty`. */
  fill(leave: { readonly bytes: number } | { readonly names: number }): void;
  empty(): void;
  close(): void;
}

/** Mounts a tmpfs of that size, for so many names of files. */
export function openSmallDisk(megabytes: number, names = 4000): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'rw-full-'));
  const ballast = join(folder, 'ballast');
  const options = `size=${megabytes}m,nr_inodes=${names}`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  const empty = (): void => rmSync(ballast, { recursive: true, force: true });
  return {
    folder,
    empty,
    fill: leave => {
      empty();
      if ('bytes' in leave) {
        const { bavail, bsize } = statfsSync(folder);
        writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leave.bytes)));
        return;
      }
      execFileSync('mkdir', [ballast]);
      const { ffree } = statfsSync(folder);
      for (let at = leave.names; at < ffree; at++) writeFileSync(join(ballast, String(at)), '');
    },
    close: () => {
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Room to leave: bytes and names in turn, from none upwards, so that a disk is full at another step each time. */
export function* rooms(stride: number): Generator<{ readonly bytes: number } | { readonly names: number }> {
  for (let step = 0; ; step += stride) {
    yield { bytes: step * PAGE };
    yield { names: step };
  }
}

export interface QuotaDisk {
  /** Folders of one file system; the first may take so many megabytes only. */
  readonly limited: string;
  readonly free: string;
  /** Another limit for the first. */
  limit(megabytes: number): void;
  close(): void;
}

/** Mounts a btrfs with a quota, which holds for root too. */
export function openQuotaDisk(megabytes: number): QuotaDisk {
  const folder = mkdtempSync(join(tmpdir(), 'rw-quota-'));
  const [image, mount] = [join(folder, 'image'), join(folder, 'mount')];
  const limited = join(mount, 'limited');
  const free = join(mount, 'free');
  const run = (...words: string[]): void =>
    void execFileSync(words[0] ?? '', words.slice(1), { stdio: 'pipe' });
  const limit = (size: number): void => run('btrfs', 'qgroup', 'limit', `${size}M`, limited);
  run('truncate', '--size=256M', image);
  run('mkfs.btrfs', '--quiet', image);
  run('mkdir', mount);
  run('mount', '-o', 'loop', image, mount);
  for (const subvolume of [limited, free]) run('btrfs', 'subvolume', 'create', subvolume);
  run('btrfs', 'quota', 'enable', mount);
  limit(megabytes);
  return {
    limited,
    free,
    limit,
    close: () => {
      run('umount', '--lazy', mount);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
