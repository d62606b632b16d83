/**
 * S15: the power goes. What was written and not synced is gone, at random moments under load, on a file system of its
 * own: every acknowledged submission is there with its files, and apt takes the registry, old or new.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAptClient } from '../../support/apt-client.ts';
import { verifyWithApt } from '../../support/apt-verify.ts';
import {
  type Home,
  pretendReady,
  type RunningDaemon,
  spoolBuild,
  startDaemon,
} from '../../support/daemon.ts';
import { random, SEED, scaled } from '../../support/scale.ts';
import { tinyDeb, writeTinyDeb } from '../../support/tiny-deb.ts';
import { serveTree } from '../../support/tree-server.ts';
import { until } from '../../support/until.ts';

const HERE = { instance: 'default' };
const PLACE = { ...HERE, format: 'deb', distribution: 'bookworm', derivative: 'main' };
const INI = '[tasks]\nworkers = 3\nmax_workers = 3\n[keyring]\ntype = ed25519\n[format:deb]\nxz_after = 0\n';
const INSTANCE = `name: Power\ngpg: {name: Team, email: team@example.org}\nformats:\n  deb:\n  - {name: bookworm, env: bookworm}\n`;

/** A file system whose device can be kept as it is at one instant, without what was not written to it yet. */
class LossyDisk {
  readonly mount: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'rw-power-'));
  readonly #store = join(this.#folder, 'store');

  constructor() {
    this.mount = join(this.#folder, 'disk');
    const image = join(this.#folder, 'store.img');
    for (const folder of [this.#store, this.mount]) mkdirSync(folder);
    run('truncate', '--size=1G', image);
    run('mkfs.btrfs', '--quiet', image);
    run('mount', '-o', 'loop', image, this.#store);
    run('truncate', '--size=192M', join(this.#store, 'device'));
    run('mkfs.ext4', '-q', join(this.#store, 'device'));
    this.#attach();
  }

  #attach(): void {
    // Nothing is written before somebody asks for it, as far as the file system can help it.
    run('mount', '-o', 'loop,commit=300', join(this.#store, 'device'), this.mount);
  }

  /** The device as it is now. A clone of a file on btrfs is made in one instant. */
  keep(): void {
    run('cp', '--reflink=always', join(this.#store, 'device'), join(this.#store, 'kept'));
  }

  /** Goes on with what was kept. */
  lose(): void {
    run('umount', '--lazy', this.mount);
    run('mv', join(this.#store, 'kept'), join(this.#store, 'device'));
    this.#attach();
  }

  close(): void {
    for (const folder of [this.mount, this.#store]) spawnSync('umount', ['--lazy', folder]);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function run(program: string, ...words: string[]): void {
  execFileSync(program, words, { stdio: 'pipe' });
}

/** Why it can't be tried here; null when it can. */
function obstacle(): string | null {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  if (spawnSync('mkfs.btrfs', ['--version']).error) return 'btrfs-progs is missing';
  return spawnSync('losetup', ['--find']).status === 0 ? null : 'there is no loop device';
}

test('S15: after a power loss all that was acknowledged is there, and the registry is old or new', {
  skip: obstacle() ?? false,
}, async t => {
  const rounds = scaled(50, 0.06);
  t.diagnostic(`${rounds} losses, seed ${SEED}`);
  const chance = random(SEED);
  const disk = new LossyDisk();
  const outside = mkdtempSync(join(tmpdir(), 'rw-outside-'));
  const home = homeOn(disk.mount);
  const tree = await serveTree(join(disk.mount, 'lib/registry/default'));
  const key = join(outside, 'key.asc');
  const apt = openAptClient(`deb [signed-by=${key}] ${tree.url}/deb bookworm main`);
  let daemon: RunningDaemon | null = await startDaemon(home, { quick: true });
  try {
    await drained(daemon, (await daemon.service('KeyringService').createKeyring(HERE)).task);
    writeFileSync(key, (await daemon.service('KeyringService').exportKeyring(HERE)).armored);
    await publish(daemon, outside, 'first', 1);
    let [lost, checked] = [0, 0];
    const known: { task: string; artifact: string }[] = [];
    const published = new Map<string, number>([['first', 1]]);
    for (let round = 0; round < rounds; round++) {
      const load = startLoad(home, daemon, outside, round, known, published);
      await sleep(200 + chance() * 1500);
      const [tasks, versions] = [[...known], new Map(published)];
      writeFileSync(join(disk.mount, 'unsynced'), `round ${round}`);
      disk.keep();
      await daemon.stop('SIGKILL');
      await load;
      disk.lose();
      if (textOf(join(disk.mount, 'unsynced')) !== `round ${round}`) lost++;
      checkRecords(disk.mount, tasks);
      checked += tasks.length;
      const listed = new Map((await verifyWithApt(apt)).map(one => one.split(' ') as [string, string]));
      for (const [name, version] of versions) {
        const there = Number.parseInt(listed.get(name) ?? '-1', 10);
        assert.ok(there >= version, `${name} ${version} was published, ${there} is there`);
      }
      daemon = await startDaemon(home, { quick: true });
      for (const { task, artifact } of tasks) {
        await drained(daemon, task);
        await succeeded(daemon, task, artifact);
      }
      // What was answered after the device was kept is lost with it, as on any machine.
      known.splice(0);
      for (const [name, version] of listed) published.set(name, Number.parseInt(version, 10));
    }
    t.diagnostic(
      `${checked} acknowledged tasks, ${published.size} packages; in ${lost} rounds something unsynced was lost`,
    );
    assert.ok(lost > 0, 'nothing is ever lost on this disk: the test shows nothing');
    assert.equal(await daemon.stop(), 0);
  } finally {
    daemon?.child.kill('SIGKILL');
    apt.close();
    await tree.close();
    disk.close();
    rmSync(outside, { recursive: true, force: true });
  }
});

function homeOn(path: string): Home {
  const home: Home = {
    path,
    configure: (name, text) => {
      mkdirSync(join(path, 'etc/instances.d'), { recursive: true });
      writeFileSync(join(path, 'etc', name), text);
    },
    remove: () => undefined,
  };
  home.configure('rackwright.ini', INI);
  home.configure('instances.d/default.yml', INSTANCE);
  pretendReady(home);
  rmSync(join(path, 'lib/keyring'), { recursive: true });
  run('sync', '--file-system', path);
  return home;
}

async function answers(daemon: RunningDaemon): Promise<boolean> {
  return daemon
    .service('InstanceService')
    .listInstances({})
    .then(
      () => true,
      () => false,
    );
}

async function drained(daemon: RunningDaemon, task: string): Promise<void> {
  const state = async () => (await daemon.service('TaskService').getTask({ ...HERE, task })).task?.state;
  await until(async () => (await state()) === 'TASK_STATE_FINISHED', 600_000);
}

/** Imports one version of a package; resolves once the task has ended as a success. */
async function publish(daemon: RunningDaemon, outside: string, name: string, version: number): Promise<void> {
  const source = join(outside, `${name}-${version}`);
  mkdirSync(source);
  writeTinyDeb(source, tinyDeb(name, `${version}-1`));
  const { task } = await daemon.service('RegistryService').importArtifacts({ place: PLACE, source });
  await drained(daemon, task);
  await succeeded(daemon, task, name);
}

async function succeeded(daemon: RunningDaemon, id: string, what: string): Promise<void> {
  const { task } = await daemon.service('TaskService').getTask({ ...HERE, task: id });
  assert.equal(task?.result, 'TASK_RESULT_SUCCESS', `${what}: ${task?.reason}`);
}

/** Submits and publishes until the daemon is gone; notes what was acknowledged. */
async function startLoad(
  home: Home,
  daemon: RunningDaemon,
  outside: string,
  round: number,
  known: { task: string; artifact: string }[],
  published: Map<string, number>,
): Promise<void> {
  const gone = new AbortController();
  void daemon.ended.then(() => gone.abort());
  const repeat = async (act: (at: number) => Promise<void>): Promise<void> => {
    for (let at = 0; !gone.signal.aborted; at++) {
      const done = act(at).catch(async error => {
        // Its connections may go before its end is heard of.
        if (await answers(daemon)) throw error;
      });
      // A call that was begun as the connection went may never be answered.
      await Promise.race([done, daemon.ended]);
    }
  };
  const submitting = Array.from({ length: 4 }, (_, client) =>
    repeat(async at => {
      const artifact = `ok-${round}-${client}-${at}`;
      const request = spoolBuild(home, artifact);
      const { task } = await daemon.service('BuildService').submitBuild(request, { timeout: 600_000 });
      known.push({ task, artifact });
    }),
  );
  const publishing = repeat(async at => {
    const [name, version] = [`pkg${at % 3}`, round * 1000 + at + 1];
    await publish(daemon, outside, name, version);
    published.set(name, version);
  });
  await Promise.all([...submitting, publishing]);
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Every acknowledged task is recorded once, and the files of those that wait are whole. */
function checkRecords(mount: string, tasks: readonly { task: string; artifact: string }[]): void {
  const database = new DatabaseSync(join(mount, 'lib/state.db'));
  const find = database.prepare(
    'SELECT record FROM live WHERE id = ? UNION ALL SELECT record FROM archive WHERE id = ?',
  );
  for (const { task, artifact } of tasks) {
    const rows = find.all(task, task);
    assert.equal(rows.length, 1, `${artifact}, task ${task}`);
    const { state, place } = JSON.parse(String(rows[0]?.record)) as { state: string; place: string };
    if (state === 'finished') continue;
    assert.equal(textOf(join(place, 'definition.archive')), `definition of ${artifact}`);
  }
  database.close();
}
