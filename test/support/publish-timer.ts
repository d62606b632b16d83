/** A program that publishes into a registry and tells how long each publication took: a process of its own, as a worker is. */
import { join } from 'node:path';
import type { BuildSpec } from '../../workers/job.ts';
import { publishDeb } from '../../workers/registry/apt-publish.ts';
import { publishRpm } from '../../workers/registry/rpm-publish.ts';
import { makeKeyring, openRegistry } from './registry.ts';
import { seedApt, seedName } from './seed-apt.ts';
import { tinyDeb, writeTinyDeb } from './tiny-deb.ts';

// publish-timer.ts HOME seed COUNT | HOME deb COUNT RUNS | HOME rpm FILE...
const [home = '', mode = '', ...rest] = process.argv.slice(2);
const registry = openRegistry({
  home,
  keyring: { type: 'rsa' },
  pipelines: [{}, { format: 'rpm', distribution: 'el9', tag: 'el9' }],
});
const times: number[] = [];

async function measure(work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await work();
  times.push((performance.now() - start) / 1000);
}

if (mode === 'seed') {
  await makeKeyring(registry);
  if (Number(rest[0]) > 0) await seedApt(registry, Number(rest[0]));
} else if (mode === 'deb') {
  const [count, runs] = rest.map(Number);
  for (let run = 0; run < (runs ?? 1); run++) {
    const name = seedName((run * 7919) % (count ?? 1));
    const file = writeTinyDeb(join(home, 'tmp'), tinyDeb(name, `2.${run}-1`));
    const spec = { type: 'build', format: 'deb', distribution: 'bookworm', derivative: 'main' } as BuildSpec;
    await measure(() =>
      publishDeb(registry.context(spec), { artifact: name, version: '2', files: [file] }, spec),
    );
  }
} else {
  const spec = { type: 'build', format: 'rpm', distribution: 'el9', derivative: 'main' } as BuildSpec;
  for (const list of rest) {
    const files = list.split(',');
    await measure(() => publishRpm(registry.context(spec), { artifact: 'x', version: '1', files }, spec));
  }
}
process.stdout.write(`${JSON.stringify(times)}\n`);
