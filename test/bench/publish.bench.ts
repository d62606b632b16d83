/** Publishing one more package, signed, into a registry of many: ours, reprepro, aptly; dnf beside createrepo_c. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AptPeer, openPeers } from '../support/apt-peers.ts';
import { openRpmPeer } from '../support/rpm-peer.ts';
import { makeManyRpms, makeRpm } from '../support/rpms.ts';
import { SOAK } from '../support/scale.ts';
import { seedName } from '../support/seed-apt.ts';
import { tinyDeb, writeTinyDeb } from '../support/tiny-deb.ts';
import { type Bench, type BenchRow, quantile } from './row.ts';

const TIMER = fileURLToPath(new URL('../support/publish-timer.ts', import.meta.url));
const RUNS = 15;
/** Runs of a peer that takes seconds for each. */
const SLOW_RUNS = 3;
/** Of rpms, each with a version of its own. */
const RPM_RUNS = 9;
/** Packages handed to a peer in one command. */
const BATCH = 2000;

export const bench: Bench = {
  name: 'publish',
  run: async () => [...aptRows(5000, 0.1), ...aptRows(50_000, 0.3), ...rpmRows(1000)],
};

function timer(...args: string[]): number[] {
  const output = execFileSync(process.execPath, [TIMER, ...args], { maxBuffer: 1 << 28 });
  return JSON.parse(output.toString()) as number[];
}

function aptRows(count: number, aim: number): BenchRow[] {
  const home = mkdtempSync(join(tmpdir(), 'rw-bench-'));
  try {
    timer(home, 'seed', String(count));
    const ours = quantile(timer(home, 'deb', String(count), String(RUNS)), 0.5);
    // The large registry takes the peers minutes to fill: only where the stated numbers are run.
    const peers = count <= 5000 || SOAK ? peerTimes(join(home, 'debs'), count) : {};
    const row = (peer: BenchRow['peer']): BenchRow => ({
      measured: `publish one package, signed and synced, into ${count}: seconds, median of ${RUNS}`,
      ours,
      peer,
      aim: { text: `<= ${aim.toFixed(2)} s`, met: ours <= aim },
      ...(peer ? {} : { note: 'peers are run at this size by the soak only' }),
    });
    const rows = Object.entries(peers).map(([name, value]) => row({ name, value }));
    return rows.length > 0 ? rows : [row(null)];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function peerTimes(folder: string, count: number): Record<string, number> {
  mkdirSync(folder);
  const files = Array.from({ length: count }, (_, index) =>
    writeTinyDeb(folder, tinyDeb(seedName(index), '1.0-1')),
  );
  const peers = openPeers();
  try {
    return {
      reprepro: peerTime(peers.reprepro, folder, files, RUNS),
      aptly: peerTime(peers.aptly, folder, files, SLOW_RUNS),
    };
  } finally {
    peers.close();
  }
}

function peerTime(peer: AptPeer, folder: string, files: readonly string[], runs: number): number {
  for (let at = 0; at < files.length; at += BATCH) peer.publish(files.slice(at, at + BATCH));
  const times = Array.from({ length: runs }, (_, run) => {
    const name = seedName((run * 7919) % files.length);
    const file = writeTinyDeb(folder, tinyDeb(name, `2.${run}-1`));
    const start = performance.now();
    peer.publish([file]);
    return (performance.now() - start) / 1000;
  });
  return quantile(times, 0.5);
}

/** Beside createrepo_c alone, and beside the tools that sign as much as we do. */
function rpmRows(count: number): BenchRow[] {
  const home = mkdtempSync(join(tmpdir(), 'rw-bench-'));
  const peer = openRpmPeer();
  try {
    const built = makeManyRpms(join(home, 'rpms'), count);
    const more = Array.from(
      { length: RPM_RUNS },
      (_, run) => makeRpm(join(home, 'more'), { name: 'p1', version: String(run + 2) })[0] ?? '',
    );
    timer(home, 'seed', '0');
    timer(home, 'rpm', built.join(','));
    peer.update(built);
    const ours = quantile(timer(home, 'rpm', ...more), 0.5);
    const time = (publish: (files: readonly string[]) => void): number => {
      const times = more.map(file => {
        const start = performance.now();
        publish([file]);
        return (performance.now() - start) / 1000;
      });
      return quantile(times, 0.5);
    };
    const rows = [
      { name: 'createrepo_c --update, nothing signed', value: time(peer.update) },
      { name: 'rpmsign, createrepo_c --update, gpg', value: time(peer.publish) },
    ];
    const measured = `publish one rpm, itself and repodata signed, into ${count}: seconds, median of ${RPM_RUNS}`;
    return rows.map(row => ({ measured, ours, peer: row, aim: null }));
  } finally {
    peer.close();
    rmSync(home, { recursive: true, force: true });
  }
}
