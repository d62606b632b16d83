/** Builds by sbuild as its users run it: an ordinary user, a chroot by mmdebstrap, the mirrors of this machine. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readAptSources, renderSources, selectSources } from '../../workers/formats/deb/apt-sources.ts';
import { runCommand, type SourceParts } from './bare-build.ts';
import { hostCodename, testCache } from './environment.ts';
import { ordinaryUser } from './ordinary-user.ts';

/** Milliseconds after which a chroot is made again. */
const FRESH = 7 * 24 * 3600 * 1000;

export interface Sbuild {
  /** Seconds of one build, in a chroot that holds what `include` names beside what sbuild wants. */
  build(source: SourceParts, include: readonly string[]): Promise<number>;
}

/** Prepares to run it below an absent folder that everybody may enter. */
export function openSbuild(work: string): Sbuild {
  const root = process.getuid?.() === 0;
  const user = root ? ordinaryUser().name : '';
  const home = join(work, 'home');
  mkdirSync(home, { recursive: true });
  chmodSync(work, 0o755);
  if (root) execFileSync('chown', [user, home]);
  return {
    build: async (source, include) => {
      // Its user must be able to read the archive, which the cache of another does not allow.
      const archive = join(work, 'root.tar.zst');
      copyFileSync(await chroot(include), archive);
      chmodSync(archive, 0o644);
      const options = [
        '--chroot-mode=unshare',
        `--chroot=${archive}`,
        `--dist=${hostCodename()}`,
        '--verbose',
      ];
      const command = ['sbuild', ...options, '--no-run-lintian', join(source.folder, source.dsc)];
      const as = root ? ['runuser', '-u', user, '--', 'env', `HOME=${home}`] : [];
      const began = performance.now();
      await runCommand([...as, ...command], home);
      return (performance.now() - began) / 1000;
    },
  };
}

/** A chroot as mmdebstrap(1) and sbuild's own documentation tell to make it; kept for a week. */
async function chroot(include: readonly string[]): Promise<string> {
  const codename = hostCodename();
  const store = join(testCache(), 'sbuild');
  mkdirSync(store, { recursive: true });
  const archive = join(store, `${[codename, ...include].join('+')}.tar.zst`);
  if (existsSync(archive) && Date.now() - statSync(archive).mtimeMs < FRESH) return archive;
  const sources = join(store, 'sources.list.d.sources');
  const entries = selectSources(await readAptSources('/etc/apt'), codename, codename, []);
  writeFileSync(
    sources,
    renderSources(entries, entry => entry.options['Signed-By'] ?? null),
  );
  const fresh = join(store, `new-${process.pid}.tar.zst`);
  const more = include.length > 0 ? [`--include=${include.join(',')}`] : [];
  const make = ['mmdebstrap', '--variant=buildd', ...more, codename, fresh, sources];
  const unshare = ['unshare', '--mount', '--propagation', 'private'];
  try {
    await runCommand(process.getuid?.() === 0 ? [...unshare, ...make] : make);
    renameSync(fresh, archive);
  } finally {
    rmSync(fresh, { force: true });
  }
  return archive;
}
