/** Registries survive what kills their writer: SIGKILL at any instant, a signer's death, a disk that is full. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { BuildSpec } from '../../../workers/job.ts';
import { publishDeb } from '../../../workers/registry/apt-publish.ts';
import { withRegistry } from '../../../workers/registry/publication.ts';
import { verify } from '../../../workers/registry/verification.ts';
import { makeKeyring, openRegistry, type RegistryHome } from '../../support/registry.ts';
import { random, SEED, scaled } from '../../support/scale.ts';
import { SEED_SPEC } from '../../support/seed-apt.ts';
import { tinyDeb, writeTinyDeb } from '../../support/tiny-deb.ts';

const PROGRAM = fileURLToPath(new URL('../../support/registry-crash.ts', import.meta.url));
const PLACE = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;

async function findings(registry: RegistryHome): Promise<string[]> {
  const context = registry.context(SEED_SPEC);
  return withRegistry(context, SEED_SPEC, held => verify(context, held));
}

/** Runs the program and kills it after a while; answers what it acknowledged. */
async function runAndKill(home: string, seed: number, first: number, delay: number): Promise<string[]> {
  const child = spawn(process.execPath, [PROGRAM, home, String(seed), String(first)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let errors = '';
  child.stderr.on('data', chunk => {
    errors += chunk;
  });
  const reader = createInterface({ input: child.stdout });
  await new Promise<void>(resolve => {
    reader.on('line', line => {
      if (line !== 'open') lines.push(line);
      else setTimeout(() => child.kill('SIGKILL'), delay);
    });
    child.on('close', () => resolve());
  });
  assert.equal(child.signalCode, 'SIGKILL', `the program ended by itself: ${errors}`);
  return lines;
}

function versionOf(registry: RegistryHome, name: string): number | null {
  const found = registry.catalogue.reads.describe('default', PLACE, { name, architecture: 'x86_64' });
  return found ? Number.parseInt(found.entry.version, 10) : null;
}

describe('a registry whose writer dies', () => {
  test(`is whole after each of ${scaled(1000)} SIGKILLs, and has all that was acknowledged (seed ${SEED})`, async () => {
    const home = mkdtempSync(join(tmpdir(), 'rw-kill-'));
    const start = openRegistry({ home });
    await makeKeyring(start);
    start.close();
    const dice = random(SEED);
    let number = 0;
    let acknowledged = 0;
    for (let kill = 0; kill < scaled(1000); kill++) {
      const lines = await runAndKill(home, SEED + kill, number, 20 + dice() * 900);
      acknowledged += lines.length;
      number += lines.length + 1;
      const registry = openRegistry({ home });
      assert.deepEqual(await findings(registry), [], `after kill ${kill}`);
      const open = registry.database.prepare('SELECT count(*) AS n FROM intent').get<{ n: number }>();
      assert.equal(open?.n, 0);
      checkAcknowledged(registry, lines);
      registry.close();
    }
    assert.ok(acknowledged > 0);
    const registry = openRegistry({ home });
    const spec = { type: 'build', ...PLACE } as BuildSpec;
    const file = writeTinyDeb(join(home, 'tmp'), tinyDeb('last', '1-1'));
    await publishDeb(registry.context(spec), { artifact: 'last', version: '1-1', files: [file] }, spec);
    assert.equal(versionOf(registry, 'last'), 1);
    assert.deepEqual(
      readdirSync(join(home, 'run')).filter(name => name.startsWith('k-')),
      [],
    );
    registry.close();
    rmSync(home, { recursive: true, force: true });
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

/** What was acknowledged is there, or a later step of the same run changed it. */
function checkAcknowledged(registry: RegistryHome, lines: readonly string[]): void {
  const published = new Map<string, number>();
  const deleted = new Set<string>();
  for (const line of lines) {
    const [, verb, name = '', version = ''] = line.split(' ');
    if (verb === 'published') published.set(name, Number.parseInt(version, 10));
    if (verb === 'deleted') deleted.add(name);
    if (verb === 'snapshot') {
      const key = { format: 'deb', distribution: 'bookworm', derivative: null } as const;
      assert.ok(registry.catalogue.generations.hasSnapshot('default', key, name), line);
    }
  }
  const last = lines.at(-1)?.split(' ')[2];
  for (const [name, version] of published) {
    const found = versionOf(registry, name);
    // A deletion, acknowledged or under way when the kill came, may have taken it.
    if (found === null)
      assert.ok(deleted.has(name) || isFirst(registry, name, last), `${name} ${version} is lost`);
    else assert.ok(found >= version, `${name} went back from ${version} to ${found}`);
  }
}

/** The program deletes the first of the list: what sorts before all that is there may have gone last. */
function isFirst(registry: RegistryHome, name: string, _last: string | undefined): boolean {
  const [first] = registry.catalogue.reads.list('default', PLACE, { limit: 1 }).artifacts;
  return first === undefined || name < first.name;
}

describe('a registry on a full disk', () => {
  test('fails with a clear fault, serves what it had, and goes on when there is room', async context => {
    const folder = mkdtempSync(join(tmpdir(), 'rw-full-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], { stdio: 'pipe' });
    } catch {
      rmSync(folder, { recursive: true, force: true });
      context.skip('mounting a small file system needs root');
      return;
    }
    try {
      await fillAndPublish(folder);
    } finally {
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function fillAndPublish(folder: string): Promise<void> {
  const registry = openRegistry({ home: folder });
  await makeKeyring(registry);
  const spec = { type: 'build', ...PLACE } as BuildSpec;
  const publish = async (version: string): Promise<void> => {
    const file = writeTinyDeb('/tmp', tinyDeb('full', version));
    await publishDeb(registry.context(spec), { artifact: 'full', version, files: [file] }, spec);
    rmSync(file);
  };
  await publish('1-1');
  const dice = random(SEED);
  const ballast = join(folder, 'ballast');
  let failed = 0;
  for (let round = 0; round < scaled(100, 0.05); round++) {
    const served = readFileSync(join(registry.tree('deb'), 'dists/bookworm/InRelease'));
    // Leaves between nothing and some 60 KiB, so that the disk is full at another step each time.
    fillUp(ballast, Math.floor(dice() * 16) * 4096);
    try {
      await publish(`${round + 2}-1`);
    } catch (error) {
      failed++;
      const code = (error as { code?: string }).code ?? (error as { reason?: string }).reason;
      assert.ok(['ENOSPC', 'disk-full', 'signing-failed'].includes(code ?? ''), String(error));
      const now = readFileSync(join(registry.tree('deb'), 'dists/bookworm/InRelease'));
      assert.ok(now.equals(served), `another state is served after: ${error}`);
    }
    rmSync(ballast, { force: true });
    assert.deepEqual(await findings(registry), []);
    await publish(`${round + 2}-2`);
    assert.deepEqual(await findings(registry), []);
  }
  assert.ok(failed > 0, 'the disk was never full');
  registry.close();
}

/** Fills the file system but for some bytes. */
function fillUp(ballast: string, leave: number): void {
  mkdirSync(join(ballast, '..'), { recursive: true });
  for (const size of [1 << 20, 1 << 16, 1 << 12]) {
    for (;;) {
      try {
        writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
      } catch {
        break;
      }
    }
  }
  const { size } = { size: readFileSync(ballast).length };
  writeFileSync(ballast, Buffer.alloc(Math.max(0, size - leave)));
}
