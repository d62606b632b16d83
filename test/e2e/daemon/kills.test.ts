/**
 * kill -9 of the daemon at random moments over submissions, real builds and real deletions: nothing that was
 * acknowledged is lost, doubled or run once more, and the registry that lies there is one that apt takes.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { type AptClient, openAptClient } from '../../support/apt-client.ts';
import { verifyWithApt } from '../../support/apt-verify.ts';
import {
  type Home,
  makeHome,
  type RunningDaemon,
  spoolBuild,
  spoolFile,
  startDaemon,
} from '../../support/daemon.ts';
import { pack, tinySample } from '../../support/definitions.ts';
import { hostCodename, testCache } from '../../support/environment.ts';
import { random, SEED, scaled } from '../../support/scale.ts';
import { serveTree, type TreeServer } from '../../support/tree-server.ts';
import { until } from '../../support/until.ts';

const INSTANCE = { instance: 'default' };
const PLACE = { ...INSTANCE, format: 'deb', distribution: hostCodename(), derivative: 'main' };
/** What is submitted besides builds: most ends at once, some takes its time, some fails. */
const QUICK = ['ok', 'ok', 'ok', 'wait50', 'wait400', 'fail', 'wait1500'];
/** Artifacts that are really built and deleted, again and again. */
const REAL = ['real-alpha', 'real-beta', 'real-gamma'];

interface Wish {
  readonly name: string;
  /** Asks under a key of its own; answers the task. */
  send(daemon: RunningDaemon): Promise<string>;
  /** The task, once it was acknowledged. */
  task: string | null;
}

interface Archived {
  readonly id: string;
  readonly place: string;
  readonly result: string;
  readonly reason: string;
  readonly attempts: number;
  readonly interruptions: number;
  readonly version: string;
  readonly ended: number;
  readonly spec: { readonly type: string; readonly artifact?: string; readonly version?: string };
}

const chance = random(SEED);
const home = makeHome();
const wishes: Wish[] = [];
let tree: TreeServer;
let apt: AptClient;
/** Milliseconds from an answering daemon to its kill, at most: twice what a build takes here. */
let life = 0;

before(async () => {
  home.configure(
    'rackwright.ini',
    `[dirs]\ncache = ${join(testCache(), 'journey')}\n[tasks]\nworkers = 4\nmax_workers = 4\n[keyring]\ntype = ed25519\n[format:deb]\nlintian = no\n`,
  );
  home.configure(
    'instances.d/default.yml',
    `name: Kills\ngpg: {name: Team, email: team@example.org}\nformats:\n  deb:\n  - {name: ${hostCodename()}, env: ${hostCodename()}}\n`,
  );
  const daemon = await startDaemon(home, { quick: true });
  // The first build makes keyring and environment, the second shows how long one takes.
  for (const name of ['real-first', 'real-second']) {
    const began = performance.now();
    const wish = build(name, 0);
    wish.task = await wish.send(daemon);
    await drained(daemon);
    life = 2 * (performance.now() - began);
    wishes.push(wish);
  }
  const key = join(home.path, 'key.asc');
  writeFileSync(key, (await daemon.service('KeyringService').exportKeyring(INSTANCE)).armored);
  assert.equal(await daemon.stop(), 0);
  tree = await serveTree(join(home.path, 'lib/registry/default'));
  const line = (word: string): string =>
    `${word} [signed-by=${key}] ${tree.url}/deb ${PLACE.distribution} ${PLACE.derivative}`;
  apt = openAptClient(`${line('deb')}\n${line('deb-src')}`);
  assert.deepEqual(await verifyWithApt(apt), ['real-first 1.0-1', 'real-second 1.0-1']);
});

after(async () => {
  apt?.close();
  await tree?.close();
  home.remove();
});

test('every acknowledged task ends in exactly one archive entry and apt takes every state, whenever the daemon is killed', async t => {
  const rounds = scaled(200, 0.04);
  t.diagnostic(`${rounds} kills, seed ${SEED}, a build takes ${Math.round(life / 2)} ms`);
  let daemon: RunningDaemon | null = null;
  try {
    for (let round = 0; round < rounds; round++) {
      daemon = await startDaemon(home, { quick: true });
      const running = daemon;
      const deadline = performance.now() + 20 + chance() * life;
      // Whose answer the last kill cut off asks again under the same key.
      const again = wishes.filter(wish => wish.task === null);
      const fresh = [quick(round, 0), quick(round, 1), build(REAL[round % REAL.length] ?? '', round)];
      const gone = chance() < 0.5 ? await deletion(running, round) : null;
      if (gone) fresh.push(gone);
      wishes.push(...fresh);
      const clients = [...again, ...fresh].map(wish => ask(running, wish, chance() < 0.05));
      await new Promise(resolve => setTimeout(resolve, Math.max(0, deadline - performance.now())));
      await running.stop('SIGKILL');
      await Promise.all(clients);
      assert.doesNotMatch(running.log(), / (ERROR|FATAL) /);
      await verifyWithApt(apt);
    }
    daemon = await startDaemon(home, { quick: true });
    for (const wish of wishes) await ask(daemon, wish, false);
    await drained(daemon);
    const listed = await list(daemon);
    const { task } = await daemon.service('RegistryService').verifyRegistry({ place: PLACE });
    await drained(daemon);
    assert.equal(await daemon.stop(), 0);
    const archived = readArchive();
    assert.equal(archived.find(one => one.id === task)?.result, 'success', 'the registry verifies itself');
    checkTasks(archived.filter(one => one.id !== task));
    assert.deepEqual(await verifyWithApt(apt), listed);
    checkRegistry(archived, listed);
    t.diagnostic(tally(archived));
  } finally {
    daemon?.child.kill('SIGKILL');
  }
  await checkNothingIsLeft(home);
});

/** A task of the quick thread. */
function quick(round: number, at: number): Wish {
  const pick = QUICK[Math.floor(chance() * QUICK.length)] ?? 'ok';
  const name = `${pick}-${round}-${at}`;
  const send = async (daemon: RunningDaemon): Promise<string> => {
    const request = spoolBuild(home, name, { ...PLACE, idempotencyKey: name });
    return submitSpooled(daemon, request, [request.definition.spool]);
  };
  return { name, send, task: null };
}

/** A package that is really built and published; its version grows with the round. */
function build(artifact: string, round: number): Wish {
  const version = `1.${round}`;
  const sample = tinySample(home.path, artifact, { version });
  const key = `${artifact}-${round}`;
  const definition = pack(sample.folder, join(home.path, 'sent', `${key}.tar`));
  const source = sample.sources[0]?.path ?? '';
  const send = async (daemon: RunningDaemon): Promise<string> => {
    const files = [spoolFile(home, definition), spoolFile(home, source)] as const;
    const request = spoolBuild(home, artifact, {
      ...PLACE,
      idempotencyKey: key,
      definition: files[0],
      sources: [{ id: artifact, file: files[1] }],
    });
    return submitSpooled(
      daemon,
      request,
      files.map(file => file.spool),
    );
  };
  return { name: key, send, task: null };
}

async function submitSpooled(
  daemon: RunningDaemon,
  request: ReturnType<typeof spoolBuild>,
  files: readonly string[],
): Promise<string> {
  try {
    return (await daemon.service('BuildService').submitBuild(request, { timeout: 120_000 })).task;
  } catch (error) {
    for (const file of files) rmSync(join(home.path, 'lib/spool', file), { force: true });
    throw error;
  }
}

/** The deletion of something that is there now; null when nothing may go. */
async function deletion(daemon: RunningDaemon, round: number): Promise<Wish | null> {
  const names = (await list(daemon)).filter(one => !one.startsWith('real-first'));
  const pick = names[Math.floor(chance() * names.length)];
  if (!pick) return null;
  const [name = '', version = ''] = pick.split(' ');
  const request = { place: PLACE, architecture: 'noarch', name, version, idempotencyKey: `delete-${round}` };
  const send = async (running: RunningDaemon): Promise<string> =>
    (await running.service('RegistryService').deleteArtifact(request, { timeout: 120_000 })).task;
  return { name: request.idempotencyKey, send, task: null };
}

/** Binary packages of the registry, as `NAME VERSION`, sorted. */
async function list(daemon: RunningDaemon): Promise<string[]> {
  const names: string[] = [];
  for await (const { artifacts } of daemon.service('RegistryService').listArtifacts({ place: PLACE })) {
    names.push(
      ...artifacts.filter(one => one.architecture !== 'src').map(one => `${one.name} ${one.version}`),
    );
  }
  return names.sort();
}

/** Asks for what is wished, and perhaps cancels it. A kill meanwhile is no news. */
async function ask(daemon: RunningDaemon, wish: Wish, cancel: boolean): Promise<void> {
  try {
    const task = await wish.send(daemon);
    assert.ok(wish.task === null || wish.task === task, 'one key has one task');
    wish.task = task;
    if (cancel) await daemon.service('TaskService').cancelTask({ ...INSTANCE, task });
  } catch (error) {
    const { kind, reason } = error as { kind?: string; reason?: string };
    const killed = kind === 'unavailable' || kind === 'cancelled' || kind === 'internal';
    // Who is late finds that the task has ended, or what was to go gone.
    const late = kind === 'refused' && reason === 'already-there';
    const gone = kind === 'not_found' && wish.name.startsWith('delete-');
    if (gone) wishes.splice(wishes.indexOf(wish), 1);
    else if (!killed && !late) throw error;
  }
}

async function drained(daemon: RunningDaemon): Promise<void> {
  const states = ['TASK_STATE_PENDING', 'TASK_STATE_RUNNING'] as const;
  const waiting = async (): Promise<boolean> =>
    (await daemon.service('TaskService').listTasks({ ...INSTANCE, states: [...states], limit: 1 })).tasks
      .length > 0;
  await until(async () => !(await waiting()), 600_000);
}

/** The archive as it lies on the disk, oldest first. */
function readArchive(): Archived[] {
  const database = new DatabaseSync(join(home.path, 'lib/state.db'), { readOnly: true });
  const rows = database.prepare('SELECT record FROM archive ORDER BY seq').all();
  assert.equal(database.prepare('SELECT count(*) AS n FROM live').get()?.n, 0);
  assert.equal(database.prepare('SELECT count(*) AS n FROM intent').get()?.n, 0);
  database.close();
  return rows.map(row => JSON.parse(String(row.record)) as Archived);
}

/** Every wish has one task, none ran more often than it may, each journal has its one end. */
function checkTasks(archived: readonly Archived[]): void {
  const tasks = wishes.map(wish => wish.task);
  assert.ok(tasks.every(task => task !== null));
  assert.equal(new Set(tasks).size, wishes.length, 'no two keys share a task');
  // Keyring, image and environment came about by tasks that nobody wished for.
  const submitted = archived.filter(one => one.spec.type === 'build' || one.spec.type === 'deletion');
  assert.deepEqual(submitted.map(one => one.id).sort(), [...tasks].sort(), 'nothing is lost or doubled');
  for (const task of submitted) {
    const artifact = task.spec.artifact ?? '';
    const what = `${task.spec.type} of ${artifact}, task ${task.id} (${task.reason})`;
    assert.ok(task.interruptions <= 2 && task.attempts <= task.interruptions + 1, what);
    const interrupted = task.interruptions > 0 || task.result === 'cancelled';
    if (artifact.startsWith('fail')) assert.notEqual(task.result, 'success', what);
    else if (!interrupted && task.spec.type === 'build') assert.equal(task.result, 'success', what);
    const journal = readFileSync(join(task.place, 'task.journal'), 'latin1');
    assert.equal(
      journal.match(/20:Task (succeeded|failed)/g)?.length,
      1,
      `the journal of the ${what} has one end`,
    );
    const marks = join(task.place, 'runs');
    if (!existsSync(marks)) continue;
    const starts = readFileSync(marks, 'utf8')
      .split('\n')
      .filter(mark => mark.startsWith('start'));
    assert.equal(new Set(starts).size, starts.length, `no attempt of the ${what} runs twice`);
  }
}

/** What was built is there unless something newer, or a deletion, took its place; what was deleted is gone. */
function checkRegistry(archived: readonly Archived[], listed: readonly string[]): void {
  const there = new Map(listed.map(one => one.split(' ') as [string, string]));
  const done = archived.filter(one => one.result === 'success');
  const deleted = new Set<string>();
  for (const { spec } of done) {
    if (spec.type === 'deletion') deleted.add(`${spec.artifact} ${spec.version}`);
  }
  for (const one of deleted) assert.ok(!listed.includes(one), `${one} was deleted`);
  for (const { spec, version } of done) {
    const { artifact = '' } = spec;
    if (spec.type !== 'build' || !artifact.startsWith('real')) continue;
    const now = there.get(artifact);
    const newest = newestOf([version, ...(now === undefined ? [] : [now])]);
    const later = done.some(
      other => other.spec.artifact === artifact && newestOf([other.version, version]) !== version,
    );
    assert.ok(
      now === newest || later || deleted.has(`${artifact} ${version}`),
      `${artifact} ${version} is lost`,
    );
  }
}

function newestOf(versions: readonly string[]): string {
  const minor = (version: string): number => Number(/^1\.(\d+)/.exec(version)?.[1] ?? -1);
  return versions.reduce((best, one) => (minor(one) > minor(best) ? one : best));
}

/** Processes, mounts and sockets of interrupted attempts are gone. */
async function checkNothingIsLeft({ path }: Home): Promise<void> {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  assert.deepEqual(
    mounts.filter(line => line.includes(path)),
    [],
  );
  // An agent of gpg ends by itself, once it has seen that its home is gone.
  await until(() => commandsWith(path).length === 0).catch(() => undefined);
  assert.deepEqual(commandsWith(path), [], 'processes are left');
  const known = new Set(readArchive().map(one => one.id));
  const stray = readdirSync(join(path, 'lib/workspaces/default')).filter(name => !known.has(name));
  // What a kill left between a workspace and its record is swept a little after a start, and never older than that.
  assert.ok(stray.length <= wishes.length, `${stray.length} workspaces belong to no task`);
}

/** Command lines of other processes that name a path. */
function commandsWith(path: string): string[] {
  const processes = readdirSync('/proc').filter(name => /^\d+$/.test(name) && Number(name) !== process.pid);
  return processes.flatMap(pid => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      return command.includes(path) ? [command.replaceAll('\0', ' ')] : [];
    } catch {
      return [];
    }
  });
}

function tally(archived: readonly Archived[]): string {
  const counts = new Map<string, number>();
  for (const { spec, result, interruptions } of archived) {
    const kind = spec.artifact?.startsWith('real') ? `real ${spec.type}` : spec.type;
    const word = `${kind} ${result}${interruptions > 0 ? ' after an interruption' : ''}`;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
