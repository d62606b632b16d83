/**
 * The daemon is killed, or the power is lost, while fifty clients submit over gRPC and through the edge: what was
 * answered is there, once and whole.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import {
  type Home,
  makeHome,
  pretendReady,
  type RunningDaemon,
  spoolBuild,
  startDaemon,
} from '../../support/daemon.ts';
import { startEdge } from '../../support/edge-process.ts';
import { openLosableDisk } from '../../support/losable-disk.ts';
import { random, SEED, scaled } from '../../support/scale.ts';
import { DEFINITION, type LoadTarget, runLoad } from '../../support/submission-load.ts';
import { until } from '../../support/until.ts';

const CLIENTS = 50;
const INSTANCE = { instance: 'default' };
const WAYS = ['grpc', 'rest'] as const;
const chance = random(SEED);

test('nothing that was answered is lost or doubled when the daemon is killed under load', async t => {
  const rounds = scaled(20, 0.1);
  const home = prepareHome();
  const answered: string[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      answered.push(...(await killUnderLoad(home, WAYS[round % 2] ?? 'grpc')));
    }
    const told = await check(home, answered, rounds);
    t.diagnostic(`${rounds} kills, seed ${SEED}: ${told}`);
  } finally {
    home.remove();
  }
});

for (const format of ['ext4', 'btrfs'] as const) {
  test(`nothing that was answered is lost when the power is lost under load, on ${format}`, async t => {
    const rounds = scaled(4, 0.5);
    const disk = openLosableDisk(format);
    const home = prepareHome(disk.folder);
    // The site's own files were there long before.
    execFileSync('sync', ['--file-system', disk.folder]);
    const answered: string[] = [];
    try {
      for (let round = 0; round < rounds; round++) {
        answered.push(...(await killUnderLoad(home, WAYS[round % 2] ?? 'grpc')));
        const unsynced = join(home.path, `unsynced-${round}`);
        writeFileSync(unsynced, 'x');
        disk.losePower();
        assert.ok(!existsSync(unsynced), 'the disk keeps what nobody synced: this test shows nothing');
      }
      const told = await check(home, answered, rounds);
      t.diagnostic(`${rounds} losses of power, seed ${SEED}: ${told}`);
    } finally {
      disk.close();
    }
  });
}

function prepareHome(parent?: string): Home {
  const home = makeHome(parent);
  home.configure('rackwright.ini', '[tasks]\nworkers = 1\nmax_workers = 1\n');
  home.configure('policy.ini', '[roles]\nanonymous\nbuilders=jane\n[anonymous]\n[builders]\nactions=build\n');
  pretendReady(home);
  return home;
}

/** Starts daemon and edge, kills the daemon at a random moment of the load; the ids that were answered before. */
async function killUnderLoad(home: Home, by: (typeof WAYS)[number]): Promise<readonly string[]> {
  const daemon = await startDaemon(home, { quick: true });
  const edge = await startEdge(home);
  try {
    // Keeps the worker busy: what comes behind it waits.
    await daemon.service('BuildService').submitBuild(spoolBuild(home, 'wait600000'));
    const { token } = await daemon.service('TokenService').issueToken({ ...INSTANCE, subject: 'jane' });
    const target: LoadTarget =
      by === 'grpc' ? { by, socket: join(home.path, 'run/control.sock') } : { by, url: edge.url, token };
    const before = await waiting(daemon);
    const load = runLoad({ target, clients: CLIENTS, seconds: 600 });
    await until(async () => (await waiting(daemon)) > before + CLIENTS);
    await new Promise(resolve => setTimeout(resolve, chance() * 1500));
    await daemon.stop('SIGKILL');
    const { tasks, failed } = await load;
    assert.equal(failed, CLIENTS, 'the kill cut every client off');
    assert.ok(tasks.length > 0);
    return tasks;
  } finally {
    await daemon.stop('SIGKILL');
    await edge.stop();
  }
}

async function waiting(daemon: RunningDaemon): Promise<number> {
  return (await daemon.service('DaemonService').getDaemonStatus({})).waiting;
}

/** What a daemon that starts again has on its disk; counts in words. */
async function check(home: Home, answered: readonly string[], rounds: number): Promise<string> {
  const daemon = await startDaemon(home, { quick: true });
  await daemon.stop('SIGKILL');
  const database = new DatabaseSync(join(home.path, 'lib/state.db'), { readOnly: true });
  const tasks = database
    .prepare('SELECT id, artifact FROM live UNION ALL SELECT id, artifact FROM archive')
    .all() as { id: string; artifact: string }[];
  database.close();
  const ids = new Set(tasks.map(task => task.id));
  assert.equal(ids.size, tasks.length, 'nothing is there twice');
  assert.equal(new Set(answered).size, answered.length, 'no two answers share a task');
  assert.deepEqual(
    answered.filter(task => !ids.has(task)),
    [],
    'nothing that was answered is lost',
  );
  const places = join(home.path, 'lib/workspaces/default');
  const ofClients = tasks.filter(task => task.artifact.startsWith('hello-'));
  for (const { id } of ofClients) {
    const definition = readFileSync(join(places, id, 'definition.archive'));
    assert.ok(definition.equals(DEFINITION), `the definition of ${id} is whole`);
  }
  const stray = readdirSync(places).filter(name => !ids.has(name)).length;
  // Each client had one submission under way when the daemon died.
  assert.ok(ofClients.length + stray - answered.length <= CLIENTS * rounds);
  return `${answered.length} answered, ${ofClients.length} recorded, ${stray} folders without a record`;
}
