/** What a warm build of GNU hello costs beside the bare commands and beside sbuild. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, openAsBlob, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { type Connection, connect } from '../../proto/rpc.ts';
import { loadProtocol } from '../../proto/services.ts';
import {
  bareBuild,
  newestLayer,
  packChroot,
  type Roots,
  type SourceParts,
  sbuild,
  sbuildUser,
  sourceParts,
} from '../support/bare-build.ts';
import { helloSample, pack, type Sample } from '../support/definitions.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { scaled } from '../support/scale.ts';
import { type Bench, type BenchRow, quantile } from './row.ts';

const RUNS = scaled(5, 0.6);
const RUNS_OF_SBUILD = scaled(3, 0.4);
const POLICY =
  '[roles]\nanonymous\n[anonymous]\nactions=view-pipeline,view-registry,view-task,view-keyring,build\n';
/** Milliseconds for one build, environment and dependencies made first included. */
const LIMIT = 10 * 60_000;

export const bench: Bench = { name: 'overhead', run: measure };

async function measure(): Promise<BenchRow[]> {
  // On a file system that overlayfs takes as an upper one, and open to the user of sbuild.
  const home = mkdtempSync('/var/tmp/rackwright-overhead-');
  chmodSync(home, 0o755);
  const cache = join(homedir(), '.cache/rackwright/demo');
  mkdirSync(cache, { recursive: true });
  mkdirSync(join(home, 'etc'));
  writeFileSync(join(home, 'etc/policy.ini'), POLICY);
  writeFileSync(
    join(home, 'etc/rackwright.ini'),
    `[dirs]\ncache = ${cache}\n[format:deb]\nlintian = no\n[tasks]\nworkers = 1\nmax_workers = 1\n`,
  );
  const pair = await startPair({ home });
  const control = connect(loadProtocol(), `unix:${pair.controlSocket}`);
  try {
    const sample = helloSample(home);
    const build = (): Promise<number> => buildOnce(pair, control, sample, home);
    await build();
    const roots = [pair.environmentRoot(), newestLayer(cache)];
    const source = publishedSource(home);
    const work = join(home, 'bare');
    const [ours, bare]: number[][] = [[], []];
    // By turns, so that what else the machine does meets both.
    for (let run = 0; run < RUNS; run++) {
      ours?.push(await build());
      bare?.push(await bareBuild(source, roots, work));
    }
    const slow = await runSbuild(source, roots, pair.distribution);
    return rows(ours ?? [], bare ?? [], slow);
  } finally {
    control.close();
    await pair.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

function rows(
  ours: readonly number[],
  bare: readonly number[],
  slow: readonly number[] | string,
): BenchRow[] {
  const [median, least] = [quantile(ours, 0.5), quantile(bare, 0.5)];
  const overhead = median - least;
  const note = `load average ${loadavg()[0]?.toFixed(1)}`;
  const peer = typeof slow === 'string' ? null : quantile(slow, 0.5);
  return [
    {
      measured: `a warm build of GNU hello through REST, submission to finished, seconds, median of ${RUNS}`,
      ours: median,
      peer: { name: 'the same source and binary packages made by hand in the same sandbox', value: least },
      aim: null,
      note,
    },
    {
      measured: 'what we add to the bare build, seconds',
      ours: overhead,
      peer: null,
      aim: { text: '<= 0.15 s', met: overhead <= 0.15 },
      note: `difference of the medians; of the fastest ${(Math.min(...ours) - Math.min(...bare)).toFixed(3)} s; ${note}`,
    },
    {
      measured:
        'the same beside sbuild from the finished source package, dependencies in its chroot, seconds',
      ours: median,
      peer: peer === null ? null : { name: 'sbuild --chroot-mode=unshare', value: peer },
      aim: peer === null ? null : { text: 'a sixth of the time of sbuild', met: median * 6 <= peer },
      note: typeof slow === 'string' ? slow : note,
    },
  ];
}

/** Seconds from the request until the daemon tells that the task has finished. */
async function buildOnce(pair: Pair, control: Connection, sample: Sample, home: string): Promise<number> {
  const form = await formOf(pair, sample, home);
  const signal = AbortSignal.timeout(LIMIT);
  const ended = new Map<string, string>();
  let onEnd: () => void = () => undefined;
  const stop = new AbortController();
  const watching = (async () => {
    const call = { signal: AbortSignal.any([signal, stop.signal]), timeout: LIMIT };
    for await (const { task } of control.service('TaskService').watchTasks({ instance: 'default' }, call)) {
      if (task?.state !== 'TASK_STATE_FINISHED') continue;
      ended.set(task.id, `${task.result} ${task.reason}`);
      onEnd();
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  const began = performance.now();
  const answer = await fetch(`${pair.url}/default/build`, { method: 'POST', body: form, signal });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  const { task } = JSON.parse(text) as { task: string };
  while (!ended.has(task)) {
    await Promise.race([new Promise<void>(resolve => (onEnd = resolve)), watching]);
    signal.throwIfAborted();
  }
  const seconds = (performance.now() - began) / 1000;
  stop.abort();
  await watching;
  const how = ended.get(task) ?? '';
  if (!how.startsWith('TASK_RESULT_SUCCESS')) throw new Error(`${how}\n${pair.log().slice(-2000)}`);
  return seconds;
}

async function formOf(pair: Pair, sample: Sample, home: string): Promise<FormData> {
  const form = new FormData();
  const architectures = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const fields = {
    format: 'deb',
    distribution: pair.distribution,
    derivative: 'main',
    artifact: sample.artifact,
  };
  const author = { user_name: 'Jane Roe', user_email: 'jane@example.org', message: 'Measure' };
  for (const [key, value] of Object.entries({ ...fields, ...author, architectures })) form.set(key, value);
  const definition = pack(sample.folder, join(home, 'definition.tar.xz'));
  form.set('tarball', await openAsBlob(definition), basename(definition));
  for (const { id, path } of sample.sources) form.set(`source/${id}`, await openAsBlob(path), basename(path));
  return form;
}

/** A copy of the source package that was published, which later builds replace. */
function publishedSource(home: string): SourceParts {
  const registry = join(home, 'lib/registry');
  const found = (readdirSync(registry, { recursive: true }) as string[]).find(name =>
    /hello_[^/]*\.dsc$/.test(name),
  );
  if (found === undefined) throw new Error(`no source package of hello below ${registry}`);
  const from = sourceParts(join(registry, found, '..'));
  const folder = join(home, 'published');
  mkdirSync(folder);
  const names = [from.dsc, from.orig, from.debian];
  execFileSync('install', ['-m', '644', ...names.map(name => join(from.folder, name)), folder]);
  return { ...from, folder };
}

async function runSbuild(
  source: SourceParts,
  roots: Roots,
  distribution: string,
): Promise<number[] | string> {
  const user = sbuildUser();
  if (user === null) return 'no user with a range of ids in /etc/subuid to run sbuild';
  const work = mkdtempSync('/var/tmp/rackwright-sbuild-');
  try {
    const archive = join(work, 'root.tar');
    await packChroot(roots, work, archive);
    const own = join(work, 'home');
    mkdirSync(own);
    chmodSync(work, 0o755);
    if (process.getuid?.() === 0) execFileSync('chown', [user, own]);
    const times: number[] = [];
    for (let run = 0; run < RUNS_OF_SBUILD; run++)
      times.push(await sbuild(user, own, source, { archive, distribution }));
    return times;
  } catch (error) {
    // The other figures stand without it.
    return `sbuild does not build it here: ${String(error).trim().split('\n').at(-1)}`;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
