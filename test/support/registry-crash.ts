/** A program that changes a registry again and again until it is killed: publications, deletions, snapshots, promotion. */
import { join } from 'node:path';
import type { BuildSpec, RegistrySpec, Spec } from '../../workers/job.ts';
import { deletion, registryWork } from '../../workers/jobs/registry.ts';
import { publishDeb } from '../../workers/registry/apt-publish.ts';
import { openRegistry } from './registry.ts';
import { random } from './scale.ts';
import { SEED_SPEC } from './seed-apt.ts';
import { tinyDeb, writeTinyDeb } from './tiny-deb.ts';

const [home = '', seed = '1', first = '0'] = process.argv.slice(2);
const registry = openRegistry({ home });
const dice = random(Number(seed));
const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
const PLACE = { format: 'deb', distribution: 'bookworm', derivative: 'main' } as const;

async function publish(step: number): Promise<string> {
  const name = NAMES[Math.floor(dice() * NAMES.length)] ?? 'alpha';
  const deb = tinyDeb(name, `${step}-1`);
  const spec = { type: 'build', ...PLACE } as BuildSpec;
  const file = writeTinyDeb(join(home, 'tmp'), deb);
  await publishDeb(registry.context(spec), { artifact: name, version: deb.version, files: [file] }, spec);
  return `published ${name} ${deb.version}`;
}

async function remove(): Promise<string> {
  const [first] = registry.catalogue.reads.list('default', PLACE, { limit: 1 }).artifacts;
  if (!first) return 'nothing to delete';
  const spec = {
    type: 'deletion',
    ...PLACE,
    artifact: first.name,
    architecture: first.architecture,
    version: first.version,
  } as const;
  await deletion(registry.context(spec), spec);
  return `deleted ${first.name} ${first.version}`;
}

async function act(action: RegistrySpec['action'], parameters: Record<string, string>, derivative = 'main') {
  const spec: Spec = { ...SEED_SPEC, action, derivative, parameters };
  await registryWork(registry.context(spec), spec);
}

async function step(number: number): Promise<string> {
  const roll = dice();
  if (roll < 0.6 || number < 3) return publish(number);
  if (roll < 0.75) return remove();
  if (roll < 0.85) {
    await act('snapshot', { name: `s${number}` });
    return `snapshot s${number}`;
  }
  const from = { instance: 'default', distribution: 'bookworm', derivative: 'main' };
  if (registry.catalogue.reads.list('default', PLACE, { limit: 1 }).artifacts.length === 0) return 'nothing';
  await act('promotion', from, 'extra');
  return 'promoted';
}

process.stdout.write('open\n');
for (let number = Number(first); ; number++) process.stdout.write(`${number} ${await step(number)}\n`);
