/** What a warm build costs beside the bare commands and beside sbuild. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { bareBuild, type Roots, type SourceParts } from '../support/bare-build.ts';
import { helloSample, quickSample, type Sample } from '../support/definitions.ts';
import { openSbuild } from '../support/sbuild.ts';
import { scaled } from '../support/scale.ts';
import { openTimedBuilds, type TimedBuilds } from '../support/timed-build.ts';
import { type Bench, type BenchRow, quantile } from './row.ts';

const RUNS = scaled(9, 0.4);
/** Of a package that has nothing to build: the less the commands take, the clearer is what comes on top. */
const QUICK_RUNS = scaled(40, 0.4);
const SBUILD_RUNS = scaled(3, 0.4);
/** Build-Depends of hello's definition. */
const DEPENDENCIES = ['debhelper', 'help2man', 'texinfo'];
const AIM = 0.15;

export const bench: Bench = { name: 'overhead', run: measure };

/** Seconds of each run; `source` is what both built. */
interface Measured {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
  readonly source: SourceParts;
}

async function measure(): Promise<BenchRow[]> {
  // On a file system that overlayfs takes as an upper one, and open to the user of sbuild.
  const home = mkdtempSync('/var/tmp/rackwright-overhead-');
  chmodSync(home, 0o755);
  const rows: BenchRow[] = [];
  try {
    const builds = await openTimedBuilds(home);
    let hello: Measured;
    try {
      const quick = await byTurns(builds, quickSample(home, 'quick'), QUICK_RUNS, home);
      rows.push(...compare('a package with nothing to build', quick));
      hello = await byTurns(builds, helloSample(home), RUNS, home);
      rows.push(...compare('GNU hello', hello));
    } finally {
      await builds.close();
    }
    rows.push(...(await besideSbuild(quantile(hello.ours, 0.5), hello.source, join(home, 'sbuild'))));
    return rows;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** By turns, so that what else the machine does meets both. */
async function byTurns(builds: TimedBuilds, sample: Sample, runs: number, home: string): Promise<Measured> {
  await builds.build(sample);
  const [ours, bare]: [number[], number[]] = [[], []];
  const roots: Roots = builds.roots();
  const source = builds.publishedSource(sample.artifact);
  for (let run = 0; run < runs; run++) {
    ours.push(await builds.build(sample));
    bare.push(await bareBuild(source, roots, join(home, 'bare')));
  }
  return { ours, bare, source };
}

function compare(what: string, { ours, bare }: Measured): BenchRow[] {
  const [median, least] = [quantile(ours, 0.5), quantile(bare, 0.5)];
  const overhead = median - least;
  const note = `load average ${loadavg()[0]?.toFixed(1)}`;
  return [
    {
      measured: `a warm build of ${what} through REST, submission to finished, seconds, median of ${ours.length}`,
      ours: median,
      peer: { name: 'the same source and binary packages made by hand in the same roots', value: least },
      aim: null,
      note,
    },
    {
      measured: `what we add to the bare build of ${what}, seconds`,
      ours: overhead,
      peer: null,
      aim: { text: `<= ${AIM} s`, met: overhead <= AIM },
      note: `difference of the medians; of the fastest ${(Math.min(...ours) - Math.min(...bare)).toFixed(3)} s; ${note}`,
    },
  ];
}

/** Both ways to run it: dependencies installed for each build, as it does by itself, and found in the chroot. */
async function besideSbuild(ours: number, source: SourceParts, work: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const sbuild = openSbuild(work);
  for (const include of [[], DEPENDENCIES]) {
    const measured = `a warm build of GNU hello beside sbuild from the source package${include.length > 0 ? ', dependencies in its chroot' : ''}, seconds`;
    const times: number[] = [];
    for (let run = 0; run < SBUILD_RUNS; run++) times.push(await sbuild.build(source, include));
    const peer = quantile(times, 0.5);
    const aim = { text: 'a sixth of the time of sbuild', met: ours * 6 <= peer };
    rows.push({
      ...{ measured, ours, peer: { name: 'sbuild --chroot-mode=unshare', value: peer } },
      aim: include.length > 0 ? null : aim,
      note: `load average ${loadavg()[0]?.toFixed(1)}`,
    });
  }
  return rows;
}
