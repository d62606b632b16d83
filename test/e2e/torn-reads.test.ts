/** Registries that change without a pause, read meanwhile: no client is ever caught between two states. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RegistryPair, RPM } from '../support/registry-pair.ts';
import { makeRpm } from '../support/rpms.ts';
import { random, SEED, scaled } from '../support/scale.ts';
import { newCount, type ReadTarget, readUntil } from '../support/torn-reads.ts';

const CHANGER = fileURLToPath(new URL('../support/registry-changer.ts', import.meta.url));
const READS = scaled(100_000);
/** Clients of each kind at once. */
const CLIENTS = 16;

let site: RegistryPair;
before(async () => {
  site = await RegistryPair.open('[format:deb]\nxz_after = 1\n');
  await site.importDeb('hello', '1-1');
  await site.import(RPM, folder => makeRpm(folder, { name: 'tool', version: '1' }));
});
after(() => site.close());

test(`a registry is never seen torn: ${READS} reads of its indexes while it changes (seed ${SEED})`, async context => {
  const url = `${site.pair.url}/site`;
  const indexes = ['main/binary-amd64/Packages.xz', 'main/binary-amd64/Packages.gz'];
  const targets: ReadTarget[] = [
    { url: `${url}/deb`, kind: 'apt-by-hash', suite: 'stable', indexes },
    { url: `${url}/deb`, kind: 'apt-plain', suite: 'stable', indexes },
    { url: `${url}/rpm`, kind: 'dnf', suite: 'el9/main/x86_64', indexes: [] },
  ];
  const changer = spawn(process.execPath, [CHANGER, site.pair.controlSocket, 'deb', 'rpm'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const published = { deb: 0, rpm: 0 };
  createInterface({ input: changer.stdout }).on('line', format => {
    published[format as 'deb' | 'rpm']++;
  });
  const dice = random(SEED);
  const counts = targets.map(newCount);
  const wanted = (): boolean =>
    counts.reduce((sum, { reads }) => sum + reads, 0) < READS ||
    counts.some(({ seen, straddled }) => seen.size < 2 || straddled === 0);
  const readers = targets.flatMap((target, at) => {
    const count = counts[at] ?? newCount();
    const switches = (): number => published[target.kind === 'dnf' ? 'rpm' : 'deb'];
    const campaign = { count, wanted, switches, delay: () => Math.floor(dice() * 150) };
    return Array.from({ length: CLIENTS }, () => readUntil(target, campaign));
  });
  await Promise.all(readers);
  const running = changer.exitCode === null;
  changer.stdin.end();
  if (running) await once(changer, 'close');
  for (const [at, { reads, packages, failed, straddled, seen, first }] of counts.entries()) {
    const kind = targets[at]?.kind ?? '';
    context.diagnostic(
      `${kind}: ${reads} reads, ${packages} of them followed to a package, ${seen.size} states seen, ` +
        `${straddled} reads over a publication, ${failed} failed`,
    );
    assert.equal(failed, 0, `${kind}: ${first}`);
    assert.ok(seen.size > 1 && straddled > 0, `${kind} was not read while it changed`);
  }
  assert.equal(changer.exitCode, 0, 'publications ended before the reads');
});
