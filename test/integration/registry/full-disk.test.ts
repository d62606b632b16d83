/** A disk that fills up in the middle of whatever changes a registry: a named fault, the old state, and on with it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { errorCode, toFault } from '../../../proto/fault.ts';
import type { BuildSpec, DeletionSpec, RegistryKey, RegistrySpec, Spec } from '../../../workers/job.ts';
import { deletion, registryWork } from '../../../workers/jobs/registry.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { withRegistry } from '../../../workers/registry/publication.ts';
import { verify } from '../../../workers/registry/verification.ts';
import { agentsGone } from '../../support/gpg-agents.ts';
import { makeKeyring, openRegistry, type RegistryHome } from '../../support/registry.ts';
import { SOAK } from '../../support/scale.ts';
import { SEED_SPEC } from '../../support/seed-apt.ts';
import { openQuotaDisk, openSmallDisk, rooms, type SmallDisk } from '../../support/small-disk.ts';
import { tinyDeb, writeTinyDeb } from '../../support/tiny-deb.ts';

const PLACE = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;
const KEY: RegistryKey = { ...PLACE, derivative: null };
/** Every page and every name that an operation takes is once the one that is missing; a sample of them in `npm test`. */
const STRIDE = SOAK ? 1 : 30;
/** Rounds after which an operation has surely had all the room that it needs. */
const ENOUGH = 400;

/** One try at something: made while there is room, run when there is little, and run again. */
type Attempt = () => Promise<void>;

describe('a registry on a full disk', () => {
  const skip = process.getuid?.() === 0 ? false : 'mounting a small file system needs root';
  let disk: SmallDisk;
  let outside = '';
  let registry: RegistryHome;
  let number = 0;

  before(async () => {
    if (skip) return;
    disk = openSmallDisk(12);
    outside = mkdtempSync(join(tmpdir(), 'rw-outside-'));
    registry = openRegistry({ home: disk.folder });
    await makeKeyring(registry);
    await publication('base')();
    await act('snapshot', { name: 'base' })();
  });
  afterEach(() => disk.empty());
  after(() => {
    if (skip) return;
    registry.close();
    disk.close();
    rmSync(outside, { recursive: true, force: true });
  });

  function publication(name: string): Attempt {
    const version = `${++number}-1`;
    const spec = { type: 'build', ...PLACE } as BuildSpec;
    const file = writeTinyDeb(outside, tinyDeb(name, version));
    const context = registry.context(spec);
    return () => publishDeb(context, { artifact: name, version, files: [file] }, spec);
  }

  function act(action: RegistrySpec['action'], parameters: Record<string, string>, derivative = 'main') {
    const spec: Spec = { ...SEED_SPEC, action, derivative, parameters };
    const context = registry.context(spec);
    return () => registryWork(context, spec);
  }

  /** Fills the disk at ever later steps, until the operation gets through on bytes and on names. */
  async function sweep(prepare: () => Promise<Attempt>): Promise<void> {
    const through = new Set<string>();
    let failed = 0;
    let round = 0;
    for (const room of rooms(STRIDE)) {
      const [what] = Object.keys(room);
      if (through.size === 2) break;
      if (what === undefined || through.has(what)) continue;
      assert.ok(++round < ENOUGH, 'it never had enough room');
      if (await survives(await prepare(), room)) failed++;
      else through.add(what);
    }
    assert.ok(failed > 0, 'the disk was never full');
  }

  /** Whether the disk was full; then all is as before, and the same attempt gets through when there is room. */
  async function survives(attempt: Attempt, room: Parameters<SmallDisk['fill']>[0]): Promise<boolean> {
    const before_ = stateOf(registry);
    disk.fill(room);
    const error = await attempt().then(
      () => null,
      thrown => thrown,
    );
    if (error !== null) {
      const where = `with ${JSON.stringify(room)} left: ${error?.stack ?? error}`;
      assert.equal(toFault(error).reason, 'disk-full', where);
      assert.match(toFault(error).message, /space|quota/i);
      assert.deepEqual(differences(before_, stateOf(registry)), [], where);
      assert.deepEqual(await findings(registry), [], where);
      await agentsGone(registry.home);
    }
    disk.empty();
    if (error !== null) await attempt();
    assert.deepEqual(await findings(registry), []);
    return error !== null;
  }

  test('publishes', { skip }, () => sweep(async () => publication('full')));

  test('deletes', { skip }, () =>
    sweep(async () => {
      await publication('victim')();
      const spec: DeletionSpec = {
        ...PLACE,
        type: 'deletion',
        artifact: 'victim',
        architecture: 'x86_64',
        version: `${number}-1`,
      };
      const context = registry.context(spec);
      return () => deletion(context, spec);
    }),
  );

  test('keeps a snapshot', { skip }, () => sweep(async () => act('snapshot', { name: `s${++number}` })));

  test('gives a snapshot up', { skip }, () =>
    sweep(async () => {
      const name = `s${++number}`;
      await act('snapshot', { name })();
      return act('snapshot', { name, drop: 'yes' });
    }),
  );

  test('promotes', { skip }, () =>
    sweep(async () => {
      await publication('promoted')();
      const from = { instance: 'default', distribution: 'bookworm', derivative: 'main' };
      return act('promotion', { ...from, artifact: 'promoted' }, 'extra');
    }),
  );

  test('goes back', { skip }, () =>
    sweep(async () => {
      await publication('later')();
      return act('rollback', { to: 'base' });
    }),
  );

  test('imports a folder', { skip }, () =>
    sweep(async () => {
      const folder = join(outside, `import-${++number}`);
      mkdirSync(folder);
      for (const name of ['first', 'second']) writeTinyDeb(folder, tinyDeb(name, `${number}-1`));
      return act('import', { source: folder });
    }),
  );

  test('packs and signs anew', { skip }, () =>
    sweep(async () => {
      await publication('packed')();
      return act('refresh', {});
    }),
  );

  test('makes indexes anew', { skip }, () => sweep(async () => act('repair', {})));
});

test('a quota that is used up stops its instance only, and that goes on when it is raised', async context => {
  if (process.getuid?.() !== 0) return context.skip('mounting a file system with quotas needs root');
  const disk = openQuotaDisk(8);
  const [limited, free] = [disk.limited, disk.free].map(openOn);
  assert.ok(limited && free);
  try {
    for (const registry of [limited, free]) {
      await makeKeyring(registry);
      await publish(registry, 'quiet');
    }
    const ballast = openSync(join(disk.limited, 'ballast'), 'w');
    assert.throws(
      () => {
        for (;;) writeSync(ballast, randomBytes(1 << 16));
      },
      error => errorCode(error) === 'EDQUOT',
    );
    closeSync(ballast);
    const before = stateOf(limited);
    const error = await publish(limited, 'loud').catch(thrown => thrown);
    assert.equal(toFault(error).reason, 'disk-full', String(error));
    assert.match(toFault(error).message, /quota/);
    assert.deepEqual(differences(before, stateOf(limited)), []);
    assert.deepEqual(await findings(limited), []);
    await publish(free, 'loud');
    disk.limit(64);
    await publish(limited, 'loud');
    for (const registry of [limited, free]) assert.deepEqual(await findings(registry), []);
  } finally {
    for (const registry of [limited, free]) {
      registry.close();
      rmSync(registry.home, { recursive: true });
    }
    disk.close();
  }
});

/** A registry whose files lie in that folder, the rest (the state of the daemon, the keys) elsewhere. */
function openOn(folder: string): RegistryHome {
  const home = mkdtempSync(join(tmpdir(), 'rw-outside-'));
  symlinkSync(folder, join(home, 'registry'));
  return openRegistry({ home });
}

async function publish(registry: RegistryHome, name: string): Promise<void> {
  const spec = { type: 'build', ...PLACE } as BuildSpec;
  const folder = mkdtempSync(join(tmpdir(), 'rw-outside-'));
  const file = writeTinyDeb(folder, tinyDeb(name, '1-1'));
  try {
    await publishDeb(registry.context(spec), { artifact: name, version: '1-1', files: [file] }, spec);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What is wrong with the registry, by its own verification. */
async function findings(registry: RegistryHome): Promise<string[]> {
  return withRegistry(registry.context(SEED_SPEC, 'verification'), SEED_SPEC, held =>
    verify(registry.context(SEED_SPEC, 'verification'), held),
  );
}

/** Every name on the disk with what it stands for, and what the catalogue holds. */
function stateOf(registry: RegistryHome): Record<string, string> {
  const { reads, generations } = registry.catalogue;
  const state: Record<string, string> = {};
  for (const derivative of ['main', 'extra']) {
    for (const one of reads.list('default', { ...PLACE, derivative }, { limit: 1000 }).artifacts) {
      state[`${derivative} ${one.name} ${one.version}`] = 'published';
    }
  }
  for (const { name, snapshots } of generations.kept('default', KEY)) state[name] = snapshots.join();
  for (const folder of [registry.settings.dirs.registry, registry.settings.dirs.run]) look(folder, state);
  return state;
}

/** Notes every name below a folder. Pieces of indexes are kept by content for the next attempt, empty folders may stay. */
function look(folder: string, state: Record<string, string>): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const { ino, size, nlink } = lstatSync(path);
    if (entry.isSymbolicLink()) state[path] = readlinkSync(path);
    else if (!entry.isDirectory()) state[path] = `${ino} ${size} ${nlink}`;
    else if (entry.name !== 'segments') {
      if (/generations|staging|run/.test(folder)) state[path] = 'folder';
      look(path, state);
    }
  }
}

/** What one of two states says otherwise than the other. */
function differences(before: Record<string, string>, after: Record<string, string>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap(name =>
    before[name] === after[name]
      ? []
      : [`${name}: ${before[name] ?? 'nothing'}, then ${after[name] ?? 'nothing'}`],
  );
}
