/** Registries survive what kills their writer: SIGKILL at any instant, a signer's death, a key's end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { BuildSpec } from '../../../workers/job.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { locateRegistry } from '../../../workers/registry/publication.ts';
import { verify } from '../../../workers/registry/verification.ts';
import { openAptClient } from '../../support/apt-client.ts';
import { agentsGone } from '../../support/gpg-agents.ts';
import { makeKeyring, openRegistry, type RegistryHome } from '../../support/registry.ts';
import type { Begun } from '../../support/registry-crash.ts';
import { after, PLACE, type State, type Step, stateOf } from '../../support/registry-model.ts';
import { random, SEED, scaled } from '../../support/scale.ts';
import { SEED_SPEC } from '../../support/seed-apt.ts';
import { tinyDeb, writeTinyDeb } from '../../support/tiny-deb.ts';

const PROGRAM = fileURLToPath(new URL('../../support/registry-crash.ts', import.meta.url));
const KILLS = scaled(1000);
/** Registries killed beside each other: while one starts anew, others work. */
const LANES = Math.min(4, KILLS);
/** A kill falls into one of so many first steps, or up to so many milliseconds after its beginning. */
const [STEPS, MOMENT] = [4, 200];

async function findings(registry: RegistryHome): Promise<string[]> {
  const context = registry.context(SEED_SPEC);
  return verify(context, locateRegistry(context, SEED_SPEC));
}

/** What a killed program told of its life. */
interface Life {
  readonly done: readonly Begun[];
  /** What was under way. */
  readonly begun: Begun | null;
}

/** Runs the program and kills it at some moment of the first steps, wherever that falls. */
async function runAndKill(home: string, words: readonly string[], dice: () => number): Promise<Life> {
  const child = spawn(process.execPath, [PROGRAM, home, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(home, 'compiled') },
  });
  const done: Begun[] = [];
  let begun: Begun | null = null;
  let steps = Math.floor(dice() * STEPS);
  let errors = '';
  child.stderr.on('data', chunk => {
    errors += chunk;
  });
  createInterface({ input: child.stdout }).on('line', line => {
    const [word = ''] = line.split(' ', 1);
    const told = JSON.parse(line.slice(word.length)) as Begun;
    if (word === 'done') done.push(told);
    begun = word === 'begin' ? told : null;
    if (begun && steps-- === 0) setTimeout(() => child.kill('SIGKILL'), dice() * MOMENT);
  });
  await once(child, 'close');
  assert.equal(child.signalCode, 'SIGKILL', `the program ended by itself: ${errors}`);
  return { done, begun };
}

/** One registry that is killed again and again, and looked at after each time. */
async function campaign(kills: number, seed: number): Promise<{ done: number; cut: Map<string, number> }> {
  const home = mkdtempSync(join(tmpdir(), 'rw-kill-'));
  let registry = openRegistry({ home });
  await makeKeyring(registry);
  let state = await stateOf(registry);
  registry.close();
  const dice = random(seed);
  const cut = new Map<string, number>();
  let [number, total] = [0, 0];
  let again: Begun | null = null;
  for (let kill = 0; kill < kills; kill++) {
    const words = [String(seed + kill), String(number), JSON.stringify(again)];
    const { done, begun: underWay } = await runAndKill(home, words, dice);
    total += done.length;
    number += done.length + 1;
    state = done.reduce((before, { step }) => after(before, step), state);
    registry = openRegistry({ home });
    const where: string = `after kill ${kill} of seed ${seed}, in ${JSON.stringify(underWay)}`;
    const found = await stateOf(registry);
    const ends = underWay === null ? [state] : [state, after(state, underWay.step)];
    assert.ok(
      ends.some(end => isDeepStrictEqual(end, found)),
      `${where}: ${JSON.stringify(found)} is neither of ${JSON.stringify(ends)}`,
    );
    // A snapshot is recorded before it is linked; the next attempt at its task, below, does that.
    const unlinked = underWay?.step.verb === 'snapshot' ? `snapshot ${underWay.step.name}: ` : null;
    const wrong = (await findings(registry)).filter(line => unlinked === null || !line.startsWith(unlinked));
    assert.deepEqual(wrong, [], where);
    assert.equal(openIntents(registry), 0, where);
    assert.deepEqual(filesOnTheWay(registry), [], where);
    checkSnapshots(registry, found, underWay?.step ?? null);
    registry.close();
    if (underWay) cut.set(underWay.step.verb, (cut.get(underWay.step.verb) ?? 0) + 1);
    state = found;
    again = underWay;
  }
  await goesOn(home);
  rmSync(home, { recursive: true, force: true });
  return { done: total, cut };
}

function openIntents(registry: RegistryHome): number {
  return registry.database.prepare('SELECT count(*) AS n FROM intent').get<{ n: number }>()?.n ?? -1;
}

/** Every snapshot is served at its address, but for one that was being made or given up. */
function checkSnapshots(registry: RegistryHome, { snapshots }: State, underWay: Step | null): void {
  const folder = join(registry.tree('deb'), 'snapshots');
  const served = existsSync(folder) ? readdirSync(folder) : [];
  const open = underWay?.verb === 'snapshot' || underWay?.verb === 'drop' ? underWay.name : '';
  const named = Object.keys(snapshots).filter(name => name !== open);
  assert.deepEqual(served.filter(name => name !== open).sort(), named.sort());
  for (const name of named) {
    assert.ok(existsSync(join(folder, name, 'dists/bookworm/InRelease')), `snapshot ${name} is not served`);
  }
}

/** A registry that was killed for the last time takes a publication, apt takes it, and nothing of the dead is left. */
async function goesOn(home: string): Promise<void> {
  const registry = openRegistry({ home });
  const spec = { type: 'build', ...PLACE } as BuildSpec;
  const file = writeTinyDeb(join(home, 'tmp'), tinyDeb('last', '1-1'));
  await publishDeb(registry.context(spec), { artifact: 'last', version: '1-1', files: [file] }, spec);
  assert.equal(versionOf(registry, 'last'), 1);
  const key = join(registry.settings.dirs.keyring, 'default/public.gpg');
  const apt = openAptClient(`deb [signed-by=${key}] file:${registry.tree('deb')} bookworm main extra`);
  const updated = await apt.run('apt-get', 'update');
  assert.deepEqual([updated.code, updated.output.match(/^[WE]:.*/gm)], [0, null], updated.output);
  assert.match((await apt.run('apt-cache', 'policy', 'last')).output, /Candidate: 1-1/);
  apt.close();
  assert.deepEqual(readdirSync(registry.settings.dirs.run), []);
  await agentsGone(home);
  registry.close();
}

/** What a killed task left of files that were to go into the pool. */
function filesOnTheWay(registry: RegistryHome): string[] {
  const folder = join(registry.tree('state'), 'deb/staging');
  return existsSync(folder) ? readdirSync(folder) : [];
}

function versionOf(registry: RegistryHome, name: string): number | null {
  const found = registry.catalogue.reads.describe('default', PLACE, { name, architecture: 'x86_64' });
  return found ? Number.parseInt(found.entry.version, 10) : null;
}

describe('a registry whose writer dies', () => {
  test(`is whole after each of ${KILLS} SIGKILLs, and has what was acknowledged (seed ${SEED})`, async context => {
    const lanes = await Promise.all(
      Array.from({ length: LANES }, (_, lane) => campaign(Math.ceil(KILLS / LANES), SEED + lane * KILLS)),
    );
    const cut: Record<string, number> = {};
    for (const [verb, times] of lanes.flatMap(lane => [...lane.cut])) cut[verb] = (cut[verb] ?? 0) + times;
    const done = lanes.reduce((sum, lane) => sum + lane.done, 0);
    context.diagnostic(`${done} steps done, cut short: ${JSON.stringify(cut)}`);
    assert.ok(done > 0);
  });

  test('publishes when its signer is killed once, and stays as it was when it is killed again', async () => {
    const registry = openRegistry();
    await makeKeyring(registry);
    for (const [deaths, version] of [
      [1, '1-1'],
      [2, '2-1'],
    ] as const) {
      const spec = { type: 'build', ...PLACE } as BuildSpec;
      const context = registry.context(spec);
      let killed = 0;
      const run = context.runTool;
      Object.assign(context, {
        runTool: (command: string[], options: object) => {
          const signs = command[0] === 'gpg' && command.includes('--clear-sign');
          // The real gpg behind a shell that is killed as soon as it has started.
          if (signs && killed++ < deaths) return run(['sh', '-c', 'kill -KILL $$', ...command], options);
          return run(command, options);
        },
      });
      const file = writeTinyDeb(registry.home, tinyDeb('signed', version));
      const publication = publishDeb(context, { artifact: 'signed', version, files: [file] }, spec);
      if (deaths === 1) await publication;
      else await assert.rejects(publication, { reason: 'signing-failed' });
      assert.equal(versionOf(registry, 'signed'), 1);
      assert.deepEqual(await findings(registry), []);
    }
    registry.close();
  });

  test('says that its key has expired before anything changes', async () => {
    const registry = openRegistry({ keyring: { expires: 1 } });
    await makeKeyring(registry);
    await new Promise(resolve => setTimeout(resolve, 1200));
    const spec = { type: 'build', ...PLACE } as BuildSpec;
    const file = writeTinyDeb(registry.home, tinyDeb('late', '1-1'));
    const publication = publishDeb(
      registry.context(spec),
      { artifact: 'late', version: '1-1', files: [file] },
      spec,
    );
    await assert.rejects(publication, { reason: 'key-expired' });
    assert.ok(!existsSync(join(registry.tree('deb'), 'dists')));
    registry.close();
  });
});
