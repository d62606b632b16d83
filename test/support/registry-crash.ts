/** A program that changes a registry again and again until it is killed, telling each step before it begins and when it is done. */
import { existsSync, mkdirSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { TaskContext } from '../../workers/context.ts';
import type { BuildSpec, DeletionSpec, RegistrySpec, Spec } from '../../workers/job.ts';
import { deletion, registryWork } from '../../workers/jobs/registry.ts';
import { publishDeb } from '../../workers/registry/apt-publish.ts';
import { openRegistry } from './registry.ts';
import { after, PLACE, type State, type Step, stateOf } from './registry-model.ts';
import { random } from './scale.ts';
import { SEED_SPEC } from './seed-apt.ts';
import { tinyDeb, writeTinyDeb } from './tiny-deb.ts';

/** A step with the task that makes it. */
export interface Begun {
  readonly task: string;
  readonly step: Step;
}

const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
/** Snapshots kept at once. */
const SNAPSHOTS = 4;

// registry-crash.ts HOME SEED NUMBER [BEGUN]: the step that the last life had begun is its task's once more
const [home = '', seed = '1', first = '0', begun = 'null'] = process.argv.slice(2);
const registry = openRegistry({ home });
const dice = random(Number(seed));

function choose(state: State, number: number): Step {
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(dice() * from.length)];
  const [main, snapshots] = [Object.keys(state.main), Object.keys(state.snapshots)];
  const version = `${number}-1`;
  const publish: Step = { verb: 'publish', name: pick(NAMES) ?? 'alpha', version };
  const roll = dice();
  if (main.length === 0 || roll < 0.35) return publish;
  if (roll < 0.45) return { verb: 'import', names: NAMES.filter(() => dice() < 0.6).concat('zeta'), version };
  if (roll < 0.6) {
    const name = pick(main) ?? '';
    return { verb: 'delete', name, version: state.main[name] ?? '' };
  }
  if (roll < 0.72)
    return snapshots.length < SNAPSHOTS
      ? { verb: 'snapshot', name: `s${number}` }
      : { verb: 'drop', name: pick(snapshots) ?? '' };
  if (roll < 0.82) return { verb: 'promote' };
  if (roll < 0.9) return { verb: 'refresh' };
  const back: Step = { verb: 'roll back', name: pick(snapshots) ?? '' };
  return snapshots.length === 0 || isDeepStrictEqual(after(state, back), state) ? publish : back;
}

async function make({ task, step }: Begun): Promise<void> {
  const act = async (
    action: RegistrySpec['action'],
    parameters: Record<string, string>,
    derivative = 'main',
  ) => {
    const spec: Spec = { ...SEED_SPEC, action, derivative, parameters };
    await registryWork(contextOf(spec), spec);
  };
  const contextOf = (spec: Spec): TaskContext => registry.context(spec, task);
  switch (step.verb) {
    case 'publish': {
      const spec = { type: 'build', ...PLACE } as BuildSpec;
      const file = writeTinyDeb(join(home, 'tmp'), tinyDeb(step.name, step.version));
      return publishDeb(contextOf(spec), { artifact: step.name, version: step.version, files: [file] }, spec);
    }
    case 'import': {
      const source = join(home, 'tmp', `import-${step.version}`);
      if (!existsSync(source)) mkdirSync(source);
      for (const name of step.names) writeTinyDeb(source, tinyDeb(name, step.version));
      return act('import', { source });
    }
    case 'delete': {
      const { name: artifact, version } = step;
      const spec: DeletionSpec = { type: 'deletion', ...PLACE, artifact, architecture: 'x86_64', version };
      return deletion(contextOf(spec), spec);
    }
    case 'promote':
      return act('promotion', { instance: 'default', distribution: 'bookworm', derivative: 'main' }, 'extra');
    case 'roll back':
      return act('rollback', { to: step.name });
    case 'refresh':
      return act('refresh', {});
    case 'snapshot':
      return act('snapshot', { name: step.name });
    case 'drop':
      return act('snapshot', { name: step.name, drop: 'yes' });
  }
}

const tell = (word: 'begin' | 'done', value: Begun): void =>
  void process.stdout.write(`${word} ${JSON.stringify(value)}\n`);

const again = JSON.parse(begun) as Begun | null;
if (again) {
  tell('begin', again);
  // As the daemon does: an interrupted task runs once more, unless what it published is committed.
  if (!registry.catalogue.hasPublished(again.task)) await make(again);
  tell('done', again);
}
for (let number = Number(first); ; number++) {
  const next: Begun = { task: crypto.randomUUID(), step: choose(await stateOf(registry), number) };
  tell('begin', next);
  await make(next);
  tell('done', next);
  // The next life starts in half the time where this one is told where to keep what it compiled.
  flushCompileCache();
}
